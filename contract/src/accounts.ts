/** Accounts, their API keys, and the credits they spend. */
import { type Static, Type } from "typebox";
import { PLANS } from "./plans.ts";
import { Count, Day, Moment, Nullable, OneOf, Paging, Uuid } from "./shape.ts";

export const PlanLimits = Type.Object({
  api_access: Type.Boolean({ description: "Whether API keys can be used. If false, only the web app." }),
  requests_per_minute: Count("Requests per minute, per API key."),
  concurrent_requests: Count("Concurrent requests, per account."),
  emails_per_file: Count("Emails per uploaded file."),
  active_jobs: Count("Concurrent jobs."),
});
export type PlanLimits = Static<typeof PlanLimits>;

export const Account = Type.Object({
  id: Uuid("ID of the account."),
  email: Type.String(),
  plan: OneOf(PLANS),
  is_operator: Type.Boolean({
    description: "Whether the account can manage accounts, plans and credits of this installation.",
  }),
  created_at: Moment("When the account was created."),
  credits: Type.Object({
    balance: Count("Available credits."),
    reserved: Count("Credits reserved for running jobs."),
  }),
  limits: PlanLimits,
});
export type Account = Static<typeof Account>;

export const KEY_SCOPES = ["validate", "bulk", "read"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** mv_live_ keys contact mail servers and cost credits; mv_test_ keys use the sandbox for free. */
export const KEY_MODES = ["live", "test"] as const;
export type KeyMode = (typeof KEY_MODES)[number];

export const ApiKey = Type.Object({
  id: Uuid("ID of the API key. Not the secret."),
  name: Type.String(),
  mode: OneOf(KEY_MODES),
  prefix: Type.String({ description: "First characters of the key, to identify it." }),
  scopes: Type.Array(OneOf(KEY_SCOPES)),
  created_at: Moment("When the key was created."),
  expires_at: Nullable(Moment("When the key expires.")),
  last_used_at: Nullable(Moment("Last use, to the minute.")),
  revoked_at: Nullable(Moment("When the key was revoked.")),
});
export type ApiKey = Static<typeof ApiKey>;

export const CreateKeyRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    mode: Type.Optional(OneOf(KEY_MODES, { default: "live" })),
    scopes: Type.Optional(
      Type.Array(OneOf(KEY_SCOPES), { minItems: 1, maxItems: KEY_SCOPES.length, uniqueItems: true }),
    ),
    expires_at: Type.Optional(Nullable(Moment("When the key expires. Never by default."))),
  },
  { additionalProperties: false },
);
export type CreateKeyRequest = Static<typeof CreateKeyRequest>;

export const CreatedKey = Type.Intersect([
  ApiKey,
  Type.Object({ key: Type.String({ description: "The secret. Shown only once." }) }),
]);
export type CreatedKey = Static<typeof CreatedKey>;

/** Kinds of ledger entries. The sum of their amounts is the balance. */
export const LEDGER_KINDS = ["grant", "reserve", "settle", "release", "adjust", "refund"] as const;

export const REFERENCE_KINDS = ["job", "request", "note"] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

export const LedgerEntry = Type.Object({
  id: Type.String({ description: "Sequence number in the ledger of the account, from 1." }),
  kind: OneOf(LEDGER_KINDS, {
    description:
      "Kind of entry. A `refund` returns a charge whose response could not be delivered; its reference is that request.",
  }),
  amount: Type.Integer({
    description: "Change of the balance. Negative when credits are spent or reserved.",
  }),
  reserved_change: Type.Integer({ description: "Change of the reserved credits." }),
  balance_after: Count("Balance after this entry."),
  reference: Type.String({ description: "What the entry refers to, such as a job ID." }),
  reference_kind: OneOf(REFERENCE_KINDS, {
    description: "Type of the reference: a job ID, a request ID, or a note.",
  }),
  created_at: Moment("When the entry was created."),
});
export type LedgerEntry = Static<typeof LedgerEntry>;

export const Credits = Type.Object({
  balance: Count("Available credits."),
  reserved: Count("Credits reserved for running jobs."),
  ledger: Type.Array(LedgerEntry, { description: "Ledger entries, newest first." }),
});
export type Credits = Static<typeof Credits>;

export const CreditsQuery = Type.Object({ ...Paging }, { additionalProperties: false });
export type CreditsQuery = Static<typeof CreditsQuery>;

export const UsageDay = Type.Object({
  date: Day("Day in UTC."),
  key_id: Nullable(Uuid("API key that was used. Null for the web app.")),
  valid: Count("Valid verdicts."),
  invalid: Count("Invalid verdicts."),
  risky: Count("Risky verdicts."),
  unknown: Count("Unknown verdicts."),
  credits_used: Count("Credits spent."),
});
export type UsageDay = Static<typeof UsageDay>;

export const MAX_USAGE_DAYS = 366;

export const UsageQuery = Type.Object(
  {
    from: Type.Optional(Day("First day. Defaults to 29 days before the last day.")),
    to: Type.Optional(Day("Last day. Defaults to today.")),
    key_id: Type.Optional(Uuid("Only include usage of this API key.")),
  },
  { additionalProperties: false },
);
export type UsageQuery = Static<typeof UsageQuery>;

export const Usage = Type.Object({
  from: Day("First day."),
  to: Day("Last day."),
  days: Type.Array(UsageDay, { description: "One item per day and API key with usage, newest first." }),
});
export type Usage = Static<typeof Usage>;
