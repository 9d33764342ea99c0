/**
 * Examples of the contract's resources, by the name of their schema: the answer of every operation that returns one and has
 * no example of its own (openapi-examples.ts). A test checks them against the schemas.
 */
import type {
  About,
  Account,
  AccountExport,
  ApiKey,
  AuditEntry,
  CreatedKey,
  CreatedOperatorKey,
  Credits,
  DeadLetter,
  DoctorReport,
  EmailChange,
  ExportProgress,
  InvitedAccount,
  Job,
  LedgerEntry,
  ListChange,
  MailSent,
  NotificationSettings,
  OperatorAccount,
  OperatorAuditEntry,
  OperatorJob,
  OperatorKey,
  Passkey,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  Problem,
  ProblemCode,
  RecoveryCodes,
  SavedList,
  Session,
  SignedIn,
  Statement,
  System,
  TwoFactorSecret,
  TwoFactorStatus,
  Usage,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
  WebhookMessageOf,
  WebhookWithSecret,
} from "@mailvet/contract";
import { csvRecord } from "@mailvet/engine/list-file";
import { ACCOUNT_LIMITS, PLAN_LIMITS } from "../../accounts/plans.ts";
import { Refusal, type RefusalExtras } from "../../base/refusal.ts";
import { problemOf } from "../problem.ts";
import { completed, firstResult, result } from "./openapi-examples.ts";
import { PROBLEM_HELP } from "./problem-help.ts";

const ACCOUNT_ID = "3d7c2f7e-7a53-4f0b-9f0a-1f6b1d9c5e22";
const KEY_ID = "8f14e45f-ceea-467f-a8d3-5a1c0e9b6d10";
const SESSION_ID = "6c8349cc-7260-4e62-a3b1-396831a8398f";
const OPERATOR_ID = "d9d4f495-e875-4a2e-8b1d-0c7e6f5a4b3c";
const WEBHOOK_ID = "1f0e3dad-9990-4e58-8d1c-6a5b4c3d2e1f";
const CREATED = "2026-10-04T09:30:00.000Z";
const NOW = "2026-11-04T12:00:06.100Z";

const exportProgress: ExportProgress = { state: "preparing", size_bytes: 4_000_000, created_at: CREATED };

const about: About = {
  name: "Mailvet",
  version: "0.2.0",
  sign_up: "open",
  mail: true,
  retention_days: 30,
  max_csv_emails: 1_000_000,
  max_upload_bytes: 104_857_600,
};

const account: Account = {
  id: ACCOUNT_ID,
  email: "ann@example.com",
  plan: "payg",
  is_operator: false,
  created_at: CREATED,
  credits: { balance: 9_876, reserved: 0 },
  limits: { ...PLAN_LIMITS.payg, ...ACCOUNT_LIMITS, file_bytes: about.max_upload_bytes },
};

const apiKey: ApiKey = {
  id: KEY_ID,
  name: "Sign-up form",
  mode: "live",
  prefix: "mv_live_8sJ2",
  scopes: ["validate", "read"],
  created_at: CREATED,
  expires_at: null,
  last_used_at: "2026-11-04T11:59:00.000Z",
  revoked_at: null,
};
const createdKey: CreatedKey = { ...apiKey, last_used_at: null, key: "mv_live_8sJ2…" };

const operatorKey: OperatorKey = {
  id: KEY_ID,
  name: "Billing",
  prefix: "mv_op_4kQz",
  scopes: ["accounts:read", "credits:write"],
  allowed_ranges: ["203.0.113.0/24"],
  created_by: "operator@example.com",
  created_at: CREATED,
  expires_at: "2027-10-04T09:30:00.000Z",
  last_used_at: null,
  revoked_at: null,
};
const createdOperatorKey: CreatedOperatorKey = { ...operatorKey, key: "mv_op_4kQz…" };

const ledgerEntry: LedgerEntry = {
  id: "2",
  kind: "grant",
  amount: 10_000,
  reserved_change: 0,
  balance_after: 10_000,
  reference: "Invoice 2026-10-117",
  reference_kind: "note",
  created_at: CREATED,
};
const credits: Credits = { balance: 9_876, reserved: 0, ledger: [ledgerEntry] };

const statement: Statement = {
  from: "2026-10-06",
  to: "2026-11-04",
  lines: [
    {
      kind: "job",
      date: "2026-11-04",
      key_id: null,
      reference: completed.id,
      entries: 2,
      charged: 2,
      refunded: 0,
      granted: 0,
      reserved: 0,
      last_at: NOW,
    },
  ],
};

const usage: Usage = {
  from: "2026-10-06",
  to: "2026-11-04",
  days: [
    { date: "2026-11-04", key_id: KEY_ID, valid: 90, invalid: 7, risky: 2, unknown: 1, credits_used: 100 },
  ],
};

const notificationSettings: NotificationSettings = { job_emails: true, low_credits_threshold: 500 };

const signedIn: SignedIn = { account, session_id: SESSION_ID, expires_at: "2026-12-04T12:00:00.000Z" };
const mailSent: MailSent = { status: "mail_sent" };
const session: Session = {
  id: SESSION_ID,
  created_at: CREATED,
  last_seen_at: NOW,
  expires_at: signedIn.expires_at,
  ip: "203.0.113.7",
  user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  is_current: true,
};

const twoFactorStatus: TwoFactorStatus = { enabled: true, required: false, recovery_codes_left: 9 };
const twoFactorSecret: TwoFactorSecret = {
  secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  uri: "otpauth://totp/Mailvet:ann%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Mailvet",
};
const recoveryCodes: RecoveryCodes = { recovery_codes: ["4h7d-9kq2-xm3p", "t8wz-2vfn-6rjc"] };

const CHALLENGE = "x2nVqWx0m8o1lHkQ6bq8cR1k8tQwq3uZ5mJ7aXyW0pE";
const passkeyRequestOptions: PasskeyRequestOptions = {
  challenge: CHALLENGE,
  rpId: "mailvet.example.com",
  timeout: 300_000,
  userVerification: "required",
};
const passkeyCreationOptions: PasskeyCreationOptions = {
  challenge: CHALLENGE,
  rp: { id: "mailvet.example.com", name: "Mailvet" },
  user: { id: "PXwvfnpTTwufCh9rHZxeIg", name: account.email, displayName: account.email },
  pubKeyCredParams: [{ type: "public-key", alg: -7 }],
  timeout: 300_000,
  excludeCredentials: [],
  authenticatorSelection: {
    residentKey: "required",
    requireResidentKey: true,
    userVerification: "required",
  },
  attestation: "none",
};
const passkey: Passkey = { id: KEY_ID, name: "Laptop", created_at: CREATED, last_used_at: NOW };

const accountExport: AccountExport = {
  token: "Zk3vJ8wQ0nT5yR2bX7cM4hL9pD6sF1gA",
  expires_at: "2026-11-04T12:05:06.100Z",
};

const savedList: SavedList = {
  id: "45c48cce-2e2d-4fbd-ba1a-fc51c7c6ad26",
  job_id: completed.id,
  name: "Newsletter",
  tags: ["marketing"],
  schedule: "monthly",
  stale_after_days: 30,
  created_at: CREATED,
  next_run_at: "2026-12-04T09:30:00.000Z",
  last_run_at: NOW,
  last_error: null,
  newly_invalid: 1,
  recovered: 0,
};
const listChange: ListChange = {
  row: 2,
  email: "mailbox-not-found@mailvet.test",
  status: "invalid",
  sub_status: "mailbox_not_found",
  previous_status: "valid",
  previous_sub_status: "",
};

const webhookEndpoint: WebhookEndpoint = {
  id: WEBHOOK_ID,
  url: "https://hooks.example.com/mailvet",
  description: "Finished jobs",
  events: ["job.completed", "job.failed"],
  is_enabled: true,
  disabled_reason: null,
  failing_since: null,
  created_at: CREATED,
};
const webhookWithSecret: WebhookWithSecret = {
  ...webhookEndpoint,
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
};

const ofJob = (status: Job["status"]) => ({ timestamp: NOW, data: { job: { ...completed, status } } });
const ofKey = {
  timestamp: NOW,
  data: { key_id: KEY_ID, name: apiKey.name, prefix: apiKey.prefix },
};
const messages: { [E in WebhookEvent]: WebhookMessageOf<E> } = {
  "job.completed": { type: "job.completed", ...ofJob("completed") },
  "job.failed": { type: "job.failed", ...ofJob("failed") },
  "job.cancelled": { type: "job.cancelled", ...ofJob("cancelled") },
  "job.paused": { type: "job.paused", ...ofJob("paused") },
  "validation.completed": {
    type: "validation.completed",
    timestamp: NOW,
    data: { request_id: result.request_id, result },
  },
  "credits.low": { type: "credits.low", timestamp: NOW, data: { balance: 99, threshold: 100 } },
  "list.changed": { type: "list.changed", timestamp: NOW, data: { list: savedList } },
  "api_key.created": { type: "api_key.created", ...ofKey },
  "api_key.revoked": { type: "api_key.revoked", ...ofKey },
  "webhook.test": { type: "webhook.test", timestamp: NOW, data: { webhook_id: WEBHOOK_ID } },
};
export const WEBHOOK_EXAMPLES: Readonly<Record<string, unknown>> = messages;

const webhookDelivery: WebhookDelivery = {
  id: "c51ce410-c124-410e-8db5-e4b97fc2af39",
  event: "webhook.test",
  state: "delivered",
  attempts: 1,
  response_status: 204,
  trouble: null,
  created_at: NOW,
  last_attempt_at: NOW,
  next_attempt_at: null,
  message: JSON.stringify(messages["webhook.test"]),
};

const auditEntry: AuditEntry = {
  id: "aab32389-22bc-4c25-af60-6eb525ffdc56",
  created_at: CREATED,
  action: "key.created",
  account_id: ACCOUNT_ID,
  actor: {
    kind: "session",
    account_id: ACCOUNT_ID,
    key_id: null,
    session_id: SESSION_ID,
    is_operator: false,
  },
  network: "203.0.113.7",
  subject_id: KEY_ID,
  details: { name: apiKey.name },
};
const operatorAuditEntry: OperatorAuditEntry = {
  ...auditEntry,
  account_email: account.email,
  actor_email: account.email,
};

const operatorAccount: OperatorAccount = {
  ...account,
  state: "active",
  suspended_at: null,
  suspended_reason: null,
  credits_used_30d: 124,
  last_seen_at: NOW,
};
const invitedAccount: InvitedAccount = {
  account: { ...operatorAccount, state: "invited", last_seen_at: null, credits_used_30d: 0 },
  invitation_link: null,
};
const emailChange: EmailChange = { status: "mail_sent", account: operatorAccount };
const operatorJob: OperatorJob = { ...completed, account_id: ACCOUNT_ID, account_email: account.email };

const deadLetter: DeadLetter = {
  id: "9bf31c7f-f062-436a-96d3-c8bd1f8f2ff3",
  kind: "slice",
  account_id: ACCOUNT_ID,
  group_id: completed.id,
  subject: "1",
  failures: 5,
  losses: 0,
  error: "connection terminated unexpectedly",
  created_at: NOW,
};

const doctorReport: DoctorReport = {
  checked_at: NOW,
  findings: [
    {
      name: "port_25",
      identity: "default",
      outcome: "good",
      found: "Outbound port 25 is open.",
      advice: null,
    },
  ],
};
const idle = { waiting: 0, due: 0, in_hand: 0, oldest_due_at: null };
const system: System = {
  version: about.version,
  storage: "external",
  database_bytes: 73_400_320,
  processes: [{ id: OPERATOR_ID, role: "all", host: "mail-1", pid: 4711, started_at: CREATED, beat_at: NOW }],
  queue: { jobs: idle, rechecks: idle, webhooks: idle },
  jobs: { queued: 0, processing: 0, paused: 0, rows_per_second: null },
  pacing: [],
  providers: [
    {
      identity: "default",
      provider: "microsoft_365",
      state: "refused",
      since: CREATED,
      retry_at: null,
      reply: "550 5.7.606 Access denied, banned sending IP [192.0.2.1]",
      removal_url: "https://sender.office.com/",
    },
  ],
  identities: [
    {
      name: "default",
      origin: null,
      ehlo_name: "probe.example.com",
      mail_from: "probe@example.com",
      providers: null,
      share: 1,
      owner: null,
      sessions_today: null,
      sessions_per_day: null,
      is_down: false,
      throttled: 0,
      open_breakers: 0,
      blocked_at: [],
    },
  ],
  adjudicator: null,
  lists: {
    source: "refreshed",
    made_at: CREATED,
    age_days: 1,
    names: 70_000,
    refresh: "daily",
    last_failure: null,
  },
  egress: doctorReport,
};

export const RESOURCE_EXAMPLES: Readonly<Record<string, unknown>> = {
  About: about,
  Account: account,
  AccountExport: accountExport,
  AccountList: [operatorAccount],
  ApiKey: apiKey,
  AuditList: [auditEntry],
  CreatedKey: createdKey,
  CreatedOperatorKey: createdOperatorKey,
  Credits: credits,
  DeadLetterList: [deadLetter],
  DoctorReport: doctorReport,
  EmailChange: emailChange,
  ExportProgress: exportProgress,
  InvitedAccount: invitedAccount,
  Job: completed,
  LedgerEntry: ledgerEntry,
  ListChange: listChange,
  MailSent: mailSent,
  NotificationSettings: notificationSettings,
  OperatorAccount: operatorAccount,
  OperatorAuditList: [operatorAuditEntry],
  OperatorJob: operatorJob,
  OperatorJobList: [operatorJob],
  OperatorKey: operatorKey,
  Passkey: passkey,
  PasskeyCreationOptions: passkeyCreationOptions,
  PasskeyRequestOptions: passkeyRequestOptions,
  RecoveryCodes: recoveryCodes,
  SavedList: savedList,
  Session: session,
  SignedIn: signedIn,
  Statement: statement,
  System: system,
  TwoFactorSecret: twoFactorSecret,
  TwoFactorStatus: twoFactorStatus,
  Usage: usage,
  WebhookDelivery: webhookDelivery,
  WebhookEndpoint: webhookEndpoint,
  WebhookWithSecret: webhookWithSecret,
};

const csvOf = (record: object) => csvRecord(Object.keys(record)) + csvRecord(Object.values(record));
const listCsv = csvOf({
  email: firstResult.email,
  mailvet_status: firstResult.status,
  mailvet_sub_status: firstResult.sub_status,
  mailvet_score: firstResult.score,
});
const auditCsv = csvOf({ created_at: CREATED, action: auditEntry.action, account_id: ACCOUNT_ID });

/** Answers that are files or streams of text, by operationId and media type. CSV is shortened to its first columns. */
export const FILE_EXAMPLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  downloadJob: { "text/csv": listCsv, "application/x-ndjson": `${JSON.stringify(firstResult)}\n` },
  followJob: { "text/event-stream": `event: end\ndata: ${JSON.stringify(completed)}\n\n` },
  getStatement: { "text/csv": csvOf(statement.lines[0]!) },
  getUsage: { "text/csv": csvOf(usage.days[0]!) },
  exportAudit: { "text/csv": auditCsv },
  exportAllAudit: { "text/csv": auditCsv },
};

const tooMany = { found: 1_200, limit: 1_000 };
const PROBLEM_MEMBERS: Partial<Record<ProblemCode, RefusalExtras>> = {
  insufficient_credits: { required: 250, available: 12 },
  too_many_emails: tooMany,
  too_many_rows: tooMany,
  validation_failed: { errors: [{ pointer: "/email", message: "must be a string" }] },
};

export function problemExample(code: ProblemCode): Problem {
  const [detail = ""] = PROBLEM_HELP[code].cause.split(/(?<=\.) /, 1);
  return problemOf(new Refusal(code, detail, PROBLEM_MEMBERS[code]), result.request_id);
}
