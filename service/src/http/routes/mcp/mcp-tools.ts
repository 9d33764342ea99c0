/**
 * The MCP tools, answered for the caller of a request: each with the permission, and the one call inward, of the endpoint
 * that does the same.
 */
import type { KeyScope } from "@mailvet/contract";
import { explainReply } from "@mailvet/engine";
import type { ToolBackend } from "@mailvet/mcp";
import type { FastifyRequest } from "fastify";
import { Refusal } from "../../../base/refusal.ts";
import { findJob } from "../../../jobs/job-list.ts";
import { jobResults, type ResultDeps } from "../../../jobs/results/job-results.ts";
import { type StartListJob, textOfEmails } from "../../../jobs/start/start-list-job.ts";
import { checkOptionsOf } from "../../../validations/check-options.ts";
import type { Validations } from "../../../validations/validations.ts";
import { authorise } from "../../middleware/authenticate.ts";
import { chargeOf } from "../../middleware/settle-charges.ts";

export type McpToolDeps = {
  validations: Pick<Validations, "validate" | "validateMany" | "inspectDomain">;
  startListJob: StartListJob;
  results: ResultDeps;
};

export function toolsFor(
  { validations, startListJob, results }: McpToolDeps,
  request: FastifyRequest,
): ToolBackend {
  const allowed = allowedFor(request);
  const caller = request.caller!;
  const { id: requestId, idempotencyKey, lifetime } = request;
  const context = { requestId, charge: chargeOf(request), startedAtMs: lifetime.startedAtMs };
  return {
    check: allowed("validate", async ({ email, ...options }) => {
      const answer = await validations.validate(caller, email, {
        ...context,
        options: checkOptionsOf(options),
      });
      request.onDelivered = answer.planRecheck;
      return answer.result;
    }),
    checkMany: allowed("bulk", async ({ emails, ...options }) => {
      request.acquireBulkSlot();
      const bulk = { ...context, options: checkOptionsOf(options) };
      return validations.validateMany(caller, emails, bulk);
    }),
    explainReply: allowed("validate", async ({ reply, ...about }) => explainReply(reply, about)),
    inspectDomain: allowed("validate", ({ domain }) => validations.inspectDomain(caller, domain, context)),
    startJob: allowed("bulk", async ({ emails, name, level }) => {
      request.acquireBulkSlot();
      const options = { ...(name === undefined ? {} : { name }), ...(level === undefined ? {} : { level }) };
      const list = { text: textOfEmails(emails), pointer: "/emails", options, idempotencyKey };
      return (await startListJob(caller, list)).job;
    }),
    jobStatus: allowed("read", ({ job_id }) => findJob(results.database, caller, job_id)),
    jobResults: allowed("read", async ({ job_id, ...page }) => {
      const { results: items, total } = await jobResults(results, caller, job_id, { skip: 0, ...page });
      return { items, total };
    }),
  };
}

/** A refusal is for the model to read; anything else is a defect, or an outage. */
const allowedFor =
  (request: FastifyRequest) =>
  <Input, Result>(scope: KeyScope, run: (input: Input) => Promise<Result>) =>
  async (input: Input): Promise<Result> => {
    try {
      authorise(request.caller!, { scope });
      return await run(input);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      request.isRefused = true;
      const { ToolFailure } = await import("@mailvet/mcp");
      const { retryAfterSeconds } = error.extras;
      const retry = retryAfterSeconds === undefined ? "" : ` Retry after ${Math.ceil(retryAfterSeconds)} s.`;
      throw new ToolFailure(`${error.code}: ${error.message}${retry}`);
    }
  };
