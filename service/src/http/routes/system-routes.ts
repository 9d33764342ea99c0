/** /operator/system: how the installation is doing, and the doctor. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { DoctorReport, System as SystemReport } from "@mailvet/contract";
import type { SystemReporter } from "../../system/system.ts";
import "../route-config.ts";

export type SystemRouteDeps = { system: Pick<SystemReporter, "report" | "runDoctor"> };

export const systemRoutes =
  ({ system }: SystemRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get("/operator/system", { schema: GET_SYSTEM, config: { access: "operator" } }, async () =>
      system.report(),
    );

    app.post(
      "/operator/system/doctor",
      { schema: RUN_DOCTOR, config: { access: "operator", idempotency: false } }, // it changes nothing
      async () => system.runDoctor(),
    );
  };

const tags = ["operator"];

const GET_SYSTEM = {
  operationId: "getSystem",
  tags,
  summary: "How the installation is doing",
  description: "Processes, queue, jobs, pacing at mail hosts, what the doctor last found, and storage.",
  response: { 200: SystemReport },
};

const RUN_DOCTOR = {
  operationId: "runDoctor",
  tags,
  summary: "Have everything examined that verdicts depend on",
  description:
    "Port 25, name servers, our address and its names, sender domain, blocklists, and the age of the lists. It takes up to half a minute; asked again soon after, it answers the same.",
  response: { 200: DoctorReport },
};
