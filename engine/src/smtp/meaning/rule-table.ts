/**
 * A table of rules made ready for use: for each reply only the phrases that can be in it are tried.
 *
 * Rows are looked at in order and the first that fits decides. What a row may ask for is in rule.ts.
 */

import type { ReplyStage } from "./category.ts";
import type { Phrase, Phrases } from "./phrase.ts";
import { indexPhrases, type PhraseIndex } from "./phrase-index.ts";
import type { ReplyText } from "./reply-text.ts";
import type { Rule } from "./rule.ts";
import { anotherSubject, SUBJECT_OF, sentenceUpTo } from "./sentence-subject.ts";

/** What rules look at besides the words. */
export type Circumstances = {
  stage: ReplyStage;
  code: number;
  /** First digit of the code, or of the enhanced code where there is no other. */
  severity: number;
  enhanced: string;
  /** Host names of the mail server in lower case, by DNS and by its own word; empty when unknown. */
  hosts: readonly string[];
};

/** A wording, and which phrases of the table are worth trying on it. */
export type Occasion = { wording: ReplyText; words: Uint8Array; tokens: Uint8Array };

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

  /** Some of the table's rules, in an order of their own. */
  rowsOf(rules: readonly Rule[]): readonly Row[] {
    return rules.flatMap((rule) => this.#rows.get(rule) ?? []);
  }

  occasionOf(wording: ReplyText): Occasion {
    return {
      wording,
      words: this.#findWords(wording.clean),
      tokens: this.#findTokens(wording.asWritten),
    };
  }
}

/** The first rule that fits, looking at these words instead of the whole wording's. */
export function firstFit(
  rows: readonly Row[],
  { wording, words, tokens }: Occasion,
  clean: string,
  circumstances: Circumstances,
): Rule | undefined {
  for (const { rule, wordsFrom, tokensFrom } of rows) {
    if (rule.words && !isAnyIn(rule.words, words, wordsFrom, clean, isAboutThem(rule))) continue;
    if (rule.token && !isAnyIn(rule.token, tokens, tokensFrom, wording.asWritten)) continue;
    if (suits(rule, circumstances) && !rule.unless?.whole.test(clean)) return rule;
  }
  return undefined;
}

/** Whether a phrase is in the text; with `aboutThem`, in a sentence that names none of us before it. */
function isAnyIn(
  { each }: Phrases,
  marks: Uint8Array,
  from: number,
  text: string,
  aboutThem = false,
): boolean {
  for (let at = 0; at < each.length; at++) {
    if (marks[from + at] !== 1) continue;
    const found = each[at]?.expression.exec(text);
    if (!found) continue;
    if (!aboutThem || !anotherSubject(sentenceUpTo(text, found.index + found[0].length))) return true;
  }
  return false;
}

/** The rule speaks of the recipient or of its domain, and says nothing good of it. */
function isAboutThem({ category, subject = SUBJECT_OF[category] }: Rule): boolean {
  return subject === "recipient" || subject === "their_domain";
}

function suits(rule: Rule, { stage, code, severity, enhanced, hosts }: Circumstances): boolean {
  if (rule.stages && !rule.stages.includes(stage)) return false;
  if (stage !== "rcpt" && rule.category.startsWith("mailbox_")) return false;
  if (rule.severity && severity !== rule.severity) return false;
  if (rule.codes && !rule.codes.includes(code)) return false;
  if (rule.enhanced && !rule.enhanced.test(enhanced)) return false;
  return !rule.mx || hosts.some((host) => rule.mx!.test(host));
}
