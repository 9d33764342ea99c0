/**
 * Reacher's API beside our own, with REACHER_COMPATIBLE=yes: POST /v0/check_email and /v1/check_email, POST /v1/bulk,
 * GET /v1/bulk/{job_id} and its results. Not part of our OpenAPI document: Reacher's describes it, and a generated
 * client must not depend on a setting.
 *
 * Shapes are in reacher-shapes.ts, the translation of results in reacher-mapping.ts.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { wrongValue } from "../../../base/refusal.ts";
import { findJobByNumber } from "../../../jobs/job-list.ts";
import { jobReports, type ResultDeps } from "../../../jobs/results/job-results.ts";
import { type StartListJob, textOfEmails } from "../../../jobs/start/start-list-job.ts";
import type { Validations } from "../../../validations/validations.ts";
import { chargeOf } from "../../middleware/settle-charges.ts";
import { PROBLEM_TYPE } from "../../problem.ts";
import "../../route-config.ts";
import { bulkProgress, checkEmailOutput } from "./reacher-mapping.ts";
import {
  BulkParams,
  BulkProgress,
  CheckEmailOutput,
  CheckEmailRequest,
  CreateBulkRequest,
  ResultsPage,
} from "./reacher-shapes.ts";

export type ReacherRouteDeps = {
  validations: Pick<Validations, "validate">;
  startListJob: StartListJob;
  results: ResultDeps;
  /** Reported as the server that has made a check. */
  serverName: string;
};

const MAX_BULK_BYTES = 16 * 1024 * 1024;

export const reacherRoutes =
  ({ validations, startListJob, results, serverName }: ReacherRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    sendErrorMember(app);

    for (const version of ["v0", "v1"]) {
      app.post(
        `/${version}/check_email`,
        {
          schema: { body: CheckEmailRequest, response: { 200: CheckEmailOutput } },
          config: { access: { scope: "validate" }, problems: ["insufficient_credits"] },
        },
        async (request) => {
          refuseUnsupported(request.body);
          const { id: requestId, lifetime } = request;
          const context = { requestId, charge: chargeOf(request), startedAtMs: lifetime.startedAtMs };
          const answer = await validations.validate(request.caller!, request.body.to_email, context);
          request.onDelivered = answer.planRecheck;
          return checkEmailOutput(answer.result, serverName);
        },
      );
    }

    app.post(
      "/v1/bulk",
      {
        bodyLimit: MAX_BULK_BYTES,
        schema: { body: CreateBulkRequest, response: { 200: Type.Object({ job_id: Type.Integer() }) } },
        config: { access: { scope: "bulk" }, isBulk: true, problems: ["insufficient_credits"] },
      },
      async (request) => {
        refuseUnsupported(request.body);
        const { job } = await startListJob(request.caller!, {
          text: textOfEmails(request.body.input),
          pointer: "/input",
          options: { name: "reacher-bulk.json" },
          idempotencyKey: request.idempotencyKey,
        });
        return { job_id: bulkProgress(job).job_id };
      },
    );

    const read = { access: { scope: "read" }, problems: ["job_not_found"] } as const;
    app.get(
      "/v1/bulk/:job_id",
      { schema: { params: BulkParams, response: { 200: BulkProgress } }, config: read },
      async ({ caller, params }) =>
        bulkProgress(await findJobByNumber(results.database, caller!, params.job_id)),
    );

    app.get(
      "/v1/bulk/:job_id/results",
      {
        schema: {
          params: BulkParams,
          querystring: ResultsPage,
          response: { 200: Type.Object({ results: Type.Array(CheckEmailOutput) }) },
        },
        config: read,
      },
      async ({ id: requestId, caller, params, query }) => {
        const { limit, offset, format = "json" } = query;
        if (format !== "json") {
          const detail = "Only JSON is available here. For CSV, use GET /api/v1/bulk/jobs/{job_id}/download.";
          throw wrongValue("/format", 'expected "json"', detail);
        }
        const job = await findJobByNumber(results.database, caller!, params.job_id);
        const page = { skip: offset, limit };
        const reports = await jobReports(results, caller!, job.id, page, requestId);
        return { results: reports.map((report) => checkEmailOutput(report, serverName)) };
      },
    );
  };

/**
 * Fields whose effect a caller relies on. A request without that effect would be something else than was asked for, so it
 * is refused; other fields that we do not know are ignored, as Reacher does.
 */
const UNSUPPORTED: readonly [field: string, isUsed: (value: unknown) => boolean, instead: string][] = [
  ["proxy", (value) => value != null, "Proxies are configured by the operator (SOCKS_PROXY, EGRESS_FILE)."],
  ["smtp_port", (value) => value != null && value !== 25, "Mail servers are asked on port 25 only."],
  ["check_gravatar", (value) => value === true, "Gravatar is not asked."],
  ["haveibeenpwned_api_key", (value) => value != null, "Have I Been Pwned is not asked."],
  [
    "webhook",
    (value) => value != null,
    "Use webhook_url of POST /api/v1/bulk/jobs, or an endpoint of /api/v1/webhooks.",
  ],
];

function refuseUnsupported(body: object): void {
  for (const [field, isUsed, instead] of UNSUPPORTED) {
    if (isUsed((body as Record<string, unknown>)[field]))
      throw wrongValue(`/${field}`, "not supported", `"${field}" is not supported. ${instead}`);
  }
}

/** Clients of Reacher look for `error` in the body of a failure. */
function sendErrorMember(app: FastifyInstance): void {
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (!String(reply.getHeader("content-type")).startsWith(PROBLEM_TYPE) || typeof payload !== "string")
      return done(null, payload);
    const problem = JSON.parse(payload) as { detail: string };
    done(null, JSON.stringify({ ...problem, error: problem.detail }));
  });
}
