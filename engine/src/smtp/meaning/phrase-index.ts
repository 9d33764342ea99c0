/**
 * Selects the phrases of a table that can match a text: one pass over its words, down a trie of the prefixes that
 * phrases require.
 */

import type { Phrase } from "./phrase.ts";

/** Marks, by index, the phrases worth trying on a text. */
export type PhraseIndex = (text: string) => Uint8Array;

export function indexPhrases(phrases: readonly Phrase[]): PhraseIndex {
  const always = new Uint8Array(phrases.length);
  const nonLatin: number[] = [];
  const trie = new PrefixTrie();
  phrases.forEach(({ expression, prefixes }, at) => {
    if (prefixes) for (const prefix of prefixes) trie.add(prefix, at);
    else if (isNonLatin(expression.source)) nonLatin.push(at);
    else always[at] = 1;
  });
  const markMatches = trie.compile();

  return (text) => {
    const marks = always.slice();
    const hasNonLatin = markMatches(text, marks);
    if (hasNonLatin) for (const at of nonLatin) marks[at] = 1;
    return marks;
  };
}

/** Letters, digits and the "@" of "@ip": the characters of prefixes. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789@";
const SIZE = ALPHABET.length;
const INDEX_IN_ALPHABET = new Int8Array(128).fill(-1);
for (let at = 0; at < SIZE; at++) INDEX_IN_ALPHABET[ALPHABET.charCodeAt(at)] = at;
const AT = "@".charCodeAt(0);
const FIRST_NON_LATIN = 0x370;

/** Children of node n are at next[n * SIZE ...]; node 0 is the root, and child 0 means none. */
class PrefixTrie {
  readonly #next: number[] = new Array(SIZE).fill(0);
  readonly #phrases: number[][] = [[]];

  add(prefix: string, phrase: number): void {
    let node = 0;
    for (const letter of prefix) {
      const child = node * SIZE + ALPHABET.indexOf(letter);
      if (!this.#next[child]) {
        this.#next[child] = this.#phrases.length;
        this.#next.push(...new Array(SIZE).fill(0));
        this.#phrases.push([]);
      }
      node = this.#next[child] ?? 0;
    }
    this.#phrases[node]?.push(phrase);
  }

  /** Marks the phrases whose prefixes begin a word of the text; returns whether there are non-Latin letters. */
  compile(): (text: string, marks: Uint8Array) => boolean {
    const next = Uint16Array.from(this.#next);
    const phrases = this.#phrases;
    return (text, marks) => {
      let hasNonLatin = false;
      let node = 0;
      let isDeadEnd = false;
      for (let at = 0; at < text.length; at++) {
        const letter = text.charCodeAt(at);
        const index = letter < 128 ? (INDEX_IN_ALPHABET[letter] ?? -1) : -1;
        if (index === -1 || letter === AT) {
          hasNonLatin ||= letter >= FIRST_NON_LATIN;
          node = 0;
          isDeadEnd = false;
          if (index === -1) continue;
        }
        if (isDeadEnd) continue;
        node = next[node * SIZE + index] ?? 0;
        isDeadEnd = node === 0;
        for (const phrase of phrases[node] ?? []) marks[phrase] = 1;
      }
      return hasNonLatin;
    };
  }
}

/** Written in non-Latin letters; such phrases are tried on such texts only. */
function isNonLatin(text: string): boolean {
  return /[\u0370-\uffff]/.test(text);
}
