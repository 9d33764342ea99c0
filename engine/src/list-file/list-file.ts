/**
 * Opens an uploaded file as a table of text.
 *
 * The first bytes are read to detect the format; then everything streams: chunks → blocks of text bytes (gunzip.ts) →
 * text (text-decoder.ts) → rows (csv-parser.ts) → batches. A spreadsheet is copied to a temporary file first; its rows
 * (spreadsheet/) take the same way from there. Nothing is held longer than a batch, and the event loop runs after each
 * block. What cannot be a table is rejected with a ListFileError.
 */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type CsvParser, createCsvParser } from "./csv-parser.ts";
import { findDelimiter } from "./delimiter.ts";
import { guessEncoding } from "./encoding.ts";
import { isZip, rejectBinaries, rejectDocuments } from "./file-type.ts";
import { decompressed, prepend } from "./gunzip.ts";
import { columnNames, isHeader } from "./header-row.ts";
import { ListFileError } from "./list-file-error.ts";
import type { RowPart } from "./spreadsheet/row-collector.ts";
import { decoded, decodedHead, InvalidByteError } from "./text-decoder.ts";

export type ListFile = {
  /** As in the file; undefined when the first row is data. */
  header: string[] | undefined;
  /** Unique, non-empty names: from the header, or column_1, column_2 … */
  columns: string[];
  delimiter: string;
  encoding: string;
  /** Of a spreadsheet: the sheet that is read, and all of them. */
  sheet?: string;
  sheets?: string[];
  /** The first data rows, at most 5. */
  sampleRows: string[][];
  /**
   * Data rows in order, with their original lengths, in batches of at most 1,000 rows, roughly 256 KiB of text and 20,000
   * cells: what a consumer does with one batch must not block the event loop. It runs at least once between two batches.
   * Can be iterated once; the source stays open until the iteration ends.
   */
  batches: AsyncIterable<string[][]>;
  /** Closes the source. Needed where the iteration may not begin; harmless after it. */
  close(): Promise<void>;
};

export type ListFileLimits = {
  /** Of the text, after decompression. */
  maxTextBytes: number;
  maxRows: number;
  maxColumns?: number;
  maxCellChars?: number;
  /** Of a spreadsheet, the sheet to read. Default: the first one with emails. */
  sheet?: string | undefined;
  /** RFC 4180 in UTF-8, with a header, commas, and every cell in quotes. Default: all of this is detected. */
  isStrict?: boolean | undefined;
};

const MAX_COLUMNS = 1000;
const MAX_CELL_CHARS = 65_536;
const HEAD_BYTES = 256 * 1024;
const INSPECTED_ROWS = 100;
const INSPECTED_CHARS = 1024 * 1024;
const SAMPLE_ROWS = 5;
const BATCH_ROWS = 1000;
const BATCH_CHARS = 256 * 1024;
/** More than one block of text can have. */
const BATCH_CELLS = 20_000;

/** Reads no further than needed to detect encoding, delimiter and header. */
export async function openListFile(
  bytes: AsyncIterable<Uint8Array>,
  limits: ListFileLimits,
): Promise<ListFile> {
  const { maxColumns = MAX_COLUMNS, maxCellChars = MAX_CELL_CHARS } = limits;
  const blocks = decompressed(bytes, limits.maxTextBytes);
  try {
    const close = async () => {
      await blocks.return(undefined);
    };
    if (limits.isStrict) {
      const format = { delimiter: ",", encoding: "utf-8" };
      const parser = createCsvParser({ ...format, maxColumns, maxCellChars, isStrict: true });
      return {
        ...(await tableOf(rowsIn(decoded(blocks, format.encoding), parser), limits, close)),
        ...format,
      };
    }
    const head = await readHead(blocks);
    const bytesAgain = prepend(head.blocks, blocks);
    if (isZip(head.bytes)) return await openSheet(bytesAgain, { ...limits, maxColumns, maxCellChars });
    rejectBinaries(head.bytes);
    const encoding = await guessEncoding(head.bytes, head.isWhole);
    const headText = decodedHead(head.bytes, encoding);
    rejectDocuments(headText);
    const { delimiter, declaredChars } = await findDelimiter(headText, head.isWhole);

    const texts = skipChars(decoded(bytesAgain, encoding), declaredChars);
    const parts = rowsIn(texts, createCsvParser({ delimiter, maxColumns, maxCellChars }));
    const table = await tableOf(parts, limits, close);
    return { ...table, delimiter, encoding: encoding === "ascii" ? "utf-8" : encoding };
  } catch (error) {
    blocks.return(undefined).catch(() => {}); // not awaited: the sender may be slow to notice
    throw error;
  }
}

async function openSheet(
  bytes: AsyncIterable<Uint8Array>,
  limits: ListFileLimits & { maxColumns: number; maxCellChars: number },
): Promise<ListFile> {
  // Loaded by the first spreadsheet: most files are text.
  const { openSpreadsheet } = await import("./spreadsheet/spreadsheet.ts");
  const { sheet, sheets, rows, close } = await openSpreadsheet(bytes, limits, limits.sheet);
  try {
    return {
      ...(await tableOf(rows, limits, close)),
      delimiter: ",",
      encoding: "utf-8",
      sheet,
      sheets,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Table = Pick<ListFile, "header" | "columns" | "sampleRows" | "batches" | "close">;

async function tableOf(
  parts: AsyncGenerator<RowPart>,
  limits: ListFileLimits,
  close: () => Promise<void>,
): Promise<Table> {
  const first = await firstParts(parts);
  const rows = first.flatMap((part) => part.rows);
  if (rows.length === 0) throw new ListFileError("empty_file", "The list is empty.");
  const hasHeader = limits.isStrict || isHeader(rows[0]!, rows.slice(1, INSPECTED_ROWS));
  const header = hasHeader ? rows.shift() : undefined;
  if (hasHeader) first.find((part) => part.rows.length > 0)!.rows.shift();
  return {
    header,
    columns: columnNames(header, widthOf(header, rows)),
    sampleRows: rows.slice(0, SAMPLE_ROWS),
    batches: batchesOf(prepend(first, parts), limits.maxRows, close),
    close,
  };
}

type Head = {
  blocks: Uint8Array[];
  bytes: Uint8Array;
  /** Nothing follows. */
  isWhole: boolean;
};

async function readHead(source: AsyncGenerator<Uint8Array>): Promise<Head> {
  const blocks: Uint8Array[] = [];
  let length = 0;
  let isWhole = false;
  while (length < HEAD_BYTES) {
    const next = await source.next();
    isWhole = next.done === true;
    if (next.done) break;
    blocks.push(next.value);
    length += next.value.length;
  }
  return { blocks, bytes: Buffer.concat(blocks), isWhole };
}

/** The line that declares the delimiter is part of the head, and so of the first text. */
async function* skipChars(texts: AsyncIterable<string>, chars: number): AsyncGenerator<string> {
  let remaining = chars;
  for await (const text of texts) {
    yield text.slice(remaining);
    remaining = Math.max(0, remaining - text.length);
  }
}

async function* rowsIn(texts: AsyncIterable<string>, parser: CsvParser): AsyncGenerator<RowPart> {
  let rowCount = 0;
  try {
    for await (const text of texts) {
      const rows = parser.push(text);
      rowCount += rows.length;
      yield { rows, chars: text.length, cells: cellsOf(rows) };
      await yieldToEventLoop();
    }
  } catch (error) {
    throw error instanceof InvalidByteError ? undecodable(error, rowCount) : error;
  }
  const rows = parser.end();
  yield { rows, chars: 0, cells: cellsOf(rows) };
}

function cellsOf(rows: readonly string[][]): number {
  let cells = 0;
  for (const row of rows) cells += row.length;
  return cells;
}

function undecodable({ encoding, position }: InvalidByteError, rowsBefore: number): ListFileError {
  return new ListFileError(
    "undecodable_file",
    `Row ${rowsBefore + 1} of the file has a character that is not ${encoding.toUpperCase()} (near byte ${position}). ` +
      "Save the file as UTF-8.",
  );
}

/** Enough rows to detect the header: a hundred ordinary ones, or a header and a sample of very long ones. */
async function firstParts(parts: AsyncGenerator<RowPart>): Promise<RowPart[]> {
  const read: RowPart[] = [];
  let rows = 0;
  let chars = 0;
  while (rows <= INSPECTED_ROWS && (rows <= SAMPLE_ROWS || chars < INSPECTED_CHARS)) {
    const next = await parts.next();
    if (next.done) break;
    read.push(next.value);
    rows += next.value.rows.length;
    chars += next.value.chars;
  }
  return read;
}

/** Rows may be longer than the header. Their cells get columns too, unless all are empty. */
function widthOf(header: readonly string[] | undefined, rows: readonly string[][]): number {
  const needed = rows.map((row) => row.findLastIndex((cell) => cell !== "") + 1);
  return Math.max(header?.length ?? rows[0]!.length, ...needed);
}

async function* batchesOf(
  parts: AsyncIterable<RowPart>,
  maxRows: number,
  close: () => Promise<void>,
): AsyncGenerator<string[][]> {
  let rowCount = 0;
  let batch: string[][] = [];
  let chars = 0;
  let cells = 0;
  try {
    for await (const part of parts) {
      rowCount += part.rows.length;
      // Before it would be too large: a part is much smaller than a batch.
      if (batch.length > 0 && (chars + part.chars > BATCH_CHARS || cells + part.cells > BATCH_CELLS)) {
        yield batch;
        await yieldToEventLoop();
        batch = [];
        chars = 0;
        cells = 0;
      }
      batch = rowCount > maxRows ? [] : batch.concat(part.rows); // above the limit, rows are only counted
      chars += part.chars;
      cells += part.cells;
      while (batch.length >= BATCH_ROWS) {
        yield batch.slice(0, BATCH_ROWS);
        await yieldToEventLoop();
        batch = batch.slice(BATCH_ROWS);
        chars = 0;
        cells = 0;
      }
    }
    if (rowCount > maxRows) throw tooManyRows(rowCount, maxRows);
    if (batch.length > 0) yield batch;
  } finally {
    await close();
  }
}

function tooManyRows(found: number, limit: number): ListFileError {
  const rows = `The file has ${formatCount(found)} rows; ${formatCount(limit)} is the maximum.`;
  const message = `${rows} Split it into several files.`;
  return new ListFileError("too_many_rows", message, { found, limit });
}

const formatCount = (count: number) => count.toLocaleString("en");
