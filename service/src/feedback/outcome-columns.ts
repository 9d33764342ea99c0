/** Finds the columns of a file with the recipient, the outcome and the time, by the cells of its first rows. */
import { createEmailColumnFinder, emailIn, ownColumns } from "@mailvet/engine/list-file";
import { readOutcomeWord } from "./outcome-vocabulary.ts";

export type OutcomeColumns = {
  email: number | undefined;
  outcome: number | undefined;
  /** Columns with details, such as whether a bounce was hard or soft. */
  details: number[];
  moment: number | undefined;
};

type Rows = readonly string[][];

/** A column of other text may contain a known word by chance. */
const MIN_SHARE = 0.5;
const MIN_SHARE_OF_DETAILS = 0.8;
const OUTCOME_NAME = /^(?:email[-_ ]?)?(?:outcome|event|status|result|state)(?:[-_ ]?(?:type|name))?$/i;
/** Exports also have the sender, and the message id, which looks like an email. */
const NOT_RECIPIENT = /from|sender|source|return[-_ ]?path|reply|message[-_ ]?id|smtp[-_ ]?id/i;
/** Names of time columns, most specific first. */
const TIME_NAMES = [
  /event|occurred|timestamp|processed|bounce|deliver|received|complain/i,
  /date|time|when|created|sent|[-_ ]at$|^ts$/i,
  /[a-z]At$/,
];

/** Every cell is examined several times, in one go. */
const MAX_CELLS_EXAMINED = 20_000;

export function findOutcomeColumns(columns: readonly string[], allRows: Rows): OutcomeColumns {
  const rows = allRows.slice(0, Math.ceil(MAX_CELLS_EXAMINED / columns.length));
  const email = findEmails(columns, rows);
  // Not our verdicts: "send" of a recommendation is no delivery.
  const others = ownColumns({ header: columns, columns }, []).filter((column) => column !== email);
  const words = others.map((column) => ({ column, ...sharesOf(rows, column, readOutcomeWord) }));
  const outcome = words
    .filter(
      ({ column, understood, share }) =>
        isOutcomeName(columns[column]) || (understood > 0 && share >= MIN_SHARE),
    )
    .sort(
      (a, b) => b.understood * b.share - a.understood * a.share || named(columns, b) - named(columns, a),
    )[0];
  const details = words.filter(
    ({ column, understood, share }) =>
      column !== outcome?.column && understood > 0 && share >= MIN_SHARE_OF_DETAILS,
  );
  return {
    email,
    outcome: outcome?.column,
    details: details.map(({ column }) => column),
    moment: findTime(columns, others, rows),
  };
}

/** The recipients: by column name, or because the sender is the same in every row. */
function findEmails(columns: readonly string[], rows: Rows): number | undefined {
  const isRecipient = columns.map(
    (name, column) => !NOT_RECIPIENT.test(name) && !isAlwaysTheSame(rows, column),
  );
  const suggestedOf = (some: Rows) => {
    const survey = createEmailColumnFinder(columns);
    survey.add(some);
    return survey.suggested;
  };
  const recipients = rows.map((row) => row.map((cell, column) => (isRecipient[column] ? cell : "")));
  return suggestedOf(recipients) ?? suggestedOf(rows);
}

function isAlwaysTheSame(rows: Rows, column: number): boolean {
  const first = emailIn(rows[0]?.[column]);
  return rows.length > 1 && rows.every((row) => emailIn(row[column]) === first);
}

/** Of several the latest: the contact was added, and the message written, before the event. */
function findTime(columns: readonly string[], others: readonly number[], rows: Rows): number | undefined {
  const times = others.flatMap((column) => {
    const rank = TIME_NAMES.findIndex((pattern) => pattern.test(columns[column]!));
    const { understood, share } = sharesOf(rows, column, rank === -1 ? readDate : readMoment);
    if (understood === 0 || share < MIN_SHARE_OF_DETAILS) return [];
    const latest = rows.reduce((sum, row) => sum + (readMoment(row[column]) ?? 0), 0) / understood;
    return [{ column, rank: rank === -1 ? TIME_NAMES.length : rank, latest }];
  });
  return times.sort((a, b) => a.rank - b.rank || b.latest - a.latest)[0]?.column;
}

function isOutcomeName(name: string | undefined): boolean {
  return OUTCOME_NAME.test(name ?? "");
}

function named(columns: readonly string[], { column }: { column: number }): number {
  return Number(isOutcomeName(columns[column]));
}

function sharesOf(rows: Rows, column: number, read: (cell: string) => unknown) {
  const cells = rows.flatMap((row) => (row[column] ?? "").trim() || []);
  const understood = cells.filter((cell) => read(cell) !== undefined).length;
  return { understood, share: understood / Math.max(1, cells.length) };
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?)?$/i;
const MAX_MOMENT_CHARS = 40;
const UNIX_SECONDS = /^1\d{9}(?:\.\d{1,6})?$/;
const UNIX_MILLISECONDS = /^1\d{12}$/;

/** Milliseconds; undefined when it is not a time. Without a zone it is UTC; a day is its end. */
export function readMoment(cell: string | undefined): number | undefined {
  const text = cell?.trim() ?? "";
  if (UNIX_SECONDS.test(text)) return Number(text) * 1000;
  if (UNIX_MILLISECONDS.test(text)) return Number(text);
  return readDate(text);
}

/** Not for numbers: without a time name they are more likely ids. */
function readDate(cell: string): number | undefined {
  if (cell.length > MAX_MOMENT_CHARS) return undefined;
  const [, day, time = "23:59:59", zone = "Z"] = ISO.exec(cell) ?? [];
  if (day === undefined) return undefined;
  const atMs = Date.parse(`${day}T${time}${/^(?:z|utc)$/i.test(zone) ? "Z" : zone}`);
  return Number.isNaN(atMs) ? undefined : atMs;
}
