/** A workbook as its readers present it, and the rows of a sheet: collected within the limits of a list, in parts. */
import { ListFileError } from "../list-file-error.ts";
import { bomb } from "./zip-archive.ts";

export type Workbook = {
  sheets: Sheet[];
  /** Ends early once `isEnough`, which is asked after each piece of XML: a sheet may have many without a row. */
  rows(sheet: number, isEnough?: () => boolean): AsyncGenerator<RowPart>;
};

export type Sheet = { name: string; isHidden: boolean };

/** Some rows, and roughly their size. */
export type RowPart = { rows: string[][]; chars: number; cells: number };

export type SheetLimits = { maxTextBytes: number; maxRows: number; maxColumns: number; maxCellChars: number };

export type RowCollector = {
  /** A cell of the row that is being read; `column` from 0. Empty cells need not be set. */
  set(column: number, text: string): void;
  /** Ends the row. An empty row is no row, as in a CSV file. */
  endRow(repeated?: number): void;
  /** The rows collected so far; repeated rows are delivered in several parts. */
  take(): Generator<RowPart>;
};

const MAX_ROW_CHARS = 1024 * 1024;
const PART_CHARS = 64 * 1024;
const PART_ROWS = 1000;

export function createRowCollector(limits: SheetLimits): RowCollector {
  let row: string[] = [];
  let rowChars = 0;
  let rowCount = 0;
  let totalChars = 0;
  let collected: { row: string[]; chars: number; repeated: number }[] = [];

  const notATable = (fault: string) =>
    new ListFileError("not_a_table", `Row ${rowCount + 1} of the sheet ${fault}.`);

  return {
    set(column, text) {
      if (text === "") return;
      if (column >= limits.maxColumns) throw notATable(`has more than ${counted(limits.maxColumns)} columns`);
      if (text.length > limits.maxCellChars)
        throw notATable(
          `has a cell of more than ${counted(limits.maxCellChars)} characters, in column ${column + 1}`,
        );
      rowChars += text.length;
      if (rowChars > MAX_ROW_CHARS) throw notATable(`is longer than ${counted(MAX_ROW_CHARS)} characters`);
      while (row.length < column) row.push("");
      row[column] = text;
    },
    endRow(repeated = 1) {
      if (row.length === 0) return;
      rowCount += repeated;
      if (rowCount > limits.maxRows) {
        const message = `The sheet has more than ${counted(limits.maxRows)} rows. Split it into several files.`;
        throw new ListFileError("too_many_rows", message, { limit: limits.maxRows });
      }
      totalChars += (rowChars + row.length) * repeated;
      if (totalChars > limits.maxTextBytes) {
        throw bomb(`has more than ${Math.floor(limits.maxTextBytes / 1024 / 1024)} MiB of text`);
      }
      collected.push({ row, chars: rowChars + row.length, repeated });
      row = [];
      rowChars = 0;
    },
    *take() {
      let part: RowPart = { rows: [], chars: 0, cells: 0 };
      const waiting = collected;
      collected = [];
      for (const { row, chars, repeated } of waiting) {
        for (let n = 0; n < repeated; n++) {
          part.rows.push(n === 0 ? row : [...row]);
          part.chars += chars;
          part.cells += row.length;
          if (part.chars < PART_CHARS && part.rows.length < PART_ROWS) continue;
          yield part;
          part = { rows: [], chars: 0, cells: 0 };
        }
      }
      if (part.rows.length > 0) yield part;
    },
  };
}

/** In XLSX, an escape of one character has seven (`_x000D_`). */
const MAX_ESCAPE_CHARS = 7;

/** Adds to the text of a cell that is being read, which may have no end: refused before it fills the memory. */
export function extended(text: string, more: string, { maxCellChars }: SheetLimits): string {
  if (text.length + more.length > MAX_ESCAPE_CHARS * maxCellChars) {
    const message = `The sheet has a cell of more than ${counted(maxCellChars)} characters.`;
    throw new ListFileError("not_a_table", message);
  }
  return text + more;
}

const counted = (count: number) => count.toLocaleString("en");
