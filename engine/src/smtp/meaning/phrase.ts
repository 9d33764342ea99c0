/**
 * A small notation for reply phrases, so that the tables stay readable.
 *
 * Each line of an `any` template is one phrase; any of them matches.
 *   (a|b) (c )?   choice, option           …           up to four words in between, within a sentence
 *   {user}        a set, see phrase-synonyms.ts   user unkn   a phrase may end inside a word
 *   \S*spf        inside a word
 * Everything is bounded, so matching is linear in the length of the text.
 */

import { NOUNS } from "./phrase-synonyms.ts";
import { requiredWords } from "./required-words.ts";

export type Phrase = {
  expression: RegExp;
  /** Word prefixes, one of which must occur in the text; absent when the phrase must always be tried. */
  prefixes?: readonly string[];
};

export type Phrases = {
  each: readonly Phrase[];
  /** All of them in one expression, to test whether any matches. */
  whole: RegExp;
};

const GAP = String.raw`(?:[^\s.]\S* ){0,4}?`;

/** Compiles lines of phrases, matched against normalised text. */
export function any(template: TemplateStringsArray): Phrases {
  const sources = String.raw(template)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(phraseSource);
  return { each: sources.map(phraseOf), whole: new RegExp(sources.join("|")) };
}

/** A single regular expression. */
export function exactly(expression: RegExp): Phrases {
  return { each: [phraseOf(expression.source)], whole: expression };
}

function phraseOf(source: string): Phrase {
  const prefixes = requiredWords(source);
  // Where a phrase may begin inside a word, the beginning of that word need not be matched.
  const expression = new RegExp(source.replace(/^\\S\*/, ""));
  return prefixes === undefined ? { expression } : { expression, prefixes };
}

function phraseSource(phrase: string): string {
  const source = phrase
    .replace(/\{([a-z]+)\}/g, (whole, name: string) => NOUNS[name] ?? whole)
    .replace(/… \??/g, GAP)
    .replace(/\((?!\?)/g, "(?:");
  // A phrase begins at a word boundary; Chinese and similar scripts have none.
  return /^[\w({]/.test(phrase) ? `(?<![a-z0-9])${source}` : source;
}
