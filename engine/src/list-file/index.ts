/** Customers' files of emails, and the files they get back. Everything streams; nothing here knows files or sockets. */

export { csvLine } from "./csv-line.ts";
export { emailIn } from "./email-cell.ts";
export { createEmailColumnFinder, type EmailColumnFinder } from "./email-column.ts";
export { emailIdentity, identityOf } from "./email-identity.ts";
export { type ListFile, type ListFileLimits, openListFile } from "./list-file.ts";
export { ListFileError, type ListFileErrorKind } from "./list-file-error.ts";
export { createUniqueEmailIndex, type UniqueEmailIndex } from "./unique-email-index.ts";
export { VERDICT_COLUMNS, type VerdictCells, verdictCells } from "./verdict-columns.ts";
