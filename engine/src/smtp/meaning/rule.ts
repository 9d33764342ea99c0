/**
 * One row of a rule table: if these words (or this token) occur, the reply means this.
 *
 * Rows are tried in order and the first match decides, so row order is the policy. `why` completes the sentence
 * "Classified so because ..." for people.
 */

import type { MailboxFact, ReplyCategory, ReplyStage } from "./category.ts";
import { exactly, type Phrases } from "./phrase.ts";
import type { Subject } from "./sentence-subject.ts";

export type Rule = {
  /** Stable name, stored in evidence. */
  id: string;
  category: ReplyCategory;
  /** Matched against the normalised text (see reply-text.ts), lower case and without accents or echoes. */
  words?: Phrases;
  /** Matched against the original reply in lower case: tokens, links, bracketed codes. */
  token?: Phrases;
  /** Excludes a match if these words occur. */
  unless?: Phrases;
  /** Matched against the host name of the mail server, when it is known. */
  mx?: RegExp;
  /** Matched against the enhanced code. */
  enhanced?: RegExp;
  /** First digit of the code: 4 for temporary, 5 for permanent. */
  severity?: 4 | 5;
  codes?: readonly number[];
  stages?: readonly ReplyStage[];
  /** What the rule is about, if it differs from its category. */
  subject?: Subject;
  /** What is ours may be named beside its words: relaying denied "for you" is still a domain that is not served. */
  mayNameClient?: true;
  /** Its words are a whole clause: they name their subject in full, and nothing stands beside them. */
  isWholeClause?: true;
  /** "Domain not found" may be our sender's: the text or the code must say that the recipient's is meant. */
  mustNameDestination?: true;
  /** If the mailbox fact differs from the category's. */
  mailbox?: MailboxFact;
  why: string;
};

/** Conditions and exceptions that a row may add. */
type Extra = Omit<Partial<Rule>, "id" | "category" | "words" | "why">;

/** A table of rows with the same category: id, words, why, and extra conditions. */
export function phrases(
  category: ReplyCategory,
  rows: readonly (readonly [id: string, words: Phrases, why: string, extra?: Extra])[],
): Rule[] {
  return rows.map(([id, words, why, extra]) => ({ id, category, words, why, ...extra }));
}

/** The same for rows that match the original reply. */
export function tokens(
  category: ReplyCategory,
  rows: readonly (readonly [id: string, token: RegExp, why: string, extra?: Extra])[],
): Rule[] {
  return rows.map(([id, token, why, extra]) => ({ id, category, token: exactly(token), why, ...extra }));
}
