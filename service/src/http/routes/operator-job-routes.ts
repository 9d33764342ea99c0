/** /operator/jobs: the jobs of all accounts; pause, resume and cancel them. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { OperatorJob, OperatorJobList, OperatorJobQuery } from "@mailvet/contract";
import type { Database } from "../../db/database.ts";
import type { JobActions } from "../../jobs/job-actions.ts";
import { findAnyJob, listAllJobs } from "../../jobs/job-list.ts";
import { JobParams } from "./job-stream-routes.ts";
import { nextPageLink } from "./pagination.ts";
import "../route-config.ts";

export type OperatorJobRouteDeps = { database: Database; actions: Pick<JobActions, OperatorJobAction> };
type OperatorJobAction = "cancel" | "pause" | "resume";

export const operatorJobRoutes =
  ({ database, actions }: OperatorJobRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get("/operator/jobs", { schema: LIST, config: { access: "operator" } }, async (request, reply) => {
      const jobs = await listAllJobs(database, request.query);
      nextPageLink(request, reply, {
        after: jobs.length === request.query.limit ? jobs.at(-1)?.id : undefined,
      });
      return jobs;
    });

    for (const [action, [summary, description]] of Object.entries(ACTIONS)) {
      app.post(
        `/operator/jobs/:job_id/${action}`,
        {
          schema: {
            operationId: `${action}JobAsOperator`,
            tags,
            summary,
            description,
            params: JobParams,
            response: { 200: OperatorJob },
          },
          config: { access: "operator", problems: ["job_not_found", "job_state_conflict"] },
        },
        async (request) => {
          await actions[action as OperatorJobAction](undefined, request.params.job_id);
          return findAnyJob(database.orm, request.params.job_id);
        },
      );
    }
  };

const tags = ["operator"];

const LIST = {
  operationId: "listAllJobs",
  tags,
  summary: "List jobs of all accounts",
  description:
    "Returns jobs of live and test mode, newest first, with their accounts. For the next page, follow the `Link` header or send the ID of the last job as `after`.",
  querystring: OperatorJobQuery,
  response: { 200: OperatorJobList },
};

const ACTIONS: Readonly<Record<OperatorJobAction, readonly [summary: string, description: string]>> = {
  pause: ["Pause a job of any account", "Pauses a job that is being processed. Its owner can resume it."],
  resume: ["Resume a job of any account", "Continues a paused job, unless its account is suspended."],
  cancel: [
    "Cancel a job of any account",
    "Ends the job with the verdicts it has so far. These are charged, and the remaining reserved credits are released.",
  ],
};
