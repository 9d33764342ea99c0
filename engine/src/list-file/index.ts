/** Parses uploaded lists and writes result files. Everything streams; only spreadsheets take a temporary file. */

export { csvLine, csvRecord } from "./csv-line.ts";
export { emailIn } from "./email-cell.ts";
export { createEmailColumnFinder, type EmailColumnFinder } from "./email-column.ts";
export { type ListFile, type ListFileLimits, openListFile } from "./list-file.ts";
export { ListFileError, type ListFileErrorKind } from "./list-file-error.ts";
export { openTempFile } from "./temp-file.ts";
export { decodedStream, InvalidByteError } from "./text-decoder.ts";
export {
  createUniqueEmailIndex,
  emailIdentity,
  identityOf,
  type UniqueEmailIndex,
} from "./unique-email-index.ts";
export {
  cellsOf,
  columnOf,
  ofColumn,
  ownColumns,
  SANDBOX_COLUMN,
  VERDICT_COLUMNS,
  type VerdictCells,
  verdictCell,
  verdictCells,
} from "./verdict-columns.ts";
