/**
 * How far a typed word is from the one that was meant, weighed by how fingers go wrong.
 *
 * An edit distance with swaps, in which likely slips (two letters swapped, one doubled or hit beside) cost less
 * than a full letter, and a wrong first letter costs more: people get that one right, and a changed initial
 * makes another word (mail.com, cloud.com).
 */

/**
 * The least cost of turning `meant` into `typed`, or Infinity when that exceeds `limit`.
 * Words longer than LONGEST_WORD are never near anything. `initial` is what a wrong first letter costs on top.
 */
export function typoCost(typed: string, meant: string, limit: number, initial = INITIAL): number {
  const [width, height] = [typed.length, meant.length];
  if (typed === meant) return 0;
  const leastForLength = width > height ? (width - height) * HELD : (height - width) * DOUBLED;
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
 * The cost when the fingers lost their place in the word rather than missed a key, or Infinity when no such slip
 * explains it. Only for words that mean nothing else: these slips bend any word into many others.
 */
export function lostPlaceCost(typed: string, meant: string): number {
  return LOST_PLACES.find(([, isSuch]) => isSuch(typed, meant))?.[0] ?? Infinity;
}

const LOST_PLACES: readonly [cost: number, isSuch: (typed: string, meant: string) => boolean][] = [
  [0.9, hasLetterBefore],
  [0.9, hasTailTwice],
  [1, isReordered],
  [1.1, isStoppedEarly],
];

/** `ygmail`, `ayahoo`: what was typed before reached across the @. */
function hasLetterBefore(typed: string, meant: string): boolean {
  return typed.length === meant.length + 1 && typed.endsWith(meant);
}

/** `hotmailmail`, `gmailil`: the end of the word said again. */
function hasTailTwice(typed: string, meant: string): boolean {
  return (
    typed.length > meant.length + 1 && typed.startsWith(meant) && meant.endsWith(typed.slice(meant.length))
  );
}

/** `gimal`, `gmila`, `yaooh`: the right letters behind the right initial, in an order of their own. */
function isReordered(typed: string, meant: string): boolean {
  return typed.length === meant.length && typed[0] === meant[0] && sorted(typed) === sorted(meant);
}

function sorted(word: string): string {
  return [...word].sort().join("");
}

/** `hotma`: the last two letters never came. Of a shorter word too little would be left. */
function isStoppedEarly(typed: string, meant: string): boolean {
  return meant.length >= 7 && typed.length === meant.length - 2 && meant.startsWith(typed);
}

const LONGEST_WORD = 40;

/** Three rows of the table are enough, and this runs to its end before anybody else can start it. */
const ROWS = [0, 1, 2].map(() => new Float64Array(LONGEST_WORD + 1));
const INSERTS = new Float64Array(LONGEST_WORD + 1);

const TRANSPOSE = 0.5;
const DOUBLED = 0.4;
const HELD = 0.05; // a key held down types its letter three times or thirty
const DROP = 0.7;
const INSERT_BESIDE = 0.6;
const INSERT = 0.9;
const ALIKE = 0.5;
const HIT_BESIDE = 0.6;
const VOWEL_FOR_VOWEL = 0.7;
const OTHER_LETTER = 1;
const INITIAL = 0.5;

function dropCost(meant: string, i: number, initial: number): number {
  if (i > 0 && meant[i] === meant[i - 1]) return DOUBLED;
  return i === 0 ? DROP + initial : DROP;
}

function insertCost(typed: string, j: number, initial: number): number {
  const letter = typed.charCodeAt(j);
  if (letter === typed.charCodeAt(j - 1)) return letter === typed.charCodeAt(j - 2) ? HELD : DOUBLED;
  if (j === 0 && letter === typed.charCodeAt(1)) return DOUBLED;
  const beside = isBeside(letter, typed.charCodeAt(j - 1)) || isBeside(letter, typed.charCodeAt(j + 1));
  const cost = beside ? INSERT_BESIDE : INSERT;
  return j === 0 ? cost + initial : cost;
}

function isBeside(letter: number, other: number): boolean {
  return REPLACE[cell(letter, other)] === HIT_BESIDE;
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

/** Read for one another on a form or a card, or heard for one another. */
const ALIKE_PAIRS = "0o o0 1l l1 1i i1 5s s5 3e e3 il li jy";

/** What each ASCII character costs in place of each other. */
const REPLACE = new Float64Array(128 * 128).fill(OTHER_LETTER);
for (const hit of "aeiouy") for (const wanted of "aeiouy") setReplace(hit, wanted, VOWEL_FOR_VOWEL);
for (const [key, ...beside] of NEIGHBOURS.split(/\s+/))
  for (const hit of beside) setReplace(hit, key!, HIT_BESIDE);
for (const [hit, wanted] of ALIKE_PAIRS.split(" ")) setReplace(hit!, wanted!, ALIKE);

function setReplace(hit: string, wanted: string, cost: number): void {
  REPLACE[cell(hit.charCodeAt(0), wanted.charCodeAt(0))] = cost;
}

/** Out of range, and so undefined, when either is past the word's end or beyond ASCII. */
function cell(hit: number, wanted: number): number {
  return hit < 128 && wanted < 128 ? hit * 128 + wanted : 128 * 128;
}
