/** Administration of an installation by its operator. */
import { type Static, Type } from "typebox";
import { Account } from "./accounts.ts";
import { Job } from "./jobs.ts";
import { Count, Moment, Nullable, OneOf, Paging, Uuid } from "./shape.ts";
import { JOB_STATUSES, PLANS } from "./words.ts";

/**
 * invited: opened by the operator, no password yet; unconfirmed: signed up, email not confirmed; erasing: its data is being
 * deleted.
 */
export const ACCOUNT_STATES = ["active", "invited", "unconfirmed", "suspended", "erasing"] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export const ACCOUNT_SORTS = ["created", "email", "plan", "credits", "used", "last_seen"] as const;
export type AccountSort = (typeof ACCOUNT_SORTS)[number];

export const SORT_ORDERS = ["asc", "desc"] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

export const AccountListQuery = Type.Object(
  {
    ...Paging,
    search: Type.Optional(Type.String({ maxLength: 254, description: "Substring of the email." })),
    state: Type.Optional(OneOf(ACCOUNT_STATES, { description: "Only accounts in this state." })),
    sort: OneOf(ACCOUNT_SORTS, { default: "created" }),
    order: OneOf(SORT_ORDERS, { default: "desc" }),
    after: Type.Optional(Uuid("ID of the last account of the previous page.")),
  },
  { additionalProperties: false },
);
export type AccountListQuery = Static<typeof AccountListQuery>;

/** An account as the operator sees it. */
export const OperatorAccount = Type.Object({
  ...Account.properties,
  state: OneOf(ACCOUNT_STATES),
  suspended_at: Nullable(Moment("Time of the suspension.")),
  suspended_reason: Nullable(Type.String({ description: "Shown to the owner." })),
  credits_used_30d: Count("Credits used in the last 30 days."),
  last_seen_at: Nullable(Moment("Last use of a session or an API key, to a few minutes.")),
});
export type OperatorAccount = Static<typeof OperatorAccount>;

export const AccountList = Type.Array(OperatorAccount, {
  description: "In the order of `sort`; by default newest first.",
});

const Email = Type.String({ minLength: 3, maxLength: 254 });
const Reason = (description: string) => Type.String({ minLength: 1, maxLength: 500, description });

export const OpenAccountRequest = Type.Object(
  {
    email: Email,
    plan: Type.Optional(OneOf(PLANS, { description: "Default: the plan of new accounts." })),
    credits: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description:
          "Default: the credits of new accounts. An operator key needs the scope `credits:write` for more.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type OpenAccountRequest = Static<typeof OpenAccountRequest>;

export const InvitedAccount = Type.Object({
  account: OperatorAccount,
  invitation_link: Nullable(
    Type.String({
      description:
        "Where the invited person chooses a password, once, within seven days. Null if it was sent by email. It is not shown again.",
    }),
  ),
});
export type InvitedAccount = Static<typeof InvitedAccount>;

export const SuspendAccountRequest = Type.Object(
  { reason: Reason("Shown to the owner.") },
  { additionalProperties: false },
);
export type SuspendAccountRequest = Static<typeof SuspendAccountRequest>;

export const ChangeEmailRequest = Type.Object(
  {
    email: Email,
    confirm: Type.Optional(
      Type.Boolean({
        description:
          "Whether the new address must be confirmed by a link that is sent to it. Default: true where the service sends email; otherwise only false is possible.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ChangeEmailRequest = Static<typeof ChangeEmailRequest>;

export const EmailChange = Type.Object({
  status: OneOf(["changed", "mail_sent"], {
    description: "`mail_sent`: the email changes when the link is opened, within 24 hours.",
  }),
  account: OperatorAccount,
});
export type EmailChange = Static<typeof EmailChange>;

export const EraseAccountRequest = Type.Object(
  {
    email: Type.String({
      maxLength: 254,
      description: "Email of the account, to confirm which one is meant.",
    }),
    reason: Reason("For the operator's records."),
  },
  { additionalProperties: false },
);
export type EraseAccountRequest = Static<typeof EraseAccountRequest>;

export const OperatorJobQuery = Type.Object(
  {
    limit: Paging.limit,
    status: Type.Optional(OneOf(JOB_STATUSES, { description: "Only jobs with this status." })),
    account_id: Type.Optional(Uuid("Only jobs of this account.")),
    after: Type.Optional(Uuid("ID of the last job of the previous page.")),
  },
  { additionalProperties: false },
);
export type OperatorJobQuery = Static<typeof OperatorJobQuery>;

/** A job of any account. */
export const OperatorJob = Type.Object({
  ...Job.properties,
  account_id: Uuid("Account of the job."),
  account_email: Type.String(),
});
export type OperatorJob = Static<typeof OperatorJob>;

export const OperatorJobList = Type.Array(OperatorJob, { description: "Newest first." });

export const ChangePlanRequest = Type.Object({ plan: OneOf(PLANS) }, { additionalProperties: false });
export type ChangePlanRequest = Static<typeof ChangePlanRequest>;

export const MAX_GRANT = 1_000_000_000;

export const GrantRequest = Type.Object(
  {
    amount: Type.Integer({
      minimum: -MAX_GRANT,
      maximum: MAX_GRANT,
      description: "Credits to add; a negative amount removes credits, at most the balance.",
    }),
    note: Type.Optional(Type.String({ maxLength: 200, description: "Shown in the ledger of the account." })),
  },
  { additionalProperties: false },
);
export type GrantRequest = Static<typeof GrantRequest>;

export const DEAD_LETTER_KINDS = ["plan", "slice", "action", "recheck", "delivery"] as const;

export const DeadLetter = Type.Object({
  id: Uuid("ID of the dead letter."),
  kind: OneOf(DEAD_LETTER_KINDS, {
    description: "Planning of a list, part of a list, repeated check, or webhook delivery.",
  }),
  account_id: Uuid("Account of the task."),
  group_id: Uuid("Job or webhook endpoint of the task; the account for a repeated check."),
  subject: Type.String({ description: "Task within its group: number of the slice, or ID of the delivery." }),
  failures: Count("Attempts that failed with an error."),
  losses: Count("Attempts whose process exited."),
  error: Type.String({ description: "Last error." }),
  created_at: Moment("When the task failed for good."),
});
export type DeadLetter = Static<typeof DeadLetter>;

export const DeadLetterListQuery = Type.Object({ ...Paging }, { additionalProperties: false });
export type DeadLetterListQuery = Static<typeof DeadLetterListQuery>;

export const DeadLetterList = Type.Array(DeadLetter, { description: "Newest first." });
