/**
 * Reads a sheet of an XLSX or ODS file as rows of text. Streaming, with yauzl and saxes; why not a complete library:
 * docs/decisions/0023-own-spreadsheet-reader.md.
 */
import { createSemaphore } from "../../base/semaphore.ts";
import { looksLikeEmail } from "../email-cell.ts";
import { unsupportedArchive } from "../file-type.ts";
import { ListFileError } from "../list-file-error.ts";
import { isOds, openOds } from "./ods.ts";
import type { RowPart, SheetLimits, Workbook } from "./row-collector.ts";
import { isXlsx, openXlsx } from "./xlsx.ts";
import { PIECE_CHARS } from "./xml-reader.ts";
import { openZipArchive, type ZipArchive } from "./zip-archive.ts";

export type Spreadsheet = {
  /** Names of the visible sheets, and of the chosen one. */
  sheets: string[];
  sheet: string;
  rows: AsyncGenerator<RowPart>;
  close(): Promise<void>;
};

/** Each may hold up to 80 MB of shared strings. Further files wait on disk. */
const READ_AT_ONCE = 3;
const permits = createSemaphore(READ_AT_ONCE);

/** `wanted`: the name of a sheet. Otherwise the first visible one with an email among its first rows. */
export async function openSpreadsheet(
  bytes: AsyncIterable<Uint8Array>,
  limits: SheetLimits,
  wanted: string | undefined,
): Promise<Spreadsheet> {
  const archive = await openZipArchive(bytes, limits.maxTextBytes);
  const release = await new Promise<() => void>((start) => permits.acquire(0, start));
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    release();
    await archive.close();
  };
  try {
    const workbook = await openWorkbook(archive, limits);
    const chosen = await chooseSheet(workbook, wanted);
    const sheets = workbook.sheets.filter((sheet, n) => !sheet.isHidden || n === chosen);
    const rows = workbook.rows(chosen);
    return {
      sheets: sheets.map(({ name }) => name),
      sheet: workbook.sheets[chosen]!.name,
      rows,
      async close() {
        await rows.return(undefined); // or it would still read from the descriptor, which may be another file by then
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openWorkbook(archive: ZipArchive, limits: SheetLimits): Promise<Workbook> {
  if (isXlsx(archive)) return openXlsx(archive, limits);
  if (await isOds(archive)) return openOds(archive, limits);
  throw unsupportedArchive(archive.names);
}

const MAX_SHEETS_INSPECTED = 20;
const ROWS_INSPECTED = 200;
/** XML and text of all sheets together: each may be as large as the archive allows, and several may be the same part. */
const CHARS_INSPECTED = 32 * 1024 * 1024;
const MAX_SHEETS_LISTED = 20;

async function chooseSheet(workbook: Workbook, wanted: string | undefined): Promise<number> {
  const { sheets } = workbook;
  if (wanted !== undefined) {
    const found = sheets.findIndex(({ name }) => name === wanted);
    if (found >= 0) return found;
    const names = sheets.slice(0, MAX_SHEETS_LISTED).map(({ name }) => `"${name.slice(0, 100)}"`);
    throw new ListFileError("sheet_not_found", `The sheets are ${names.join(", ")}.`);
  }
  const visible = [...sheets.keys()].filter((n) => !sheets[n]!.isHidden);
  if (visible.length <= 1) return visible[0] ?? 0;
  const budget = { chars: CHARS_INSPECTED };
  for (const sheet of visible.slice(0, MAX_SHEETS_INSPECTED)) {
    if (await hasEmails(workbook, sheet, budget)) return sheet;
    if (budget.chars <= 0) break;
  }
  return visible[0]!;
}

async function hasEmails(workbook: Workbook, sheet: number, budget: { chars: number }): Promise<boolean> {
  const isEnough = () => {
    budget.chars -= PIECE_CHARS;
    return budget.chars <= 0;
  };
  let count = 0;
  for await (const { rows, chars } of workbook.rows(sheet, isEnough)) {
    if (rows.some((cells) => cells.some(looksLikeEmail))) return true;
    budget.chars -= chars;
    count += rows.length;
    if (count >= ROWS_INSPECTED) return false;
  }
  return false;
}
