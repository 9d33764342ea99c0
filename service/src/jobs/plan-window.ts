/** A run of a job's rows that is planned together: the emails that stand there first, and the rows that repeat one. */
import { emailIn } from "@mailvet/engine/list-file";
import type pg from "pg";
import type { TimeSlice } from "../event-loop-yield.ts";
import { readCountedParts } from "../uploads/upload-parts.ts";
import type { JobRow } from "./job-record.ts";
import type { SliceEmail } from "./slice-cutter.ts";

export type PlanWindow = {
  /** The parts of the upload that it is made of, the end not among them. */
  firstPart: number;
  endPart: number;
  firstRow: number;
  isLast: boolean;
  emails: SliceEmail[];
  /** [row, first row, email as this row spells it] of each repetition. */
  duplicatesJson: string;
};

/** Rows with something in them: enough for large domains to show, few enough for a short transaction. */
const WINDOW_ROWS = 20_000;
const ROWS_BETWEEN_LOOKS = 64;

/** From the first part that is not planned yet. */
export async function* readWindows(
  pool: pg.Pool,
  job: Pick<JobRow, "uploadId" | "columnNumber" | "plannedParts" | "totalRows">,
  turn: TimeSlice,
): AsyncGenerator<PlanWindow> {
  const parts = readCountedParts(pool, job.uploadId, job.columnNumber, job.plannedParts);
  let emails: SliceEmail[] = [];
  let duplicates: string[] = [];
  let firstPart = job.plannedParts;
  let firstRowOfWindow: number | undefined;
  for await (const { number, firstRow, rows, firstRows } of parts) {
    firstRowOfWindow ??= firstRow;
    for (const [index, cells] of rows.entries()) {
      if (index % ROWS_BETWEEN_LOOKS === 0 && turn.isOver) await turn.next();
      const first = firstRows[index];
      if (!first) continue;
      const row = firstRow + index;
      const email = plannable(emailIn(cells[job.columnNumber]));
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

/** No address is as long as this: what is cut is none, and the customer's own cell stays as it is. */
const MAX_EMAIL_CHARS = 400;
const HALF_A_CHARACTER = /[\ud800-\udbff]$/;

/** Without NUL, which no text in the database may hold; and a cell can be a whole book, which need not be copied. */
function plannable(email: string): string {
  const text = email.replaceAll("\0", "");
  return text.length <= MAX_EMAIL_CHARS ? text : text.slice(0, MAX_EMAIL_CHARS).replace(HALF_A_CHARACTER, "");
}
