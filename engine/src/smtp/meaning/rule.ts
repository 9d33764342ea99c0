/**
 * One row of judgement: when these words (or this token) are there, the reply means that.
 *
 * Rows are tried in order and the first that fits decides, so the order of a table is its policy.
 * `why` completes the sentence "We read it so because ..." for people.
 */

import type { MailboxFact, ReplyCategory, ReplyStage } from "./category.ts";
import { exactly, type Phrases } from "./phrase.ts";
import type { Subject } from "./sentence-subject.ts";

export type Rule = {
  /** Stable name, kept in stored evidence. */
  id: string;
  category: ReplyCategory;
  /** Matched against the cleaned words (see reply-text.ts), lower case and without accents or echoes. */
  words?: Phrases;
  /** Matched against the reply as the server wrote it, in lower case: tokens, links, bracketed codes. */
  token?: Phrases;
  /** A fit that these cleaned words forbid. */
  unless?: Phrases;
  /** Matched against the host name of the mail server, when it is known. */
  mx?: RegExp;
  /** Matched against the enhanced code. */
  enhanced?: RegExp;
  /** First digit of the code: 4 for "later", 5 for "no". */
  severity?: 4 | 5;
  codes?: readonly number[];
  stages?: readonly ReplyStage[];
  /** Whom the rule is about, when it is not whom its category is about. */
  subject?: Subject;
  /** What follows its words in the sentence may name us: a relay refused "for you" is a domain that is not served. */
  mayEndInUs?: true;
  /** When the mailbox fact differs from what the category says. */
  mailbox?: MailboxFact;
  why: string;
};

/** The conditions and exceptions a row may add to its words. */
type Extra = Omit<Partial<Rule>, "id" | "category" | "words" | "why">;

/** A table of rows that share a category: name, words, why, and whatever else the row needs. */
export function phrases(
  category: ReplyCategory,
  rows: readonly (readonly [id: string, words: Phrases, why: string, extra?: Extra])[],
): Rule[] {
  return rows.map(([id, words, why, extra]) => ({ id, category, words, why, ...extra }));
}

/** The same for rows that look at the reply as written. */
export function tokens(
  category: ReplyCategory,
  rows: readonly (readonly [id: string, token: RegExp, why: string, extra?: Extra])[],
): Rule[] {
  return rows.map(([id, token, why, extra]) => ({ id, category, token: exactly(token), why, ...extra }));
}
