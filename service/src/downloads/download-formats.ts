/** Download formats: CSV, NDJSON, XLSX, and a ZIP archive of CSV files. */
import type { DownloadFormat, ResultColumn } from "@mailvet/contract";
import { columnOf, csvLine, emailIn, verdictCell, verdictCells } from "@mailvet/engine/list-file";
import type { DownloadRow } from "./download-rows.ts";
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
  csv: (table, rows) =>
    writeRows(rows, {
      top:
        (table.hasByteOrderMark ? BYTE_ORDER_MARK : "") +
        csvLine([...headerOf(table), ...verdictColumns(table)], table.delimiter),
      row: (row) =>
        csvLine(
          cellsOf(
            row,
            table,
            marked(verdictCells(row.verdict, table.fields), table, row.verdict ? "true" : ""),
          ),
          table.delimiter,
        ),
    }),
  ndjson: (table, rows) => writeRows(rows, { row: (row) => `${JSON.stringify(objectOf(row, table))}\n` }),
  xlsx: (table, rows) =>
    xlsxFile([...headerOf(table), ...verdictColumns(table)], rows, (row) =>
      cellsOf(
        row,
        table,
        marked(
          table.fields.map((field) => verdictCell(row.verdict, field)),
          table,
          row.verdict ? true : "",
        ),
      ),
    ),
};

const headerOf = ({ header, isEmailOnly, emailColumn }: DownloadTable) =>
  isEmailOnly ? [header[emailColumn]!] : header;

/**
 * A row's cells followed by its verdict, each below its header. Short rows are padded; surplus cells, which have no
 * header, come after the verdict.
 */
function cellsOf<Cell>(
  { cells }: Pick<DownloadRow, "cells">,
  { header: { length: width }, isEmailOnly, emailColumn }: DownloadTable,
  verdict: readonly Cell[],
): (string | Cell)[] {
  if (isEmailOnly) return [cells[emailColumn] ?? "", ...verdict];
  if (cells.length === width) return [...cells, ...verdict];
  const own = Array.from({ length: width }, (_, n) => cells[n] ?? "");
  return [...own, ...verdict, ...cells.slice(width)];
}

const verdictColumns = (table: DownloadTable) => marked(table.fields.map(columnOf), table, "mailvet_sandbox");

function marked<Cell>(cells: readonly Cell[], { isTest }: DownloadTable, mark: Cell): readonly Cell[] {
  return isTest ? [...cells, mark] : cells;
}

function objectOf({ number, cells, verdict }: DownloadRow, table: DownloadTable) {
  const { columns, emailColumn, isTest, fields, isEmailOnly } = table;
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
  return object;
}
