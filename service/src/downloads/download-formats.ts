/** Download formats: CSV, NDJSON, XLSX, and a ZIP archive of CSV files. */
import type { DownloadFormat, ResultColumn } from "@mailvet/contract";
import {
  columnOf,
  csvLine,
  emailIn,
  ofColumn,
  SANDBOX_COLUMN,
  verdictCell,
  verdictCells,
} from "@mailvet/engine/list-file";
import type { DownloadRow, RowVerdict } from "./download-rows.ts";
import { writeRows } from "./text-writer.ts";
import { xlsxFile } from "./xlsx-writer.ts";

export type FormatWriter = (
  table: DownloadTable,
  rows: AsyncIterable<readonly DownloadRow[]>,
) => AsyncIterable<string | Buffer>;

/** Properties of the whole file. */
export type DownloadTable = {
  /** The file's own header, or the generated column names. */
  header: readonly string[];
  /** Unique, unlike a header. */
  columns: readonly string[];
  /** Numbers of those that are written. */
  ownColumns: readonly number[];
  delimiter: string;
  /** Index of the column with the emails. */
  emailColumn: number;
  /** The verdict columns to append. */
  fields: readonly ResultColumn[];
  /** Whether only the email columns of the customer's file are written. */
  isEmailOnly: boolean;
  /** For Excel, which otherwise takes UTF-8 for the system's code page. */
  hasByteOrderMark: boolean;
  /** Further columns with emails. */
  moreColumns: readonly { number: number; name: string }[];
  /** Simulated verdicts: every row says so. */
  isTest: boolean;
  /** After each time slice (base/event-loop-yield.ts). */
  restMs: number | undefined;
};

/** A ZIP archive has several tables, which job-download.ts puts together. */
export type TableFormat = Exclude<DownloadFormat, "zip">;

export const CONTENT_TYPES: Readonly<Record<DownloadFormat, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  ndjson: "application/x-ndjson",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  zip: "application/zip",
};

const BYTE_ORDER_MARK = "\u{feff}";

export const FORMAT_WRITERS: Readonly<Record<TableFormat, FormatWriter>> = {
  csv: (table, rows) => {
    const textsOf = (verdict: RowVerdict | undefined) => verdictCells(verdict, table.fields);
    const format = {
      top: (table.hasByteOrderMark ? BYTE_ORDER_MARK : "") + csvLine(headerOf(table), table.delimiter),
      row: (row: DownloadRow) => csvLine(cellsOf(row, table, textsOf, "true"), table.delimiter),
    };
    return writeRows(rows, format, table.restMs);
  },
  ndjson: (table, rows) => writeRows(rows, { row: (row) => `${JSON.stringify(objectOf(row, table))}\n` }),
  xlsx: (table, rows) => {
    const typedOf = (verdict: RowVerdict | undefined) =>
      table.fields.map((field) => verdictCell(verdict, field));
    return xlsxFile(headerOf(table), rows, (row) => cellsOf(row, table, typedOf, true));
  },
};

function headerOf({ header, ownColumns, fields, moreColumns, isTest }: DownloadTable): string[] {
  const verdict = fields.map(columnOf);
  const more = moreColumns.flatMap(({ name }) => verdict.map((column) => ofColumn(column, name)));
  const own = ownColumns.map((number) => header[number]!);
  return [...own, ...verdict, ...(isTest ? [SANDBOX_COLUMN] : []), ...more];
}

/**
 * A row's cells followed by its verdicts, each below its header. Short rows are padded; surplus cells, which have no
 * header, come after the verdicts.
 */
function cellsOf<Cell>(
  { cells, verdict, more }: DownloadRow,
  { header, ownColumns, isEmailOnly, isTest }: DownloadTable,
  present: (verdict: RowVerdict | undefined) => readonly Cell[],
  mark: Cell,
): (string | Cell)[] {
  const sandbox = isTest ? [verdict ? mark : ""] : [];
  const verdicts = [...present(verdict), ...sandbox, ...more.flatMap(present)];
  const isWhole = !isEmailOnly && ownColumns.length === header.length;
  if (isWhole && cells.length === header.length) return [...cells, ...verdicts];
  const own = ownColumns.map((number) => cells[number] ?? "");
  return [...own, ...verdicts, ...(isEmailOnly ? [] : cells.slice(header.length))];
}

function objectOf({ number, cells, verdict, more }: DownloadRow, table: DownloadTable) {
  const { columns, ownColumns, emailColumn, moreColumns, isTest, fields, isEmailOnly } = table;
  const object: Record<string, unknown> = {
    row: number,
    email: verdict?.email ?? emailIn(cells[emailColumn]),
  };
  if (!isEmailOnly) {
    const own: Record<string, string> = Object.create(null); // a column may be called __proto__
    for (const column of ownColumns) own[columns[column]!] = cells[column] ?? "";
    object.columns = own;
    if (cells.length > columns.length) object.surplus_cells = cells.slice(columns.length);
  }
  for (const field of fields) object[field] = verdict?.[field] ?? null;
  if (isTest && verdict) object.sandbox = true;
  if (moreColumns.length > 0) {
    object.more = moreColumns.map(({ number: column, name }, n) => ({
      column: name,
      email: more[n]?.email ?? emailIn(cells[column]),
      ...Object.fromEntries(fields.map((field) => [field, more[n]?.[field] ?? null])),
    }));
  }
  return object;
}
