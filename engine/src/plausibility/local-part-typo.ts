/**
 * "Did you mean" for the mailbox name: `jhon.smith` for `john.smith`.
 *
 * Names are spelled in more ways than any list knows, and a corrected name is somebody else's mailbox. So a word is
 * doubted only when nobody listed it and it stands beside a name that is known, and corrected only when the slip
 * explains it far better than a name of its own, spelled as names are, or any other listed name would.
 */

import { typoCost } from "../address/typo-cost.ts";
import { roleOf } from "../reference/roles.ts";
import { loadNameLexicon, type NameLexicon } from "./name-lexicon.ts";
import { slipsBehind } from "./typo-candidates.ts";

/** The mailbox name that was probably meant, written as the typed one is; undefined nearly always. */
export function suggestLocal(local: string, lexicon = loadNameLexicon()): string | undefined {
  if (local.length > LONGEST_LOCAL) return undefined;
  const match = TWO_NAMES.exec(local);
  if (match === null) return undefined;
  const [, first, separator, second, rest] = match as unknown as string[];
  const [a, b] = [first!.toLowerCase(), second!.toLowerCase()];
  const [knownA, knownB] = [lexicon.find(a), lexicon.find(b)];
  if (knownA !== undefined && knownB === undefined) {
    const meant = meantName(b, isClearly("family", knownA) ? "given" : "family", lexicon);
    return meant && `${first}${separator}${inCaseOf(second!, meant)}${rest}`;
  }
  if (knownB !== undefined && knownA === undefined) {
    const meant = meantName(a, isClearly("given", knownB) ? "family" : "given", lexicon);
    return meant && `${inCaseOf(first!, meant)}${separator}${second}${rest}`;
  }
  return undefined;
}

const LONGEST_LOCAL = 64;

/** Two words, perhaps an initial between them, perhaps digits or a tag behind. */
const TWO_NAMES = /^([a-z]{4,20})([._-](?:[a-z][._-])?)([a-z]{4,20})((?:[._-]?\d{1,4})?(?:\+.*)?)$/i;

type Kind = "given" | "family";

/** Given names mostly come first; but the word beside `smith` is one wherever it stands. */
function isClearly(kind: Kind, known: Record<Kind, number>): boolean {
  return known[kind] >= known[kind === "given" ? "family" : "given"] + 2;
}

/** What the unlisted word is a slip of, as a name of this kind. */
function meantName(typed: string, kind: Kind, lexicon: NameLexicon): string | undefined {
  if (roleOf(typed) !== undefined) return undefined;
  const chanceOf = (name: string) =>
    kind === "given" ? lexicon.chanceAsGiven(name) : lexicon.chanceAsFamily(name);
  let all = chanceOf(typed);
  let best: { name: string; chance: number } | undefined;
  for (const name of new Set(slipsBehind(typed, LETTERS))) {
    if ((lexicon.find(name)?.[kind] ?? 0) === 0) continue;
    const chance = chanceOf(name) * chanceOfSlip(typed, name);
    all += chance;
    if (best === undefined || chance > best.chance) best = { name, chance };
  }
  if (best === undefined || best.chance / all < SURE) return undefined;
  return lexicon.find(best.name)![kind] >= FREQUENT ? best.name : undefined;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Only names that many bear are put in place of another. */
const FREQUENT = 3;
const SURE = 0.99;

/** Of all mailbox names that are typed, those in which a word has a slip; and how the chance falls with its cost. */
const SLIPS = 0.01;
const DEAREST_SLIP = 1.1;

function chanceOfSlip(typed: string, meant: string): number {
  const cost = typoCost(typed, meant, DEAREST_SLIP);
  if (cost === Infinity) return 0;
  const doubt = isReordered(typed, meant)
    ? NOBODY_CHOOSES
    : soundOf(typed) === soundOf(meant)
      ? MANY_CHOOSE
      : 1;
  return (SLIPS * 100 ** -cost * doubt) / meant.length;
}

/** Nobody calls a child Jonh. Many call it Rebeca, Jackqueline or Szucs: what sounds alike was chosen. */
const NOBODY_CHOOSES = 20;
const MANY_CHOOSE = 0.1;

function isReordered(typed: string, meant: string): boolean {
  return typed.length === meant.length && sortedLetters(typed) === sortedLetters(meant);
}

function sortedLetters(word: string): string {
  return [...word].sort().join("");
}

function soundOf(word: string): string {
  return SOUNDS.reduce((sound, [written, heard]) => sound.replace(written, heard), word);
}

/** In this order. Vowels sound all the same here, and at the end not at all. */
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
