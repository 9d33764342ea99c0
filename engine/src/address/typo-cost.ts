/**
 * Weighted edit distance between a typed word and the intended one.
 *
 * Damerau-Levenshtein in which likely typos (a transposition, a doubled letter, a neighbouring key) cost less than a
 * full edit, and a wrong first letter costs more: people rarely get it wrong, and a changed initial usually makes
 * another word (mail.com, cloud.com).
 */

/**
 * The minimum cost of turning `meant` into `typed`, or Infinity above `limit`. Words longer than LONGEST_WORD are
 * never compared. `initial` is the surcharge for a wrong first letter.
 */
export function typoCost(typed: string, meant: string, limit: number, initial = INITIAL): number {
  const [width, height] = [typed.length, meant.length];
  if (typed === meant) return 0;
  const leastForLength = width > height ? (width - height) * KEY_HELD : (height - width) * DOUBLED;
  if (leastForLength > limit || width > LONGEST_WORD || height > LONGEST_WORD) return Infinity;

  let [beforeLast, last, row] = [ROWS[0], ROWS[1], ROWS[2]] as [Float64Array, Float64Array, Float64Array];
  last[0] = 0;
  for (let j = 1; j <= width; j++) {
    INSERTS[j] = insertCost(typed, j - 1, initial);
    last[j] = last[j - 1]! + INSERTS[j]!;
  }

  for (let i = 1; i <= height; i++) {
    const drop = dropCost(meant, i - 1, initial);
    row[0] = last[0]! + drop;
    let least = row[0];
    for (let j = 1; j <= width; j++) {
      let cost = last[j - 1]! + replaceCost(typed, j - 1, meant, i - 1, initial);
      if (last[j]! + drop < cost) cost = last[j]! + drop;
      if (row[j - 1]! + INSERTS[j]! < cost) cost = row[j - 1]! + INSERTS[j]!;
      if (i > 1 && j > 1 && typed[j - 1] === meant[i - 2] && typed[j - 2] === meant[i - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + TRANSPOSE);
      }
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > limit + TRANSPOSE) return Infinity;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[width]! <= limit ? last[width]! : Infinity;
}

/**
 * The cost of typos that affect the word as a whole, or Infinity when none explains it. For distinctive words only:
 * these patterns turn any word into many others.
 */
export function wholeWordTypoCost(typed: string, meant: string): number {
  return WHOLE_WORD_TYPOS.find(([, matches]) => matches(typed, meant))?.[0] ?? Infinity;
}

const WHOLE_WORD_TYPOS: readonly [cost: number, matches: (typed: string, meant: string) => boolean][] = [
  [0.9, hasExtraFirstLetter],
  [0.9, hasRepeatedTail],
  [1, isReordered],
  [1.1, isCutShort],
];

/** `ygmail`, `ayahoo`: the last letter of the local part repeated after the @. */
function hasExtraFirstLetter(typed: string, meant: string): boolean {
  return typed.length === meant.length + 1 && typed.endsWith(meant);
}

/** `hotmailmail`, `gmailil`: the end of the word repeated. */
function hasRepeatedTail(typed: string, meant: string): boolean {
  return (
    typed.length > meant.length + 1 && typed.startsWith(meant) && meant.endsWith(typed.slice(meant.length))
  );
}

/** `gimal`, `gmila`, `yaooh`: the right letters behind the right initial, in another order. */
function isReordered(typed: string, meant: string): boolean {
  return typed.length === meant.length && typed[0] === meant[0] && sorted(typed) === sorted(meant);
}

function sorted(word: string): string {
  return [...word].sort().join("");
}

/** `hotma`: the last two letters are missing. Shorter words would be ambiguous. */
function isCutShort(typed: string, meant: string): boolean {
  return meant.length >= 7 && typed.length === meant.length - 2 && meant.startsWith(typed);
}

const LONGEST_WORD = 40;

/** Three rows of the matrix are enough. They are shared, because the function is synchronous. */
const ROWS = [0, 1, 2].map(() => new Float64Array(LONGEST_WORD + 1));
const INSERTS = new Float64Array(LONGEST_WORD + 1);

const TRANSPOSE = 0.5;
const DOUBLED = 0.4;
const KEY_HELD = 0.05; // a key held down repeats its letter three or thirty times
const DROP = 0.7;
const INSERT_NEIGHBOUR = 0.6;
const INSERT = 0.9;
const ALIKE = 0.5;
const NEIGHBOUR_KEY = 0.6;
const VOWEL_FOR_VOWEL = 0.7;
const OTHER_LETTER = 1;
const INITIAL = 0.5;

function dropCost(meant: string, i: number, initial: number): number {
  if (i > 0 && meant[i] === meant[i - 1]) return DOUBLED;
  return i === 0 ? DROP + initial : DROP;
}

function insertCost(typed: string, j: number, initial: number): number {
  const letter = typed.charCodeAt(j);
  if (letter === typed.charCodeAt(j - 1)) return letter === typed.charCodeAt(j - 2) ? KEY_HELD : DOUBLED;
  if (j === 0 && letter === typed.charCodeAt(1)) return DOUBLED;
  const neighbours =
    isNeighbourKey(letter, typed.charCodeAt(j - 1)) || isNeighbourKey(letter, typed.charCodeAt(j + 1));
  const cost = neighbours ? INSERT_NEIGHBOUR : INSERT;
  return j === 0 ? cost + initial : cost;
}

function isNeighbourKey(letter: number, other: number): boolean {
  return REPLACE[cell(letter, other)] === NEIGHBOUR_KEY;
}

function replaceCost(typed: string, j: number, meant: string, i: number, initial: number): number {
  const [hit, wanted] = [typed.charCodeAt(j), meant.charCodeAt(i)];
  if (hit === wanted) return 0;
  const cost = REPLACE[cell(hit, wanted)] ?? OTHER_LETTER;
  return i === 0 ? cost + initial : cost;
}

/** A key and the keys next to it on QWERTY, and on QWERTZ and AZERTY where those differ. */
const NEIGHBOURS = `qwa1 wqeas ewrsd retdf tryfgz ytughx uyihjz iuojk oipkl09 pol0 aqwszx sawedzx dserfxc fdrtgcv gftyhvb
  hgyujbn jhuiknm kjiolm lkopm zasxtu xzsdc cxdfv vcfgb bvghn nbhjm mnjkl 12q 213 324 657 980 09op`;

/** Pairs that look or sound alike. */
const ALIKE_PAIRS = "0o o0 1l l1 1i i1 5s s5 3e e3 il li jy";

/** Substitution cost for each pair of ASCII characters. */
const REPLACE = new Float64Array(128 * 128).fill(OTHER_LETTER);
for (const hit of "aeiouy") for (const wanted of "aeiouy") setReplace(hit, wanted, VOWEL_FOR_VOWEL);
for (const [key, ...neighbours] of NEIGHBOURS.split(/\s+/))
  for (const hit of neighbours) setReplace(hit, key!, NEIGHBOUR_KEY);
for (const [hit, wanted] of ALIKE_PAIRS.split(" ")) setReplace(hit!, wanted!, ALIKE);

function setReplace(hit: string, wanted: string, cost: number): void {
  REPLACE[cell(hit.charCodeAt(0), wanted.charCodeAt(0))] = cost;
}

/** Out of range, and so undefined, past the end of a word or beyond ASCII. */
function cell(hit: number, wanted: number): number {
  return hit < 128 && wanted < 128 ? hit * 128 + wanted : 128 * 128;
}
