/**
 * Detects the delimiter of a table.
 *
 * A first line `sep=;` declares it. Otherwise each candidate is tried on the first rows: the right one leaves whole
 * emails in cells and gives most rows the same number of cells. A file with one column has none.
 */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createCsvParser } from "./csv-parser.ts";
import { looksLikeEmail } from "./email-cell.ts";

const CANDIDATES = [",", ";", "\t", "|"];
const SAMPLE_CHARS = 64 * 1024;
const SAMPLE_ROWS = 500;

/** `declaredChars`: length of the declaring line, which is not a row. */
export type Delimiter = { delimiter: string; declaredChars: number };

// Not a character of emails, nor one that begins a formula, because output is written with the same delimiter.
const DECLARED = /^sep=([^\w"'.@=+\-＝＋－＠\r\n])(?:\r\n|\r|\n|$)/i;

export async function findDelimiter(head: string, isWhole: boolean): Promise<Delimiter> {
  const declared = DECLARED.exec(head);
  if (declared !== null) return { delimiter: declared[1]!, declaredChars: declared[0].length };
  const sample = head.slice(0, SAMPLE_CHARS);
  const isTruncated = !isWhole || sample.length < head.length;
  const trials: Trial[] = [];
  for (const delimiter of CANDIDATES) {
    trials.push(tryDelimiter(delimiter, sample, isTruncated));
    await yieldToEventLoop();
  }
  const mostEmails = Math.max(...trials.map(({ emailRows }) => emailRows));
  const { delimiter } = trials
    .filter(({ emailRows }) => emailRows >= MIN_EMAIL_SHARE * mostEmails)
    .reduce((best, trial) => (isBetter(trial, best) ? trial : best));
  return { delimiter, declaredChars: 0 };
}

type Trial = {
  delimiter: string;
  /** Rows with a cell that looks like an email. */
  emailRows: number;
  /** The most common number of columns, and its share of the rows. */
  columns: number;
  agreement: number;
};

const MIN_EMAIL_SHARE = 0.9;
// Any character that does not occur gives one column, so that counts less than agreement on two.
const ONE_COLUMN_WEIGHT = 0.5;

function isBetter(a: Trial, b: Trial): boolean {
  return a.agreement === b.agreement ? a.columns > b.columns : a.agreement > b.agreement;
}

function tryDelimiter(delimiter: string, sample: string, isTruncated: boolean): Trial {
  const rows = rowsOf(sample, isTruncated, delimiter);
  const emailRows = rows.filter((row) => row.some(looksLikeEmail)).length;
  const { columns, count } = mostCommonWidth(rows);
  const share = count / rows.length;
  if (columns === 1) return { delimiter, emailRows, columns, agreement: share * ONE_COLUMN_WEIGHT };
  // Under a header without a comma, the one comma in each row is that of `Doe, Ann <ann@example.com>`.
  const isInNames = delimiter === "," && columns === 2 && rows[0]!.length === 1;
  return { delimiter, emailRows, columns, agreement: isInNames ? 0 : share };
}

function rowsOf(sample: string, isTruncated: boolean, delimiter: string): string[][] {
  const parser = createCsvParser({ delimiter, maxColumns: Infinity, maxCellChars: SAMPLE_CHARS });
  const rows = parser.push(sample);
  return (isTruncated && rows.length > 0 ? rows : [...rows, ...parser.end()]).slice(0, SAMPLE_ROWS);
}

function mostCommonWidth(rows: readonly string[][]): { columns: number; count: number } {
  const counts = new Map<number, number>();
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
  let best = { columns: 1, count: 0 };
  for (const [columns, count] of counts) if (count > best.count) best = { columns, count };
  return best;
}
