/** Reads a job's rows in windows that are planned together: first occurrences of emails, and duplicate rows. */
import { emailIn } from "@mailvet/engine/list-file";
import type pg from "pg";
import type { TimeSlice } from "../base/event-loop-yield.ts";
import type { StoredFile, UploadFiles } from "../uploads/upload-files.ts";
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
  job: Pick<JobRow, "columnNumber" | "plannedParts" | "totalRows">,
  timeSlice: TimeSlice,
): AsyncGenerator<PlanWindow> {
  const parts = files.readCounted(pool, upload, job.columnNumber, job.plannedParts);
  let emails: SliceEmail[] = [];
  let duplicates: string[] = [];
  let firstPart = job.plannedParts;
  let firstRowOfWindow: number | undefined;
  for await (const { number, firstRow, rows, firstRows } of parts) {
    firstRowOfWindow ??= firstRow;
    for (const [index, cells] of rows.entries()) {
      if (index % ROWS_PER_CLOCK_CHECK === 0 && timeSlice.isOver) await timeSlice.next();
      const first = firstRows[index];
      if (!first) continue;
      const row = firstRow + index;
      const email = storableEmail(emailIn(cells[job.columnNumber]));
      if (first === row) emails.push([row, email]);
      else duplicates.push(`[${row},${first},${JSON.stringify(email)}]`);
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

/** Without NUL, which PostgreSQL text cannot hold, and truncated, because a cell can be megabytes long. */
function storableEmail(email: string): string {
  const text = email.replaceAll("\0", "");
  return text.length <= MAX_EMAIL_CHARS
    ? text
    : text.slice(0, MAX_EMAIL_CHARS).replace(TRAILING_HIGH_SURROGATE, "");
}
