/** GET /account: the caller's own account, its plan, credits and limits. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Account } from "@mailvet/contract";
import type { Accounts } from "../../accounts/accounts.ts";
import { presentAccount } from "../../accounts/present-account.ts";
import "../route-config.ts";

export type AccountRouteDeps = { accounts: Pick<Accounts, "find"> };

export const accountRoutes =
  ({ accounts }: AccountRouteDeps): FastifyPluginAsyncTypebox =>
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
  summary: "Your account",
  description: "Plan, credits and limits of the account that asks.",
  response: { 200: Account },
};
