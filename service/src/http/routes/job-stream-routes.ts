/** Streaming responses of a job: the download of its rows with verdicts, and its progress events. */
import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { DOWNLOAD_FORMATS, type DownloadFormat, DownloadQuery } from "@mailvet/contract";
import { Type } from "typebox";
import { ACCOUNT_LIMITS } from "../../accounts/plans.ts";
import { recordAudit } from "../../audit/audit-writer.ts";
import { createConcurrencyLimit } from "../../base/concurrency-limit.ts";
import type { Log } from "../../base/log.ts";
import type { Database } from "../../db/database.ts";
import { CONTENT_TYPES } from "../../downloads/download-formats.ts";
import { jobDownload } from "../../downloads/job-download.ts";
import { findJob } from "../../jobs/job-list.ts";
import { hasEnded } from "../../jobs/job-state.ts";
import type { JobWatch } from "../../jobs/job-watch.ts";
import type { InspectEmail } from "../../jobs/results/result-from-evidence.ts";
import type { UploadFiles } from "../../uploads/upload-files.ts";
import { createDownloads } from "../downloads.ts";
import { createEventStream, EVENT_STREAM_HEADERS } from "../event-stream.ts";
import { acceptsOneOf } from "../middleware/accept-header.ts";
import { answerIn } from "../middleware/language.ts";
import { actorOf } from "../request-actor.ts";
import { partialHeaders } from "./pagination.ts";
import "../route-config.ts";

export type JobStreamDeps = {
  database: Database;
  files: Pick<UploadFiles, "read">;
  watch: JobWatch;
  inspect: InspectEmail;
  log: Pick<Log, "event">;
};

export const jobStreamRoutes =
  ({ database, files, watch, inspect, log }: JobStreamDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const downloads = createDownloads(app, log);
    const streamSlots = createConcurrencyLimit({
      what: "event streams",
      perAccount: ACCOUNT_LIMITS.concurrent_event_streams,
      total: 1_000,
    });
    const streams = new Set<{ end(): void }>();
    app.addHook("preClose", async () => {
      for (const stream of streams) stream.end();
    });

    app.get(
      "/bulk/jobs/:job_id/download",
      {
        schema: DOWNLOAD,
        config: {
          access: { scope: "read" },
          produces: DOWNLOAD_FORMATS.map(mediaTypeOf),
          problems: ["job_not_found", "results_not_ready", "results_expired", "payload_too_large"],
        },
      },
      async (request, reply) => {
        const { format = acceptedFormat(request.headers.accept), mode: _, ...query } = request.query;
        const { caller, params } = request;
        return downloads.send(request, reply, async () => {
          const { "accept-language": locales } = request.headers;
          const wanted = { ...query, format, locales, language: answerIn(request, reply) };
          const download = await jobDownload({ database, files, inspect }, caller!, params.job_id, wanted);
          if (request.method !== "HEAD") {
            const { accountId } = caller!;
            const entry = {
              action: "job.downloaded",
              accountId,
              subjectId: params.job_id,
              details: { format },
            } as const;
            await recordAudit(database.pool, actorOf(request), entry);
          }
          partialHeaders(reply, download.partial);
          return download;
        });
      },
    );

    app.get(
      "/bulk/jobs/:job_id/events",
      {
        schema: EVENTS,
        config: {
          access: { scope: "read" },
          produces: ["text/event-stream"],
          problems: ["job_not_found"],
        },
      },
      async (request, reply) => {
        const { accountId } = request.caller!;
        let job = await findJob(database, request.caller!, request.params.job_id);
        reply.headers(EVENT_STREAM_HEADERS);
        if (request.method === "HEAD") return reply.send(Readable.from([]));

        const release = streamSlots.acquire(accountId);
        let unfollow = () => {};
        let unfollowCredential = () => {};
        const stream = createEventStream(() => {
          unfollow();
          unfollowCredential();
          streams.delete(stream);
          release();
        });
        streams.add(stream);
        unfollowCredential = request.onCredentialEnd(() => stream.end());
        const sendJob = () => {
          stream.send(hasEnded(job) ? "end" : "progress", job);
          if (hasEnded(job)) stream.end();
        };
        sendJob();
        if (!hasEnded(job)) {
          unfollow = watch.follow(job, (changed) => {
            if (changed === undefined) {
              stream.send("end", job); // deleted: the last known state
              return stream.end();
            }
            job = changed;
            sendJob();
          });
        }
        request.lifetime.endWork();
        return reply.send(stream.body);
      },
    );
  };

const mediaTypeOf = (format: DownloadFormat) => CONTENT_TYPES[format].split(";", 1)[0]!;

const acceptedFormat = (accept: string | undefined) =>
  DOWNLOAD_FORMATS.find((format) => acceptsOneOf(accept, [mediaTypeOf(format)])) ?? DOWNLOAD_FORMATS[0];

export const JobParams = Type.Object({
  job_id: Type.String({ format: "uuid", description: "ID of the job." }),
});

const streamOf = (description: string) => Type.Unsafe<Readable>({ type: "string", description });

const DOWNLOAD = {
  operationId: "downloadJob",
  tags: ["jobs"],
  summary: "Download results",
  description: `Returns your rows and columns in their original order, followed by ours, whose names begin with \`mailvet_\`. The filters and \`sort\` are those of the results; a filtered file has only rows that match.

While the job runs, the file has what there is: rows that wait have the status \`pending\` and blank columns otherwise, and the headers are those of the results. With \`final=true\` the answer is 409 until the end.

In CSV, cells that a spreadsheet would run as a formula are prefixed with an apostrophe. Rows without a verdict, because the cell is empty or the job ended early, leave our columns blank. Cells beyond the columns of the file follow after ours.

The file name says what is in it, such as \`newsletter-valid.csv\`. A \`zip\` archive has one CSV file for each status and, without a filter, one for the rows without a verdict (\`newsletter-without-verdict.csv\`).

Reasons are in the language of \`Accept-Language\` (\`en\` or \`de\`), otherwise in English.

NDJSON has one object per row: \`row\`, \`email\`, \`columns\` (yours, by name) and the verdict. An \`xlsx\` workbook holds at most 1,048,575 rows, and 32,767 characters per cell. If the connection closes early, the file is incomplete: download it again.`,
  params: JobParams,
  querystring: DownloadQuery,
  response: { 200: streamOf("The file, as an attachment.") },
};

const EVENTS = {
  operationId: "followJob",
  tags: ["jobs"],
  summary: "Job progress stream",
  description:
    "Streams server-sent events. `progress` carries the job, first immediately and then whenever it changes, at most twice per second. `end` carries the finished job and closes the stream. Reconnect if the stream closes without `end`. The stream closes within a second after the key is revoked or the session ends.",
  params: JobParams,
  response: { 200: streamOf("`progress` and `end` events; their data is the job.") },
};
