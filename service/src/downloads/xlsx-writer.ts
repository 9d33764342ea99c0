/**
 * Writes a workbook with one sheet (Office Open XML) row by row, in flat memory. Text cells are never formulas.
 *
 * Our own instead of a library: docs/decisions/0011-own-xlsx-writer.md. The ZIP container is in zip-archive.ts.
 */
import type { DownloadRow } from "./download-rows.ts";
import { writeRows } from "./text-writer.ts";
import { zipArchive } from "./zip-archive.ts";

export type XlsxCell = string | number | boolean;

/** Limit of the format, without the header row. */
export const MAX_XLSX_ROWS = 1_048_575;
/** Spreadsheet programs fail below this. */
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
  const frame = FRAME.map(([name, text]) => ({ name, content: Buffer.from(text) }));
  return zipArchive([...frame, { name: "xl/worksheets/sheet1.xml", content: sheet }]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Everything but the sheet. */
const FRAME: readonly (readonly [name: string, text: string])[] = [
  [
    "[Content_Types].xml",
    `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${KIND}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${KIND}.worksheet+xml"/></Types>`,
  ],
  [
    "_rels/.rels",
    `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    "xl/workbook.xml",
    `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><bookViews><workbookView/></bookViews><sheets><sheet name="Results" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    "xl/_rels/workbook.xml.rels",
    `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  ],
];

/** With a frozen header row. */
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

function cellXml(position: string, cell: XlsxCell): string {
  if (typeof cell === "number") return `<c r="${position}"><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c r="${position}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  return `<c r="${position}" t="inlineStr"><is><t xml:space="preserve">${xmlText(cell)}</t></is></c>`;
}

const letters: string[] = [];

/** 0 → A, 25 → Z, 26 → AA. */
function columnLetters(column: number): string {
  letters[column] ??=
    (column < 26 ? "" : columnLetters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26));
  return letters[column];
}

/** Excel reports a workbook with a longer cell as damaged. */
const MAX_CELL_CHARS = 32_767;
const NOT_XML = /(?![\t\n\r\x7f-\x9f])\p{Cc}|[\uFFFE\uFFFF]/gu;
/** `_x0041_` is an escape for the character U+0041 (ECMA-376 part 1, 22.9.2.19), so its first underscore is escaped. */
const ESCAPE = /_(?=x[\dA-Fa-f]{4}_)/g;
const SPECIAL = new RegExp(`[&<>]|${ESCAPE.source}|${NOT_XML.source}`, "u");

function xmlText(text: string): string {
  const kept = text.length > MAX_CELL_CHARS ? text.slice(0, MAX_CELL_CHARS) : text;
  if (!SPECIAL.test(kept)) return kept;
  return kept
    .replaceAll(NOT_XML, "")
    .replaceAll(ESCAPE, "_x005F_")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
