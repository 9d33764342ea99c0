/**
 * A small notation for reply phrases, so that the tables stay readable.
 *
 * Each line of an `any` template is one phrase; any of them matches.
 *   (a|b) (c )?   choice, option           …           up to four words in between, within a sentence
 *   {user}        a set, see phrase-synonyms.ts   user unkn   a phrase may end inside a word
 *   \S*spf        inside a word
 * Everything is bounded, so matching is linear in the length of the text.
 */

import { DERIVED_WORDS } from "./derived-words.ts";
import { NOUNS } from "./phrase-synonyms.ts";
import { requiredWords } from "./required-words.ts";

export type Phrase = {
  expression: RegExp;
  /** Word prefixes, one of which must occur in the text; absent when the phrase must always be tried. */
  prefixes?: readonly string[];
};

/** Compiled on first use: compiling all tables takes a tenth of a second, and many checks end before SMTP. */
export type Phrases = {
  readonly each: readonly Phrase[];
  /** All of them in one expression, to test whether any matches. */
  readonly whole: RegExp;
};

const GAP = String.raw`(?:[^\s.]\S* ){0,4}?`;

/** Compiles lines of phrases, matched against normalised text. */
export function any(template: TemplateStringsArray): Phrases {
  return new PhrasesOf(
    () =>
      String.raw(template)
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== ""),
    phraseSource,
  );
}

/** A single regular expression. */
export function exactly(expression: RegExp): Phrases {
  return new PhrasesOf(
    () => [expression.source],
    (source) => source,
  );
}

class PhrasesOf implements Phrases {
  readonly #lines: () => readonly string[];
  readonly #sourceOf: (line: string) => string;
  #each: readonly Phrase[] | undefined;
  #whole: RegExp | undefined;

  constructor(lines: () => readonly string[], sourceOf: (line: string) => string) {
    this.#lines = lines;
    this.#sourceOf = sourceOf;
  }

  get each(): readonly Phrase[] {
    this.#each ??= this.#lines().map((line) => phraseOf(line, this.#sourceOf(line)));
    return this.#each;
  }

  get whole(): RegExp {
    this.#whole ??= new RegExp(this.#lines().map(this.#sourceOf).join("|"));
    return this.#whole;
  }
}

function phraseOf(line: string, source: string): Phrase {
  let prefixes = DERIVED_WORDS.get(line);
  if (prefixes === undefined) {
    prefixes = requiredWords(source) ?? null;
    DERIVED_WORDS.set(line, prefixes);
  }
  // Where a phrase may begin inside a word, the beginning of that word need not be matched.
  const expression = new RegExp(source.replace(/^\\S\*/, ""));
  return prefixes === null ? { expression } : { expression, prefixes };
}

function phraseSource(phrase: string): string {
  const source = phrase
    .replace(/\{([a-z]+)\}/g, (whole, name: string) => NOUNS[name] ?? whole)
    .replace(/… \??/g, GAP)
    .replace(/\((?!\?)/g, "(?:");
  // A phrase begins at a word boundary; Chinese and similar scripts have none.
  return /^[\w({]/.test(phrase) ? `(?<![a-z0-9])${source}` : source;
}
