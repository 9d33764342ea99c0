/** /operator/accounts: list accounts, change plans, grant credits. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  Account,
  AccountList,
  AccountListQuery,
  ChangePlanRequest,
  GrantRequest,
  LedgerEntry,
  type Plan,
} from "@mailvet/contract";
import { Type } from "typebox";
import type { Accounts } from "../../accounts/accounts.ts";
import type { PresentAccount } from "../../accounts/present-account.ts";
import { auditOnCommit } from "../../audit/audit-writer.ts";
import { wrongValue } from "../../base/refusal.ts";
import type { Ledger } from "../../credits/ledger.ts";
import { actorOf } from "../request-actor.ts";
import { pageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type OperatorRouteDeps = {
  accounts: Pick<Accounts, "find" | "list" | "setPlan">;
  ledger: Pick<Ledger, "grant">;
  presentAccount: PresentAccount;
};

const DEFAULT_NOTE = "From the operator";

export const operatorRoutes =
  ({ accounts, ledger, presentAccount }: OperatorRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/operator/accounts",
      { schema: LIST_ACCOUNTS, config: { access: { operator: "accounts:read" } } },
      async (request, reply) => {
        const { skip, limit, search } = request.query;
        const { accounts: found, total } = await accounts.list({ skip, limit, search });
        pageHeaders(request, reply, { skip, limit, total });
        return found.map(presentAccount);
      },
    );

    app.get(
      "/operator/accounts/:account_id",
      {
        schema: GET_ACCOUNT_BY_ID,
        config: { access: { operator: "accounts:read" }, problems: ["account_not_found"] },
      },
      async (request) => presentAccount(await accounts.find(request.params.account_id)),
    );

    app.patch(
      "/operator/accounts/:account_id",
      {
        schema: CHANGE_PLAN,
        config: { access: { operator: "accounts:write" }, problems: ["account_not_found"] },
      },
      async (request) => {
        const { account_id: accountId } = request.params;
        const { plan } = request.body;
        const recorded = auditOnCommit(actorOf(request), ({ before }: { before: Plan }) => ({
          action: "plan.changed",
          accountId,
          details: { from: before, to: plan },
        }));
        return presentAccount(await accounts.setPlan(accountId, plan, recorded));
      },
    );

    app.post(
      "/operator/accounts/:account_id/grants",
      {
        schema: GRANT_CREDITS,
        config: {
          access: { operator: "credits:write" },
          problems: ["account_not_found", "insufficient_credits"],
        },
      },
      async (request, reply) => {
        const { amount, note } = request.body;
        if (amount === 0) throw wrongValue("/amount", "Amount must not be zero.");
        if (note?.includes("\0")) throw wrongValue("/note", "Note must not contain NUL characters.");
        const { id: accountId } = await accounts.find(request.params.account_id);
        const reference = note?.trim() || DEFAULT_NOTE;
        const { idempotencyKey } = request;
        const beforeCommit = auditOnCommit(actorOf(request), () => ({
          action: "credits.granted",
          accountId,
          details: { amount },
        }));
        const grant = { accountId, amount, reference, idempotencyKey, beforeCommit };
        return reply.code(201).send(await ledger.grant(grant));
      },
    );
  };

const tags = ["operator"];
const AccountId = Type.Object({
  account_id: Type.String({ format: "uuid", description: "ID of the account." }),
});

const LIST_ACCOUNTS = {
  operationId: "listAccounts",
  tags,
  summary: "List accounts",
  description: "Returns all accounts, newest first.",
  querystring: AccountListQuery,
  response: { 200: AccountList },
};

const GET_ACCOUNT_BY_ID = {
  operationId: "getAccountById",
  tags,
  summary: "Retrieve an account",
  description: "Returns the plan, credits and limits of any account.",
  params: AccountId,
  response: { 200: Account },
};

const CHANGE_PLAN = {
  operationId: "changePlan",
  tags,
  summary: "Change the plan of an account",
  description: "Takes effect with the next request, for its API keys too.",
  params: AccountId,
  body: ChangePlanRequest,
  response: { 200: Account },
};

const GRANT_CREDITS = {
  operationId: "grantCredits",
  tags,
  summary: "Grant or deduct credits",
  description:
    "Adds credits to an account, or deducts them if the amount is negative. The balance can't become negative. The note is shown in the ledger of the account.",
  params: AccountId,
  body: GrantRequest,
  response: { 201: LedgerEntry },
};
