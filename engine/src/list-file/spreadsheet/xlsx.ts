/**
 * Office Open XML workbooks (ECMA-376): sheets, shared strings, number formats, cells.
 *
 * Formulas count with their stored value, or without one (nothing is calculated) with their text, so that no row is lost; merged
 * cells with the value of their first cell.
 */
import { posix } from "node:path";
import { GENERAL, type NumberFormat, numberFormat, numberText } from "./cell-text.ts";
import {
  createRowCollector,
  extended,
  type RowPart,
  type Sheet,
  type SheetLimits,
  type Workbook,
} from "./row-collector.ts";
import { createStringTable, type StringTable } from "./string-table.ts";
import { readXml, type XmlHandler } from "./xml-reader.ts";
import { bomb, damaged, type ZipArchive } from "./zip-archive.ts";

const MAX_SHEETS = 1000;
const MAX_FORMATS = 65_536;
const ROOT_RELATIONS = "_rels/.rels";

export function isXlsx(archive: ZipArchive): boolean {
  return archive.has(ROOT_RELATIONS) && archive.names.some((name) => /^xl\/workbook\d*\.xml$/i.test(name));
}

export async function openXlsx(archive: ZipArchive, limits: SheetLimits): Promise<Workbook> {
  const root = await relations(archive, "");
  const workbookPath = root.find(({ type }) => type === "officeDocument")?.target ?? "xl/workbook.xml";
  const parts = await relations(archive, workbookPath);
  const { sheets, is1904 } = await readWorkbook(archive, workbookPath, parts);
  const pathOf = (type: string) => parts.find((part) => part.type === type)?.target;
  let shared: Promise<{ strings: StringTable; formats: NumberFormat[] }> | undefined;
  return {
    sheets,
    async *rows(sheet, isEnough) {
      shared ??= (async () => ({
        strings: await readStrings(archive, pathOf("sharedStrings"), limits),
        formats: await readFormats(archive, pathOf("styles")),
      }))();
      yield* sheetRows(archive, sheets[sheet]!.path, { ...(await shared), is1904 }, limits, isEnough);
    },
  };
}

type Relation = { id: string; type: string; target: string };

/** Relations of a part of the package, with absolute targets. `part` "" is the package itself. */
async function relations(archive: ZipArchive, part: string): Promise<Relation[]> {
  const { dir, base } = posix.parse(part);
  const found: Relation[] = [];
  const path = posix.join(dir, "_rels", `${base}.rels`);
  await readAll(archive, path, {
    open(name, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode }) {
      if (name !== "Relationship" || mode === "External") return;
      if (found.length > 10 * MAX_SHEETS) throw bomb("has too many parts");
      found.push({ id, type: type.slice(type.lastIndexOf("/") + 1), target: resolved(dir, target) });
    },
  });
  return found;
}

function resolved(folder: string, target: string): string {
  return target.startsWith("/") ? target.slice(1) : posix.join(folder, target);
}

async function readWorkbook(archive: ZipArchive, path: string, parts: readonly Relation[]) {
  const sheets: (Sheet & { path: string })[] = [];
  let is1904 = false;
  await readAll(archive, path, {
    open(name, attributes) {
      if (name === "workbookPr") is1904 = isTrue(attributes.date1904);
      if (name !== "sheet") return;
      if (sheets.length === MAX_SHEETS) throw bomb(`has more than ${MAX_SHEETS} sheets`);
      const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1];
      const part = parts.find((one) => one.id === id);
      // Charts and dialogs have tabs of their own.
      if (part?.type !== "worksheet") return;
      const isHidden = attributes.state !== undefined && attributes.state !== "visible";
      sheets.push({ name: attributes.name ?? "", isHidden, path: part.target });
    },
  });
  if (sheets.length === 0) throw damaged("it has no worksheet");
  return { sheets, is1904 };
}

async function readStrings(
  archive: ZipArchive,
  path: string | undefined,
  limits: SheetLimits,
): Promise<StringTable> {
  const strings = createStringTable();
  if (path === undefined || !archive.has(path)) return strings;
  const text = createRichText(limits);
  await readAll(archive, path, {
    open(name) {
      if (name === "si") text.start();
      else text.open(name);
    },
    close(name) {
      text.close(name);
      if (name === "si") strings.add(text.content);
    },
    text: text.text,
  });
  return strings;
}

/** By the index that cells refer to. */
async function readFormats(archive: ZipArchive, path: string | undefined): Promise<NumberFormat[]> {
  const formats: NumberFormat[] = [];
  if (path === undefined || !archive.has(path)) return formats;
  const codes = new Map<number, string>();
  let isCellFormats = false;
  await readAll(archive, path, {
    open(name, { numFmtId = "0", formatCode = "" }) {
      if (codes.size > MAX_FORMATS || formats.length > MAX_FORMATS) throw bomb("has too many cell formats");
      if (name === "numFmt") codes.set(Number(numFmtId), formatCode);
      else if (name === "cellXfs") isCellFormats = true;
      else if (name === "xf" && isCellFormats)
        formats.push(numberFormat(Number(numFmtId), codes.get(Number(numFmtId))));
    },
    close(name) {
      if (name === "cellXfs") isCellFormats = false;
    },
  });
  return formats;
}

type CellContext = { strings: StringTable; formats: readonly NumberFormat[]; is1904: boolean };

async function* sheetRows(
  archive: ZipArchive,
  path: string,
  { strings, formats, is1904 }: CellContext,
  limits: SheetLimits,
  isEnough?: () => boolean,
): AsyncGenerator<RowPart> {
  const rows = createRowCollector(limits);
  const inline = createRichText(limits);
  let column = -1;
  let type = "n";
  let style = 0;
  let value = "";
  let isValue = false;
  let formula: string | undefined;
  let isFormula = false;

  const cellText = (): string => {
    switch (type) {
      case "s": {
        const text = strings.at(Number(value));
        if (text === undefined && value !== "")
          throw damaged(`it has no shared string ${value.slice(0, 20)}`);
        return text ?? "";
      }
      case "inlineStr":
        return inline.content;
      case "str":
        return unescaped(value);
      case "b":
        return isTrue(value) ? "TRUE" : value === "" ? "" : "FALSE";
      case "e":
      case "d":
        return value;
      default:
        // The result "" is stored as a string. Programs that do not calculate store nothing.
        if (value === "" && formula !== undefined) return `=${formula}`;
        return numberText(value, formats[style] ?? GENERAL, is1904);
    }
  };

  const handler: XmlHandler = {
    open(name, attributes) {
      switch (name) {
        case "c":
          column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
          type = attributes.t ?? "n";
          style = Number(attributes.s ?? 0);
          value = "";
          formula = undefined;
          inline.start();
          break;
        case "v":
          isValue = true;
          break;
        case "f":
          isFormula = true;
          formula = "";
          break;
        case "row":
          column = -1;
          break;
        default:
          inline.open(name);
      }
    },
    close(name) {
      switch (name) {
        case "c":
          rows.set(column, cellText());
          break;
        case "v":
          isValue = false;
          break;
        case "f":
          isFormula = false;
          break;
        case "row":
          rows.endRow();
          break;
        default:
          inline.close(name);
      }
    },
    text(text) {
      if (isValue) value = extended(value, text, limits);
      else if (isFormula) formula = extended(formula ?? "", text, limits);
      else inline.text(text);
    },
  };
  for await (const _ of readXml(archive.read(path), handler)) {
    yield* rows.take();
    if (isEnough?.()) return;
  }
}

/** Text of a string with runs (`t`, `r`), without phonetic hints (`rPh`). */
function createRichText(limits: SheetLimits) {
  let content = "";
  let isText = false;
  let isPhonetic = false;
  return {
    start() {
      content = "";
      isText = false;
      isPhonetic = false;
    },
    open(name: string) {
      if (name === "rPh") isPhonetic = true;
      else if (name === "t") isText = !isPhonetic;
    },
    close(name: string) {
      if (name === "rPh") isPhonetic = false;
      else if (name === "t") isText = false;
    },
    text(text: string) {
      if (isText) content = extended(content, text, limits);
    },
    get content() {
      return unescaped(content);
    },
  };
}

/**
 * `_x0041_` is an escape for the character U+0041 (ECMA-376 part 1, 22.9.2.19). It can also stand for what no text in XML has:
 * NULs are dropped as in a CSV file, and lone surrogates replaced.
 */
function unescaped(text: string): string {
  if (!text.includes("_x")) return text;
  return text
    .replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll("\0", "")
    .toWellFormed();
}

const MAX_COLUMN_LETTERS = 3;

/** B3 → 1. */
function columnOf(reference: string): number {
  let column = 0;
  let at = 0;
  for (; at < reference.length; at++) {
    const code = reference.charCodeAt(at) & ~0x20;
    if (code < 65 || code > 90) break;
    column = column * 26 + code - 64;
  }
  if (at === 0 || at > MAX_COLUMN_LETTERS) throw damaged(`it has a cell at "${reference.slice(0, 20)}"`);
  return column - 1;
}

function isTrue(text: string | undefined): boolean {
  return text === "1" || text === "true";
}

async function readAll(archive: ZipArchive, path: string, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(archive.read(path), handler));
}
