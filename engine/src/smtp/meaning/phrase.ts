/**
 * A small notation for what servers say, so that tables of phrases can be read aloud.
 *
 * Each line of an `any` template is one phrase; any of them fits.
 *   (a|b) (c )?   choice, option           …           up to four words in between, within a sentence
 *   {user}        a set, see synonyms.ts      user unkn   a phrase may end inside a word
 *   \S*spf        inside a word
 * Everything is bounded, so matching is linear in the length of the text.
 */

import { requiredWords } from "./required-words.ts";
import { NOUNS } from "./synonyms.ts";

export type Phrase = {
  expression: RegExp;
  /** Beginnings of words, one of which must be in the text; absent when the phrase has to be tried always. */
  openings?: readonly string[];
};

export type Phrases = {
  each: readonly Phrase[];
  /** All of them in one, for when it is only asked whether any fits. */
  whole: RegExp;
};

const GAP = String.raw`(?:[^\s.]\S* ){0,4}?`;

/** Builds expressions out of lines of phrases, matched against cleaned words. */
export function any(template: TemplateStringsArray): Phrases {
  const sources = String.raw(template)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(phraseSource);
  return { each: sources.map(phraseOf), whole: new RegExp(sources.join("|")) };
}

/** One expression that no notation makes shorter. */
export function exactly(expression: RegExp): Phrases {
  return { each: [phraseOf(expression.source)], whole: expression };
}

function phraseOf(source: string): Phrase {
  const openings = requiredWords(source);
  // Where a phrase may begin inside a word, the rest of that word need not be looked for.
  const expression = new RegExp(source.replace(/^\\S\*/, ""));
  return openings === undefined ? { expression } : { expression, openings };
}

function phraseSource(phrase: string): string {
  const source = phrase
    .replace(/\{([a-z]+)\}/g, (whole, name: string) => NOUNS[name] ?? whole)
    .replace(/… \??/g, GAP)
    .replace(/\((?!\?)/g, "(?:");
  // A phrase begins where a word begins; Chinese and the like have no such place.
  return /^[\w({]/.test(phrase) ? `(?<![a-z0-9])${source}` : source;
}
