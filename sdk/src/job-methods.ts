/** Jobs: upload a file, confirm, follow the job, download the results; and saved lists, which are jobs that are kept. */
import type {
  CreateListRequest,
  DownloadFormat,
  Job,
  JobResult,
  JobStatus,
  ListChange,
  RecheckRequest,
  SavedList,
  Status,
  UpdateListRequest,
  UploadEstimate,
  UploadPreview,
} from "@mailvet/contract";
import { type WatchOptions, watchJob } from "./job-watch.ts";
import type { Page, PageQuery, RequestOptions, Requests } from "./requests.ts";
import type { CallOptions, IdempotentOptions, OpenStream } from "./transport.ts";
import { type UploadFile, uploadBody } from "./upload-body.ts";

export type JobMethods = {
  /**
   * Uploads a file and returns a preview; nothing is charged yet. A Blob (a browser File, or `openAsBlob` in Node) is
   * sent again after a failure. Any other stream is sent once, and not every browser supports it.
   */
  upload(file: UploadFile, options?: IdempotentOptions): Promise<UploadPreview>;
  /** Checks a sample of the upload up to DNS, free of charge: the verdicts to expect, and the cost. Takes up to ten seconds. */
  estimate(choice: { uploadId: string; emailColumn: string }, options?: CallOptions): Promise<UploadEstimate>;
  /** Reserves a credit per unique email of the column and starts the job. Confirming an upload twice returns the same job. */
  confirm(choice: { uploadId: string; emailColumn: string }, options?: IdempotentOptions): Promise<Job>;
  /** Newest first. */
  list(query?: JobsQuery, options?: CallOptions): Promise<Page<Job>>;
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
  results(jobId: string, query?: ResultsPage, options?: CallOptions): Promise<Page<JobResult>>;
  /** All results, page by page. For a large file, `download` with ndjson needs one request only. */
  allResults(
    jobId: string,
    query?: { status?: Status | undefined },
    options?: CallOptions,
  ): AsyncGenerator<JobResult, void, undefined>;
  /** The rows of the file with their verdicts; `body` of the response is a stream. Default: CSV. */
  download(jobId: string, query?: DownloadChoice, options?: CallOptions): Promise<Response>;
  /** Checks results of a completed job again. An `unknown` of the last 24 hours is free. */
  recheck(jobId: string, request: RecheckRequest, options?: IdempotentOptions): Promise<Job>;
  cancel(jobId: string, options?: CallOptions): Promise<Job>;
  pause(jobId: string, options?: CallOptions): Promise<Job>;
  resume(jobId: string, options?: CallOptions): Promise<Job>;
  /** Permanently deletes the file and its results. */
  delete(jobId: string, options?: CallOptions): Promise<void>;
};

export type JobsQuery = PageQuery & { status?: JobStatus | undefined };
export type ResultsPage = PageQuery & {
  /** The last row of the page before; unlike `skip` it takes the same time on every page. */
  afterRow?: number | undefined;
  status?: Status | undefined;
};
export type DownloadChoice = { format?: DownloadFormat | undefined; status?: Status | undefined };

/** Maximum of the API. */
const PAGE_SIZE = 100;

export function jobMethods(requests: Requests, open: OpenStream): JobMethods {
  const pathOf = (jobId: string, part = "") => `/bulk/jobs/${encodeURIComponent(jobId)}${part}`;
  const transition = (name: string) => (jobId: string, options?: CallOptions) =>
    requests.post<Job>(pathOf(jobId, `/${name}`), undefined, options);
  const get: JobMethods["get"] = (jobId, { waitSeconds, signal } = {}) => {
    const extraMs = (waitSeconds ?? 0) * 1000;
    return requests.get(pathOf(jobId), { query: { wait: waitSeconds }, extraMs, signal });
  };
  const events: JobMethods["events"] = (jobId, options) => watchJob({ open, get }, jobId, options);
  const results = (jobId: string, { afterRow, ...query }: ResultsPage, options?: RequestOptions) =>
    requests.page<JobResult>(pathOf(jobId, "/results"), {
      query: { ...query, after_row: afterRow },
      ...options,
    });

  return {
    upload(file, options) {
      const upload = uploadBody(file);
      return requests.post("/bulk/upload/preview", undefined, {
        upload,
        extraMs: upload.extraMs,
        ...options,
      });
    },
    estimate: ({ uploadId, emailColumn }, options) =>
      requests.post("/bulk/upload/estimate", { upload_id: uploadId, email_column: emailColumn }, options),
    confirm: ({ uploadId, emailColumn }, options) =>
      requests.post("/bulk/upload/confirm", { upload_id: uploadId, email_column: emailColumn }, options),
    list: ({ skip, limit, status } = {}, options) =>
      requests.page("/bulk/jobs", { query: { skip, limit, status }, ...options }),
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
      results(jobId, { skip, afterRow, limit, status }, options),
    async *allResults(jobId, { status } = {}, options) {
      for (let afterRow = 0; ; ) {
        const query = { afterRow, limit: PAGE_SIZE, status };
        const { items } = await results(jobId, query, { waitWhenBusy: true, ...options });
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
    recheck: (jobId, request, options) => requests.post(pathOf(jobId, "/recheck"), request, options),
    cancel: transition("cancel"),
    pause: transition("pause"),
    resume: transition("resume"),
    delete: (jobId, options) => requests.delete(pathOf(jobId), options),
  };
}

export type ListMethods = {
  /** Newest first. */
  all(options?: CallOptions): Promise<SavedList[]>;
  /** Keeps a completed job as a list. */
  create(list: CreateListRequest, options?: CallOptions): Promise<SavedList>;
  get(listId: string, options?: CallOptions): Promise<SavedList>;
  /** Rows whose status changed in the last run. */
  changes(listId: string, options?: CallOptions): Promise<ListChange[]>;
  update(listId: string, changes: UpdateListRequest, options?: CallOptions): Promise<SavedList>;
  /** Ends the schedule; the job expires after the retention. */
  delete(listId: string, options?: CallOptions): Promise<void>;
};

export function listMethods(requests: Requests): ListMethods {
  const pathOf = (listId: string, part = "") => `/lists/${encodeURIComponent(listId)}${part}`;
  return {
    all: (options) => requests.get("/lists", options),
    create: (list, options) => requests.post("/lists", list, options),
    get: (listId, options) => requests.get(pathOf(listId), options),
    changes: (listId, options) => requests.get(pathOf(listId, "/changes"), options),
    update: (listId, changes, options) => requests.patch(pathOf(listId), changes, options),
    delete: (listId, options) => requests.delete(pathOf(listId), options),
  };
}
