/** Download formats: CSV, NDJSON, XLSX, and a ZIP archive of CSV files. */
import type { DownloadFormat, ResultColumn } from "@mailvet/contract";
import { columnOf, csvLine, emailIn, verdictCell, verdictCells } from "@mailvet/engine/list-file";
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
  delimiter: string;
  /** Index of the column with the emails. */
  emailColumn: number;
  /** Of ours. */
  fields: readonly ResultColumn[];
  /** Of the customer's columns only that with the emails. */
  isEmailOnly: boolean;
  /** For Excel, which otherwise takes UTF-8 for the system's code page. */
  hasByteOrderMark: boolean;
  /** Further columns with emails. */
  moreColumns: readonly { number: number; name: string }[];
  /** Simulated verdicts: every row says so. */
  isTest: boolean;
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
    return writeRows(rows, {
      top: (table.hasByteOrderMark ? BYTE_ORDER_MARK : "") + csvLine(headerOf(table), table.delimiter),
      row: (row) => csvLine(cellsOf(row, table, textsOf, "true"), table.delimiter),
    });
  },
  ndjson: (table, rows) => writeRows(rows, { row: (row) => `${JSON.stringify(objectOf(row, table))}\n` }),
  xlsx: (table, rows) => {
    const typedOf = (verdict: RowVerdict | undefined) =>
      table.fields.map((field) => verdictCell(verdict, field));
    return xlsxFile(headerOf(table), rows, (row) => cellsOf(row, table, typedOf, true));
  },
};

/** The columns of the file that are written. */
function ownColumns({ header, isEmailOnly, emailColumn, moreColumns }: DownloadTable): readonly number[] {
  return isEmailOnly ? [emailColumn, ...moreColumns.map(({ number }) => number)] : [...header.keys()];
}

function headerOf(table: DownloadTable): string[] {
  const { header, fields, moreColumns, isTest } = table;
  const verdict = fields.map(columnOf);
  const more = moreColumns.flatMap(({ name }) => verdict.map((column) => `${column} (${name})`));
  const own = ownColumns(table).map((number) => header[number]!);
  return [...own, ...verdict, ...(isTest ? ["mailvet_sandbox"] : []), ...more];
}

/**
 * A row's cells followed by its verdicts, each below its header. Short rows are padded; surplus cells, which have no
 * header, come after the verdicts.
 */
function cellsOf<Cell>(
  { cells, verdict, more }: DownloadRow,
  table: DownloadTable,
  present: (verdict: RowVerdict | undefined) => readonly Cell[],
  mark: Cell,
): (string | Cell)[] {
  const { header, isEmailOnly, isTest } = table;
  const sandbox = isTest ? [verdict ? mark : ""] : [];
  const verdicts = [...present(verdict), ...sandbox, ...more.flatMap(present)];
  if (!isEmailOnly && cells.length === header.length) return [...cells, ...verdicts];
  const own = ownColumns(table).map((number) => cells[number] ?? "");
  return [...own, ...verdicts, ...(isEmailOnly ? [] : cells.slice(header.length))];
}

function objectOf({ number, cells, verdict, more }: DownloadRow, table: DownloadTable) {
  const { columns, emailColumn, moreColumns, isTest, fields, isEmailOnly } = table;
  const object: Record<string, unknown> = {
    row: number,
    email: verdict?.email ?? emailIn(cells[emailColumn]),
  };
  if (!isEmailOnly) {
    const own: Record<string, string> = Object.create(null); // a column may be called __proto__
    columns.forEach((column, n) => {
      own[column] = cells[n] ?? "";
    });
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
