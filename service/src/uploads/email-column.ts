/** The column with the emails, as the client names it. */
import { Refusal } from "../base/refusal.ts";
import type { UploadRow } from "./upload-preview.ts";

/** Columns listed in the error about an unknown column. */
const MAX_LISTED_COLUMNS = 20;
const MAX_COLUMN_CHARS = 60;

/** Its index. Throws email_column_not_found. */
export function columnOf({ columns }: Pick<UploadRow, "columns">, emailColumn: string): number {
  const column = columns.indexOf(emailColumn);
  if (column >= 0) return column;
  const names = columns.slice(0, MAX_LISTED_COLUMNS).map((name) => `"${truncated(name)}"`);
  const more = columns.length - names.length;
  const message = `The columns are ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
  throw new Refusal("email_column_not_found", message, { errors: [{ pointer: "/email_column", message }] });
}

/** Column names for messages. */
export const truncated = (name: string) =>
  name.length > MAX_COLUMN_CHARS ? `${name.slice(0, MAX_COLUMN_CHARS)}…` : name;
