/** The forms in which a job's rows can be fetched: how each writes what is at the top, a row, and the end. */
import type { DownloadQuery } from "@mailvet/contract";
import {
  csvLine,
  emailIn,
  VERDICT_COLUMNS,
  type VerdictCells,
  verdictCells,
} from "@mailvet/engine/list-file";
import type { DownloadRow } from "./download-rows.ts";
import { writtenInTurns } from "./text-writer.ts";
import { xlsxFile } from "./xlsx-writer.ts";

export type DownloadFormat = {
  contentType: string;
  write(table: DownloadTable, rows: AsyncIterable<readonly DownloadRow[]>): AsyncIterable<string | Buffer>;
};

/** What is known of the file as a whole. */
export type DownloadTable = {
  /** Its own, or the names by which we speak of the columns. */
  header: readonly string[];
  /** Unlike a header, these are all different. */
  columns: readonly string[];
  delimiter: string;
  /** Which column the emails are in. */
  emailColumn: number;
};

export const DOWNLOAD_FORMATS: Readonly<Record<DownloadQuery["format"], DownloadFormat>> = {
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    write: ({ header, delimiter }, rows) =>
      writtenInTurns(rows, {
        top: csvLine([...header, ...VERDICT_COLUMNS], delimiter),
        row: (row) => csvLine(cellsOf(row, header.length, verdictCells(row.verdict)), delimiter),
      }),
  },
  ndjson: {
    contentType: "application/x-ndjson",
    write: (table, rows) =>
      writtenInTurns(rows, { row: (row) => `${JSON.stringify(objectOf(row, table))}\n` }),
  },
  xlsx: {
    contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    write: ({ header }, rows) =>
      xlsxFile([...header, ...VERDICT_COLUMNS], rows, (row) =>
        cellsOf(row, header.length, typedCells(row.verdict)),
      ),
  },
};

/** The names of a verdict's parts, as in the columns. */
const VERDICT_FIELDS = VERDICT_COLUMNS.map((column) => column.slice("mailvet_".length) as keyof VerdictCells);

/**
 * A row's own cells and then its verdict, each under its heading: short rows are filled up, and cells beyond the last
 * column come after the verdict, since no heading of theirs says where they belong.
 */
function cellsOf<Cell>({ cells }: DownloadRow, width: number, verdict: readonly Cell[]): (string | Cell)[] {
  if (cells.length === width) return [...cells, ...verdict];
  const own = Array.from({ length: width }, (_, n) => cells[n] ?? "");
  return [...own, ...verdict, ...cells.slice(width)];
}

function typedCells(verdict: VerdictCells | undefined): (string | number | boolean)[] {
  return VERDICT_FIELDS.map((field) => verdict?.[field] ?? "");
}

function objectOf({ number, cells, verdict }: DownloadRow, { columns, emailColumn }: DownloadTable) {
  const own: Record<string, string> = Object.create(null); // any name will do, also __proto__
  columns.forEach((column, n) => {
    own[column] = cells[n] ?? "";
  });
  const object: Record<string, unknown> = {
    row: number,
    email: verdict?.email ?? emailIn(cells[emailColumn]),
    columns: own,
  };
  if (cells.length > columns.length) object.surplus_cells = cells.slice(columns.length);
  for (const field of VERDICT_FIELDS) object[field] = verdict?.[field] ?? null;
  return object;
}
