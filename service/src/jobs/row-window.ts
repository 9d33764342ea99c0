/**
 * Reads a job's rows in windows that are planned together: first occurrences of emails, and duplicate rows (with several
 * email columns: cells, job-columns.ts).
 */
import { emailIn } from "@mailvet/engine/list-file";
import type pg from "pg";
import type { TimeSlice } from "../base/event-loop-yield.ts";
import type { StoredFile, UploadFiles } from "../uploads/upload-files.ts";
import { columnKeyOf, columnsOf, firstCellOf } from "./job-columns.ts";
import type { JobRow } from "./job-record.ts";
import type { SliceEmail } from "./slice-cutter.ts";

export type PlanWindow = {
  /** Upload parts from firstPart up to, not including, endPart. */
  firstPart: number;
  endPart: number;
  firstRow: number;
  isLast: boolean;
  emails: SliceEmail[];
  /** [row, first row, email as spelled in this row] of each duplicate. */
  duplicatesJson: string;
};

/** Non-empty rows: enough to recognize large domains, few enough for a short transaction. */
const WINDOW_ROWS = 20_000;
const ROWS_PER_CLOCK_CHECK = 64;

/** From the first unplanned part on. */
export async function* readWindows(
  { pool, files }: { pool: pg.Pool; files: Pick<UploadFiles, "readCounted"> },
  upload: StoredFile,
  job: Pick<JobRow, "columnNumber" | "moreColumns" | "plannedParts" | "totalRows">,
  timeSlice: TimeSlice,
): AsyncGenerator<PlanWindow> {
  const parts = files.readCounted(pool, upload, columnKeyOf(job), job.plannedParts);
  const columns = columnsOf(job);
  let emails: SliceEmail[] = [];
  let duplicates: string[] = [];
  let firstPart = job.plannedParts;
  let firstRowOfWindow: number | undefined;
  for await (const { number, firstRow, rows, firstRows } of parts) {
    const firstCell = firstCellOf(job, firstRow);
    firstRowOfWindow ??= firstCell;
    for (const [index, cells] of rows.entries()) {
      if (index % ROWS_PER_CLOCK_CHECK === 0 && timeSlice.isOver) await timeSlice.next();
      for (const [n, column] of columns.entries()) {
        const position = index * columns.length + n;
        const first = firstRows[position];
        if (!first) continue;
        const cell = firstCell + position;
        const email = storableEmail(emailIn(cells[column]));
        if (first === cell) emails.push([cell, email]);
        else duplicates.push(`[${cell},${first},${JSON.stringify(email)}]`);
      }
    }
    const endPart = number + 1;
    const isLast = firstRow + rows.length > job.totalRows;
    if (!isLast && emails.length + duplicates.length < WINDOW_ROWS) continue;
    const duplicatesJson = `[${duplicates.join(",")}]`;
    yield { firstPart, endPart, firstRow: firstRowOfWindow, isLast, emails, duplicatesJson };
    emails = [];
    duplicates = [];
    firstPart = endPart;
    firstRowOfWindow = undefined;
  }
}

/** Longer than any valid address. The customer's own cell is kept unchanged in the upload. */
const MAX_EMAIL_CHARS = 400;
const TRAILING_HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** Without NULs and lone surrogates, which PostgreSQL text cannot hold, and truncated, because a cell can be megabytes long. */
function storableEmail(email: string): string {
  const text = email.replaceAll("\0", "").toWellFormed();
  return text.length <= MAX_EMAIL_CHARS
    ? text
    : text.slice(0, MAX_EMAIL_CHARS).replace(TRAILING_HIGH_SURROGATE, "");
}
