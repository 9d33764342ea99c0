/**
 * Features from the model's tables of names, words and handles: how much of a local part is known, how surprising its
 * letter sequence is, and how many of its 5-grams occur elsewhere.
 *
 * Training (engine/model) fills the tables. No name can be read out of them.
 */
import { addToFilter, isInFilter, spread } from "./bloom-filter.ts";
import { INDEX_OF } from "./local-part-shape.ts";
import { DIGIT, MAX_SYMBOLS, SYMBOL_OF, type Symbols } from "./local-part-symbols.ts";

export type ModelTables = {
  /** Bloom filter of known names and words, see addKnown. */
  lexicon: Uint8Array;
  /** Surprise grade of each 4-gram; a word edge counts as a letter. */
  spelling: Uint8Array;
  /** Bloom filter of 5-grams seen more than once, see addSeen. */
  fives: Uint8Array;
};

export function emptyModelTables(): ModelTables {
  return {
    lexicon: new Uint8Array(2 ** LEXICON_BITS / 8),
    spelling: new Uint8Array(SPELLING_SIZE),
    fives: new Uint8Array(2 ** FIVES_BITS / 8),
  };
}

export function measureKnownWords(symbols: Symbols, knowledge: ModelTables, measures: Float64Array): void {
  measureKnown(symbols, knowledge.lexicon, measures);
  measureSpelling(symbols, knowledge.spelling, measures);
  measureFives(symbols, knowledge.fives, measures);
}

/** Size of the Bloom filter of known names and words. */
export const LEXICON_BITS = 20;
const LEXICON_PROBES = 4;
const SHORTEST_KNOWN = 3;
const LONGEST_KNOWN = 14;

/** Surprise of a letter after the three before it: 16 grades, with this many nats per step. */
export const SPELLING_SYMBOLS = 27;
export const SPELLING_SIZE = SPELLING_SYMBOLS ** 4;
export const SURPRISE_STEP = 0.6;
export const MAX_SURPRISE = 15;

/** Size of the Bloom filter of 5-grams. */
export const FIVES_BITS = 22;
const FIVES_PROBES = 3;

const best = new Float64Array(MAX_SYMBOLS + 2);
const covered = new Float64Array(MAX_SYMBOLS + 2);

/**
 * The segmentation into known names and words that explains most, weighting long ones more: `johnsmith` is john +
 * smith. A single letter before or after a known name is an initial.
 */
function measureKnown({ codes, length }: Symbols, lexicon: Uint8Array, measures: Float64Array): void {
  let letters = 0;
  let weight = 0;
  let share = 0;
  let initials = 0;
  let from = 1;
  while (from <= length) {
    if (codes[from]! >= DIGIT) {
      from++;
      continue;
    }
    let to = from;
    while (to < length && codes[to + 1]! < DIGIT) to++;
    coverRun(codes, from, to, lexicon);
    letters += to - from + 1;
    weight += best[to]!;
    share += covered[to]!;
    if (to - from + 1 - covered[to]! === 1) initials++;
    from = to + 1;
  }
  measures[INDEX_OF.known_share] = letters === 0 ? 0 : share / letters;
  measures[INDEX_OF.known_weight] = letters === 0 ? 0 : Math.min(weight / letters, 10) / 5;
  measures[INDEX_OF.all_known] = letters > 0 && share === letters ? 1 : 0;
  measures[INDEX_OF.known_and_initial] = share > 0 && share + initials === letters && initials > 0 ? 1 : 0;
}

function coverRun(codes: Uint8Array, from: number, to: number, lexicon: Uint8Array): void {
  best.fill(0, from - 1, to + 1);
  covered.fill(0, from - 1, to + 1);
  for (let start = from; start <= to; start++) {
    if (best[start - 1]! > best[start]!) {
      best[start] = best[start - 1]!; // this letter belongs to no known word
      covered[start] = covered[start - 1]!;
    }
    // Forwards, so that the hash of each longer piece extends the shorter one.
    let hash = HASH_START;
    const longest = Math.min(LONGEST_KNOWN, to - start + 1);
    for (let size = 1; size <= longest; size++) {
      const end = start + size - 1;
      hash = hashStep(hash, codes[end]!);
      if (size < SHORTEST_KNOWN || !isInFilter(lexicon, spread(hash), LEXICON_BITS, LEXICON_PROBES)) continue;
      const weight = best[start - 1]! + size * (size - 2);
      if (weight > best[end]!) {
        best[end] = weight;
        covered[end] = covered[start - 1]! + size;
      }
    }
  }
}

const HASH_START = 0x811c9dc5;

function hashStep(hash: number, symbol: number): number {
  return Math.imul(hash ^ symbol, 0x01000193);
}

/** For training: adds a name or word in plain letters. */
export function addKnown(lexicon: Uint8Array, word: string): void {
  if (word.length < SHORTEST_KNOWN || word.length > LONGEST_KNOWN) return;
  let hash = HASH_START;
  for (let i = 0; i < word.length; i++) hash = hashStep(hash, SYMBOL_OF[word.charCodeAt(i)]!);
  addToFilter(lexicon, spread(hash), LEXICON_BITS, LEXICON_PROBES);
}

/** Runs of letters with their ends; digits and separators end a run. */
function measureSpelling({ codes, length }: Symbols, spelling: Uint8Array, measures: Float64Array): void {
  let context = 0;
  let steps = 0;
  let sum = 0;
  let worst = 0;
  let surprising = 0;
  let worstStretch = 0;
  let one = 0; // the two previous grades
  let two = 0;
  for (let at = 1; at <= length + 1; at++) {
    const symbol = codes[at]! < DIGIT ? codes[at]! : 0;
    if (symbol === 0 && context === 0) continue;
    const grade = spelling[context * SPELLING_SYMBOLS + symbol]!;
    steps++;
    sum += grade;
    if (grade > worst) worst = grade;
    if (grade >= SURPRISING) surprising++;
    if (grade + one + two > worstStretch) worstStretch = grade + one + two;
    two = one;
    one = grade;
    context = symbol === 0 ? 0 : (context % SPELLING_SYMBOLS ** 2) * SPELLING_SYMBOLS + symbol;
  }
  measures[INDEX_OF.surprise] = Math.min(sum, 150) / 50;
  measures[INDEX_OF.surprise_per_letter] = steps === 0 ? 0 : sum / steps / 5;
  measures[INDEX_OF.worst_surprise] = worst / MAX_SURPRISE;
  measures[INDEX_OF.worst_stretch] = worstStretch / (3 * MAX_SURPRISE);
  measures[INDEX_OF.surprising_share] = steps === 0 ? 0 : surprising / steps;
}

const SURPRISING = 8;

/** 5-grams, with the edges of a run as one letter, that occur in names and handles. */
function measureFives({ codes, length }: Symbols, fives: Uint8Array, measures: Float64Array): void {
  let packed = 0;
  let size = 1;
  let count = 0;
  let unseen = 0;
  let run = 0;
  let longest = 0;
  for (let at = 1; at <= length + 1; at++) {
    const symbol = codes[at]! < DIGIT ? codes[at]! : 0;
    packed = ((packed << 5) | symbol) & 0x1ffffff;
    size++;
    if (size >= 5) {
      count++;
      if (isInFilter(fives, spread(packed), FIVES_BITS, FIVES_PROBES)) {
        if (++run > longest) longest = run;
      } else {
        unseen++;
        run = 0;
      }
    }
    if (symbol === 0) {
      packed = 0;
      size = 1;
    }
  }
  measures[INDEX_OF.unseen_fives] = Math.min(unseen, 12) / 6;
  measures[INDEX_OF.unseen_fives_share] = count === 0 ? 0 : unseen / count;
  measures[INDEX_OF.seen_fives_run] = Math.min(longest, 8) / 4;
}

/** For training: the 5-grams of a run of plain letters. */
export function fivesOf(letters: string): number[] {
  const found: number[] = [];
  let packed = 0;
  for (let i = 0; i <= letters.length; i++) {
    packed = ((packed << 5) | (i < letters.length ? letters.charCodeAt(i) - 0x60 : 0)) & 0x1ffffff;
    if (i >= 3) found.push(packed);
  }
  return found;
}

/** For training. */
export function addSeen(fives: Uint8Array, packed: number): void {
  addToFilter(fives, spread(packed), FIVES_BITS, FIVES_PROBES);
}
