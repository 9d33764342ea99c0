/** Generates typos: one per word, of the common kinds, by their rough shares. */

import type { Random } from "../random.ts";

export function withSlip(word: string, random: Random): string {
  for (;;) {
    const at = random.below(word.length);
    const mistyped = random.pick(KINDS)(word, at, random);
    if (mistyped !== word) return mistyped;
  }
}

type Typo = (word: string, at: number, random: Random) => string;

const swapped: Typo = (word, at) =>
  word.slice(0, at) +
  word
    .slice(at, at + 2)
    .split("")
    .reverse()
    .join("") +
  word.slice(at + 2);
const leftOut: Typo = (word, at) => word.slice(0, at) + word.slice(at + 1);
const doubled: Typo = (word, at) => word.slice(0, at + 1) + word.slice(at);
const beside: Typo = (word, at, random) =>
  word.slice(0, at) + keyBeside(word[at]!, random) + word.slice(at + 1);

/** Six transpositions, five omissions, three doubled letters, five neighbouring keys. */
const KINDS: readonly Typo[] = [
  ...Array<Typo>(6).fill(swapped),
  ...Array<Typo>(5).fill(leftOut),
  ...Array<Typo>(3).fill(doubled),
  ...Array<Typo>(5).fill(beside),
];

const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

function keyBeside(letter: string, random: Random): string {
  const row = ROWS.findIndex((keys) => keys.includes(letter));
  if (row < 0) return letter;
  const column = ROWS[row]!.indexOf(letter);
  const near = [
    ROWS[row]![column - 1],
    ROWS[row]![column + 1],
    ROWS[row - 1]?.[column],
    ROWS[row + 1]?.[column],
  ];
  return random.pick(near.filter((key) => key !== undefined));
}
