/** Reads outcomes from a file: CSV or similar text, gzipped or not, with the columns of any mail service. */
import { emailIn, ListFileError, openListFile } from "@mailvet/engine/list-file";
import { fileRefusal } from "../base/file-refusal.ts";
import { Refusal, wrongValue } from "../base/refusal.ts";
import { findOutcomeColumns, type OutcomeColumns, readMoment } from "./outcome-columns.ts";
import { readOutcomeWord, type WordMeaning } from "./outcome-vocabulary.ts";

/** One row. */
export type OutcomeRow = {
  email: string;
  /** Undefined when the word is unknown. */
  meaning: WordMeaning | undefined;
  word: string;
  /** Undefined when the file has no time. */
  occurredAtMs: number | undefined;
};

export type OutcomeFileLimits = { maxRows: number; maxTextBytes: number };

/** The rows in order, in batches. Refuses files without emails or outcomes. */
export async function* readOutcomeFile(
  bytes: AsyncIterable<Uint8Array>,
  limits: OutcomeFileLimits,
): AsyncGenerator<OutcomeRow[]> {
  try {
    const list = await openListFile(bytes, limits);
    let columns: OutcomeColumns | undefined;
    let hasOutcome = false;
    for await (const rows of list.batches) {
      columns ??= findOutcomeColumns(list.columns, rows);
      const { email, outcome } = columns;
      if (email === undefined) throw new Refusal("no_emails_found", "The file contains no email addresses.");
      if (outcome === undefined) throw wrongValue("/file", NO_OUTCOME_COLUMN);
      const batch = rows.map((cells) => outcomeIn(cells, columns!, email, outcome));
      hasOutcome ||= batch.some(({ meaning }) => meaning !== undefined);
      yield batch;
    }
    if (!hasOutcome) throw wrongValue("/file", NO_OUTCOMES);
  } catch (error) {
    throw error instanceof ListFileError ? fileRefusal(error, "/file") : error;
  }
}

const NO_OUTCOMES = "No row of the file has an outcome such as delivered, bounced or complained.";
const NO_OUTCOME_COLUMN =
  "The file has no outcome column. One column must contain values such as delivered, bounced or complained.";
const MAX_WORD_SHOWN = 60;

function outcomeIn(
  cells: readonly string[],
  columns: OutcomeColumns,
  email: number,
  outcome: number,
): OutcomeRow {
  const word = cells[outcome]?.trim() ?? "";
  return {
    email: emailIn(cells[email]),
    meaning: inDetail(readOutcomeWord(word), cells, columns),
    word: word.length > MAX_WORD_SHOWN ? `${word.slice(0, MAX_WORD_SHOWN)}…` : word,
    occurredAtMs: columns.moment === undefined ? undefined : readMoment(cells[columns.moment]),
  };
}

/** A bounce that a detail column calls soft is a soft bounce. */
function inDetail(
  meaning: WordMeaning | undefined,
  cells: readonly string[],
  { details }: OutcomeColumns,
): WordMeaning | undefined {
  const isSoft =
    meaning === "bounced" && details.some((column) => readOutcomeWord(cells[column]) === "soft_bounce");
  return isSoft ? "soft_bounce" : meaning;
}
