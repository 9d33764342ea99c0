/** /operator/system: state of the installation, and diagnostics. */
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
      { schema: RUN_DOCTOR, config: { access: "operator", idempotency: false } }, // it has no effect to repeat
      async () => system.runDoctor(),
    );
  };

const tags = ["operator"];

const GET_SYSTEM = {
  operationId: "getSystem",
  tags,
  summary: "Retrieve system status",
  description:
    "Returns processes, queue, jobs, throttling per mail host, the latest diagnostics, and storage.",
  response: { 200: SystemReport },
};

const RUN_DOCTOR = {
  operationId: "runDoctor",
  tags,
  summary: "Run diagnostics",
  description:
    "Checks port 25, DNS resolvers, the public address and its reverse name, the sender domain, blocklists and the age of the reference lists. Takes up to 30 seconds; a recent report is returned again.",
  response: { 200: DoctorReport },
};
