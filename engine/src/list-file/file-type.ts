/**
 * Rejects files that are neither tables of text nor spreadsheets, by their first bytes.
 *
 * The sender of a document or a web page gets an error that names the type and what to do, instead of garbled
 * rows.
 */
import { isGzip } from "./gunzip.ts";
import { ListFileError } from "./list-file-error.ts";

type FileKind = { magic: string; at?: number; name: string; remedy: string };

/** Container of Office files before 2007, and of newer ones that are encrypted. */
const OLE = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/** Name of a stream in the directory of the container. */
const ENCRYPTED_PACKAGE = Buffer.from("EncryptedPackage", "utf16le");

const SAVE_AS_CSV = "Save it as CSV and upload that.";
const UNPACK = "Extract it and upload the CSV file inside, plain or gzipped.";
const SEND_TEXT = "Upload the list as a CSV file.";

/** The first match decides. Bytes are written as Latin-1 characters. */
const BINARY_KINDS: readonly FileKind[] = [
  { magic: "PK\x05\x06", name: "an empty ZIP archive", remedy: SEND_TEXT },
  {
    magic: OLE,
    name: "an old Excel or Office file (.xls)",
    remedy: "Save it as .xlsx or CSV and upload that.",
  },
  { magic: "%PDF-", name: "a PDF document", remedy: SEND_TEXT },
  { magic: "{\\rtf", name: "a rich text document", remedy: SEND_TEXT },
  { magic: "PAR1\x15", name: "a Parquet file", remedy: SAVE_AS_CSV },
  { magic: "Obj\x01", name: "an Avro file", remedy: SAVE_AS_CSV },
  { magic: "ARROW1\0\0", name: "an Arrow file", remedy: SAVE_AS_CSV },
  { magic: "SQLite format 3\0", name: "an SQLite database", remedy: SAVE_AS_CSV },
  { magic: "\x1f\x8b", name: "a gzip file inside another", remedy: "Compress it only once." },
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

/** Checks the first bytes of the file. */
export function rejectBinaries(head: Uint8Array): void {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 8192)).toString("latin1");
  const kind = BINARY_KINDS.find(({ magic, at = 0 }) => start.startsWith(magic, at));
  if (kind === undefined) return;
  if (kind.magic === OLE && Buffer.from(head).includes(ENCRYPTED_PACKAGE)) {
    throw unsupported("a workbook with a password", "Save it without one, or as CSV.");
  }
  throw unsupported(kind.name, kind.remedy);
}

/** Checks the first bytes of a plain list, which is read line by line. */
export function rejectAllButText(head: Uint8Array): void {
  if (isZip(head))
    throw unsupported("a spreadsheet or a ZIP archive", "Use a text file, or check it as a table.");
  if (isGzip(head)) throw unsupported("a gzip file", "Extract it, or check it as a table.");
  rejectBinaries(head);
}

/** Spreadsheets are ZIP archives. */
export function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 0x03 && head[3] === 0x04;
}

/** The actual type of a ZIP archive, by the name of an entry. */
const ARCHIVE_KINDS: readonly (readonly [entry: RegExp, name: string, remedy: string])[] = [
  [/^xl\/workbook\.bin$/i, "a binary Excel workbook (.xlsb)", "Save it as .xlsx or CSV and upload that."],
  [/^Index\/Document\.iwa$/, "a Numbers spreadsheet", SAVE_AS_CSV],
  [/^word\//, "a Word document", SAVE_AS_CSV],
  [/^\[Content_Types\]\.xml$/, "an Office file without a workbook", SAVE_AS_CSV],
  [/^mimetype$/, "an OpenDocument file, but not a spreadsheet", SAVE_AS_CSV],
];

/** The error about an archive that is no spreadsheet. */
export function unsupportedArchive(names: readonly string[]): ListFileError {
  const kind = ARCHIVE_KINDS.find(([entry]) => names.some((name) => entry.test(name)));
  const [, name, remedy] = kind ?? [undefined, "a ZIP archive", UNPACK];
  return unsupported(name, remedy);
}

function unsupported(name: string, remedy: string): ListFileError {
  return new ListFileError("unsupported_file", `This is ${name}, which is not supported. ${remedy}`);
}

/** Structured text formats. */
const DOCUMENTS: readonly (readonly [RegExp, name: string])[] = [
  [/^<(?:!doctype html|html|head|body|table|meta)\b/i, "a web page"],
  [/^<(?:\?xml|!doctype|!--|[\w:-]+(?:\s[^<>@]*)?>\s*<)/i, "an XML document"],
  [/^(?:\{\s*(?:"|\}\s*$)|\[\s*(?:[{["]|\]\s*$))/, "JSON"],
  [/^BEGIN:VCARD\b/i, "an address book (vCard)"],
  [/^%!PS/, "a PostScript document"],
];

const INSPECTED_CHARS = 16 * 1024;
const MAX_CONTROL_SHARE = 0.01;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells binary data from text
const CONTROLS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/g;

/** Checks the first characters of the decoded text. */
export function rejectDocuments(text: string): void {
  const start = text.slice(0, INSPECTED_CHARS).trimStart();
  if (start === "") return;
  const document = DOCUMENTS.find(([pattern]) => pattern.test(start))?.[1];
  if (document !== undefined)
    throw new ListFileError("not_a_table", `This is ${document}, not a table. ${SEND_TEXT}`);
  // One or two stray NULs in an export are dropped, not rejected.
  const controls = start.match(CONTROLS)?.length ?? 0;
  if (controls > 2 && controls > start.length * MAX_CONTROL_SHARE)
    throw new ListFileError("not_a_table", `This is not a text file. ${SEND_TEXT}`);
}
