/** /operator/jobs: the jobs of all accounts; pause, resume and cancel them. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type AuditAction, OperatorJob, OperatorJobList, OperatorJobQuery } from "@mailvet/contract";
import { auditOnCommit } from "../../audit/audit-writer.ts";
import type { Database } from "../../db/database.ts";
import type { JobActions } from "../../jobs/job-actions.ts";
import { findAnyJob, listAllJobs } from "../../jobs/job-list.ts";
import { actorOf } from "../request-actor.ts";
import { JobParams } from "./job-stream-routes.ts";
import { nextPageLink } from "./pagination.ts";
import "../route-config.ts";

export type OperatorJobRouteDeps = { database: Database; actions: Pick<JobActions, OperatorJobAction> };
type OperatorJobAction = "cancel" | "pause" | "resume";

export const operatorJobRoutes =
  ({ database, actions }: OperatorJobRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/operator/jobs",
      { schema: LIST, config: { access: { operator: "jobs:read" } } },
      async (request, reply) => {
        const jobs = await listAllJobs(database, request.query);
        nextPageLink(request, reply, {
          after: jobs.length === request.query.limit ? jobs.at(-1)?.id : undefined,
        });
        return jobs;
      },
    );

    for (const [action, [summary, description, done]] of Object.entries(ACTIONS)) {
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
          config: { access: { operator: "jobs:write" }, problems: ["job_not_found", "job_state_conflict"] },
        },
        async (request) => {
          const { job_id: jobId } = request.params;
          const { account_id: accountId } = await findAnyJob(database.orm, jobId);
          const recorded = auditOnCommit(actorOf(request), () => ({
            action: done,
            accountId,
            subjectId: jobId,
          }));
          await actions[action as OperatorJobAction](undefined, jobId, recorded);
          return findAnyJob(database.orm, jobId);
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

type ActionTexts = readonly [summary: string, description: string, done: AuditAction];

const ACTIONS: Readonly<Record<OperatorJobAction, ActionTexts>> = {
  pause: [
    "Pause a job of any account",
    "Pauses a job that is being processed. Its owner can resume it.",
    "job.paused",
  ],
  resume: [
    "Resume a job of any account",
    "Continues a paused job, unless its account is suspended.",
    "job.resumed",
  ],
  cancel: [
    "Cancel a job of any account",
    "Ends the job with the verdicts it has so far. These are charged, and the remaining reserved credits are released.",
    "job.cancelled",
  ],
};
