/** Rows of a job's file as uploaded, each with its verdict. Read part by part, so memory stays flat. */
import type { Status } from "@mailvet/contract";
import type pg from "pg";
import { firstCellOf } from "../jobs/job-columns.ts";
import { resultsExpired } from "../jobs/job-list.ts";
import type { JobRow } from "../jobs/job-record.ts";
import { hasResults, type RowVerdict, readVerdicts } from "../jobs/result-rows.ts";
import type { StoredFile, UploadFiles, UploadPart } from "../uploads/upload-files.ts";

export type DownloadRow = {
  /** From 1. */
  number: number;
  cells: readonly string[];
  /** Undefined: the cell is empty, or the job ended before this row was checked. */
  verdict: RowVerdict | undefined;
  /** Of further email columns. */
  more: readonly (RowVerdict | undefined)[];
};

/** No transaction is held open: a slow reader locks nothing. */
export async function* downloadRows(
  { pool, files }: { pool: pg.Pool; files: Pick<UploadFiles, "read"> },
  upload: StoredFile,
  job: JobRow,
  status: Status | undefined,
): AsyncGenerator<DownloadRow[]> {
  let rowsRead = 0;
  const parts = oneAhead(files.read(pool, upload), (part) => withVerdicts(pool, job, part));
  for await (const { part, verdicts } of parts) {
    rowsRead += part.rows.length;
    const rows = part.rows.map((cells, n): DownloadRow => {
      const number = part.firstRow + n;
      const cell = firstCellOf(job, number);
      const more = job.moreColumns.map((_, index) => verdicts.get(cell + 1 + index));
      return { number, cells, verdict: verdicts.get(cell), more };
    });
    yield status === undefined
      ? rows
      : rows.filter(({ verdict, more }) => [verdict, ...more].some((one) => one?.status === status));
  }
  // Rows deleted during the download are missing, and an incomplete file must not look complete.
  if (rowsRead < job.totalRows || !(await hasResults(pool, job.id))) throw resultsExpired();
}

async function withVerdicts(pool: pg.Pool, job: JobRow, part: UploadPart) {
  const endRow = part.firstRow + part.rows.length;
  const verdicts = await readVerdicts(pool, job, firstCellOf(job, part.firstRow), firstCellOf(job, endRow));
  return { part, verdicts };
}

/** Maps each item, starting while the previous result is still being consumed. */
async function* oneAhead<T, R>(items: AsyncIterable<T>, make: (item: T) => Promise<R>): AsyncGenerator<R> {
  let previous: Promise<R> | undefined;
  for await (const item of items) {
    const next = make(item);
    next.catch(() => {}); // awaited below, unless the reader stops
    if (previous) yield await previous;
    previous = next;
  }
  if (previous) yield await previous;
}
