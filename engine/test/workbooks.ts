/** Spreadsheet files for tests, made of hand-written XML. */
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

export type Entries = Readonly<Record<string, string | Buffer>>;

export async function zipOf(entries: Entries): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) {
    zip.addBuffer(Buffer.from(content), name, { compress: content.length > 0 }); // a compressor for each takes long
  }
  zip.end();
  return buffer(zip.outputStream);
}

export type WorkbookParts = {
  /** By name: the content of sheetData. */
  sheets: Readonly<Record<string, string>>;
  hidden?: readonly string[];
  /** `si` elements. */
  strings?: string;
  /** `numFmts` and `cellXfs` elements. */
  styles?: string;
  is1904?: boolean;
  more?: Entries;
};

export function workbookEntries({
  sheets,
  hidden = [],
  strings,
  styles,
  is1904,
  more,
}: WorkbookParts): Entries {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATION}/${type}" Target="${target}"/>`;
  const sheetTags = names.map(
    (name, n) =>
      `<sheet name="${name}" sheetId="${n + 1}" r:id="rId${n + 1}"${hidden.includes(name) ? ' state="hidden"' : ""}/>`,
  );
  const relations = names.map((_, n) => relation(`rId${n + 1}`, "worksheet", `worksheets/sheet${n + 1}.xml`));
  if (strings !== undefined) relations.push(relation("rIdS", "sharedStrings", "/xl/sharedStrings.xml"));
  if (styles !== undefined) relations.push(relation("rIdF", "styles", "styles.xml"));
  return {
    "[Content_Types].xml": `${XML}<Types/>`,
    "_rels/.rels": `${XML}<Relationships>${relation("rId1", "officeDocument", "xl/workbook.xml")}</Relationships>`,
    "xl/workbook.xml": `${XML}<workbook xmlns:r="${RELATION}"><workbookPr${is1904 ? ' date1904="1"' : ""}/><sheets>${sheetTags.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `${XML}<Relationships>${relations.join("")}</Relationships>`,
    ...(strings !== undefined && { "xl/sharedStrings.xml": `${XML}<sst>${strings}</sst>` }),
    ...(styles !== undefined && { "xl/styles.xml": `${XML}<styleSheet>${styles}</styleSheet>` }),
    ...Object.fromEntries(
      names.map((name, n) => [
        `xl/worksheets/sheet${n + 1}.xml`,
        `${XML}<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
    ...more,
  };
}

export const xlsxOf = (parts: WorkbookParts): Promise<Buffer> => zipOf(workbookEntries(parts));

/** `tables`: the content of office:spreadsheet. */
export function odsOf(tables: string, manifest?: string): Promise<Buffer> {
  return zipOf({
    mimetype: "application/vnd.oasis.opendocument.spreadsheet",
    "content.xml": `${XML}<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`,
    ...(manifest !== undefined && { "META-INF/manifest.xml": `${XML}${manifest}` }),
  });
}

/** Cells of text, as inline strings. */
export function rowOf(...cells: readonly string[]): string {
  return `<row>${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join("")}</row>`;
}
