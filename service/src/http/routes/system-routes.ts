/** /operator/system: state of the installation, and diagnostics; /operator/dead-letters: tasks that failed for good. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { DeadLetterList, DeadLetterListQuery, DoctorReport, System as SystemReport } from "@mailvet/contract";
import { Type } from "typebox";
import { auditOnCommit } from "../../audit/audit-writer.ts";
import type { DeadLetters, ExhaustedTask } from "../../queue/dead-letters.ts";
import type { SystemReporter } from "../../system/system.ts";
import { actorOf } from "../request-actor.ts";
import { pageHeaders } from "./pagination.ts";
import "../route-config.ts";

export type SystemRouteDeps = {
  system: Pick<SystemReporter, "report" | "runDoctor">;
  deadLetters: DeadLetters;
};

export const systemRoutes =
  ({ system, deadLetters }: SystemRouteDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      "/operator/system",
      { schema: GET_SYSTEM, config: { access: { operator: "system:read" } } },
      async () => system.report(),
    );

    app.post(
      "/operator/system/doctor",
      { schema: RUN_DOCTOR, config: { access: { operator: "system:read" }, idempotency: false } }, // it has no effect to repeat
      async () => system.runDoctor(),
    );

    app.get(
      "/operator/dead-letters",
      { schema: LIST_DEAD_LETTERS, config: { access: { operator: "jobs:read" } } },
      async (request, reply) => {
        const { skip, limit } = request.query;
        const { letters, total } = await deadLetters.list({ skip, limit });
        pageHeaders(request, reply, { skip, limit, total });
        return letters;
      },
    );

    app.post(
      "/operator/dead-letters/:dead_letter_id/redrive",
      {
        schema: REDRIVE_DEAD_LETTER,
        config: {
          access: { operator: "jobs:write" },
          idempotency: false, // a redriven letter is gone
          problems: ["dead_letter_not_found", "dead_letter_obsolete"],
        },
      },
      async (request, reply) => {
        const { dead_letter_id: subjectId } = request.params;
        const recorded = auditOnCommit(actorOf(request), ({ accountId, queue }: ExhaustedTask) => ({
          action: "dead_letter.redriven",
          accountId,
          subjectId,
          details: { kind: queue },
        }));
        await deadLetters.redrive(subjectId, recorded);
        return reply.code(204).send(null);
      },
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

const LIST_DEAD_LETTERS = {
  operationId: "listDeadLetters",
  tags,
  summary: "List dead letters",
  description:
    "Returns tasks that failed repeatedly and are not retried any more, newest first. The emails of a failed slice have the result `internal_error` and are not charged. Dead letters are kept for 30 days.",
  querystring: DeadLetterListQuery,
  response: { 200: DeadLetterList },
};

const REDRIVE_DEAD_LETTER = {
  operationId: "redriveDeadLetter",
  tags,
  summary: "Redrive a dead letter",
  description:
    "Queues the task again and removes the dead letter. The emails of a slice are checked again free of charge, and replace their results even after the job has finished. A webhook delivery is sent in a new series of attempts. The task of a failed job can't be redriven.",
  params: Type.Object({
    dead_letter_id: Type.String({ format: "uuid", description: "ID of the dead letter." }),
  }),
  response: { 204: Type.Null({ description: "Queued." }) },
};
