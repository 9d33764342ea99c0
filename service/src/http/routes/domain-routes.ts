/** GET /domains/{domain}: report on a mail domain. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { DomainParams, DomainReport } from "@mailvet/contract";
import type { Validations } from "../../validations/validations.ts";
import { chargeOf } from "../middleware/settle-charges.ts";
import "../route-config.ts";

export type DomainRouteDeps = { validations: Pick<Validations, "inspectDomain"> };

export const domainRoutes =
  ({ validations }: DomainRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/domains/:domain",
      {
        schema: {
          operationId: "inspectDomain",
          tags: ["validation"],
          summary: "Inspect a mail domain",
          description:
            "Returns the mail route, the provider, catch-all and disposable detection, and the SPF, DMARC and MTA-STS records of " +
            "a domain, each with its evidence. Costs one credit. A malformed or reserved domain is rejected at no cost. In the " +
            "sandbox the first label selects the outcome: `catch-all.mailvet.test`.",
          params: DomainParams,
          response: { 200: DomainReport },
        },
        config: { access: { scope: "validate" }, problems: ["insufficient_credits"] },
      },
      (request) => {
        const { id: requestId, caller, params, lifetime } = request;
        const context = { requestId, charge: chargeOf(request), startedAtMs: lifetime.startedAtMs };
        return validations.inspectDomain(caller!, params.domain, context);
      },
    );
  };
