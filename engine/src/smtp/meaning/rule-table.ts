/**
 * Compiles a table of rules: for each reply only the phrases that can match are tried.
 *
 * Rows are tried in order and the first match decides. Conditions of a row are described in rule.ts.
 */

import type { ReplyStage } from "./category.ts";
import type { Phrase, Phrases } from "./phrase.ts";
import { indexPhrases, type PhraseIndex } from "./phrase-index.ts";
import type { ReplyText } from "./reply-text.ts";
import type { Rule } from "./rule.ts";
import { clientSubject, SUBJECT_OF, sentenceUpTo } from "./sentence-subject.ts";

/** What rules check besides the text. */
export type ReplyFacts = {
  stage: ReplyStage;
  code: number;
  /** First digit of the code, or of the enhanced code if there is no other. */
  severity: number;
  enhanced: string;
  /** Host names of the mail server in lower case, from DNS and from its banner; empty when unknown. */
  hosts: readonly string[];
};

/** A text, and which phrases of the table may match it. */
export type IndexedText = { text: ReplyText; words: Uint8Array; tokens: Uint8Array };

type Row = { rule: Rule; wordsFrom: number; tokensFrom: number };

export class RuleTable {
  readonly #rows = new Map<Rule, Row>();
  readonly #findWords: PhraseIndex;
  readonly #findTokens: PhraseIndex;

  constructor(rules: readonly Rule[]) {
    const words: Phrase[] = [];
    const tokens: Phrase[] = [];
    for (const rule of rules) {
      this.#rows.set(rule, { rule, wordsFrom: words.length, tokensFrom: tokens.length });
      words.push(...(rule.words?.each ?? []));
      tokens.push(...(rule.token?.each ?? []));
    }
    this.#findWords = indexPhrases(words);
    this.#findTokens = indexPhrases(tokens);
  }

  /** A subset of the table's rules, in its own order. */
  rowsOf(rules: readonly Rule[]): readonly Row[] {
    return rules.flatMap((rule) => this.#rows.get(rule) ?? []);
  }

  index(text: ReplyText): IndexedText {
    return {
      text,
      words: this.#findWords(text.clean),
      tokens: this.#findTokens(text.asWritten),
    };
  }
}

/** The first rule that matches, using `clean` instead of the whole text. */
export function firstMatch(
  rows: readonly Row[],
  { text, words, tokens }: IndexedText,
  clean: string,
  facts: ReplyFacts,
): Rule | undefined {
  for (const { rule, wordsFrom, tokensFrom } of rows) {
    if (rule.words && !anyMatches(rule.words, words, wordsFrom, clean, isAboutRecipient(rule))) continue;
    if (rule.token && !anyMatches(rule.token, tokens, tokensFrom, text.asWritten)) continue;
    if (conditionsHold(rule, facts) && !rule.unless?.whole.test(clean)) return rule;
  }
  return undefined;
}

/** Whether a phrase matches; with `aboutRecipient`, only in a sentence that does not name the client before it. */
function anyMatches(
  { each }: Phrases,
  marks: Uint8Array,
  from: number,
  text: string,
  aboutRecipient = false,
): boolean {
  for (let at = 0; at < each.length; at++) {
    if (marks[from + at] !== 1) continue;
    const found = each[at]?.expression.exec(text);
    if (!found) continue;
    if (!aboutRecipient || !clientSubject(sentenceUpTo(text, found.index + found[0].length))) return true;
  }
  return false;
}

/** The rule is about the recipient or its domain. */
function isAboutRecipient({ category, subject = SUBJECT_OF[category] }: Rule): boolean {
  return subject === "recipient" || subject === "their_domain";
}

function conditionsHold(rule: Rule, { stage, code, severity, enhanced, hosts }: ReplyFacts): boolean {
  if (rule.stages && !rule.stages.includes(stage)) return false;
  if (stage !== "rcpt" && rule.category.startsWith("mailbox_")) return false;
  if (rule.severity && severity !== rule.severity) return false;
  if (rule.codes && !rule.codes.includes(code)) return false;
  if (rule.enhanced && !rule.enhanced.test(enhanced)) return false;
  return !rule.mx || hosts.some((host) => rule.mx!.test(host));
}
