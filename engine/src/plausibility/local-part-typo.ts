/**
 * "Did you mean" for the local part: `jhon.smith` for `john.smith`.
 *
 * Names have more spellings than any list knows, and a corrected name is another person's mailbox. Therefore a word
 * is corrected only if it is unlisted, is next to a known name, and is far more probable as a typo of one listed name
 * than as a name of its own or as a typo of another.
 */

import { typoCost } from "../address/typo-cost.ts";
import { roleOf } from "../reference/role-addresses.ts";
import { loadNameLexicon, type NameLexicon } from "./name-lexicon.ts";
import { typoCandidates } from "./typo-candidates.ts";

/** The local part that was probably intended, in the case of the typed one; undefined nearly always. */
export function suggestLocal(local: string, given?: NameLexicon): string | undefined {
  if (local.length > LONGEST_LOCAL) return undefined;
  const match = TWO_NAMES.exec(local);
  if (match === null) return undefined;
  const lexicon = given ?? loadNameLexicon(); // takes a while to load the first time
  const [, first, separator, second, rest] = match as unknown as string[];
  const [a, b] = [first!.toLowerCase(), second!.toLowerCase()];
  const [knownA, knownB] = [lexicon.find(a), lexicon.find(b)];
  if (knownA !== undefined && knownB === undefined) {
    const meant = correctedName(b, isClearly("family", knownA) ? "given" : "family", lexicon);
    return meant && `${first}${separator}${inCaseOf(second!, meant)}${rest}`;
  }
  if (knownB !== undefined && knownA === undefined) {
    const meant = correctedName(a, isClearly("given", knownB) ? "family" : "given", lexicon);
    return meant && `${inCaseOf(first!, meant)}${separator}${second}${rest}`;
  }
  return undefined;
}

const LONGEST_LOCAL = 64;

/** Two words, perhaps an initial between them, perhaps digits or a tag behind. */
const TWO_NAMES = /^([a-z]{4,20})([._-](?:[a-z][._-])?)([a-z]{4,20})((?:[._-]?\d{1,4})?(?:\+.*)?)$/i;

type NameKind = "given" | "family";

/** Given names mostly come first; but the word next to `smith` is one in either position. */
function isClearly(kind: NameKind, known: Record<NameKind, number>): boolean {
  return known[kind] >= known[kind === "given" ? "family" : "given"] + 2;
}

/** The name of this kind that the unlisted word is probably a typo of. */
function correctedName(typed: string, kind: NameKind, lexicon: NameLexicon): string | undefined {
  if (roleOf(typed) !== undefined) return undefined;
  const chanceOf = (name: string) =>
    kind === "given" ? lexicon.chanceAsGiven(name) : lexicon.chanceAsFamily(name);
  let all = chanceOf(typed);
  let best: { name: string; chance: number } | undefined;
  for (const name of new Set(typoCandidates(typed, LETTERS))) {
    if ((lexicon.find(name)?.[kind] ?? 0) === 0) continue;
    const chance = chanceOf(name) * typoProbability(typed, name);
    all += chance;
    if (best === undefined || chance > best.chance) best = { name, chance };
  }
  if (best === undefined || best.chance / all < MIN_POSTERIOR) return undefined;
  return lexicon.find(best.name)![kind] >= MIN_COMMONNESS ? best.name : undefined;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Only common names are suggested. */
const MIN_COMMONNESS = 3;
const MIN_POSTERIOR = 0.99;

/** Share of typed names with a typo in a word, and how the probability falls with the cost. */
const TYPO_RATE = 0.01;
const MAX_TYPO_COST = 1.1;

function typoProbability(typed: string, meant: string): number {
  const cost = typoCost(typed, meant, MAX_TYPO_COST);
  if (cost === Infinity) return 0;
  const doubt = isReordered(typed, meant)
    ? REORDERED_FACTOR
    : soundOf(typed) === soundOf(meant)
      ? SAME_SOUND_FACTOR
      : 1;
  return (TYPO_RATE * 100 ** -cost * doubt) / meant.length;
}

/** No one is named Jonh. Many are named Rebeca, Jackqueline or Szucs: spellings that sound alike are intended. */
const REORDERED_FACTOR = 20;
const SAME_SOUND_FACTOR = 0.1;

function isReordered(typed: string, meant: string): boolean {
  return typed.length === meant.length && sortedLetters(typed) === sortedLetters(meant);
}

function sortedLetters(word: string): string {
  return [...word].sort().join("");
}

function soundOf(word: string): string {
  return SOUNDS.reduce((sound, [written, heard]) => sound.replace(written, heard), word);
}

/** Applied in this order. All vowels sound the same, and a final one is silent. */
const SOUNDS: readonly [written: RegExp, heard: string][] = [
  [/ph/g, "f"],
  [/h/g, ""],
  [/[cq]|x/g, "k"],
  [/z/g, "s"],
  [/w/g, "v"],
  [/[aeiouyj]+/g, "a"],
  [/(.)\1+/g, "$1"],
  [/a$/, ""],
];

function inCaseOf(typed: string, meant: string): string {
  if (typed === typed.toLowerCase()) return meant;
  return typed === typed.toUpperCase() ? meant.toUpperCase() : meant[0]!.toUpperCase() + meant.slice(1);
}
