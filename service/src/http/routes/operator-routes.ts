/** /operator: the accounts of this installation, their plans, and credits to give. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  Account,
  AccountList,
  AccountListQuery,
  ChangePlanRequest,
  GrantRequest,
  LedgerEntry,
} from "@mailvet/contract";
import { Type } from "typebox";
import type { Accounts } from "../../accounts/accounts.ts";
import { presentAccount } from "../../accounts/present-account.ts";
import type { Ledger } from "../../credits/ledger.ts";
import { wrongValue } from "../../refusal.ts";
import { pageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type OperatorRouteDeps = {
  accounts: Pick<Accounts, "find" | "list" | "setPlan">;
  ledger: Pick<Ledger, "grant">;
};

const DEFAULT_NOTE = "From the operator";

export const operatorRoutes =
  ({ accounts, ledger }: OperatorRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/operator/accounts",
      { schema: LIST_ACCOUNTS, config: { access: "operator" } },
      async (request, reply) => {
        const { skip, limit, search } = request.query;
        const { accounts: found, total } = await accounts.list({ skip, limit, search });
        pageHeaders(request, reply, { skip, limit, total });
        return found.map(presentAccount);
      },
    );

    app.get(
      "/operator/accounts/:account_id",
      { schema: GET_ACCOUNT_BY_ID, config: { access: "operator", problems: ["account_not_found"] } },
      async (request) => presentAccount(await accounts.find(request.params.account_id)),
    );

    app.patch(
      "/operator/accounts/:account_id",
      { schema: CHANGE_PLAN, config: { access: "operator", problems: ["account_not_found"] } },
      async (request) => presentAccount(await accounts.setPlan(request.params.account_id, request.body.plan)),
    );

    app.post(
      "/operator/accounts/:account_id/grants",
      {
        schema: GRANT_CREDITS,
        config: { access: "operator", problems: ["account_not_found", "insufficient_credits"] },
      },
      async (request, reply) => {
        const { amount, note } = request.body;
        if (amount === 0) throw wrongValue("/amount", "Zero credits change nothing.");
        if (note?.includes("\0")) throw wrongValue("/note", "A note cannot hold the NUL character.");
        const { id: accountId } = await accounts.find(request.params.account_id);
        const reference = note?.trim() || DEFAULT_NOTE;
        const { idempotencyKey } = request;
        return reply.code(201).send(await ledger.grant({ accountId, amount, reference, idempotencyKey }));
      },
    );
  };

const tags = ["operator"];
const AccountId = Type.Object({
  account_id: Type.String({ format: "uuid", description: "As in the list of accounts." }),
});

const LIST_ACCOUNTS = {
  operationId: "listAccounts",
  tags,
  summary: "All accounts",
  description: "Newest first; X-Total-Count says how many there are.",
  querystring: AccountListQuery,
  response: { 200: AccountList },
};

const GET_ACCOUNT_BY_ID = {
  operationId: "getAccountById",
  tags,
  summary: "One account",
  description: "Plan, credits and limits of any account.",
  params: AccountId,
  response: { 200: Account },
};

const CHANGE_PLAN = {
  operationId: "changePlan",
  tags,
  summary: "Put an account on a plan",
  description: "Counts from the next request on, for its keys too.",
  params: AccountId,
  body: ChangePlanRequest,
  response: { 200: Account },
};

const GRANT_CREDITS = {
  operationId: "grantCredits",
  tags,
  summary: "Give credits, or take them back",
  description: "The note is shown in the account's ledger. No more can be taken back than is there.",
  params: AccountId,
  body: GrantRequest,
  response: { 201: LedgerEntry },
};
