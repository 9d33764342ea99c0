/** Accounts, their API keys, and the credits they spend. */
import { type Static, Type } from "typebox";
import { PLANS } from "./plans.ts";
import { Count, Day, Moment, Nullable, OneOf, Paging, Uuid } from "./shape.ts";

export const PlanLimits = Type.Object({
  api_access: Type.Boolean({ description: "Whether API keys may be used, or the web app only." }),
  requests_per_minute: Count("Requests per minute, for each key."),
  concurrent_requests: Count("Requests at once, for the whole account."),
  emails_per_file: Count("Emails in one uploaded file."),
  active_jobs: Count("Jobs at once."),
});
export type PlanLimits = Static<typeof PlanLimits>;

export const Account = Type.Object({
  id: Uuid("Identifies the account."),
  email: Type.String(),
  plan: OneOf(PLANS),
  is_operator: Type.Boolean({
    description: "Runs this installation: sees accounts, sets plans, grants credits.",
  }),
  created_at: Moment("When it was opened."),
  credits: Type.Object({ balance: Count("Free to spend."), reserved: Count("Held for work under way.") }),
  limits: PlanLimits,
});
export type Account = Static<typeof Account>;

export const KEY_SCOPES = ["validate", "bulk", "read"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** mv_live_ keys reach the world and cost credits; mv_test_ keys answer from the sandbox for free. */
export const KEY_MODES = ["live", "test"] as const;
export type KeyMode = (typeof KEY_MODES)[number];

export const ApiKey = Type.Object({
  id: Uuid("Identifies the key; it is not the secret."),
  name: Type.String(),
  mode: OneOf(KEY_MODES),
  prefix: Type.String({ description: "The first characters, enough to recognise the key by." }),
  scopes: Type.Array(OneOf(KEY_SCOPES)),
  created_at: Moment("When it was made."),
  expires_at: Nullable(Moment("When it stops working.")),
  last_used_at: Nullable(Moment("To the minute.")),
  revoked_at: Nullable(Moment("When it was revoked.")),
});
export type ApiKey = Static<typeof ApiKey>;

export const CreateKeyRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    mode: Type.Optional(OneOf(KEY_MODES, { default: "live" })),
    scopes: Type.Optional(
      Type.Array(OneOf(KEY_SCOPES), { minItems: 1, maxItems: KEY_SCOPES.length, uniqueItems: true }),
    ),
    expires_at: Type.Optional(Nullable(Moment("When it shall stop working."))),
  },
  { additionalProperties: false },
);
export type CreateKeyRequest = Static<typeof CreateKeyRequest>;

export const CreatedKey = Type.Intersect([
  ApiKey,
  Type.Object({ key: Type.String({ description: "The secret. It is shown this once." }) }),
]);
export type CreatedKey = Static<typeof CreatedKey>;

/** What can happen to credits. The sum of all entries is the balance. */
export const LEDGER_KINDS = ["grant", "reserve", "settle", "release", "adjust", "refund"] as const;

export const REFERENCE_KINDS = ["job", "request", "note"] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

export const LedgerEntry = Type.Object({
  id: Type.String({ description: "Its number in the account's ledger, from 1." }),
  kind: OneOf(LEDGER_KINDS, {
    description:
      "A refund gives back a charge whose answer could not be delivered; its reference is that request.",
  }),
  amount: Type.Integer({ description: "Change of the balance; negative when credits leave it." }),
  reserved_change: Type.Integer({ description: "Change of what is held for work under way." }),
  balance_after: Count("The balance once this entry counted."),
  reference: Type.String({ description: "What it was for, such as a job." }),
  reference_kind: OneOf(REFERENCE_KINDS, {
    description: "What the reference is: the id of a job or of a request, or somebody's note.",
  }),
  created_at: Moment("When."),
});
export type LedgerEntry = Static<typeof LedgerEntry>;

export const Credits = Type.Object({
  balance: Count("Free to spend."),
  reserved: Count("Held for work under way."),
  ledger: Type.Array(LedgerEntry, { description: "Newest first." }),
});
export type Credits = Static<typeof Credits>;

export const CreditsQuery = Type.Object({ ...Paging }, { additionalProperties: false });
export type CreditsQuery = Static<typeof CreditsQuery>;

export const UsageDay = Type.Object({
  date: Day("In UTC."),
  key_id: Nullable(Uuid("The key that was used; null for the web app.")),
  valid: Count("Valid."),
  invalid: Count("Invalid."),
  risky: Count("Risky."),
  unknown: Count("Unknown."),
  credits_used: Count("Credits."),
});
export type UsageDay = Static<typeof UsageDay>;

export const MAX_USAGE_DAYS = 366;

export const UsageQuery = Type.Object(
  {
    from: Type.Optional(Day("First day; 29 days before the last one when it is not said.")),
    to: Type.Optional(Day("Last day; today when it is not said.")),
    key_id: Type.Optional(Uuid("Only what this key used.")),
  },
  { additionalProperties: false },
);
export type UsageQuery = Static<typeof UsageQuery>;

export const Usage = Type.Object({
  from: Day("First day."),
  to: Day("Last day."),
  days: Type.Array(UsageDay, { description: "One item per day and key that was used, newest first." }),
});
export type Usage = Static<typeof Usage>;
