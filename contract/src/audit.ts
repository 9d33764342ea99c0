/** The audit log: who did what to an account, when, and from which network. */
import { type Static, Type } from "typebox";
import { Day, MAX_PAGE_SIZE, Moment, Nullable, OneOf, Uuid } from "./shape.ts";

/** Every action that is recorded, with the text that the web app shows. docs/audit-log.md has the same rows. */
export const AUDIT_ACTIONS = {
  "account.created": "Account created",
  "sign_in.succeeded": "Signed in",
  "sign_in.failed": "Sign-in failed",
  "sign_in.code_requested": "Two-factor code requested",
  "sign_in.code_failed": "Two-factor code rejected",
  sign_out: "Signed out",
  "session.ended": "Session ended",
  "password.changed": "Password changed",
  "password.reset_requested": "Password reset requested",
  "password.reset": "Password reset",
  "two_factor.enabled": "Two-factor sign-in enabled",
  "two_factor.disabled": "Two-factor sign-in disabled",
  "passkey.added": "Passkey added",
  "passkey.removed": "Passkey removed",
  "key.created": "API key created",
  "key.revoked": "API key revoked",
  "webhook.created": "Webhook created",
  "webhook.changed": "Webhook changed",
  "webhook.secret_rotated": "Webhook secret rotated",
  "webhook.disabled": "Webhook disabled after failures",
  "webhook.deleted": "Webhook deleted",
  "job.downloaded": "Job results downloaded",
  "job.deleted": "Job deleted",
  "feedback.deleted": "Delivery outcomes deleted",
  "plan.changed": "Plan changed",
  "credits.granted": "Credits granted or deducted",
  "dead_letter.redriven": "Dead letter redriven",
  "audit.exported": "Audit log exported",
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
const ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as AuditAction[];

/** How the one who acted was authenticated. "operator" is what the owner of an account sees of an operator. */
export const AUDIT_ACTOR_KINDS = [
  "session",
  "api_key",
  "operator_key",
  "operator",
  "anonymous",
  "system",
] as const;
export type AuditActorKind = (typeof AUDIT_ACTOR_KINDS)[number];

export const AuditActor = Type.Object({
  kind: OneOf(AUDIT_ACTOR_KINDS, {
    description:
      "A session of the web app, an API key, an operator key, the operator (as the owner of the account sees it), a client that was not signed in, or the service itself.",
  }),
  account_id: Nullable(Uuid("Account of the session or key.")),
  key_id: Nullable(Uuid("The API key or operator key.")),
  session_id: Nullable(Uuid("The session.")),
  is_operator: Type.Boolean({ description: "Whether the rights of the operator were used." }),
});
export type AuditActor = Static<typeof AuditActor>;

export const AuditEntry = Type.Object({
  id: Uuid("ID of the entry."),
  created_at: Moment("When it happened."),
  action: OneOf(ACTION_NAMES, { description: "What happened." }),
  account_id: Nullable(Uuid("The account it happened to; null for a sign-in to an unknown account.")),
  actor: AuditActor,
  network: Nullable(
    Type.String({ description: "Network of the client: an IPv4 address, or the /64 of an IPv6 address." }),
  ),
  subject_id: Nullable(Uuid("The key, passkey, webhook endpoint, session or job that it is about.")),
  details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
    description: "Further facts, depending on the action.",
  }),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const OperatorAuditEntry = Type.Intersect([
  AuditEntry,
  Type.Object({
    account_email: Nullable(Type.String(), "Email of the account, unless it is deleted."),
    actor_email: Nullable(Type.String(), "Email of the account that acted, unless it is deleted."),
  }),
]);
export type OperatorAuditEntry = Static<typeof OperatorAuditEntry>;
export const OperatorAuditList = Type.Array(OperatorAuditEntry, { description: "Newest first." });

export const AuditList = Type.Array(AuditEntry, { description: "Newest first." });

export const DEFAULT_AUDIT_PAGE_SIZE = 50;

const filters = {
  action: Type.Optional(OneOf(ACTION_NAMES, { description: "Only this action." })),
  from: Type.Optional(Day("First day, in UTC.")),
  to: Type.Optional(Day("Last day, in UTC.")),
};
const paging = {
  before: Type.Optional(Uuid("Only entries before this one: the last entry of the previous page.")),
  limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_AUDIT_PAGE_SIZE }),
};
const ofAccount = { account_id: Type.Optional(Uuid("Only entries of this account.")) };
const strict = { additionalProperties: false };

export const AuditExportQuery = Type.Object({ ...filters }, strict);
export const AuditQuery = Type.Object({ ...filters, ...paging }, strict);
export type AuditQuery = Static<typeof AuditQuery>;
export const OperatorAuditExportQuery = Type.Object({ ...ofAccount, ...filters }, strict);
export const OperatorAuditQuery = Type.Object({ ...ofAccount, ...filters, ...paging }, strict);
export type OperatorAuditQuery = Static<typeof OperatorAuditQuery>;
