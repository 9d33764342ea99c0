/** The columns with the emails, as the client names them. */
import { Refusal, wrongField } from "../base/refusal.ts";
import type { UploadRow } from "./upload-preview.ts";

/** Columns listed in the error about an unknown column. */
const MAX_LISTED_COLUMNS = 20;
const MAX_COLUMN_CHARS = 60;

export type NamedColumns = {
  emailColumn: string;
  /** Further columns that are checked. */
  moreEmailColumns?: readonly string[] | undefined;
};

/** Their indexes. Throws email_column_not_found, and a refusal of a column that is named twice. */
export function columnsOf(upload: Pick<UploadRow, "columns">, named: NamedColumns): number[] {
  const { emailColumn, moreEmailColumns = [] } = named;
  const found = [emailColumn, ...moreEmailColumns].map((name, n) =>
    columnOf(upload, name, n === 0 ? "/email_column" : `/more_email_columns/${n - 1}`),
  );
  const twice = found.findIndex((column, n) => found.indexOf(column) !== n);
  if (twice > 0) throw wrongField(`/more_email_columns/${twice - 1}`, "occurs twice");
  return found;
}

function columnOf({ columns }: Pick<UploadRow, "columns">, emailColumn: string, pointer: string): number {
  const column = columns.indexOf(emailColumn);
  if (column >= 0) return column;
  const names = columns.slice(0, MAX_LISTED_COLUMNS).map((name) => `"${truncated(name)}"`);
  const more = columns.length - names.length;
  const message = `The columns are ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
  throw new Refusal("email_column_not_found", message, { errors: [{ pointer, message }] });
}

/** Column names for messages. */
export const truncated = (name: string) =>
  name.length > MAX_COLUMN_CHARS ? `${name.slice(0, MAX_COLUMN_CHARS)}…` : name;
