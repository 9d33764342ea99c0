/** The audit log: who did what to an account, when, and from which network. */
import { type Static, Type } from "typebox";
import { AUDIT_ACTIONS, type AuditAction } from "./audit-actions.ts";
import { Day, MAX_PAGE_SIZE, Moment, Nullable, OneOf, Uuid } from "./shape.ts";

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
