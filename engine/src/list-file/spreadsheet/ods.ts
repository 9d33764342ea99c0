/** OpenDocument spreadsheets (ISO/IEC 26300): all sheets are in one entry, with repeated cells and rows run-length coded. */
import {
  createRowCollector,
  extended,
  type RowPart,
  type Sheet,
  type SheetLimits,
  type Workbook,
} from "./row-collector.ts";
import { readXml } from "./xml-reader.ts";
import { bomb, passwordProtected, type ZipArchive } from "./zip-archive.ts";

const CONTENT = "content.xml";
const MANIFEST = "META-INF/manifest.xml";
const MAX_SHEETS = 1000;
const MAX_TYPE_CHARS = 100;

export async function isOds(archive: ZipArchive): Promise<boolean> {
  if (!archive.has("mimetype") || !archive.has(CONTENT)) return false;
  let type = "";
  for await (const chunk of archive.read("mimetype")) {
    type += Buffer.from(chunk).toString("latin1");
    if (type.length > MAX_TYPE_CHARS) return false;
  }
  return type.startsWith("application/vnd.oasis.opendocument.spreadsheet");
}

export async function openOds(archive: ZipArchive, limits: SheetLimits): Promise<Workbook> {
  if (archive.has(MANIFEST)) {
    const open = (name: string) => {
      if (name === "encryption-data") throw passwordProtected();
    };
    for await (const _ of readXml(archive.read(MANIFEST), { open }));
  }
  const sheets: Sheet[] = [];
  const open = (name: string, attributes: Readonly<Record<string, string>>) => {
    if (name !== "table") return;
    if (sheets.length === MAX_SHEETS) throw bomb(`has more than ${MAX_SHEETS} sheets`);
    sheets.push({ name: attributes["table:name"] ?? "", isHidden: false });
  };
  for await (const _ of readXml(archive.read(CONTENT), { open }));
  return { sheets, rows: (sheet, isEnough) => sheetRows(archive, sheet, limits, isEnough) };
}

async function* sheetRows(
  archive: ZipArchive,
  wanted: number,
  limits: SheetLimits,
  isEnough?: () => boolean,
): AsyncGenerator<RowPart> {
  const rows = createRowCollector(limits);
  let sheet = -1;
  let column = 0;
  let cellRepeat = 1;
  let rowRepeat = 1;
  let value: string | undefined;
  let text = "";
  let paragraphs = 0;
  let isParagraph = false;
  let depth = 0;
  let cellDepth = 0;
  const addText = (more: string) => {
    text = extended(text, more, limits);
  };

  const contents = readXml(archive.read(CONTENT), {
    open(name, attributes) {
      depth++;
      if (name === "table") sheet++;
      if (sheet !== wanted) return;
      switch (name) {
        case "table-row":
          column = 0;
          rowRepeat = repeatOf(attributes["table:number-rows-repeated"]);
          break;
        case "table-cell":
        case "covered-table-cell":
          cellRepeat = repeatOf(attributes["table:number-columns-repeated"]);
          value = typedValue(attributes);
          text = "";
          paragraphs = 0;
          cellDepth = depth;
          break;
        case "p":
          // Those of comments and of shapes that are anchored to the cell are deeper in it.
          if (depth !== cellDepth + 1) break;
          if (paragraphs++ > 0) addText("\n");
          isParagraph = true;
          break;
        case "s":
          if (isParagraph) addText(" ".repeat(Math.min(repeatOf(attributes["text:c"]), limits.maxCellChars)));
          break;
        case "tab":
        case "line-break":
          if (isParagraph) addText(name === "tab" ? "\t" : "\n");
      }
    },
    close(name) {
      depth--;
      if (sheet !== wanted) return;
      switch (name) {
        case "table-cell":
        case "covered-table-cell": {
          const content = value ?? text;
          // Up to the limit and one beyond, which is refused.
          const end = content === "" ? column : Math.min(column + cellRepeat, limits.maxColumns + 1);
          for (let at = column; at < end; at++) rows.set(at, content);
          column += cellRepeat;
          break;
        }
        case "table-row":
          rows.endRow(rowRepeat);
          break;
        case "p":
          if (depth === cellDepth) isParagraph = false;
      }
    },
    text(content) {
      if (isParagraph && sheet === wanted) addText(content);
    },
  });
  for await (const _ of contents) {
    yield* rows.take();
    if (sheet > wanted || isEnough?.()) return;
  }
}

/** The value of a typed cell; undefined for text, which is in its paragraphs. */
function typedValue(attributes: Readonly<Record<string, string>>): string | undefined {
  switch (attributes["office:value-type"]) {
    case "float":
      return String(Number(attributes["office:value"] ?? ""));
    case "boolean":
      return attributes["office:boolean-value"]?.toUpperCase();
    case "date":
      return attributes["office:date-value"]?.replace("T", " ").replace(/ 00:00:00$/, "");
    case "string":
      return attributes["office:string-value"];
    default:
      return undefined;
  }
}

function repeatOf(text: string | undefined): number {
  const count = Number(text ?? 1);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}
