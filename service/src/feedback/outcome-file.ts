/** Outcomes in a customer's file: CSV or similar text, gzipped or not, with whatever columns their mail service writes. */
import { emailIn, ListFileError, openListFile } from "@mailvet/engine/list-file";
import { fileRefusal } from "../file-refusal.ts";
import { Refusal, wrongValue } from "../refusal.ts";
import { findOutcomeColumns, type OutcomeColumns, readMoment } from "./outcome-columns.ts";
import { readOutcomeWord, type WordMeaning } from "./outcome-vocabulary.ts";

/** A row as it was understood. */
export type OutcomeRow = {
  email: string;
  /** Undefined when the word is not understood. */
  meaning: WordMeaning | undefined;
  word: string;
  /** Undefined when the file does not say. */
  occurredAtMs: number | undefined;
};

export type OutcomeFileLimits = { maxRows: number; maxTextBytes: number };

/** Its rows in order, many at a time. Refuses what cannot be a list of outcomes. */
export async function* readOutcomeFile(
  bytes: AsyncIterable<Uint8Array>,
  limits: OutcomeFileLimits,
): AsyncGenerator<OutcomeRow[]> {
  try {
    const list = await openListFile(bytes, limits);
    let columns: OutcomeColumns | undefined;
    for await (const rows of list.batches) {
      columns ??= findOutcomeColumns(list.columns, rows);
      const { email, outcome } = columns;
      if (email === undefined)
        throw new Refusal("no_emails_found", "No cell of the file looks like an email.");
      if (outcome === undefined) throw wrongValue("/file", NO_OUTCOMES);
      yield rows.map((cells) => outcomeIn(cells, columns!, email, outcome));
    }
  } catch (error) {
    throw error instanceof ListFileError ? fileRefusal(error) : error;
  }
}

const NO_OUTCOMES =
  "No column says what became of the messages: one must hold words such as delivered, bounced or complained.";
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

/** A bounce that another column calls soft is none. */
function inDetail(
  meaning: WordMeaning | undefined,
  cells: readonly string[],
  { details }: OutcomeColumns,
): WordMeaning | undefined {
  const isSoft =
    meaning === "bounced" && details.some((column) => readOutcomeWord(cells[column]) === "soft_bounce");
  return isSoft ? "soft_bounce" : meaning;
}
