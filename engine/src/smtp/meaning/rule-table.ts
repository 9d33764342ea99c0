/**
 * A table of rules made ready for use: for each reply only the phrases that can be in it are tried.
 *
 * Rows are looked at in order and the first that fits decides. What a row may ask for is in rule.ts.
 */

import type { ReplyCategory, ReplyStage } from "./category.ts";
import type { Phrase, Phrases } from "./phrase.ts";
import { indexPhrases, type PhraseIndex } from "./phrase-index.ts";
import type { ReplyText } from "./reply-text.ts";
import type { Rule } from "./rule.ts";
import {
  anotherSubject,
  endsInSomethingElse,
  isAboutSomethingElse,
  namesRecipientOrNothing,
  SUBJECT_OF,
  SUBJECT_PHRASES,
  sentenceUpTo,
} from "./sentence-subject.ts";

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

/** A wording, and which phrases of the table and of sentence-subject.ts are worth trying on it. */
export type Occasion = { wording: ReplyText; words: Uint8Array; tokens: Uint8Array; subjects: Uint8Array };

type Row = { rule: Rule; wordsFrom: number; tokensFrom: number };

export class RuleTable {
  readonly #rows = new Map<Rule, Row>();
  readonly #findWords: PhraseIndex;
  readonly #findTokens: PhraseIndex;
  readonly #subjectsFrom: number;

  constructor(rules: readonly Rule[]) {
    const words: Phrase[] = [];
    const tokens: Phrase[] = [];
    for (const rule of rules) {
      this.#rows.set(rule, { rule, wordsFrom: words.length, tokensFrom: tokens.length });
      words.push(...(rule.words?.each ?? []));
      tokens.push(...(rule.token?.each ?? []));
    }
    this.#subjectsFrom = words.length;
    this.#findWords = indexPhrases([...words, ...SUBJECT_PHRASES]);
    this.#findTokens = indexPhrases(tokens);
  }

  /** Some of the table's rules, in an order of their own. */
  rowsOf(rules: readonly Rule[]): readonly Row[] {
    return rules.flatMap((rule) => this.#rows.get(rule) ?? []);
  }

  occasionOf(wording: ReplyText): Occasion {
    const words = this.#findWords(wording.clean);
    return {
      wording,
      words,
      tokens: this.#findTokens(wording.asWritten),
      subjects: words.subarray(this.#subjectsFrom),
    };
  }
}

/** The first rule that fits, looking at these words instead of the whole wording's. */
export function firstFit(
  rows: readonly Row[],
  { wording, words, tokens, subjects }: Occasion,
  clean: string,
  circumstances: Circumstances,
): Rule | undefined {
  const { severity } = circumstances;
  for (const { rule, wordsFrom, tokensFrom } of rows) {
    if (rule.words && !isAnyIn(rule.words, words, wordsFrom, clean, rule, subjects, severity)) continue;
    if (rule.token && !isAnyIn(rule.token, tokens, tokensFrom, wording.asWritten, undefined, subjects, 0))
      continue;
    if (suits(rule, circumstances) && !rule.unless?.whole.test(clean)) return rule;
  }
  return undefined;
}

/** Whether a phrase is in the text; where a rule is given, in a sentence that is about what the rule is about. */
function isAnyIn(
  { each }: Phrases,
  marks: Uint8Array,
  from: number,
  text: string,
  rule: Rule | undefined,
  subjects: Uint8Array,
  severity: number,
): boolean {
  for (let at = 0; at < each.length; at++) {
    if (marks[from + at] !== 1) continue;
    const found = each[at]?.expression.exec(text);
    if (found && !(rule && isMisplaced(rule, found, subjects, severity))) return true;
  }
  return false;
}

/** Permanent replies of these categories are held against the mailbox, so that their sentence must be about it. */
const NEEDS_PROOF: ReadonlySet<ReplyCategory> = new Set([
  "mailbox_not_found",
  "mailbox_disabled",
  "domain_not_accepted",
]);

/** The rule speaks of the recipient or of its domain, and the sentence around its words of something else. */
function isMisplaced(rule: Rule, found: RegExpExecArray, subjects: Uint8Array, severity: number): boolean {
  const { category, subject = SUBJECT_OF[category] } = rule;
  if (subject !== "recipient" && subject !== "their_domain") return false;
  // The sign that ends a sentence is no part of it.
  const end = found.index + found[0].replace(/ \.?$/, "").length;
  const place = { text: found.input, start: found.index, end, marks: subjects };
  if (anotherSubject(sentenceUpTo(place.text, place.end), subjects)) return true;
  if (severity !== 5 || !NEEDS_PROOF.has(category)) return false;
  if (subject === "recipient" && !namesRecipientOrNothing(place)) return true;
  return isAboutSomethingElse(place) || endsInSomethingElse(place, rule.mayEndInUs === true);
}

function suits(rule: Rule, { stage, code, severity, enhanced, hosts }: Circumstances): boolean {
  if (rule.stages && !rule.stages.includes(stage)) return false;
  if (stage !== "rcpt" && rule.category.startsWith("mailbox_")) return false;
  if (rule.severity && severity !== rule.severity) return false;
  if (rule.codes && !rule.codes.includes(code)) return false;
  if (rule.enhanced && !rule.enhanced.test(enhanced)) return false;
  return !rule.mx || hosts.some((host) => rule.mx!.test(host));
}
