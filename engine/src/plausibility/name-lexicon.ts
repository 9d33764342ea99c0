/**
 * Given and family names of many cultures, how common they are, and how unlisted names are spelled.
 *
 * The file is gzipped entries sorted by name: the name in plain letters, then a capital for its commonness as either
 * (`johnXjohnaF…`). It is decompressed on first use and searched as bytes: a hundred thousand strings would take ten
 * times the memory. Searches are binary at first; after some, or for a probability, one pass builds a hash table and
 * trains the trigram models, so that an unlisted name can still be classified as a given name, a family name or neither.
 */

import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { LetterTrigrams } from "./letter-trigrams.ts";

/** 0: not known as such a name; 1: known; up to 4: very common. */
export type Commonness = 0 | 1 | 2 | 3 | 4;

export type NameEntry = { name: string; given: Commonness; family: Commonness };

export type NameLexicon = {
  readonly size: number;
  /** Takes plain lower-case letters. Undefined if the name is unlisted. */
  find(name: string): Readonly<Pick<NameEntry, "given" | "family">> | undefined;
  /** Probability of this given or family name for a person of any culture. Never 0 for letters. */
  chanceAsGiven(name: string): number;
  chanceAsFamily(name: string): number;
  /** Probability of a given or family name with this initial. */
  chanceOfGivenInitial(letter: string): number;
  chanceOfFamilyInitial(letter: string): number;
};

/** The packaged lexicon, loaded once. */
export function loadNameLexicon(): NameLexicon {
  packaged ??= lexiconFrom(readFileSync(new URL("../../data/names.gz", import.meta.url)));
  return packaged;
}

let packaged: NameLexicon | undefined;

/** Takes a file written by lexiconFile. */
export function lexiconFrom(file: Uint8Array): NameLexicon {
  const bytes = gunzipSync(file);
  let built: LexiconIndex | undefined;
  const index = () => {
    built ??= indexEntries(bytes);
    return built;
  };
  let searches = 0;

  const gradeByteOf = (name: string): number => {
    if (!built && ++searches <= SEARCHES_WITHOUT_INDEX) return searchGradeByte(bytes, name);
    const { table } = index();
    const mask = table.length - 1;
    let hash = HASH_START;
    for (let i = 0; i < name.length; i++) hash = hashStep(hash, name.charCodeAt(i));
    for (let slot = slotOf(hash) & mask; table[slot] !== 0; slot = (slot + 1) & mask) {
      const start = table[slot]! - 1;
      let i = 0;
      while (i < name.length && bytes[start + i] === name.charCodeAt(i)) i++;
      if (i === name.length && bytes[start + i]! < SMALL_A) return bytes[start + i]!;
    }
    return NOT_LISTED;
  };

  return {
    get size() {
      return index().size;
    },
    find: (name) => {
      const byte = gradeByteOf(name);
      return byte === NOT_LISTED ? undefined : gradesOf(byte);
    },
    chanceAsGiven: (name) => {
      const { chanceOfOneGiven, given } = index();
      return chanceOfOneGiven[GIVEN[gradeByteOf(name)]!]! + UNLISTED_SHARE * given.chanceOf(name);
    },
    chanceAsFamily: (name) => {
      const { chanceOfOneFamily, family } = index();
      return chanceOfOneFamily[FAMILY[gradeByteOf(name)]!]! + UNLISTED_SHARE * family.chanceOf(name);
    },
    chanceOfGivenInitial: (letter) => index().given.chanceOfInitial(letter),
    chanceOfFamilyInitial: (letter) => index().family.chanceOfInitial(letter),
  };
}

/** Building the index takes as long as tens of thousands of binary searches; a check of one address needs two. */
const SEARCHES_WITHOUT_INDEX = 100;

/** Binary search: entries are sorted by name, and a name ends where a capital follows. */
function searchGradeByte(bytes: Uint8Array, name: string): number {
  let low = 0; // always the start of an entry
  let high = bytes.length; // always the start of an entry, or the end
  while (low < high) {
    let start = (low + high) >>> 1;
    while (start > low && bytes[start - 1]! >= SMALL_A) start--;
    let at = start;
    let order = 0; // of the name compared with the entry
    for (let i = 0; order === 0 && bytes[at]! >= SMALL_A; i++, at++)
      order = i < name.length ? name.charCodeAt(i) - bytes[at]! : -1;
    if (order === 0 && at - start === name.length) return bytes[at]!;
    if (order < 0) high = start;
    else {
      while (bytes[at]! >= SMALL_A) at++;
      low = at + 1;
    }
  }
  return NOT_LISTED;
}

type LexiconIndex = ReturnType<typeof indexEntries>;

/** One pass over the entries: builds the hash table, counts the grades and trains the trigram models. */
function indexEntries(bytes: Uint8Array) {
  const table = new Uint32Array(tableSizeFor(bytes.length));
  const mask = table.length - 1;
  const entriesByGrade = new Uint32Array(CAPITAL_A + GRADES ** 2);
  const [given, family] = [new LetterTrigrams(), new LetterTrigrams()];
  let size = 0;
  let hash = HASH_START;
  for (let at = 0, start = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte >= SMALL_A) {
      hash = hashStep(hash, byte);
      continue;
    }
    let slot = slotOf(hash) & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = start + 1;
    entriesByGrade[byte]!++;
    const [asGiven, asFamily] = [
      GIVEN_TRAINING_WEIGHT[GIVEN[byte]!]!,
      FAMILY_TRAINING_WEIGHT[FAMILY[byte]!]!,
    ];
    if (asGiven > 0) given.learn(bytes, start, at, asGiven);
    if (asFamily > 0) family.learn(bytes, start, at, asFamily);
    size++;
    start = at + 1;
    hash = HASH_START;
  }
  const chanceOfOneGiven = chancesOfOne(entriesByGrade, GIVEN);
  const chanceOfOneFamily = chancesOfOne(entriesByGrade, FAMILY);
  return { table, size, chanceOfOneGiven, chanceOfOneFamily, given, family };
}

/** The file format of lexiconFrom. Each name once, lower case ASCII letters only. */
export function lexiconFile(entries: Iterable<NameEntry>): Buffer {
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  const text = sorted.map(({ name, given, family }) => name + gradeLetter(given, family)).join("");
  return gzipSync(Buffer.from(text, "latin1"), { level: 9 });
}

/** All entries of a lexicon file, for scripts. */
export function lexiconEntries(file: Uint8Array): NameEntry[] {
  return Array.from(
    gunzipSync(file)
      .toString("latin1")
      .matchAll(/([a-z]+)([A-Y])/g),
    ([, name, letter]) => {
      return { name: name!, ...gradesOf(letter!.charCodeAt(0)) };
    },
  );
}

const SMALL_A = 0x61;
const CAPITAL_A = 0x41;

/** `A`, which no entry has: neither a given name nor a family name. */
const NOT_LISTED = CAPITAL_A;

/** Meaning of each capital: five grades of either, 25 letters. */
const GRADES = 5;
const GIVEN = new Uint8Array(CAPITAL_A + GRADES ** 2);
const FAMILY = new Uint8Array(CAPITAL_A + GRADES ** 2);
for (let code = 0; code < GRADES ** 2; code++) {
  GIVEN[CAPITAL_A + code] = Math.floor(code / GRADES);
  FAMILY[CAPITAL_A + code] = code % GRADES;
}

function gradesOf(byte: number): Pick<NameEntry, "given" | "family"> {
  return { given: GIVEN[byte] as Commonness, family: FAMILY[byte] as Commonness };
}

function gradeLetter(given: Commonness, family: Commonness): string {
  return String.fromCharCode(CAPITAL_A + given * GRADES + family);
}

/** Share of people whose name is unlisted. */
const UNLISTED_SHARE = 0.2;

/** Share of people by commonness of their name: a hundred names cover a third of many countries. */
const SHARE_BY_GRADE = [0, 0.1, 0.2, 0.25, 0.25];

/** Probability of a single name of each grade. */
function chancesOfOne(entriesByGrade: Uint32Array, gradeOf: Uint8Array): number[] {
  return SHARE_BY_GRADE.map((share, grade) => {
    const entries = entriesByGrade.reduce(
      (sum, count, byte) => (gradeOf[byte] === grade ? sum + count : sum),
      0,
    );
    return share / Math.max(1, entries);
  });
}

/** Training weight by grade. Rare family names are most of the file and contribute little. */
const GIVEN_TRAINING_WEIGHT = [0, 1, 2, 3, 4];
const FAMILY_TRAINING_WEIGHT = [0, 0, 1, 2, 3];

const HASH_START = 0x811c9dc5 | 0;
const hashStep = (hash: number, unit: number) => Math.imul(hash ^ unit, 0x01000193);
const slotOf = (hash: number) => (hash ^ (hash >>> 15)) >>> 0;

/** Entries take seven bytes or more; at least half of the table stays empty. */
function tableSizeFor(bytes: number): number {
  return 2 ** Math.max(4, Math.ceil(Math.log2(bytes / 3.5)));
}
