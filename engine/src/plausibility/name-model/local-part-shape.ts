/**
 * Shape features of a local part: share of vowels, keyboard neighbours, trailing digits and the like.
 *
 * The list names all features; those that need known words are computed in known-word-features.ts.
 */
import { DIGIT, type Symbols } from "./local-part-symbols.ts";

/** The features in the order of their weights. Most are between 0 and 1. */
export const MEASURES = [
  "bias",
  "length",
  "is_short",
  "is_long",
  "digit_share",
  "vowel_share",
  "few_vowels",
  "many_vowels",
  "consonant_run",
  "long_consonant_run",
  "keyboard_share",
  "keyboard_walk",
  "separators",
  "distinct_share",
  "doubled_share",
  "period_share",
  "letter_digit_changes",
  "digits_inside",
  "one_or_two_digits_last",
  "three_digits_last",
  "year_last",
  "four_digits_last",
  "many_digits_last",
  "digit_first",
  "hexadecimal",
  "no_letters",
  "alternation",
  "known_share",
  "known_weight",
  "all_known",
  "known_and_initial",
  "surprise",
  "surprise_per_letter",
  "worst_surprise",
  "worst_stretch",
  "surprising_share",
  "unseen_fives",
  "unseen_fives_share",
  "seen_fives_run",
] as const;
export type Measure = (typeof MEASURES)[number];

/** Index of each feature. */
export const INDEX_OF = Object.fromEntries(MEASURES.map((name, index) => [name, index])) as Record<
  Measure,
  number
>;
const seen = new Uint8Array(32);

/** Computes the features that depend on the symbols alone. */
export function measureShape({ codes, digits, length }: Symbols, measures: Float64Array): void {
  let letters = 0;
  let digitCount = 0;
  let vowels = 0;
  let consonants = 0;
  let consonantRun = 0;
  let near = 0;
  let nearRun = 0;
  let longestNearRun = 0;
  let separators = 0;
  let doubled = 0;
  let changes = 0;
  let inside = 0;
  let alternations = 0;
  let hexLetters = 0;
  let distinct = 0;
  seen.fill(0);
  for (let at = 1; at <= length; at++) {
    const symbol = codes[at]!;
    const before = codes[at - 1]!;
    if (symbol === before) doubled++;
    if (symbol < DIGIT) {
      letters++;
      if (seen[symbol] === 0) {
        seen[symbol] = 1;
        distinct++;
      }
      if (HEX_LETTERS[symbol] === 1) hexLetters++;
      if (VOWELS[symbol] === 1) {
        vowels++;
        consonants = 0;
      } else if (++consonants > consonantRun) consonantRun = consonants;
      if (before > 0 && before < DIGIT) {
        if (VOWELS[symbol] !== VOWELS[before]) alternations++;
        if (NEIGHBOURS[before * 32 + symbol] === 1) {
          near++;
          if (++nearRun > longestNearRun) longestNearRun = nearRun;
        } else nearRun = 0;
      }
      if (before === DIGIT) {
        changes++;
        if (at > 2) inside++;
      }
    } else {
      consonants = 0;
      nearRun = 0;
      if (symbol === DIGIT) {
        digitCount++;
        if (before > 0 && before < DIGIT) changes++;
      } else separators++;
    }
  }
  let last = 0;
  while (last < length && codes[length - last] === DIGIT) last++;
  const isYear = last === 4 && isYearAt(digits, length);
  const vowelShare = letters === 0 ? 0 : vowels / letters;

  const set = (name: Measure, value: number) => {
    measures[INDEX_OF[name]] = value;
  };
  set("bias", 1);
  set("length", Math.min(length, 32) / 16);
  set("is_short", length <= 5 ? 1 : 0);
  set("is_long", length >= 18 ? 1 : 0);
  set("digit_share", digitCount / length);
  set("vowel_share", vowelShare);
  set("few_vowels", letters >= 4 && vowelShare < 0.2 ? 1 : 0);
  set("many_vowels", letters >= 5 && vowelShare > 0.6 ? 1 : 0);
  set("consonant_run", Math.min(consonantRun, 8) / 4);
  set("long_consonant_run", consonantRun >= 5 ? 1 : 0);
  set("keyboard_share", letters < 2 ? 0 : near / (letters - 1));
  set("keyboard_walk", Math.min(longestNearRun, 6) / 3);
  set("separators", Math.min(separators, 4) / 2);
  set("distinct_share", letters === 0 ? 0 : distinct / letters);
  set("doubled_share", doubled / length);
  set("period_share", periodShare(codes, length));
  set("letter_digit_changes", Math.min(changes, 6) / 3);
  set("digits_inside", Math.min(inside, 3) / 2);
  set("one_or_two_digits_last", last === 1 || last === 2 ? 1 : 0);
  set("three_digits_last", last === 3 ? 1 : 0);
  set("year_last", isYear ? 1 : 0);
  set("four_digits_last", last === 4 && !isYear ? 1 : 0);
  set("many_digits_last", last > 4 ? Math.min(last, 10) / 5 : 0);
  set("digit_first", codes[1] === DIGIT ? 1 : 0);
  set("hexadecimal", length >= 8 && digitCount > 0 && hexLetters + digitCount === length ? 1 : 0);
  set("no_letters", letters === 0 ? 1 : 0);
  set("alternation", letters < 2 ? 0 : alternations / (letters - 1));
}

/** 1940 to 2029. */
function isYearAt(digits: Uint8Array, end: number): boolean {
  const century = digits[end - 3]! * 10 + digits[end - 2]!;
  const decade = digits[end - 1]!;
  return (century === 19 && decade >= 4) || (century === 20 && decade <= 2);
}

/** Largest share of symbols that repeat the one two to four places before. */
function periodShare(codes: Uint8Array, length: number): number {
  let most = 0;
  for (let period = 2; period <= 4 && period * 2 <= length; period++) {
    let same = 0;
    for (let at = period + 1; at <= length; at++) if (codes[at] === codes[at - period]) same++;
    most = Math.max(most, same / (length - period));
  }
  return most;
}

const VOWELS = flags("aeiouy");
const HEX_LETTERS = flags("abcdef");
/** Letters adjacent on a keyboard: QWERTY with the rows of QWERTZ and AZERTY. */
const NEIGHBOURS = neighboursOf([
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertzuiop",
  "yxcvbnm",
  "azertyuiop",
  "qsdfghjklm",
]);

function flags(letters: string): Uint8Array {
  const flags = new Uint8Array(32);
  for (const letter of letters) flags[letter.charCodeAt(0) - 0x60] = 1;
  return flags;
}

function neighboursOf(rows: readonly string[]): Uint8Array {
  const near = new Uint8Array(32 * 32);
  for (const row of rows) {
    for (let i = 1; i < row.length; i++) {
      const left = row.charCodeAt(i - 1) - 0x60;
      const right = row.charCodeAt(i) - 0x60;
      near[left * 32 + right] = 1;
      near[right * 32 + left] = 1;
    }
  }
  return near;
}
