/**
 * Interprets a local part as a person's name: `jsmith` as initial and family name, `john.smith` as given and family
 * name, and so on, with the likelihood of each.
 *
 * Likelihoods, not decisions: `martin` may be a given or a family name, and only the other mailboxes of the domain
 * can tell. Unlisted names are judged by their spelling. Two letters, words and handles count as `other`.
 */

import type { NameLexicon } from "./name-lexicon.ts";
import { normaliseLetters } from "./normalise-letters.ts";

export const TEMPLATES = [
  "first.last",
  "flast",
  "first",
  "f.last",
  "firstl",
  "firstlast",
  "last.first",
  "lastf",
  "last",
  "first_last",
  "first-last",
  "other",
] as const;

export type Template = (typeof TEMPLATES)[number];

/** The likelihood of this local part under each template, in their order. Undefined without Latin letters. */
export function templateLikelihoods(local: string, lexicon: NameLexicon): Float64Array | undefined {
  const { body, digits } = partsOf(local);
  if (!READABLE.test(body)) return undefined;
  const likelihoods = new Float64Array(TEMPLATES.length);
  const readAs = (template: Template, likelihood: number) => {
    likelihoods[PLACE[template]]! += likelihood;
  };
  const separator = SEPARATORS.find((mark) => body.includes(mark));
  if (separator === undefined) readUndivided(body, lexicon, readAs);
  else READ_DIVIDED[separator](body.split(separator), lexicon, readAs);
  const digitsChance = chanceOfDigits(digits);
  for (let i = 0; i < OTHER; i++) likelihoods[i]! *= digitsChance;
  likelihoods[OTHER] = likelihoodAsOther(body, digits, separator);
  return likelihoods;
}

export const OTHER = TEMPLATES.indexOf("other");

const PLACE = Object.fromEntries(TEMPLATES.map((template, place) => [template, place])) as Record<
  Template,
  number
>;

type ReadAs = (template: Template, likelihood: number) => void;

const LONGEST_LOCAL = 64;

/** `John.Smith+news` and `john.smith2` are john.smith: the tag is dropped, trailing digits are separated. */
function partsOf(local: string): { body: string; digits: string } {
  const plus = local.indexOf("+");
  const plain = normaliseLetters(local.slice(0, plus > 0 ? Math.min(plus, LONGEST_LOCAL) : LONGEST_LOCAL));
  let end = plain.length;
  while (end > 0 && isDigit(plain.charCodeAt(end - 1))) end--;
  const digits = plain.slice(end);
  if (digits.length > 0 && end > 1 && isSeparator(plain[end - 1]!)) end--;
  return { body: plain.slice(0, end), digits };
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isSeparator(character: string): character is Separator {
  return (SEPARATORS as readonly string[]).includes(character);
}

/** The first that occurs separates given from family name; the others only join (jean-pierre.martin). */
const SEPARATORS = [".", "_", "-"] as const;
type Separator = (typeof SEPARATORS)[number];

const READABLE = /^[a-z0-9'._-]*[a-z][a-z0-9'._-]*$/;

/** Longer runs of letters are not split: two names are never that long, and the cost is quadratic. */
const LONGEST_UNDIVIDED = 26;

function readUndivided(word: string, lexicon: NameLexicon, readAs: ReadAs): void {
  if (word.length > LONGEST_UNDIVIDED || word.length < 2) return;
  readAs("first", given(word, lexicon));
  readAs("last", family(word, lexicon));
  if (word.length < 3) return;
  const [initial, afterInitial] = [word[0]!, word.slice(1)];
  const [final, beforeFinal] = [word.at(-1)!, word.slice(0, -1)];
  readAs("flast", lexicon.chanceOfGivenInitial(initial) * family(afterInitial, lexicon));
  readAs("firstl", given(beforeFinal, lexicon) * lexicon.chanceOfFamilyInitial(final));
  readAs("lastf", family(beforeFinal, lexicon) * lexicon.chanceOfGivenInitial(final));
  for (let cut = 2; cut <= word.length - 2; cut++) {
    readAs("firstlast", given(word.slice(0, cut), lexicon) * family(word.slice(cut), lexicon));
  }
}

const READ_DIVIDED: Record<Separator, (parts: string[], lexicon: NameLexicon, readAs: ReadAs) => void> = {
  ".": (parts, lexicon, readAs) => {
    const middle = chanceOfMiddle(parts, lexicon);
    const [a, b] = [parts[0]!, parts.at(-1)!];
    if (a.length === 1 && b.length > 1) readAs("f.last", middle * initialOf(a, lexicon) * family(b, lexicon));
    if (a.length < 2 || b.length < 2) return;
    readAs("first.last", middle * given(a, lexicon) * family(b, lexicon));
    readAs("last.first", middle * family(a, lexicon) * given(b, lexicon));
  },
  _: (parts, lexicon, readAs) => {
    const [a, b] = [parts[0]!, parts.at(-1)!];
    if (a.length < 2 || b.length < 2) return;
    readAs("first_last", chanceOfMiddle(parts, lexicon) * given(a, lexicon) * family(b, lexicon));
  },
  "-": (parts, lexicon, readAs) => {
    const [a, b] = [parts[0]!, parts.at(-1)!];
    if (a.length < 2 || b.length < 2 || parts.length > 2) return;
    readAs("first-last", given(a, lexicon) * family(b, lexicon));
    readAs("first", DOUBLE_GIVEN * given(a, lexicon) * given(b, lexicon));
    readAs("last", DOUBLE_FAMILY * family(a, lexicon) * family(b, lexicon));
  },
};

/** Share of people with two given names joined by a hyphen, and with two family names. */
const DOUBLE_GIVEN = 0.03;
const DOUBLE_FAMILY = 0.02;

/** A middle name or initial does not change the template, but is rare: anna.maria.rossi, john.q.public. */
function chanceOfMiddle(parts: readonly string[], lexicon: NameLexicon): number {
  if (parts.length === 2) return 1;
  const middle = parts[1]!;
  if (parts.length > 3 || middle.length === 0) return 0;
  if (middle.length === 1) return WITH_MIDDLE_INITIAL * initialOf(middle, lexicon);
  return WITH_MIDDLE_NAME * Math.max(given(middle, lexicon), family(middle, lexicon));
}

const WITH_MIDDLE_INITIAL = 0.05;
const WITH_MIDDLE_NAME = 0.03;

function initialOf(letter: string, lexicon: NameLexicon): number {
  return isLetter(letter) ? lexicon.chanceOfGivenInitial(letter) : 0;
}

function isLetter(character: string): boolean {
  return character >= "a" && character <= "z";
}

function given(part: string, lexicon: NameLexicon): number {
  return nameChance(part, DOUBLE_GIVEN, (word) => lexicon.chanceAsGiven(word));
}

function family(part: string, lexicon: NameLexicon): number {
  return nameChance(part, DOUBLE_FAMILY, (word) => lexicon.chanceAsFamily(word));
}

/** Of a part that may itself be joined (`jean-pierre`) or contain an apostrophe (`o'brien`). */
function nameChance(part: string, joined: number, chance: (word: string) => number): number {
  if (LETTERS_ONLY.test(part)) return chance(part);
  const words = part.replaceAll("'", "").split(/[_-]/);
  if (words.length > 3 || !words.every((word) => word.length > 1 && LETTERS_ONLY.test(word))) return 0;
  return words.reduce((product, word) => product * chance(word), joined ** (words.length - 1));
}

const LETTERS_ONLY = /^[a-z]+$/;

/** Most have none; one or two distinguish namesakes; four are a year. */
function chanceOfDigits(digits: string): number {
  return (CHANCE_OF_DIGITS[digits.length] ?? 0) / 10 ** digits.length;
}

const CHANCE_OF_DIGITS = [0.94, 0.03, 0.02, 0.002, 0.008];

/** Words, handles and numbers: any text in any form. Two words with a dot between are almost always a name. */
function likelihoodAsOther(body: string, digits: string, separator: Separator | undefined): number {
  let likelihood = separator === undefined ? UNDIVIDED_OTHER : DIVIDED_OTHER[separator];
  for (let i = 0; i < body.length; i++) likelihood /= isLetter(body[i]!) ? LETTER_OF_TEXT : SIGN_OF_TEXT;
  return likelihood / 10 ** digits.length;
}

const UNDIVIDED_OTHER = 0.04;
const DIVIDED_OTHER: Record<Separator, number> = { ".": 0.02, _: 0.05, "-": 0.2 };

/** Effective alphabet size for a letter of a word, and for a digit or sign inside one. */
const LETTER_OF_TEXT = 15;
const SIGN_OF_TEXT = 30;
