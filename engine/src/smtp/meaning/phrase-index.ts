/**
 * Finds out quickly which phrases of a table can be in a text at all: one walk over the text's words,
 * letter by letter down a tree of the openings that phrases ask for.
 */

import type { Phrase } from "./phrase.ts";

/** Marks, by place in the list, the phrases worth trying on a text. */
export type PhraseIndex = (text: string) => Uint8Array;

export function indexPhrases(phrases: readonly Phrase[]): PhraseIndex {
  const always = new Uint8Array(phrases.length);
  const foreign: number[] = [];
  const tree = new OpeningTree();
  phrases.forEach(({ expression, openings }, at) => {
    if (openings) for (const opening of openings) tree.add(opening, at);
    else if (isForeign(expression.source)) foreign.push(at);
    else always[at] = 1;
  });
  const walk = tree.walker();

  return (text) => {
    const marks = always.slice();
    const hasForeign = walk(text, marks);
    if (hasForeign) for (const at of foreign) marks[at] = 1;
    return marks;
  };
}

/** Letters, digits and the "@" of "@ip": what openings are written in. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789@";
const SIZE = ALPHABET.length;
const PLACE_IN_ALPHABET = new Int8Array(128).fill(-1);
for (let at = 0; at < SIZE; at++) PLACE_IN_ALPHABET[ALPHABET.charCodeAt(at)] = at;
const AT = "@".charCodeAt(0);
const FIRST_FOREIGN = 0x370;

/** Node n's children are at next[n * SIZE ...]; node 0 is the root, and 0 as a child means that there is none. */
class OpeningTree {
  readonly #next: number[] = new Array(SIZE).fill(0);
  readonly #phrases: number[][] = [[]];

  add(opening: string, phrase: number): void {
    let node = 0;
    for (const letter of opening) {
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

  /** Marks the phrases whose openings begin a word of the text; true when there are letters beyond Latin. */
  walker(): (text: string, marks: Uint8Array) => boolean {
    const next = Uint16Array.from(this.#next);
    const phrases = this.#phrases;
    return (text, marks) => {
      let hasForeign = false;
      let node = 0;
      let isLost = false;
      for (let at = 0; at < text.length; at++) {
        const letter = text.charCodeAt(at);
        const place = letter < 128 ? (PLACE_IN_ALPHABET[letter] ?? -1) : -1;
        if (place === -1 || letter === AT) {
          hasForeign ||= letter >= FIRST_FOREIGN;
          node = 0;
          isLost = false;
          if (place === -1) continue;
        }
        if (isLost) continue;
        node = next[node * SIZE + place] ?? 0;
        isLost = node === 0;
        for (const phrase of phrases[node] ?? []) marks[phrase] = 1;
      }
      return hasForeign;
    };
  }
}

/** Written in letters beyond Latin; such phrases are tried on such texts only. */
function isForeign(text: string): boolean {
  return /[\u0370-\uffff]/.test(text);
}
