/** /bulk/jobs: an account's jobs, their results, and what their owner may do with them. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Job, JobListQuery, JobQuery, JobResult, ResultsQuery } from "@mailvet/contract";
import { Type } from "typebox";
import type { JobActions } from "../../jobs/job-actions.ts";
import { findJob, listJobs } from "../../jobs/job-list.ts";
import { jobResults } from "../../jobs/job-results.ts";
import { hasEnded } from "../../jobs/job-state.ts";
import { storeAnswer } from "../middleware/idempotency.ts";
import { waitForChange } from "./job-change.ts";
import { JobParams, type JobStreamDeps, jobStreamRoutes } from "./job-stream-routes.ts";
import { pageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type JobRouteDeps = JobStreamDeps & {
  moves: Pick<JobActions, JobMove | "erase">;
};
type JobMove = "cancel" | "pause" | "resume";

export const jobRoutes =
  (deps: JobRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { database, watch, moves } = deps;
    const news = waitForChange(app, watch);
    const read = { access: { scope: "read" } } as const;

    app.get("/bulk/jobs", { schema: LIST_JOBS, config: read }, async (request, reply) => {
      const { jobs, total } = await listJobs(database, request.caller!.accountId, request.query);
      pageHeaders(request, reply, { ...request.query, total });
      return jobs;
    });

    app.get(
      "/bulk/jobs/:job_id",
      { schema: GET_JOB, config: { ...read, problems: ["job_not_found"] } },
      async (request, reply) => {
        const find = () => findJob(database, request.caller!.accountId, request.params.job_id);
        const job = await find();
        const { wait = 0 } = request.query;
        if (wait === 0 || hasEnded(job)) return job;
        await news(job, wait * 1000, reply.raw);
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
        const { accountId } = request.caller!;
        const { results, total } = await jobResults(
          database,
          accountId,
          request.params.job_id,
          request.query,
        );
        pageHeaders(request, reply, { ...request.query, total });
        return results;
      },
    );

    for (const [move, words] of Object.entries(MOVES) as [JobMove, MoveWords][]) {
      app.post(
        `/bulk/jobs/:job_id/${move}`,
        {
          schema: {
            ...words,
            operationId: `${move}Job`,
            tags: ["jobs"],
            params: JobParams,
            response: { 200: Job },
          },
          config: { access: { scope: "bulk" }, problems: ["job_not_found", "job_state_conflict"] },
        },
        async (request, reply) =>
          moves[move](request.caller!, request.params.job_id, storeAnswer(request, reply, { status: 200 })),
      );
    }

    app.delete(
      "/bulk/jobs/:job_id",
      { schema: DELETE_JOB, config: { access: { scope: "bulk" }, problems: ["job_not_found"] } },
      async (request, reply) => {
        await moves.erase(request.caller!, request.params.job_id);
        return reply.code(204).send(null);
      },
    );

    await app.register(jobStreamRoutes(deps));
  };

const LIST_JOBS = {
  operationId: "listJobs",
  tags: ["jobs"],
  summary: "List jobs",
  description: "Newest first.",
  querystring: JobListQuery,
  response: { 200: Type.Array(Job) },
};

const GET_JOB = {
  operationId: "getJob",
  tags: ["jobs"],
  summary: "One job",
  description:
    "With `wait` the answer is held for so many seconds, or until the job's status or progress is not what it was when the request came in. A job that has ended is answered at once.",
  params: JobParams,
  querystring: JobQuery,
  response: { 200: Job },
};

const GET_RESULTS = {
  operationId: "getJobResults",
  tags: ["jobs"],
  summary: "Results of a job, page by page",
  description:
    "One for each row of the file that has a verdict, in the order of the rows. A row whose email stood in an earlier one has that one's verdict and `is_duplicate`. For all of them at once, with your own columns, there is the download.",
  params: JobParams,
  querystring: ResultsQuery,
  response: { 200: Type.Array(JobResult) },
};

type MoveWords = { summary: string; description: string };

const MOVES: Readonly<Record<JobMove, MoveWords>> = {
  cancel: {
    summary: "Cancel a job",
    description:
      "It ends with the verdicts it has; those cost what they cost, and the rest of its credits is given back. One that has ended cannot be cancelled.",
  },
  pause: {
    summary: "Pause a job",
    description:
      "Of a job that is being processed. What is under way is still saved; then nothing more is asked until it is resumed. Its credits stay reserved.",
  },
  resume: { summary: "Resume a job", description: "It goes on where it was paused." },
};

const DELETE_JOB = {
  operationId: "deleteJob",
  tags: ["jobs"],
  summary: "Erase a job",
  description: "Its file and its results are erased for good. One that still runs is cancelled first.",
  params: JobParams,
  response: { 204: Type.Null({ description: "It is erased." }) },
};
