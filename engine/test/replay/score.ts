/**
 * Compares verdicts with labels.
 *
 * A verdict is acceptable if it says what the label says, or `unknown` for a doubtful row: one that two careful readers
 * may label differently. Nothing else is: `unknown` for a plain dead mailbox is a miss.
 */
import type { Truth } from "../corpus/corpus.ts";
import type { Replayed, ReplayRow } from "./replay.ts";

export type LabelledRow = ReplayRow & { truth: Truth; doubtful?: boolean };

export type Score = {
  rows: number;
  /** Verdicts by truth. */
  matrix: Record<Truth, Record<Truth, number>>;
  /** One line for every verdict that is not acceptable. */
  wrong: string[];
};

export function emptyScore(): Score {
  const none = () => ({ live: 0, dead: 0, unknown: 0 });
  return { rows: 0, matrix: { live: none(), dead: none(), unknown: none() }, wrong: [] };
}

export function scoreRow(score: Score, row: LabelledRow, replayed: Replayed): void {
  const { truth, doubtful = false, stage = "rcpt", reply } = row;
  const said = saidOf(replayed);
  score.rows++;
  score.matrix[truth][said]++;
  if (said === truth || (doubtful && said === "unknown")) return;
  score.wrong.push(`${truth}, called ${said} by ${replayed.rule}: ${stage} ${reply}`);
}

function saidOf({ status }: Replayed): Truth {
  if (status === "invalid") return "dead";
  return status === "unknown" ? "unknown" : "live";
}
