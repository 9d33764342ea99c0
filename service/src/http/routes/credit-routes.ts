/** GET /credits: balance and ledger. GET /usage: verdicts and credits per day and key. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Credits, CreditsQuery, Usage, type UsageDay, UsageQuery } from "@mailvet/contract";
import type { Ledger } from "../../credits/ledger.ts";
import type { UsageFilter } from "../../credits/usage.ts";
import { usageRange } from "../../credits/usage-range.ts";
import { pageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type CreditRouteDeps = {
  ledger: Pick<Ledger, "balanceOf" | "page">;
  usageOf(accountId: string, wanted: UsageFilter): Promise<UsageDay[]>;
};

export const creditRoutes =
  ({ ledger, usageOf }: CreditRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/credits",
      { schema: GET_CREDITS, config: { access: { scope: "read" } } },
      async (request, reply) => {
        const { accountId } = request.caller!;
        const [{ balance, reserved }, { entries, total }] = await Promise.all([
          ledger.balanceOf(accountId),
          ledger.page(accountId, request.query),
        ]);
        request.creditsRemaining = balance;
        pageHeaders(request, reply, { ...request.query, total });
        return { balance, reserved, ledger: entries };
      },
    );

    app.get("/usage", { schema: GET_USAGE, config: { access: { scope: "read" } } }, async (request) => {
      const { key_id: keyId, ...wanted } = request.query;
      const range = usageRange(wanted, new Date());
      return { ...range, days: await usageOf(request.caller!.accountId, { ...range, keyId }) };
    });
  };

const GET_CREDITS = {
  operationId: "getCredits",
  tags: ["credits"],
  summary: "Retrieve balance and ledger",
  description:
    "Returns the available balance, the credits reserved for running jobs, and a page of ledger entries.",
  querystring: CreditsQuery,
  response: { 200: Credits },
};

const GET_USAGE = {
  operationId: "getUsage",
  tags: ["credits"],
  summary: "Retrieve usage",
  description:
    "Returns the number of verdicts by status and the credits spent, per UTC day and API key. A range covers at most 366 days.",
  querystring: UsageQuery,
  response: { 200: Usage },
};
