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
  /** Simulated verdicts: every row says so. */
  isTest: boolean;
};

export const FORMAT_WRITERS: Readonly<Record<DownloadFormat, FormatWriter>> = {
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    write: ({ header, delimiter, isTest }, rows) =>
      writeRows(rows, {
        top: csvLine([...header, ...verdictColumns(isTest)], delimiter),
        row: ({ verdict, ...row }) =>
          csvLine(
            cellsOf(row, header.length, marked(verdictCells(verdict), isTest, verdict ? "true" : "")),
            delimiter,
          ),
      }),
  },
  ndjson: {
    contentType: "application/x-ndjson",
    write: (table, rows) => writeRows(rows, { row: (row) => `${JSON.stringify(objectOf(row, table))}\n` }),
  },
  xlsx: {
    contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    write: ({ header, isTest }, rows) =>
      xlsxFile([...header, ...verdictColumns(isTest)], rows, ({ verdict, ...row }) =>
        cellsOf(row, header.length, marked(typedCells(verdict), isTest, verdict ? true : "")),
      ),
  },
};

/** Field names of a verdict, without the prefix of the columns. */
const VERDICT_FIELDS = VERDICT_COLUMNS.map((column) => column.slice("mailvet_".length) as keyof VerdictCells);

/**
 * A row's cells followed by its verdict, each below its header. Short rows are padded; surplus cells, which have no
 * header, come after the verdict.
 */
function cellsOf<Cell>(
  { cells }: Pick<DownloadRow, "cells">,
  width: number,
  verdict: readonly Cell[],
): (string | Cell)[] {
  if (cells.length === width) return [...cells, ...verdict];
  const own = Array.from({ length: width }, (_, n) => cells[n] ?? "");
  return [...own, ...verdict, ...cells.slice(width)];
}

const verdictColumns = (isTest: boolean) => marked(VERDICT_COLUMNS, isTest, "mailvet_sandbox");

function marked<Cell>(cells: readonly Cell[], isTest: boolean, mark: Cell): readonly Cell[] {
  return isTest ? [...cells, mark] : cells;
}

function typedCells(verdict: VerdictCells | undefined): (string | number | boolean)[] {
  return VERDICT_FIELDS.map((field) => verdict?.[field] ?? "");
}

function objectOf({ number, cells, verdict }: DownloadRow, { columns, emailColumn, isTest }: DownloadTable) {
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
  return object;
}
