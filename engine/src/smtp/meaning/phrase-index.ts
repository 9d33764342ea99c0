/**
 * Finds out quickly which phrases of a table can be in a text at all: one walk over the text's words,
 * letter by letter down a tree of the openings that phrases ask for.
 */

import type { Phrase } from "./phrase.ts";

/** Marks, by place in the list, the phrases worth trying on a text. */
export type PhraseIndex = (text: string) => Uint8Array;

type Branch = { next: Map<number, Branch>; phrases: number[] };

export function indexPhrases(phrases: readonly Phrase[]): PhraseIndex {
  const root: Branch = { next: new Map(), phrases: [] };
  const always = new Uint8Array(phrases.length);
  const foreign: number[] = [];
  phrases.forEach(({ expression, openings }, at) => {
    if (openings) for (const opening of openings) grow(root, opening).phrases.push(at);
    else if (isForeign(expression.source)) foreign.push(at);
    else always[at] = 1;
  });

  return (text) => {
    const marks = always.slice();
    if (isForeign(text)) for (const at of foreign) marks[at] = 1;
    let branch: Branch | undefined = root;
    for (let at = 0; at < text.length; at++) {
      const letter = text.charCodeAt(at);
      if (!isOfWord(letter)) {
        branch = letter === AT ? root.next.get(AT) : root;
      } else if (branch) {
        branch = branch.next.get(letter);
        if (branch) for (const phrase of branch.phrases) marks[phrase] = 1;
      }
    }
    return marks;
  };
}

function grow(root: Branch, opening: string): Branch {
  let branch = root;
  for (let at = 0; at < opening.length; at++) {
    const letter = opening.charCodeAt(at);
    let next = branch.next.get(letter);
    if (!next) {
      next = { next: new Map(), phrases: [] };
      branch.next.set(letter, next);
    }
    branch = next;
  }
  return branch;
}

/** The first letter of "@ip", the word that stands for an address. */
const AT = 64;

function isOfWord(letter: number): boolean {
  return (letter >= 97 && letter <= 122) || (letter >= 48 && letter <= 57);
}

/** Written in letters beyond Latin; such phrases are tried on such texts only. */
function isForeign(text: string): boolean {
  return /[\u0370-\uffff]/.test(text);
}
