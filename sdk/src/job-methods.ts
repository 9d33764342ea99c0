/** Jobs: upload a file, confirm, follow the job, download the results; and saved lists, which are jobs that are kept. */
import type {
  CreateJobRequest,
  CreateListRequest,
  CsvDialect,
  DownloadFormat,
  Job,
  JobResult,
  JobStatus,
  ListChange,
  RecheckRequest,
  ResultColumn,
  ResultSort,
  ResultStatus,
  SavedList,
  SubStatus,
  UpdateListRequest,
  UploadEstimate,
  UploadPreview,
  ValidationResult,
} from "@mailvet/contract";
import { foreignResponse } from "./errors.ts";
import { type WatchOptions, watchJob } from "./job-watch.ts";
import type { Page, PageQuery, RequestOptions, Requests } from "./requests.ts";
import type { CallOptions, IdempotentOptions, OpenStream } from "./transport.ts";
import { type UploadFile, uploadBody } from "./upload-body.ts";

export type ConfirmChoice = {
  uploadId: string;
  emailColumn: string;
  moreEmailColumns?: readonly string[] | undefined;
};

export type JobMethods = {
  /**
   * Uploads a file and returns a preview; nothing is charged yet. A Blob (a browser File, or `openAsBlob` in Node) is
   * sent again after a failure. Any other stream is sent once, and not every browser supports it. An array of up
   * to 10 Blobs is one list.
   */
  upload(file: UploadFile | readonly UploadFile[], options?: UploadOptions): Promise<UploadPreview>;
  /** The service downloads the file from a public https URL; otherwise like `upload`. */
  uploadLink(url: string, options?: UploadOptions): Promise<UploadPreview>;
  /** Checks a sample of the upload up to DNS, free of charge: the verdicts to expect, and the cost. Takes up to ten seconds. */
  estimate(choice: ConfirmChoice, options?: CallOptions): Promise<UploadEstimate>;
  /**
   * Starts a job with a list in memory, without a preview: `emails`, or `rows` with columns of your own.
   * One credit per unique email.
   */
  create(job: CreateJobRequest, options?: IdempotentOptions): Promise<Job>;
  /** Reserves a credit per unique email of the column and starts the job. Confirming an upload twice returns the same job. */
  confirm(choice: ConfirmChoice, options?: IdempotentOptions): Promise<Job>;
  /**
   * All in one: uploads a file, or sends a list in memory, starts the job and resolves when it is completed, failed or
   * cancelled. The email column is the suggested one unless you name it.
   */
  run(list: UploadFile | readonly UploadFile[] | CreateJobRequest, options?: JobRunOptions): Promise<Job>;
  /** Newest first. */
  list(query?: JobsQuery, options?: CallOptions): Promise<Page<Job>>;
  /** With `waitSeconds` (at most 30), responds when the job changes, or with `for: "end"` has ended, or the time is over. */
  get(
    jobId: string,
    options?: CallOptions & { waitSeconds?: number | undefined; for?: "change" | "end" | undefined },
  ): Promise<Job>;
  /** Resolves when the job is completed, failed or cancelled. Survives restarts of the service. */
  wait(jobId: string, options?: WaitOptions): Promise<Job>;
  /** Yields the job now, at every change and at the end; otherwise like `wait`. */
  events(jobId: string, options?: WatchOptions): AsyncGenerator<Job, void, undefined>;
  /**
   * Results, one per row with an email, also while the job runs. Awaited, one page; with `for await`, all of them from there
   * on, page by page. For a large file, `download` with ndjson needs one request only.
   */
  results(jobId: string, query?: ResultsPage, options?: CallOptions): ResultPages;
  /** The whole result of a row (with several email columns, of a `cell`), as `validate` returns it, from what was stored; costs nothing. */
  result(jobId: string, row: number, options?: CallOptions): Promise<ValidationResult>;
  /** The rows of the file with their verdicts; `body` of the response is a stream. Default: CSV. */
  download(jobId: string, query?: DownloadChoice, options?: CallOptions): Promise<Response>;
  /** Checks results of a completed job again. An `unknown` of the last 24 hours is free. */
  recheck(jobId: string, request: RecheckRequest, options?: IdempotentOptions): Promise<Job>;
  cancel(jobId: string, options?: CallOptions): Promise<Job>;
  pause(jobId: string, options?: CallOptions): Promise<Job>;
  resume(jobId: string, options?: CallOptions): Promise<Job>;
  /**
   * Completes the job with the results it has; what was not checked is unknown, and not charged. The job that is returned is
   * in the phase "finishing": `wait` follows it to its end.
   */
  finish(jobId: string, options?: CallOptions): Promise<Job>;
  /** Permanently deletes the file and its results. */
  delete(jobId: string, options?: CallOptions): Promise<void>;
};

export type UploadOptions = IdempotentOptions & {
  /** Of a spreadsheet. Default: the first one with emails. */
  sheet?: string | undefined;
  /** Allows ten times the emails of a file. Always the case for several files. */
  split?: boolean | undefined;
};
export type WaitOptions = WatchOptions & { onProgress?: ((job: Job) => void) | undefined };
export type JobRunOptions = WaitOptions &
  Pick<UploadOptions, "sheet" | "split"> &
  Partial<Pick<ConfirmChoice, "emailColumn" | "moreEmailColumns">>;
export type JobsQuery = PageQuery & { status?: JobStatus | undefined };
/** One value, or several. */
type Several<T> = T | readonly T[] | undefined;

export type ResultChoice = {
  status?: Several<ResultStatus>;
  subStatus?: Several<SubStatus>;
  safeToSend?: boolean | undefined;
  minScore?: number | undefined;
  maxScore?: number | undefined;
  provider?: string | undefined;
  domain?: string | undefined;
  /** Text that the email contains. */
  q?: string | undefined;
  /** By score or checked_at, iterating over the results is refused while the job runs: rows change their place. */
  sort?: ResultSort | undefined;
  /** Refused while the job runs, instead of results so far. */
  final?: boolean | undefined;
};
export type ResultsPage = PageQuery &
  ResultChoice & {
    /** The last row of the page before, or its `cell` with several email columns; unlike `skip` it takes the same time on every page. */
    afterRow?: number | undefined;
  };
export type ResultPages = PromiseLike<Page<JobResult>> & AsyncIterable<JobResult, void, undefined>;
export type DownloadChoice = ResultChoice & {
  format?: DownloadFormat | undefined;
  /** Of the columns that the service adds. With "email", that is the only one of the file's own. */
  columns?: readonly ("email" | ResultColumn)[] | undefined;
  /** Of CSV: "excel" has a byte order mark, and the separator of the language. */
  dialect?: CsvDialect | undefined;
  separator?: "," | ";" | "\t" | undefined;
};

/** Maximum of the API. */
const PAGE_SIZE = 100;
/** Time of the service to download a file, and to read a list. */
const LINK_MS = 5 * 60_000;
const CREATE_MS = 60_000;

const whenTrue = (value: boolean | undefined) => (value ? "true" : undefined);

export function jobMethods(requests: Requests, open: OpenStream): JobMethods {
  const pathOf = (jobId: string, part = "") => `/bulk/jobs/${encodeURIComponent(jobId)}${part}`;
  const transition = (name: string) => (jobId: string, options?: CallOptions) =>
    requests.post<Job>(pathOf(jobId, `/${name}`), undefined, options);
  const get: JobMethods["get"] = (jobId, { waitSeconds, for: event, signal } = {}) => {
    const extraMs = (waitSeconds ?? 0) * 1000;
    return requests.get(pathOf(jobId), { query: { wait: waitSeconds, for: event }, extraMs, signal });
  };
  const events: JobMethods["events"] = (jobId, options) => watchJob({ open, get }, jobId, options);
  const page = (jobId: string, { skip, limit, afterRow, ...choice }: ResultsPage, options?: RequestOptions) =>
    requests.page<JobResult>(pathOf(jobId, "/results"), {
      query: { skip, limit, after_row: afterRow, ...choiceQuery(choice) },
      ...options,
    });
  async function* pages(jobId: string, wanted: ResultsPage, options?: CallOptions) {
    const limit = wanted.limit ?? PAGE_SIZE;
    // A row that gets its verdict between two pages would be missing.
    const query = /score|checked_at/.test(wanted.sort ?? "") ? { ...wanted, final: true } : wanted;
    for (let next: ResultsPage = { ...query, limit }; ; ) {
      const { items } = await page(jobId, next, { waitWhenBusy: true, ...options });
      const last = items.at(-1);
      const afterRow = last?.cell ?? last?.row;
      if (afterRow && afterRow === next.afterRow) throw foreignResponse("after_row is ignored");
      yield* items;
      if (items.length < limit) return;
      next = { ...query, limit, skip: undefined, afterRow };
    }
  }

  const upload: JobMethods["upload"] = (file, { sheet, split, ...options } = {}) => {
    const body = uploadBody(file);
    return requests.post("/bulk/upload/preview", undefined, {
      upload: body,
      query: { sheet, split: whenTrue(split), group: whenTrue(Array.isArray(file)) },
      extraMs: body.extraMs,
      ...options,
    });
  };
  const create: JobMethods["create"] = (job, options) =>
    requests.post("/bulk/jobs", job, { extraMs: CREATE_MS, ...options });
  const confirm: JobMethods["confirm"] = (choice, options) =>
    requests.post("/bulk/upload/confirm", confirmBody(choice), options);
  const wait: JobMethods["wait"] = async (jobId, { onProgress, ...options } = {}) => {
    let last: Job | undefined;
    for await (const job of events(jobId, options)) {
      last = job;
      onProgress?.(job);
    }
    return last!;
  };

  return {
    upload,
    uploadLink: (url, { sheet, split, ...options } = {}) =>
      requests.post("/bulk/upload/link", { url, sheet, split }, { extraMs: LINK_MS, ...options }),
    create,
    estimate: (choice, options) => requests.post("/bulk/upload/estimate", confirmBody(choice), options),
    confirm,
    async run(list, { sheet, split, emailColumn, moreEmailColumns, ...options } = {}) {
      const { signal } = options;
      if (isInMemory(list)) return wait((await create(list, { signal })).id, options);
      const { upload_id: uploadId, suggested_email_column: suggested } = await upload(list, {
        sheet,
        split,
        signal,
      });
      const choice = { uploadId, emailColumn: emailColumn ?? suggested, moreEmailColumns };
      return wait((await confirm(choice, { signal })).id, options);
    },
    list: ({ skip, limit, status } = {}, options) =>
      requests.page("/bulk/jobs", { query: { skip, limit, status }, ...options }),
    get,
    wait,
    events,
    results: (jobId, query = {}, options) => ({
      // biome-ignore lint/suspicious/noThenProperty: awaited, it is one page
      then: (onPage, onError) => page(jobId, query, options).then(onPage, onError),
      [Symbol.asyncIterator]: () => pages(jobId, query, options),
    }),
    result: (jobId, row, options) => requests.get(pathOf(jobId, `/results/${row}`), options),
    download: (jobId, { format, columns, dialect, separator, ...choice } = {}, options) =>
      open({
        method: "GET",
        path: pathOf(jobId, "/download"),
        query: { format, columns: columns?.join(), dialect, separator, ...choiceQuery(choice) },
        accept: "*/*",
        ...options,
      }),
    recheck: (jobId, request, options) => requests.post(pathOf(jobId, "/recheck"), request, options),
    cancel: transition("cancel"),
    pause: transition("pause"),
    resume: transition("resume"),
    finish: transition("finish"),
    delete: (jobId, options) => requests.delete(pathOf(jobId), options),
  };
}

function isInMemory(list: Parameters<JobMethods["run"]>[0]): list is CreateJobRequest {
  return "emails" in list || "rows" in list;
}

function confirmBody({ uploadId, emailColumn, moreEmailColumns }: ConfirmChoice) {
  return { upload_id: uploadId, email_column: emailColumn, more_email_columns: moreEmailColumns };
}

function choiceQuery({ status, subStatus, safeToSend, minScore, maxScore, ...rest }: ResultChoice) {
  return {
    ...rest,
    status: joined(status),
    sub_status: joined(subStatus),
    safe_to_send: safeToSend,
    min_score: minScore,
    max_score: maxScore,
  };
}

function joined(values: Several<string>): string | undefined {
  return values === undefined || typeof values === "string" ? values : values.join();
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
