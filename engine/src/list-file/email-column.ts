/**
 * Which column holds the emails, judged by the cells of all rows.
 *
 * The share of emails among a column's cells counts as much as their number: a column of remarks has a few, an
 * almost empty one may have nothing else. Only between columns that do about equally well do the names decide.
 */
import { looksLikeEmail } from "./email-cell.ts";

export type EmailColumnFinder = {
  add(rows: readonly string[][]): void;
  /** Cells that look like an email, by column. */
  readonly emailCounts: number[];
  /** The column that most likely holds the emails; undefined when no cell looks like one. */
  readonly suggested: number | undefined;
};

/** The first that fits; what fits none comes last. */
const TELLING_NAMES = [
  /^(?:e[-_ ]?mail|mail)(?:[-_ ]?(?:address|adresse|addr))?$/i,
  /^(?:primary|main|work|business|contact)[-_ ]?e?-?mail/i,
  /e-?mail|courriel|correo|почта|邮箱|メール/i,
  /mail/i,
];
const ABOUT_EQUAL = 0.8;

export function createEmailColumnFinder(columns: readonly string[]): EmailColumnFinder {
  const emailCounts = columns.map(() => 0);
  const cellCounts = columns.map(() => 0);
  return {
    emailCounts,
    add(rows) {
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
      const best = Math.max(...scores);
      if (!(best > 0)) return undefined;
      const close = [...columns.keys()].filter((column) => scores[column]! >= ABOUT_EQUAL * best);
      return close.reduce((a, b) => (compare(b, a) < 0 ? b : a));

      function compare(a: number, b: number): number {
        return nameRank(columns[a]!) - nameRank(columns[b]!) || scores[b]! - scores[a]!;
      }
    },
  };
}

function nameRank(name: string): number {
  const rank = TELLING_NAMES.findIndex((pattern) => pattern.test(name));
  return rank === -1 ? TELLING_NAMES.length : rank;
}
