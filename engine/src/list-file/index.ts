/** Customers' files of emails, and the files they get back. Everything streams; nothing here knows files or sockets. */
export { type ColumnSurvey, createColumnSurvey } from "./column-survey.ts";
export { csvLine } from "./csv-line.ts";
export { createEmailCensus, type EmailCensus } from "./email-census.ts";
export { emailIdentity, identityOf } from "./email-identity.ts";
export { emailIn } from "./email-in.ts";
export { type ListFile, type ListFileLimits, openListFile } from "./list-file.ts";
export { ListFileTrouble, type ListFileTroubleKind } from "./trouble.ts";
export { VERDICT_COLUMNS, type VerdictCells, verdictCells } from "./verdict-columns.ts";
