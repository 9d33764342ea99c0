/**
 * Jobs with several email columns: results are stored by cell instead of by row. With n columns, row 1 has the cells 1 to
 * n, row 2 the cells n + 1 to 2n; with one column a cell is a row.
 */
import { columnKey } from "../uploads/column-email-counts.ts";
import type { JobRow } from "./job-record.ts";

type JobColumns = Pick<JobRow, "columnNumber" | "moreColumns">;

export function columnsOf({ columnNumber, moreColumns }: JobColumns): number[] {
  return [columnNumber, ...moreColumns.map(({ number }) => number)];
}

export function columnKeyOf(job: JobColumns): number {
  return columnKey(columnsOf(job));
}

/** The first cell of a row. */
export function firstCellOf(job: JobColumns, row: number): number {
  return (row - 1) * (1 + job.moreColumns.length) + 1;
}

/** Row and column of a cell. */
export function placeOf(
  job: JobColumns & Pick<JobRow, "emailColumn">,
  cell: number,
): { row: number; column: string } {
  const width = 1 + job.moreColumns.length;
  const index = (cell - 1) % width;
  const column = index === 0 ? job.emailColumn : job.moreColumns[index - 1]!.name;
  return { row: Math.floor((cell - 1) / width) + 1, column };
}
