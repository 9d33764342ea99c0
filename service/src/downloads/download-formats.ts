/** Download formats: CSV, NDJSON, XLSX. */
import type { DownloadFormat } from "@mailvet/contract";
import {
  csvLine,
  emailIn,
  VERDICT_COLUMNS,
  type VerdictCells,
  verdictCells,
} from "@mailvet/engine/list-file";
import type { DownloadRow } from "./download-rows.ts";
import { writeRows } from "./text-writer.ts";
import { xlsxFile } from "./xlsx-writer.ts";

export type FormatWriter = {
  contentType: string;
  write(table: DownloadTable, rows: AsyncIterable<readonly DownloadRow[]>): AsyncIterable<string | Buffer>;
};

/** Properties of the whole file. */
export type DownloadTable = {
  /** The file's own header, or the generated column names. */
  header: readonly string[];
  /** Unique, unlike a header. */
  columns: readonly string[];
  delimiter: string;
  /** Index of the column with the emails. */
  emailColumn: number;
  /** Further columns with emails. */
  moreColumns: readonly { number: number; name: string }[];
  /** Simulated verdicts: every row says so. */
  isTest: boolean;
};

export const FORMAT_WRITERS: Readonly<Record<DownloadFormat, FormatWriter>> = {
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    write: (table, rows) =>
      writeRows(rows, {
        top: csvLine([...table.header, ...verdictColumns(table)], table.delimiter),
        row: (row) => csvLine(cellsOf(row, table, verdictCells, "true"), table.delimiter),
      }),
  },
  ndjson: {
    contentType: "application/x-ndjson",
    write: (table, rows) => writeRows(rows, { row: (row) => `${JSON.stringify(objectOf(row, table))}\n` }),
  },
  xlsx: {
    contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    write: (table, rows) =>
      xlsxFile([...table.header, ...verdictColumns(table)], rows, (row) =>
        cellsOf(row, table, typedCells, true),
      ),
  },
};

/** Field names of a verdict, without the prefix of the columns. */
const VERDICT_FIELDS = VERDICT_COLUMNS.map((column) => column.slice("mailvet_".length) as keyof VerdictCells);

/**
 * A row's cells followed by its verdicts, each below its header. Short rows are padded; surplus cells, which have no
 * header, come after the verdicts.
 */
function cellsOf<Cell>(
  { cells, verdict, more }: DownloadRow,
  { header: { length: width }, isTest }: DownloadTable,
  present: (verdict: VerdictCells | undefined) => readonly Cell[],
  mark: Cell,
): (string | Cell)[] {
  const sandbox = isTest ? [verdict ? mark : ""] : [];
  const verdicts = [...present(verdict), ...sandbox, ...more.flatMap(present)];
  if (cells.length === width) return [...cells, ...verdicts];
  const own = Array.from({ length: width }, (_, n) => cells[n] ?? "");
  return [...own, ...verdicts, ...cells.slice(width)];
}

function verdictColumns({ isTest, moreColumns }: DownloadTable): string[] {
  const more = moreColumns.flatMap(({ name }) => VERDICT_COLUMNS.map((column) => `${column} (${name})`));
  return [...VERDICT_COLUMNS, ...(isTest ? ["mailvet_sandbox"] : []), ...more];
}

function typedCells(verdict: VerdictCells | undefined): (string | number | boolean)[] {
  return VERDICT_FIELDS.map((field) => verdict?.[field] ?? "");
}

function objectOf(
  { number, cells, verdict, more }: DownloadRow,
  { columns, emailColumn, moreColumns, isTest }: DownloadTable,
) {
  const own: Record<string, string> = Object.create(null); // a column may be called __proto__
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
  if (isTest && verdict) object.sandbox = true;
  if (moreColumns.length > 0) {
    object.more = moreColumns.map(({ number: column, name }, n) => ({
      column: name,
      email: more[n]?.email ?? emailIn(cells[column]),
      ...Object.fromEntries(VERDICT_FIELDS.map((field) => [field, more[n]?.[field] ?? null])),
    }));
  }
  return object;
}
