/**
 * Tells files that are no tables of text from those that may be, by how they begin.
 *
 * Whoever sends a spreadsheet or a web page gets a sentence that says so and what to do, instead of garbled rows.
 */
import { ListFileError } from "./list-file-error.ts";

type Kind = { magic: string; at?: number; name: string; remedy: string };

const SAVE_AS_CSV = "Save it as CSV and send that.";
const UNPACK = "Unpack it and send the CSV file inside, plain or as gzip.";
const SEND_TEXT = "Send the list as a CSV file.";

/** The first that fits. Bytes are written as Latin-1 characters. */
const BINARY_KINDS: readonly Kind[] = [
  { magic: "PK\x03\x04", name: "a ZIP archive", remedy: UNPACK },
  { magic: "PK\x05\x06", name: "an empty ZIP archive", remedy: SEND_TEXT },
  { magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", name: "an old Excel or Office file", remedy: SAVE_AS_CSV },
  { magic: "%PDF-", name: "a PDF document", remedy: SEND_TEXT },
  { magic: "{\\rtf", name: "a rich text document", remedy: SEND_TEXT },
  { magic: "PAR1\x15", name: "a Parquet file", remedy: SAVE_AS_CSV },
  { magic: "Obj\x01", name: "an Avro file", remedy: SAVE_AS_CSV },
  { magic: "ARROW1\0\0", name: "an Arrow file", remedy: SAVE_AS_CSV },
  { magic: "SQLite format 3\0", name: "an SQLite database", remedy: SAVE_AS_CSV },
  { magic: "\x1f\x8b", name: "a gzip file inside another", remedy: "Pack it once only." },
  { magic: "1AY&SY", at: 4, name: "a bzip2 file", remedy: UNPACK },
  { magic: "\xfd7zXZ\0", name: "an XZ file", remedy: UNPACK },
  { magic: "\x28\xb5\x2f\xfd", name: "a Zstandard file", remedy: UNPACK },
  { magic: "7z\xbc\xaf\x27\x1c", name: "a 7-Zip archive", remedy: UNPACK },
  { magic: "Rar!\x1a\x07", name: "a RAR archive", remedy: UNPACK },
  { magic: "ustar", at: 257, name: "a tar archive", remedy: UNPACK },
  { magic: "\x89PNG\r\n\x1a\n", name: "a PNG image", remedy: SEND_TEXT },
  { magic: "\xff\xd8\xff", name: "a JPEG image", remedy: SEND_TEXT },
  { magic: "GIF89a", name: "a GIF image", remedy: SEND_TEXT },
  { magic: "\x7fELF", name: "a program", remedy: SEND_TEXT },
];

/** What a ZIP archive really is, by a name among its first entries. */
const ZIP_KINDS: readonly Kind[] = [
  { magic: "opendocument.spreadsheet", name: "an OpenDocument spreadsheet", remedy: SAVE_AS_CSV },
  { magic: "Index/Document.iwa", name: "a Numbers spreadsheet", remedy: SAVE_AS_CSV },
  { magic: "word/", name: "a Word document", remedy: SAVE_AS_CSV },
  { magic: "xl/", name: "an Excel workbook", remedy: SAVE_AS_CSV },
  { magic: "[Content_Types].xml", name: "an Excel workbook or another Office file", remedy: SAVE_AS_CSV },
];

/** Refuses by the file's first bytes. */
export function refuseKnownBinaries(head: Uint8Array): void {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 8192)).toString("latin1");
  const kind = BINARY_KINDS.find(({ magic, at = 0 }) => start.startsWith(magic, at));
  if (kind === undefined) return;
  const inside = kind.magic.startsWith("PK") && ZIP_KINDS.find(({ magic }) => start.includes(magic));
  const { name, remedy } = inside || kind;
  throw new ListFileError("unsupported_file", `This is ${name}, not a text file. ${remedy}`);
}

/** Text that has a structure of its own. */
const DOCUMENTS: readonly (readonly [RegExp, name: string])[] = [
  [/^<(?:!doctype html|html|head|body|table|meta)\b/i, "a web page"],
  [/^<(?:\?xml|!doctype|!--|[\w:-]+(?:\s[^<>@]*)?>\s*<)/i, "an XML document"],
  [/^(?:\{\s*(?:"|\}\s*$)|\[\s*(?:[{["]|\]\s*$))/, "JSON"],
  [/^BEGIN:VCARD\b/i, "an address book (vCard)"],
  [/^%!PS/, "a PostScript document"],
];

const JUDGED_CHARS = 16 * 1024;
const MAX_CONTROL_SHARE = 0.01;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells binary data from text
const CONTROLS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/g;

/** Refuses by the first characters of the decoded text. */
export function refuseDocuments(text: string): void {
  const start = text.slice(0, JUDGED_CHARS).trimStart();
  if (start === "") return;
  const document = DOCUMENTS.find(([pattern]) => pattern.test(start))?.[1];
  if (document !== undefined)
    throw new ListFileError("not_a_table", `This is ${document}, not a table. ${SEND_TEXT}`);
  // A stray NUL or two in an export is no reason to refuse it: they are dropped.
  const controls = start.match(CONTROLS)?.length ?? 0;
  if (controls > 2 && controls > start.length * MAX_CONTROL_SHARE)
    throw new ListFileError("not_a_table", `This is not a text file. ${SEND_TEXT}`);
}
