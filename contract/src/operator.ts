/** Administration of an installation by its operator. */
import { type Static, Type } from "typebox";
import { Account } from "./accounts.ts";
import { PLANS } from "./plans.ts";
import { Count, Moment, OneOf, Paging, Uuid } from "./shape.ts";

export const AccountListQuery = Type.Object(
  {
    ...Paging,
    search: Type.Optional(Type.String({ maxLength: 254, description: "Substring of the email." })),
  },
  { additionalProperties: false },
);
export type AccountListQuery = Static<typeof AccountListQuery>;

export const AccountList = Type.Array(Account, { description: "Newest first." });

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

export const DEAD_LETTER_KINDS = ["plan", "slice", "recheck", "delivery"] as const;

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
