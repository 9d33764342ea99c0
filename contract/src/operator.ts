/** Administration of an installation by its operator. */
import { type Static, Type } from "typebox";
import { Account } from "./accounts.ts";
import { PLANS } from "./plans.ts";
import { OneOf, Paging } from "./shape.ts";

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
