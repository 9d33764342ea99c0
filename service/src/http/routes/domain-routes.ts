/** GET /domains/{domain}: what can be said of a mail domain as a whole. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { DomainParams, DomainReport } from "@mailvet/contract";
import type { Validations } from "../../validations/validations.ts";
import { type ChargeOutcomeDeps, settleCharges } from "../middleware/settle-charges.ts";
import "../route-config.ts";

export type DomainRouteDeps = {
  validations: Pick<Validations, "inspectDomain">;
  charges: ChargeOutcomeDeps;
};

export const domainRoutes =
  ({ validations, charges }: DomainRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    settleCharges(app, charges);
    app.get(
      "/domains/:domain",
      {
        schema: {
          operationId: "inspectDomain",
          tags: ["validation"],
          summary: "Inspect a mail domain",
          description:
            "Where its mail goes, who runs its mail servers, whether it accepts any name, whether it is a disposable domain, and " +
            "its SPF, DMARC and MTA-STS records, each with the evidence. Costs one credit. A malformed or reserved domain is " +
            "refused and costs nothing. In the sandbox the first label names the outcome: `catch-all.mailvet.test`.",
          params: DomainParams,
          response: { 200: DomainReport },
        },
        config: { access: { scope: "validate" }, problems: ["insufficient_credits"] },
      },
      async (request) => {
        const { id: requestId, idempotencyKey, visit } = request;
        const asking = { requestId, idempotencyKey, startedAtMs: visit.startedAt };
        const { report, creditsRemaining } = await validations.inspectDomain(
          request.caller!,
          request.params.domain,
          asking,
        );
        request.creditsRemaining = creditsRemaining;
        return report;
      },
    );
  };
