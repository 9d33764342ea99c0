/**
 * Finds the column that holds the emails, from the cells of all rows.
 *
 * The share of emails among a column's cells counts as much as their number: a notes column has a few, an almost
 * empty one may have nothing else. Between columns that score about equally the header names decide.
 */
import { looksLikeEmail } from "./email-cell.ts";

/** `columns` may grow; new ones are counted from then on. */
export type EmailColumnFinder = {
  add(rows: readonly string[][]): void;
  /** Cells that look like an email, by column. */
  readonly emailCounts: number[];
  /** The most likely email column; undefined when no cell looks like an email. */
  readonly suggested: number | undefined;
};

/** By preference; names that match none come last. */
const NAME_PATTERNS = [
  /^(?:e[-_ ]?mail|mail)(?:[-_ ]?(?:address|adresse|addr))?$/i,
  /^(?:primary|main|work|business|contact)[-_ ]?e?-?mail/i,
  /e-?mail|courriel|correo|почта|邮箱|メール/i,
  /mail/i,
];
const TIE_SHARE = 0.8;

export function createEmailColumnFinder(columns: readonly string[]): EmailColumnFinder {
  const emailCounts = columns.map(() => 0);
  const cellCounts = columns.map(() => 0);
  return {
    emailCounts,
    add(rows) {
      while (emailCounts.length < columns.length) {
        emailCounts.push(0);
        cellCounts.push(0);
      }
      for (const row of rows) {
        const width = Math.min(row.length, columns.length);
        for (let column = 0; column < width; column++) {
          const cell = row[column]!;
          if (cell === "") continue;
          cellCounts[column]!++;
          if (looksLikeEmail(cell)) emailCounts[column]!++;
        }
      }
    },
    get suggested() {
      const scores = emailCounts.map((count, column) => (count * count) / Math.max(1, cellCounts[column]!));
      const nameRanks = columns.map(nameRank);
      const best = Math.max(...scores);
      if (!(best > 0)) return undefined;
      const close = [...columns.keys()].filter((column) => scores[column]! >= TIE_SHARE * best);
      return close.reduce((a, b) => (compare(b, a) < 0 ? b : a));

      function compare(a: number, b: number): number {
        return nameRanks[a]! - nameRanks[b]! || scores[b]! - scores[a]!;
      }
    },
  };
}

function nameRank(name: string): number {
  const rank = NAME_PATTERNS.findIndex((pattern) => pattern.test(name));
  return rank === -1 ? NAME_PATTERNS.length : rank;
}
