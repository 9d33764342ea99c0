/** Which column of a list holds the emails: the one that was named, or the one whose cells look like it. */
import { basename } from "node:path";
import { printable } from "../output/terminal.ts";
import { badUsage } from "../remote/service.ts";

export type ColumnChoice = {
  list: string;
  columns: readonly string[];
  /** Cells that look like an email, by column. */
  emailCounts: readonly number[];
  suggested: number | undefined;
};

const MOST_NAMED = 20;

/** The number of the column, the first being 0. */
export function chooseColumn({ list, ...found }: ColumnChoice, wanted: string | undefined): number {
  const { columns, emailCounts, suggested } = found;
  const name = list === "-" ? "standard input" : basename(list);
  if (wanted === undefined) {
    if (suggested !== undefined) return suggested;
    throw badUsage(`no cell of ${printable(name)} looks like an email; its columns: ${namesOf(columns)}`);
  }
  const column = indexOfColumn(columns, wanted);
  if (column === undefined)
    throw badUsage(
      `${printable(name)} has no column "${printable(wanted)}"; its columns: ${namesOf(columns)}`,
    );
  if (emailCounts[column]! > 0) return column;
  const hint = suggested === undefined ? "" : `; those of "${printable(columns[suggested]!)}" do`;
  throw badUsage(`no cell of the column "${printable(columns[column]!)}" looks like an email${hint}`);
}

/** As it is written; failing that, whatever the case and the blanks around it, when only one is meant. */
function indexOfColumn(columns: readonly string[], wanted: string): number | undefined {
  const exact = columns.indexOf(wanted);
  if (exact >= 0) return exact;
  const plain = (text: string) => text.trim().toLowerCase();
  const alike = [...columns.keys()].filter((index) => plain(columns[index]!) === plain(wanted));
  return alike.length === 1 ? alike[0] : undefined;
}

function namesOf(columns: readonly string[]): string {
  const named = columns.slice(0, MOST_NAMED).map((column) => `"${printable(column)}"`);
  const more = columns.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
}
