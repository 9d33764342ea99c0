/** What a job answers with for longer than a moment: its file with the verdicts, and news of how it goes. */
import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { DownloadQuery } from "@mailvet/contract";
import { Type } from "typebox";
import type { Database } from "../../db/database.ts";
import { DOWNLOAD_FORMATS } from "../../downloads/download-formats.ts";
import { jobDownload } from "../../downloads/job-download.ts";
import { findJob } from "../../jobs/job-list.ts";
import { hasEnded } from "../../jobs/job-state.ts";
import type { JobWatch } from "../../jobs/job-watch.ts";
import { createConcurrencyLimit } from "../middleware/concurrency-limit.ts";
import { attachment } from "./content-disposition.ts";
import { createEventStream, EVENT_STREAM_HEADERS } from "./event-stream.ts";
import "../route-config.ts";

export type JobStreamDeps = {
  database: Database;
  watch: JobWatch;
  /** A download that broke off on our side. The client cannot be told why any more. */
  sayFailure(requestId: string, error: unknown): void;
};

/** A reader that takes nothing for this long is gone. */
const STALL_MS = 60_000;
/** When the server stops, downloads have this long to come to their end. */
const LAST_CALL_MS = 5_000;

export const jobStreamRoutes =
  ({ database, watch, sayFailure }: JobStreamDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const downloadPlaces = createConcurrencyLimit({ what: "downloads", perAccount: 4, inAll: 16 });
    const streamPlaces = createConcurrencyLimit({ what: "event streams", perAccount: 20, inAll: 1_000 });
    const downloads = new Set<Readable>();
    const streams = new Set<{ end(): void }>();
    app.addHook("preClose", async () => {
      for (const stream of streams) stream.end();
      setTimeout(() => {
        for (const body of downloads) body.destroy();
      }, LAST_CALL_MS).unref();
    });

    app.get(
      "/bulk/jobs/:job_id/download",
      {
        schema: DOWNLOAD,
        config: {
          access: { scope: "read" },
          produces: Object.values(DOWNLOAD_FORMATS).map(({ contentType }) => contentType.split(";", 1)[0]!),
          problems: ["job_not_found", "results_not_ready", "results_expired", "payload_too_large"],
        },
      },
      async (request, reply) => {
        const { accountId } = request.caller!;
        const leave = downloadPlaces.take(accountId);
        try {
          const download = await jobDownload(database, accountId, request.params.job_id, request.query);
          const isAsked = request.method !== "HEAD";
          const body = Readable.from(isAsked ? await begun(download.content) : [], { objectMode: false });
          downloads.add(body);
          body.once("error", (error) => sayFailure(request.id, error));
          body.once("close", () => {
            downloads.delete(body);
            leave();
          });
          reply.raw.setTimeout(STALL_MS);
          reply.headers({
            "content-type": download.contentType,
            "content-disposition": attachment(download.filename),
          });
          return reply.send(body);
        } catch (error) {
          leave();
          throw error;
        }
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
        let job = await findJob(database, accountId, request.params.job_id);
        reply.headers(EVENT_STREAM_HEADERS);
        if (request.method === "HEAD") return reply.send(Readable.from([]));

        const leave = streamPlaces.take(accountId);
        let unfollow = () => {};
        const stream = createEventStream(() => {
          unfollow();
          streams.delete(stream);
          leave();
        });
        streams.add(stream);
        const tell = () => {
          stream.send(hasEnded(job) ? "end" : "progress", job);
          if (hasEnded(job)) stream.end();
        };
        tell();
        if (!hasEnded(job)) {
          unfollow = watch.follow(job, (news) => {
            if (news === undefined) {
              stream.send("end", job); // erased: this is the last that was known of it
              return stream.end();
            }
            job = news;
            tell();
          });
        }
        request.visit.onlyListens();
        return reply.send(stream.body);
      },
    );
  };

export const JobParams = Type.Object({
  job_id: Type.String({ format: "uuid", description: "As in the list of jobs." }),
});

const streamOf = (description: string) => Type.Unsafe<Readable>({ type: "string", description });

const DOWNLOAD = {
  operationId: "downloadJob",
  tags: ["jobs"],
  summary: "The file with the verdicts",
  description: `Your own rows and columns in their order, then ours, whose names begin with \`mailvet_\`. With \`status\` only the rows that came out so.

In CSV, cells that a spreadsheet would run as a formula begin with an apostrophe. Rows that have no verdict, because the cell is empty or the job ended early, leave our columns blank. A row with more cells than the file has columns has the surplus after ours.

NDJSON has one object per row: \`row\`, \`email\`, \`columns\` (yours, by name) and the verdict. A workbook (\`xlsx\`) holds at most 1,048,575 rows, and 32,767 characters of a cell. A connection that breaks off before its end leaves an incomplete file: fetch it again.`,
  params: JobParams,
  querystring: DownloadQuery,
  response: { 200: streamOf("The file, as an attachment with a name.") },
};

const EVENTS = {
  operationId: "followJob",
  tags: ["jobs"],
  summary: "News of a job as it runs",
  description:
    "Server-sent events. `progress` carries the job at once and whenever it has changed, twice a second at the most; `end` carries it when it has ended, and nothing follows. A stream that closes without `end` is to be opened again.",
  params: JobParams,
  response: { 200: streamOf("Events named `progress` and `end`; their data is the job.") },
};

/** The same content once its first piece is there, so that trouble at the beginning can still be told as such. */
async function begun<T>(content: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const pieces = content[Symbol.asyncIterator]();
  const first = await pieces.next();
  return {
    async *[Symbol.asyncIterator]() {
      if (first.done) return;
      yield first.value;
      yield* { [Symbol.asyncIterator]: () => pieces };
    },
  };
}
