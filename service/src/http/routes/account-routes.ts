/** GET /account: the caller's account with plan, credits and limits. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Account } from "@mailvet/contract";
import type { Accounts } from "../../accounts/accounts.ts";
import type { PresentAccount } from "../../accounts/present-account.ts";
import "../route-config.ts";

export type AccountRouteDeps = { accounts: Pick<Accounts, "find">; presentAccount: PresentAccount };

export const accountRoutes =
  ({ accounts, presentAccount }: AccountRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get("/account", { schema: GET_ACCOUNT, config: { access: "any_key" } }, async (request) => {
      const account = await accounts.find(request.caller!.accountId);
      request.creditsRemaining = account.balance;
      return presentAccount(account);
    });
  };

const GET_ACCOUNT = {
  operationId: "getAccount",
  tags: ["account"],
  summary: "Retrieve your account",
  description: "Returns the plan, credits and limits of the authenticated account.",
  response: { 200: Account },
};
