/**
 * Streaming CSV parser: one pass, any chunking, tolerant of broken quotes. Why not a library: see
 * docs/decisions/0005-own-csv-parser.md.
 *
 * Real files break RFC 4180, so a quote only counts at the start of a cell and with a partner. Any line break ends a
 * row (\r\n, \n, \r, mixed), empty lines are not rows, rows may differ in length, a quote inside a cell is text, and
 * so is what follows a closing quote (blanks are ignored).
 *
 * An unclosed quote must not swallow the following rows. If its partner is too far away, or is on another line and in
 * front of more text (where it more likely opens a cell), or does not exist, the quote is a plain character and the
 * cell is parsed again from there. The total cost is at most two passes: a failed search has only passed doubled
 * quotes, and none of these starts another long search.
 */
import { ListFileError } from "./list-file-error.ts";

export type CsvParser = {
  /** Returns the rows completed so far. */
  push(text: string): string[][];
  /** Returns the last row, if the text did not end in a line break. */
  end(): string[][];
};

export type CsvShape = {
  delimiter: string;
  maxColumns: number;
  maxCellChars: number;
  /** Written by a program that quotes every cell: no quote at the start of a cell is a plain character. */
  isStrict?: boolean;
};

const MAX_ROW_CHARS = 1024 * 1024;
const MAX_QUOTED_LINES = 1000;
const MAX_BLANKS = 16; // after a closing quote

const QUOTE = 0x22;
const SPACE = 0x20;
const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = 0xfeff;

export function createCsvParser({
  delimiter,
  maxColumns,
  maxCellChars,
  isStrict = false,
}: CsvShape): CsvParser {
  const delimiterCode = delimiter.charCodeAt(0);
  const maxSpan = maxCellChars + 2; // with its quotes
  let rest = ""; // from the start of the incomplete cell
  let row: string[] = []; // the complete cells of its row
  let rowChars = 0;
  let rowCount = 0;

  const parse = (text: string, isLast: boolean): string[][] => {
    const rows: string[][] = [];
    let start = 0;
    while (start < text.length || (isLast && row.length > 0)) {
      // Of a file that was appended to another one. A quote behind it would not be at the start of the cell.
      if (row.length === 0 && text.charCodeAt(start) === BYTE_ORDER_MARK) {
        start++;
        continue;
      }
      let value: string | undefined;
      let end = start;
      if (text.charCodeAt(start) === QUOTE) {
        const quoted = readQuoted(text, start, isLast);
        if (quoted === "unfinished") break;
        if (quoted !== undefined) ({ value, end } = quoted);
      }
      if (value === undefined) {
        end = endOfCell(text, start);
        if (end === text.length && !isLast) break;
        value = text.slice(start, end);
      }
      if (end - start > maxSpan) throw cellTooLong(rowCount, row.length, maxCellChars);
      const isDelimited = text.charCodeAt(end) === delimiterCode;
      const isEmptyLine = end === start && row.length === 0 && !isDelimited;
      rowChars += end - start;
      start = end + 1;
      if (isEmptyLine) continue;
      row.push(value);
      if (row.length + Number(isDelimited) > maxColumns) throw tooManyColumns(rowCount, maxColumns);
      if (rowChars > MAX_ROW_CHARS) throw rowTooLong(rowCount);
      if (isDelimited) continue;
      rows.push(row);
      row = [];
      rowChars = 0;
      rowCount++;
    }
    rest = text.slice(start);
    if (rest.length > maxSpan + MAX_BLANKS) throw cellTooLong(rowCount, row.length, maxCellChars);
    return rows;
  };

  /** The cell whose opening quote is at `start`; undefined when the quote is a plain character. */
  const readQuoted = (text: string, start: number, isLast: boolean) => {
    let hasDoubled = false;
    for (let from = start + 1; ; ) {
      const quote = text.indexOf('"', from);
      const reached = quote === -1 ? text.length : quote;
      if (reached - start >= maxSpan) {
        if (isStrict) throw cellTooLong(rowCount, row.length, maxCellChars);
        return undefined;
      }
      if (reached >= text.length - 1 && !isLast) return "unfinished";
      if (quote === -1) return undefined;
      const next = text.charCodeAt(quote + 1);
      if (next === QUOTE) {
        hasDoubled = true;
        from = quote + 2;
        continue;
      }
      const content = text.slice(start + 1, quote);
      const afterQuote = endOfBlanks(text, quote + 1);
      if (afterQuote === text.length && !isLast) return "unfinished";
      const end = endOfCell(text, afterQuote);
      const isClosed = end === afterQuote;
      if (!isStrict && lineBreaks(content) > (isClosed ? MAX_QUOTED_LINES : 0)) return undefined;
      if (isClosed) return { value: hasDoubled ? content.replaceAll('""', '"') : content, end };
      if (end === text.length && !isLast) return "unfinished";
      return { value: text.slice(start, end), end };
    }
  };

  const endOfBlanks = (text: string, start: number): number => {
    let end = start;
    while (end < start + MAX_BLANKS && text.charCodeAt(end) === SPACE) end++;
    return end;
  };

  const endOfCell = (text: string, start: number): number => {
    let end = start;
    while (end < text.length) {
      const code = text.charCodeAt(end);
      if (code === delimiterCode || code === LF || code === CR) break;
      end++;
    }
    return end;
  };

  return {
    push: (text) => parse(rest === "" ? text : rest + text, false),
    end: () => parse(rest, true),
  };
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) count++;
  }
  return count;
}

function cellTooLong(rowsBefore: number, cellsBefore: number, limit: number): ListFileError {
  const fault = `has a cell of more than ${counted(limit)} characters, in column ${cellsBefore + 1}`;
  return notATable(rowsBefore, fault);
}

function tooManyColumns(rowsBefore: number, limit: number): ListFileError {
  return notATable(rowsBefore, `has more than ${counted(limit)} columns`);
}

function rowTooLong(rowsBefore: number): ListFileError {
  return notATable(rowsBefore, `is longer than ${counted(MAX_ROW_CHARS)} characters`);
}

function notATable(rowsBefore: number, fault: string): ListFileError {
  return new ListFileError("not_a_table", `Row ${rowsBefore + 1} of the file ${fault}.`);
}

const counted = (count: number) => count.toLocaleString("en");
