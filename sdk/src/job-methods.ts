/** Jobs: upload a file, confirm, follow the job, download the results. */
import type { DownloadFormat, Job, JobResult, JobStatus, Status, UploadPreview } from "@mailvet/contract";
import { createIdempotencyKey } from "./idempotency-key.ts";
import { type WatchOptions, watchJob } from "./job-watch.ts";
import type { ApiRequest, CallOptions, IdempotentOptions, OpenStream, SendRequest } from "./transport.ts";
import { type UploadFile, uploadBody } from "./upload-body.ts";

export type JobMethods = {
  /**
   * Uploads a file and returns a preview; nothing is charged yet. A Blob (a browser File, or `openAsBlob` in Node) is
   * sent again after a failure. Any other stream is sent once, and not every browser supports it.
   */
  upload(file: UploadFile, options?: IdempotentOptions): Promise<UploadPreview>;
  /** Reserves a credit per unique email of the column and starts the job. Confirming an upload twice returns the same job. */
  confirm(choice: { uploadId: string; emailColumn: string }, options?: IdempotentOptions): Promise<Job>;
  /** Newest first. */
  list(query?: JobsQuery, options?: CallOptions): Promise<{ items: Job[]; total: number }>;
  /** With `waitSeconds` (at most 30), responds when the job changes or the time is over. */
  get(jobId: string, options?: CallOptions & { waitSeconds?: number | undefined }): Promise<Job>;
  /** Resolves when the job is completed, failed or cancelled. Survives restarts of the service. */
  wait(
    jobId: string,
    options?: WatchOptions & { onProgress?: ((job: Job) => void) | undefined },
  ): Promise<Job>;
  /** Yields the job now, at every change and at the end; otherwise like `wait`. */
  events(jobId: string, options?: WatchOptions): AsyncGenerator<Job, void, undefined>;
  /** A page of results, one per row with a verdict, in file order. */
  results(
    jobId: string,
    query?: ResultsPage,
    options?: CallOptions,
  ): Promise<{ items: JobResult[]; total: number }>;
  /** All results, page by page. For a large file, `download` with ndjson needs one request only. */
  allResults(
    jobId: string,
    query?: { status?: Status | undefined },
    options?: CallOptions,
  ): AsyncGenerator<JobResult, void, undefined>;
  /** The rows of the file with their verdicts; `body` of the response is a stream. Default: CSV. */
  download(jobId: string, query?: DownloadChoice, options?: CallOptions): Promise<Response>;
  cancel(jobId: string, options?: CallOptions): Promise<Job>;
  pause(jobId: string, options?: CallOptions): Promise<Job>;
  resume(jobId: string, options?: CallOptions): Promise<Job>;
  /** Permanently deletes the file and its results. */
  delete(jobId: string, options?: CallOptions): Promise<void>;
};

export type JobsQuery = {
  skip?: number | undefined;
  limit?: number | undefined;
  status?: JobStatus | undefined;
};
export type ResultsPage = {
  skip?: number | undefined;
  /** The last row of the page before; unlike `skip` it takes the same time on every page. */
  afterRow?: number | undefined;
  limit?: number | undefined;
  status?: Status | undefined;
};
export type DownloadChoice = { format?: DownloadFormat | undefined; status?: Status | undefined };

/** Maximum of the API. */
const PAGE_SIZE = 100;

export function jobMethods(send: SendRequest, open: OpenStream): JobMethods {
  const pathOf = (jobId: string, part = "") => `/bulk/jobs/${encodeURIComponent(jobId)}${part}`;
  const page = async <T>(call: ApiRequest) => {
    const { body, count } = await send<T[]>(call);
    return { items: body, total: count("x-total-count") ?? body.length };
  };
  const transition = (name: string) => async (jobId: string, options?: CallOptions) => {
    const idempotent = { idempotencyKey: createIdempotencyKey(), ...options };
    return (await send<Job>({ method: "POST", path: pathOf(jobId, `/${name}`), ...idempotent })).body;
  };
  const get: JobMethods["get"] = async (jobId, { waitSeconds, signal } = {}) => {
    const query = { wait: waitSeconds };
    const extraMs = (waitSeconds ?? 0) * 1000;
    return (await send<Job>({ method: "GET", path: pathOf(jobId), query, extraMs, signal })).body;
  };
  const events: JobMethods["events"] = (jobId, options) => watchJob({ open, get }, jobId, options);
  const results = ({ jobId, query: { afterRow, ...query }, ...more }: ResultsCall) =>
    page<JobResult>({
      method: "GET",
      path: pathOf(jobId, "/results"),
      query: { ...query, after_row: afterRow },
      ...more,
    });

  return {
    async upload(file, { idempotencyKey = createIdempotencyKey(), signal } = {}) {
      const upload = uploadBody(file);
      const call = { upload, extraMs: upload.extraMs, idempotencyKey, signal };
      return (await send<UploadPreview>({ method: "POST", path: "/bulk/upload/preview", ...call })).body;
    },
    async confirm({ uploadId, emailColumn }, { idempotencyKey = createIdempotencyKey(), signal } = {}) {
      const body = { upload_id: uploadId, email_column: emailColumn };
      const idempotent = { idempotencyKey, signal };
      return (await send<Job>({ method: "POST", path: "/bulk/upload/confirm", body, ...idempotent })).body;
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
    results: (jobId, { skip, afterRow, limit, status } = {}, options) =>
      results({ jobId, query: { skip, afterRow, limit, status }, ...options }),
    async *allResults(jobId, { status } = {}, options) {
      for (let afterRow = 0; ; ) {
        const query = { afterRow, limit: PAGE_SIZE, status };
        const { items } = await results({ jobId, query, waitWhenBusy: true, ...options });
        yield* items;
        if (items.length < PAGE_SIZE) return;
        afterRow = items.at(-1)!.row;
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
    cancel: transition("cancel"),
    pause: transition("pause"),
    resume: transition("resume"),
    async delete(jobId, options) {
      await send({ method: "DELETE", path: pathOf(jobId), ...options });
    },
  };
}

type ResultsCall = CallOptions & { jobId: string; query: ResultsPage; waitWhenBusy?: boolean };
