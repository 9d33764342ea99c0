/** Accounts, API keys, credits and usage. */
import { type Static, Type } from "typebox";
import { Count, Day, Moment, Nullable, OneOf, Paging, Uuid } from "./shape.ts";
import { PLANS } from "./words.ts";

export const PlanLimits = Type.Object({
  api_access: Type.Boolean({ description: "Whether API keys may be used; otherwise only the web app." }),
  requests_per_minute: Count("Requests per minute of the account."),
  concurrent_requests: Count("Concurrent requests of the account."),
  emails_per_file: Count("Emails per uploaded file."),
  active_jobs: Count("Active jobs."),
  stored_bytes: Count("Bytes of uploaded lists that are kept, compressed."),
  concurrent_bulk_requests: Count("Concurrent bulk validations and confirmations, per API process."),
  concurrent_uploads: Count("Concurrent uploads, per API process."),
  concurrent_feedback_files: Count("Concurrent files of outcomes, per API process."),
  concurrent_downloads: Count("Concurrent downloads, per API process."),
  concurrent_event_streams: Count("Open event streams, per API process."),
  emails_per_request: Count("Emails per bulk validation."),
  outcomes_per_request: Count("Outcomes per request in JSON."),
  file_bytes: Count("Bytes per uploaded file."),
  unconfirmed_uploads: Count("Uploads that wait for confirmation."),
  api_keys: Count("API keys that are not revoked."),
  webhook_endpoints: Count("Webhook endpoints."),
  idempotency_keys: Count("Idempotency keys within 24 hours."),
});
export type PlanLimits = Static<typeof PlanLimits>;

export const Account = Type.Object({
  id: Uuid("Identifies the account."),
  email: Type.String(),
  plan: OneOf(PLANS),
  is_operator: Type.Boolean({
    description: "Operator of this installation: manages accounts, plans and credits.",
  }),
  created_at: Moment("Creation time."),
  credits: Type.Object({
    balance: Count("Available credits."),
    reserved: Count("Reserved for running jobs."),
  }),
  limits: PlanLimits,
});
export type Account = Static<typeof Account>;

export const NotificationSettings = Type.Object({
  job_emails: Type.Boolean({
    description:
      "Whether an email is sent when a job is completed, has failed or needs credits, and when a saved list has changed.",
  }),
  low_credits_threshold: Nullable(
    Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    "An email is sent when the balance falls below this; null: none.",
  ),
});
export type NotificationSettings = Static<typeof NotificationSettings>;

export const NotificationChanges = Type.Partial(NotificationSettings, { additionalProperties: false });
export type NotificationChanges = Static<typeof NotificationChanges>;

export const KEY_SCOPES = ["validate", "bulk", "read"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** mv_live_ keys contact mail servers and cost credits; mv_test_ keys use the sandbox and are free. */
export const KEY_MODES = ["live", "test"] as const;
export type KeyMode = (typeof KEY_MODES)[number];

export const ApiKey = Type.Object({
  id: Uuid("ID of the key; not the secret."),
  name: Type.String(),
  mode: OneOf(KEY_MODES),
  prefix: Type.String({ description: "First characters of the key, to recognise it." }),
  scopes: Type.Array(OneOf(KEY_SCOPES)),
  created_at: Moment("Creation time."),
  expires_at: Nullable(Moment("Expiry time.")),
  last_used_at: Nullable(Moment("Time of last use, to the minute.")),
  revoked_at: Nullable(Moment("Revocation time.")),
});
export type ApiKey = Static<typeof ApiKey>;

export const CreateKeyRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    mode: Type.Optional(OneOf(KEY_MODES, { default: "live" })),
    scopes: Type.Optional(
      Type.Array(OneOf(KEY_SCOPES), { minItems: 1, maxItems: KEY_SCOPES.length, uniqueItems: true }),
    ),
    expires_at: Type.Optional(Nullable(Moment("Expiry time."))),
  },
  { additionalProperties: false },
);
export type CreateKeyRequest = Static<typeof CreateKeyRequest>;

export const CreatedKey = Type.Intersect([
  ApiKey,
  Type.Object({ key: Type.String({ description: "The secret. It is not shown again." }) }),
]);
export type CreatedKey = Static<typeof CreatedKey>;

/** Kinds of ledger entries. The sum of all amounts is the balance. */
export const LEDGER_KINDS = ["grant", "reserve", "settle", "release", "adjust", "refund"] as const;

export const REFERENCE_KINDS = ["job", "request", "note"] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

export const LedgerEntry = Type.Object({
  id: Type.String({ description: "Number in the ledger of the account, from 1." }),
  kind: OneOf(LEDGER_KINDS, {
    description:
      "A refund returns a charge whose response could not be delivered; its reference is that request.",
  }),
  amount: Type.Integer({ description: "Change of the balance; negative for charges." }),
  reserved_change: Type.Integer({ description: "Change of the reserved credits." }),
  balance_after: Count("Balance after this entry."),
  reference: Type.String({ description: "What the entry belongs to, such as a job." }),
  reference_kind: OneOf(REFERENCE_KINDS, {
    description: "Type of the reference: a job ID, a request ID, or a note.",
  }),
  created_at: Moment("Time of the entry."),
});
export type LedgerEntry = Static<typeof LedgerEntry>;

export const Credits = Type.Object({
  balance: Count("Available credits."),
  reserved: Count("Reserved for running jobs."),
  ledger: Type.Array(LedgerEntry, { description: "Newest first." }),
});
export type Credits = Static<typeof Credits>;

export const CreditsQuery = Type.Object(
  {
    ...Paging,
    reference: Type.Optional(
      Type.String({ maxLength: 200, description: "Only entries with this reference, such as a job." }),
    ),
    date: Type.Optional(Day("Only entries of this day in UTC.")),
    checks_of: Type.Optional(
      Type.String({
        pattern: "^(web_app|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$",
        description:
          "Only charges and refunds of single and bulk requests with this API key, or `web_app` for those without one. With `date`, the entries behind a line of the statement.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type CreditsQuery = Static<typeof CreditsQuery>;

/** `job`: all entries of a job. `checks`: single and bulk requests of a day and key. `grant`: one entry. */
export const STATEMENT_KINDS = ["job", "checks", "grant"] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

export const TABLE_FORMATS = ["json", "csv"] as const;

const TableFormat = Type.Optional(OneOf(TABLE_FORMATS, { description: "Default: json." }));

export const StatementLine = Type.Object({
  kind: OneOf(STATEMENT_KINDS),
  date: Day("Day in UTC; of a job, that of its last entry."),
  key_id: Nullable(Uuid("API key of the requests; null for the web app, and for other lines.")),
  reference: Nullable(Type.String(), "The job, or the note of a grant; null for requests."),
  entries: Count("Ledger entries in this line."),
  charged: Count("Credits charged."),
  refunded: Count("Of these, refunded."),
  granted: Type.Integer({ description: "Credits granted; negative when deducted." }),
  reserved: Count("Still reserved."),
  last_at: Moment("Time of the last entry."),
});
export type StatementLine = Static<typeof StatementLine>;

export const Statement = Type.Object({
  from: Day("First day."),
  to: Day("Last day."),
  lines: Type.Array(StatementLine, { description: "Newest first." }),
});
export type Statement = Static<typeof Statement>;

export const StatementQuery = Type.Object(
  {
    ...Paging,
    from: Type.Optional(Day("First day. Default: 29 days before the last one.")),
    to: Type.Optional(Day("Last day. Default: today.")),
    kind: Type.Optional(OneOf(STATEMENT_KINDS, { description: "Only lines of this kind." })),
    format: TableFormat,
  },
  { additionalProperties: false },
);
export type StatementQuery = Static<typeof StatementQuery>;

export const UsageDay = Type.Object({
  date: Day("Day in UTC."),
  key_id: Nullable(Uuid("API key; null for the web app.")),
  valid: Count("Valid results."),
  invalid: Count("Invalid results."),
  risky: Count("Risky results."),
  unknown: Count("Unknown results."),
  credits_used: Count("Credits used."),
});
export type UsageDay = Static<typeof UsageDay>;

export const MAX_USAGE_DAYS = 366;

export const UsageQuery = Type.Object(
  {
    from: Type.Optional(Day("First day. Default: 29 days before the last one.")),
    to: Type.Optional(Day("Last day. Default: today.")),
    key_id: Type.Optional(Uuid("Only usage of this key.")),
    format: TableFormat,
  },
  { additionalProperties: false },
);
export type UsageQuery = Static<typeof UsageQuery>;

export const Usage = Type.Object({
  from: Day("First day."),
  to: Day("Last day."),
  days: Type.Array(UsageDay, { description: "One item per day and key with usage, newest first." }),
});
export type Usage = Static<typeof Usage>;
