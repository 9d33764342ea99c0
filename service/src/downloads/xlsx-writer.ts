/**
 * A workbook of one sheet (Office Open XML), written row by row. Text stays text: nothing in it is ever run.
 */
import type { DownloadRow } from "./download-rows.ts";
import { writeRows } from "./text-writer.ts";
import { type ZipEntry, zipFile } from "./zip-writer.ts";

export type XlsxCell = string | number | boolean;

/** What a sheet can hold, the header not counted. */
export const MAX_XLSX_ROWS = 1_048_575;
/** Spreadsheet programs give up before this, and an archive of twice as many could become too large. */
export const MAX_XLSX_CELLS = 40_000_000;

export function xlsxFile(
  header: readonly string[],
  rows: AsyncIterable<readonly DownloadRow[]>,
  cellsOf: (row: DownloadRow) => readonly XlsxCell[],
): AsyncIterable<Buffer> {
  let number = 1;
  const sheet = writeRows(rows, {
    top: SHEET_TOP + rowXml(1, header),
    row: (row) => rowXml(++number, cellsOf(row)),
    end: SHEET_END,
  });
  return zipFile([...FRAME, { name: "xl/worksheets/sheet1.xml", content: sheet }]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Everything but the sheet. */
const FRAME: readonly ZipEntry[] = [
  {
    name: "[Content_Types].xml",
    content: `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${KIND}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${KIND}.worksheet+xml"/></Types>`,
  },
  {
    name: "_rels/.rels",
    content: `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  },
  {
    name: "xl/workbook.xml",
    content: `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><bookViews><workbookView/></bookViews><sheets><sheet name="Results" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  },
  {
    name: "xl/_rels/workbook.xml.rels",
    content: `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  },
];

/** The header stays in sight. */
const SHEET_TOP = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;
const SHEET_END = "</sheetData></worksheet>";

function rowXml(number: number, cells: readonly XlsxCell[]): string {
  let xml = `<row r="${number}">`;
  for (let n = 0; n < cells.length; n++) {
    const cell = cells[n]!;
    if (cell !== "") xml += cellXml(columnLetters(n) + number, cell);
  }
  return `${xml}</row>`;
}

function cellXml(place: string, cell: XlsxCell): string {
  if (typeof cell === "number") return `<c r="${place}"><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${xmlText(cell)}</t></is></c>`;
}

const letters: string[] = [];

/** A to Z, AA to ZZ … for columns from 0 on. */
function columnLetters(column: number): string {
  letters[column] ??=
    (column < 26 ? "" : columnLetters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));
  return letters[column];
}

/** A workbook with a longer text in one cell is called damaged. */
const MAX_CELL_CHARS = 32_767;
const UNWRITABLE = /(?![\t\n\r\x7f-\x9f])\p{Cc}|[\uFFFE\uFFFF]/gu;
/** A text like _x0041_ would be read as the character of that number; with its underscore spelled out it is not. */
const NUMBERED = /_(?=x[\dA-Fa-f]{4}_)/g;
const SPECIAL = new RegExp(`[&<>]|${NUMBERED.source}|${UNWRITABLE.source}`, "u");

function xmlText(text: string): string {
  const kept = text.length > MAX_CELL_CHARS ? text.slice(0, MAX_CELL_CHARS) : text;
  if (!SPECIAL.test(kept)) return kept;
  return kept
    .replaceAll(UNWRITABLE, "")
    .replaceAll(NUMBERED, "_x005F_")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
