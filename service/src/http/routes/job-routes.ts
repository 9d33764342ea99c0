/** /bulk/jobs: list and retrieve jobs, page through results; cancel, pause, resume and delete. */
import type { ServerResponse } from "node:http";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import {
  Job,
  JobListQuery,
  JobQuery,
  JobResult,
  RecheckRequest,
  ResultsQuery,
  ValidationResult,
} from "@mailvet/contract";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { auditOnCommit } from "../../audit/audit-writer.ts";
import type { JobActions } from "../../jobs/job-actions.ts";
import { findJob, listJobs } from "../../jobs/job-list.ts";
import { hasEnded } from "../../jobs/job-state.ts";
import type { JobWatch } from "../../jobs/job-watch.ts";
import type { RecheckJob } from "../../jobs/recheck/recheck.ts";
import { jobResult, jobResults } from "../../jobs/results/job-results.ts";
import { storeResponse } from "../middleware/idempotency.ts";
import { answerIn } from "../middleware/language.ts";
import { actorOf } from "../request-actor.ts";
import { JobParams, type JobStreamDeps, jobStreamRoutes } from "./job-stream-routes.ts";
import { pageHeaders, partialHeaders, rowPageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type JobRouteDeps = JobStreamDeps & {
  actions: Pick<JobActions, JobAction | "erase">;
  recheckJob: RecheckJob;
};
type JobAction = "cancel" | "pause" | "resume" | "finish";

export const jobRoutes =
  (deps: JobRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { database, watch, actions, recheckJob } = deps;
    const waitForChange = changeWaiter(app, watch);
    const read = { access: { scope: "read" } } as const;

    app.get("/bulk/jobs", { schema: LIST_JOBS, config: read }, async (request, reply) => {
      const { jobs, total } = await listJobs(database, request.caller!, request.query);
      pageHeaders(request, reply, { ...request.query, total });
      return jobs;
    });

    app.get(
      "/bulk/jobs/:job_id",
      { schema: GET_JOB, config: { ...read, problems: ["job_not_found"] } },
      async (request, reply) => {
        const find = () => findJob(database, request.caller!, request.params.job_id);
        const job = await find();
        const { wait = 0, for: event = "change" } = request.query;
        if (wait === 0 || hasEnded(job)) return job;
        const refused = new AbortController();
        const unfollow = request.onCredentialEnd((refusal) => refused.abort(refusal));
        await waitForChange(job, { timeoutMs: wait * 1000, event }, reply.raw, refused.signal).finally(
          unfollow,
        );
        refused.signal.throwIfAborted();
        return find();
      },
    );

    app.get(
      "/bulk/jobs/:job_id/results",
      {
        schema: GET_RESULTS,
        config: { ...read, problems: ["job_not_found", "results_not_ready", "results_expired"] },
      },
      async (request, reply) => {
        const { results, total, partial } = await jobResults(
          deps,
          request.caller!,
          request.params.job_id,
          request.query,
          answerIn(request, reply),
        );
        partialHeaders(reply, partial);
        const { skip, limit } = request.query;
        const last = results.length === limit && limit < total ? results.at(-1) : undefined;
        if (skip > 0) pageHeaders(request, reply, { skip, limit, total });
        else rowPageHeaders(request, reply, { lastRow: last?.cell ?? last?.row, total });
        return results;
      },
    );

    app.get(
      "/bulk/jobs/:job_id/results/:row",
      {
        schema: GET_RESULT,
        config: {
          ...read,
          problems: ["job_not_found", "not_found", "results_not_ready", "results_expired"],
        },
      },
      async (request, reply) => {
        const { job_id: jobId, row } = request.params;
        const asking = { requestId: request.id, language: answerIn(request, reply) };
        return jobResult(deps, request.caller!, jobId, row, asking);
      },
    );

    for (const [action, { status = 200, ...texts }] of Object.entries(ACTIONS) as [
      JobAction,
      ActionTexts,
    ][]) {
      app.post(
        `/bulk/jobs/:job_id/${action}`,
        {
          schema: {
            ...texts,
            operationId: `${action}Job`,
            tags: ["jobs"],
            params: JobParams,
            response: { [status]: Job },
          },
          config: { access: { scope: "bulk" }, problems: ["job_not_found", "job_state_conflict"] },
        },
        async (request, reply) => {
          reply.code(status);
          return actions[action](
            request.caller!,
            request.params.job_id,
            storeResponse(request, reply, { status }),
          );
        },
      );
    }

    app.post(
      "/bulk/jobs/:job_id/recheck",
      {
        schema: RECHECK_JOB,
        config: {
          access: { scope: "bulk" },
          problems: [
            "job_not_found",
            "job_state_conflict",
            "results_expired",
            "insufficient_credits",
            "too_many_active_jobs",
          ],
        },
      },
      async (request, reply) => {
        reply.code(202);
        return recheckJob(
          request.caller!,
          request.params.job_id,
          request.body,
          storeResponse(request, reply, { status: 202 }),
        );
      },
    );

    app.delete(
      "/bulk/jobs/:job_id",
      { schema: DELETE_JOB, config: { access: { scope: "bulk" }, problems: ["job_not_found"] } },
      async (request, reply) => {
        const { accountId } = request.caller!;
        const recorded = auditOnCommit(actorOf(request), ({ id }: Job) => ({
          action: "job.deleted",
          accountId,
          subjectId: id,
        }));
        const left = await actions.erase(request.caller!, request.params.job_id, recorded);
        return left ? reply.code(202).send(left) : reply.code(204).send(null);
      },
    );

    await app.register(jobStreamRoutes(deps));
  };

const LIST_JOBS = {
  operationId: "listJobs",
  tags: ["jobs"],
  summary: "List jobs",
  description: "Returns your jobs, newest first.",
  querystring: JobListQuery,
  response: { 200: Type.Array(Job) },
};

const GET_JOB = {
  operationId: "getJob",
  tags: ["jobs"],
  summary: "Retrieve a job",
  description:
    "Returns a job. With `wait`, the response is delayed for up to that many seconds, or until the status or progress of the job changes; with `for=end` until it has ended. A finished job is returned immediately.",
  params: JobParams,
  querystring: JobQuery,
  response: { 200: Job },
};

const ResultParams = Type.Object({
  ...JobParams.properties,
  row: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_646,
    description: "Number of the row; in a job with several email columns, the `cell` of a result.",
  }),
});

const GET_RESULTS = {
  operationId: "getJobResults",
  tags: ["jobs"],
  summary: "List results of a job",
  description:
    "Returns one result per row with an email, in row order or that of `sort`. While the job runs, rows without a verdict have the status `pending`, and the headers `X-Partial: true`, `X-Settled` and `X-Pending` say how many unique emails have a verdict and how many wait; with `final=true` the answer is 409 until the end. A row that repeats an earlier email has the same verdict and `is_duplicate`. To get all rows with your own columns, use the download. For the next page, follow the `Link` header or send the last row as `after_row` (in a job with several email columns, its `cell`): it takes as long as the first page, which `skip` does not. While the job runs, such pages miss no row and repeat none in the order of `row`, `email` or `domain`; in that of `score` or `checked_at` they are refused with 409 (`results_not_ready`) until the end. Then begin again with the first page.",
  params: JobParams,
  querystring: ResultsQuery,
  response: { 200: Type.Array(JobResult) },
};

const GET_RESULT = {
  operationId: "getJobResult",
  tags: ["jobs"],
  summary: "Retrieve the result of a row",
  description:
    "Returns the whole result of one row, as a single validation returns it, from what was stored when the row was checked. Costs nothing.",
  params: ResultParams,
  response: { 200: ValidationResult },
};

type ActionTexts = { summary: string; description: string; status?: 202 };

const ACTIONS: Readonly<Record<JobAction, ActionTexts>> = {
  cancel: {
    summary: "Cancel a job",
    description:
      "Ends the job with the verdicts it has so far. These are charged, and the remaining reserved credits are released. A finished job can't be cancelled.",
  },
  pause: {
    summary: "Pause a job",
    description:
      "Pauses a job that is being processed. Checks in progress finish and are saved; nothing else runs until the job is resumed. Its credits stay reserved.",
  },
  resume: { summary: "Resume a job", description: "Continues a paused job where it left off." },
  finish: {
    summary: "Finish a job now",
    description:
      "Completes the job with the results it has. The request is answered at once; the job is then in the phase `finishing`, also while its rows are still being read, and ends as `completed`: wait for that with `GET /bulk/jobs/{job_id}?wait=30&for=end`. An email that waits for a retry becomes `unknown` with the reason of its last attempt; one that was not checked yet becomes `unknown` with `smtp_skipped` and is not charged. Repeating the request has no effect; a job that has ended can't be finished.",
    status: 202,
  },
};

const RECHECK_JOB = {
  operationId: "recheckJob",
  tags: ["jobs"],
  summary: "Ask again",
  description:
    "Checks results of a completed job again: all `unknown` or `risky` ones, those of a filter, or all. The job runs again with `attempt` + 1; results are replaced as they arrive, except that a verdict is not replaced by `unknown`, and the one before is `previous_status`. Follow it like any job. Costs one credit per email that is asked for; an `unknown` of the last 24 hours is free, and so is an email that keeps its verdict because the check decided nothing.",
  params: JobParams,
  body: RecheckRequest,
  response: { 202: Job },
};

const DELETE_JOB = {
  operationId: "deleteJob",
  tags: ["jobs"],
  summary: "Delete a job",
  description:
    "Permanently deletes the job with its file, its results and its saved list. A running job is cancelled first. Of a job with more than 10,000 rows the results can't be read from then on, which is answered with 202; the job is not found once all is deleted.",
  params: JobParams,
  response: {
    202: Job,
    204: Type.Null({ description: "Deleted." }),
  },
};

type WaitForChange = (
  job: Job,
  until: { timeoutMs: number; event: "change" | "end" },
  response: ServerResponse,
  signal: AbortSignal,
) => Promise<void>;

/** Waits until the job changes, the timeout passes, the signal, the client disconnects, or the server stops. */
function changeWaiter(app: FastifyInstance, watch: JobWatch): WaitForChange {
  const waiting = new Set<() => void>();
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
    for (const finish of waiting) finish();
  });
  return (job, { timeoutMs, event }, response, signal) =>
    new Promise((resolve) => {
      if (isClosing || signal.aborted) return resolve();
      const finish = () => {
        clearTimeout(timeout);
        unfollow();
        waiting.delete(finish);
        response.off("close", finish);
        signal.removeEventListener("abort", finish);
        resolve();
      };
      const timeout = setTimeout(finish, timeoutMs);
      const unfollow = watch.follow(job, (changed) => {
        if (event === "change" || !changed || hasEnded(changed)) finish();
      });
      waiting.add(finish);
      response.once("close", finish);
      signal.addEventListener("abort", finish);
    });
}
