/** /operator/accounts: list, open and show accounts, change plans, grant credits. The rest is in lifecycle-routes.ts. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  AccountList,
  AccountListQuery,
  ApiKey,
  ChangePlanRequest,
  Credits,
  CreditsQuery,
  GrantRequest,
  InvitedAccount,
  LedgerEntry,
  OpenAccountRequest,
  OperatorAccount,
  type Plan,
} from "@mailvet/contract";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Accounts } from "../../accounts/accounts.ts";
import { type PresentAccount, presentListed } from "../../accounts/present-account.ts";
import type { Invited } from "../../accounts/sign-up.ts";
import { auditOnCommit } from "../../audit/audit-writer.ts";
import { Refusal, wrongValue } from "../../base/refusal.ts";
import type { Ledger } from "../../credits/ledger.ts";
import { type ApiKeys, presentKey } from "../../keys/api-keys.ts";
import { requireOperatorScope } from "../middleware/authenticate.ts";
import { actorOf } from "../request-actor.ts";
import { nextPageLink, pageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type OperatorRouteDeps = {
  accounts: Accounts;
  ledger: Pick<Ledger, "grant" | "page">;
  apiKeys: Pick<ApiKeys, "list">;
  presentAccount: PresentAccount;
  /** Of new accounts. */
  signUpCredits: number;
};

const DEFAULT_NOTE = "From the operator";

export const operatorRoutes =
  (deps: OperatorRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { accounts, ledger } = deps;
    const show = async (accountId: string) =>
      presentListed(deps.presentAccount, await accounts.findListed(accountId));
    const showInvited = async ({ accountId, link }: Invited) => ({
      account: await show(accountId),
      invitation_link: link ?? null,
    });

    app.addHook("preHandler", protectOperators(accounts));

    app.get(
      "/operator/accounts",
      { schema: LIST_ACCOUNTS, config: { access: { operator: "accounts:read" } } },
      async (request, reply) => {
        const { skip, limit } = request.query;
        const { accounts: found, total } = await accounts.list(request.query);
        if (skip > 0) pageHeaders(request, reply, { skip, limit, total });
        else
          nextPageLink(request, reply, {
            after: found.length === limit ? found.at(-1)?.id : undefined,
            total,
          });
        return found.map((account) => presentListed(deps.presentAccount, account));
      },
    );

    app.post(
      "/operator/accounts",
      { schema: OPEN_ACCOUNT, config: { access: { operator: "accounts:write" }, problems: ["email_taken"] } },
      async (request, reply) => {
        const { credits = 0 } = request.body;
        if (credits > deps.signUpCredits) requireOperatorScope(request.caller!, "credits:write");
        return reply.code(201).send(await showInvited(await accounts.invite(request.body, actorOf(request))));
      },
    );

    app.get(
      "/operator/accounts/:account_id",
      {
        schema: GET_ACCOUNT_BY_ID,
        config: { access: { operator: "accounts:read" }, problems: ["account_not_found"] },
      },
      (request) => show(request.params.account_id),
    );

    app.patch(
      "/operator/accounts/:account_id",
      {
        schema: CHANGE_PLAN,
        config: {
          access: { operator: "accounts:write" },
          problems: ["account_not_found", "operator_protected"],
        },
      },
      async (request) => {
        const { account_id: accountId } = request.params;
        const { plan } = request.body;
        const recorded = auditOnCommit(actorOf(request), ({ before }: { before: Plan }) => ({
          action: "plan.changed",
          accountId,
          details: { from: before, to: plan },
        }));
        await accounts.setPlan(accountId, plan, recorded);
        return show(accountId);
      },
    );

    app.post(
      "/operator/accounts/:account_id/grants",
      {
        schema: GRANT_CREDITS,
        config: {
          access: { operator: "credits:write" },
          problems: ["account_not_found", "insufficient_credits", "operator_protected"],
        },
      },
      async (request, reply) => {
        const { amount, note } = request.body;
        if (amount === 0) throw wrongValue("/amount", "Amount must not be zero.");
        const { id: accountId } = await accounts.find(request.params.account_id);
        if (note?.includes("\0")) throw wrongValue("/note", "Note must not contain NUL characters.");
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

    app.post(
      "/operator/accounts/:account_id/invitation",
      {
        schema: INVITE_AGAIN,
        config: {
          access: { operator: "accounts:write" },
          problems: ["account_not_found", "account_active", "operator_protected"],
        },
      },
      async (request, reply) =>
        reply
          .code(201)
          .send(await showInvited(await accounts.inviteAgain(request.params.account_id, actorOf(request)))),
    );

    app.get(
      "/operator/accounts/:account_id/keys",
      {
        schema: LIST_KEYS_OF,
        config: { access: { operator: "accounts:read" }, problems: ["account_not_found"] },
      },
      async (request) => {
        const { id } = await accounts.find(request.params.account_id);
        return (await deps.apiKeys.list(id)).map(presentKey);
      },
    );

    app.get(
      "/operator/accounts/:account_id/credits",
      {
        schema: GET_CREDITS_OF,
        config: { access: { operator: "accounts:read" }, problems: ["account_not_found"] },
      },
      async (request, reply) => {
        const { id } = await accounts.find(request.params.account_id);
        const { balance, reserved, entries, total } = await ledger.page(id, request.query);
        pageHeaders(request, reply, { ...request.query, total });
        return { balance, reserved, ledger: entries };
      },
    );
  };

/**
 * An operator key only reads figures of operators' accounts: it could otherwise be used to take one over, to read its results,
 * or to make it useless.
 */
export const protectOperators =
  ({ findListed }: Pick<Accounts, "findListed">) =>
  async ({ caller, params, routeOptions: { config } }: FastifyRequest): Promise<void> => {
    const { account_id: accountId } = params as { account_id?: string };
    if (accountId === undefined || caller?.by.kind !== "operator_key") return;
    if (
      typeof config.access === "object" &&
      "operator" in config.access &&
      config.access.operator === "accounts:read"
    )
      return;
    if ((await findListed(accountId)).isOperator)
      throw new Refusal(
        "operator_protected",
        "Operator accounts can be changed and exported with a session only.",
      );
  };

const tags = ["operator"];
export const AccountId = Type.Object({
  account_id: Type.String({ format: "uuid", description: "ID of the account." }),
});

const LIST_ACCOUNTS = {
  operationId: "listAccounts",
  tags,
  summary: "List accounts",
  description:
    "Returns the accounts, newest first unless `sort` says otherwise. For the next page, follow the `Link` header or send the ID of the last account as `after`: it takes as long as the first page, which `skip` does not.",
  querystring: AccountListQuery,
  response: { 200: AccountList },
};

const OPEN_ACCOUNT = {
  operationId: "openAccount",
  tags,
  summary: "Open an account",
  description:
    "Opens an account and invites its owner to choose a password, also where sign-up is closed. Where the service sends email, it sends the link; otherwise the response has it, once, for you to pass on. The link works once and expires after seven days; the account is kept.",
  body: OpenAccountRequest,
  response: { 201: InvitedAccount },
};

const GET_ACCOUNT_BY_ID = {
  operationId: "getAccountById",
  tags,
  summary: "Retrieve an account",
  description: "Returns state, plan, credits, recent use and limits of any account.",
  params: AccountId,
  response: { 200: OperatorAccount },
};

const CHANGE_PLAN = {
  operationId: "changePlan",
  tags,
  summary: "Change the plan of an account",
  description: "Takes effect with the next request, for its API keys too.",
  params: AccountId,
  body: ChangePlanRequest,
  response: { 200: OperatorAccount },
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

const INVITE_AGAIN = {
  operationId: "inviteAgain",
  tags,
  summary: "Send another invitation",
  description:
    "Replaces the link of an account whose owner has not chosen a password yet, and sends or returns the new one.",
  params: AccountId,
  response: { 201: InvitedAccount },
};

const LIST_KEYS_OF = {
  operationId: "listKeysOfAccount",
  tags,
  summary: "List API keys of an account",
  description:
    "Returns its keys, newest first, including those revoked in the last 90 days; never their secrets.",
  params: AccountId,
  response: { 200: Type.Array(ApiKey) },
};

const GET_CREDITS_OF = {
  operationId: "getCreditsOfAccount",
  tags,
  summary: "Retrieve balance and ledger of an account",
  description: "Returns the balance, the reserved credits, and a page of ledger entries, newest first.",
  params: AccountId,
  querystring: CreditsQuery,
  response: { 200: Credits },
};
