/** Whole files: upload, see what is in it, confirm, follow the job, fetch what came of it. */
import type { DownloadQuery, Job, JobResult, JobStatus, Status, UploadPreview } from "@mailvet/contract";
import type { Call, CallOptions, Connection, OnceOptions, Opening } from "./connection.ts";
import { type WatchOptions, watchJob } from "./job-watch.ts";
import { onceKey } from "./once-key.ts";
import { type UploadFile, uploadBody } from "./upload-body.ts";

export type JobMethods = {
  /**
   * Sends a file and says what is in it; nothing is charged yet. A Blob (a File of a page, or what `openAsBlob` of
   * Node gives) is sent again after a failure; any other stream is sent once, and not every browser can.
   */
  upload(file: UploadFile, options?: OnceOptions): Promise<UploadPreview>;
  /** Reserves a credit for every different email of the column, and begins. The same upload twice is the same job. */
  confirm(choice: { uploadId: string; emailColumn: string }, options?: OnceOptions): Promise<Job>;
  /** Newest first. */
  list(query?: JobsQuery, options?: CallOptions): Promise<{ items: Job[]; total: number }>;
  /** With `waitSeconds`, at most 30, the answer comes when the record changes, or then. */
  get(jobId: string, options?: CallOptions & { waitSeconds?: number | undefined }): Promise<Job>;
  /** The record when the job has ended: completed, failed or cancelled. Lives through restarts of the service. */
  wait(
    jobId: string,
    options?: WatchOptions & { onProgress?: ((job: Job) => void) | undefined },
  ): Promise<Job>;
  /** The record now, at every change and at the end; otherwise like `wait`. */
  events(jobId: string, options?: WatchOptions): AsyncGenerator<Job, void, undefined>;
  /** A page of results, one for each row that has a verdict, in the order of the file. */
  results(
    jobId: string,
    query?: ResultsPage,
    options?: CallOptions,
  ): Promise<{ items: JobResult[]; total: number }>;
  /** All of them, page by page. For a large file, `download` with ndjson is one request. */
  allResults(
    jobId: string,
    query?: { status?: Status | undefined },
    options?: CallOptions,
  ): AsyncGenerator<JobResult, void, undefined>;
  /** The rows of the file with their verdicts, as they come in; `body` of the answer is a stream. CSV unless told. */
  download(jobId: string, query?: DownloadChoice, options?: CallOptions): Promise<Response>;
  cancel(jobId: string, options?: CallOptions): Promise<Job>;
  pause(jobId: string, options?: CallOptions): Promise<Job>;
  resume(jobId: string, options?: CallOptions): Promise<Job>;
  /** Erases the file and its results for good. */
  delete(jobId: string, options?: CallOptions): Promise<void>;
};

export type JobsQuery = {
  skip?: number | undefined;
  limit?: number | undefined;
  status?: JobStatus | undefined;
};
export type ResultsPage = {
  skip?: number | undefined;
  limit?: number | undefined;
  status?: Status | undefined;
};
export type DownloadChoice = { format?: DownloadQuery["format"] | undefined; status?: Status | undefined };

/** The most the API gives at once. */
const PAGE_SIZE = 100;

export function jobMethods(ask: Connection, open: Opening): JobMethods {
  const pathOf = (jobId: string, part = "") => `/bulk/jobs/${encodeURIComponent(jobId)}${part}`;
  const page = async <T>(call: Call) => {
    const { body, count } = await ask<T[]>(call);
    return { items: body, total: count("x-total-count") ?? body.length };
  };
  const move = (name: string) => async (jobId: string, options?: CallOptions) => {
    const once = { idempotencyKey: onceKey(), ...options };
    return (await ask<Job>({ method: "POST", path: pathOf(jobId, `/${name}`), ...once })).body;
  };
  const get: JobMethods["get"] = async (jobId, { waitSeconds, signal } = {}) => {
    const query = { wait: waitSeconds };
    const extraMs = (waitSeconds ?? 0) * 1000;
    return (await ask<Job>({ method: "GET", path: pathOf(jobId), query, extraMs, signal })).body;
  };
  const events: JobMethods["events"] = (jobId, options) => watchJob({ open, get }, jobId, options);
  const results = ({ jobId, query, ...more }: ResultsCall) =>
    page<JobResult>({ method: "GET", path: pathOf(jobId, "/results"), query, ...more });

  return {
    async upload(file, { idempotencyKey = onceKey(), signal } = {}) {
      const upload = uploadBody(file);
      const call = { upload, extraMs: upload.extraMs, idempotencyKey, signal };
      return (await ask<UploadPreview>({ method: "POST", path: "/bulk/upload/preview", ...call })).body;
    },
    async confirm({ uploadId, emailColumn }, { idempotencyKey = onceKey(), signal } = {}) {
      const body = { upload_id: uploadId, email_column: emailColumn };
      const once = { idempotencyKey, signal };
      return (await ask<Job>({ method: "POST", path: "/bulk/upload/confirm", body, ...once })).body;
    },
    list: ({ skip, limit, status } = {}, options) =>
      page<Job>({ method: "GET", path: "/bulk/jobs", query: { skip, limit, status }, ...options }),
    get,
    async wait(jobId, { onProgress, ...options } = {}) {
      let last: Job | undefined;
      for await (const job of events(jobId, options)) {
        last = job;
        onProgress?.(job);
      }
      return last!;
    },
    events,
    results: (jobId, { skip, limit, status } = {}, options) =>
      results({ jobId, query: { skip, limit, status }, ...options }),
    async *allResults(jobId, { status } = {}, options) {
      for (let skip = 0; ; skip += PAGE_SIZE) {
        const query = { skip, limit: PAGE_SIZE, status };
        const { items } = await results({ jobId, query, isPatient: true, ...options });
        yield* items;
        if (items.length < PAGE_SIZE) return;
      }
    },
    download: (jobId, { format, status } = {}, options) =>
      open({
        method: "GET",
        path: pathOf(jobId, "/download"),
        query: { format, status },
        accept: "*/*",
        ...options,
      }),
    cancel: move("cancel"),
    pause: move("pause"),
    resume: move("resume"),
    async delete(jobId, options) {
      await ask({ method: "DELETE", path: pathOf(jobId), ...options });
    },
  };
}

type ResultsCall = CallOptions & { jobId: string; query: ResultsPage; isPatient?: boolean };
