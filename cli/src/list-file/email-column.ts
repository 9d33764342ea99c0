/** Chooses the email column of a list: the one given with --column, or the one detected from its cells. */
import { basename } from "node:path";
import { printable } from "../output/terminal.ts";
import { badUsage } from "../remote/service.ts";

export type ColumnChoice = {
  list: string;
  columns: readonly string[];
  /** Number of cells that look like an email, by column. */
  emailCounts: readonly number[];
  suggested: number | undefined;
};

const MAX_COLUMNS_LISTED = 20;

/** Returns the index of the column. */
export function chooseColumn({ list, ...found }: ColumnChoice, wanted: string | undefined): number {
  const { columns, emailCounts, suggested } = found;
  const name = list === "-" ? "standard input" : basename(list);
  if (wanted === undefined) {
    if (suggested !== undefined) return suggested;
    throw badUsage(`no column of ${printable(name)} contains emails; columns: ${namesOf(columns)}`);
  }
  const column = indexOfColumn(columns, wanted);
  if (column === undefined)
    throw badUsage(`${printable(name)} has no column "${printable(wanted)}"; columns: ${namesOf(columns)}`);
  if (emailCounts[column]! > 0) return column;
  const hint = suggested === undefined ? "" : `; column "${printable(columns[suggested]!)}" does`;
  throw badUsage(`column "${printable(columns[column]!)}" contains no emails${hint}`);
}

/** Exact match first; otherwise ignores case and surrounding blanks, if that is unambiguous. */
function indexOfColumn(columns: readonly string[], wanted: string): number | undefined {
  const exact = columns.indexOf(wanted);
  if (exact >= 0) return exact;
  const plain = (text: string) => text.trim().toLowerCase();
  const alike = [...columns.keys()].filter((index) => plain(columns[index]!) === plain(wanted));
  return alike.length === 1 ? alike[0] : undefined;
}

function namesOf(columns: readonly string[]): string {
  const named = columns.slice(0, MAX_COLUMNS_LISTED).map((column) => `"${printable(column)}"`);
  const more = columns.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
}
