/**
 * The large providers as a slip sees them: a brand (`yahoo`) and the endings it goes by (`com`, `co.uk`, `fr` …),
 * and how far from the brand a typed name may be and still be taken for it.
 */

import { MAILBOX_PROVIDER_NAMES } from "../reference/free-provider-domains.ts";
import { LARGE_PROVIDERS } from "../reference/free-providers.ts";

export type MailBrand = {
  name: string;
  /** The letters it is made of, as lettersOf gives them. */
  letters: number;
  /** With a weight: how many people use it there, roughly. */
  endings: ReadonlyMap<string, number>;
  /** Endings it does not have and is given all the same, with the one that is meant. */
  mistakenEndings: ReadonlyMap<string, string>;
  /** The greatest slip cost of the name before such an ending. */
  mistakenEndingLimit: number;
  /** A word or a company in its own right: at another ending than the provider's it is somebody else. */
  isCommonWord: boolean;
  /** Coined for mail, long, and nobody else's second half: whatever resembles it at all was meant for it. */
  isUnmistakable: boolean;
  sharedTail: SharedTail | undefined;
  cautiousLimit: number;
  daringLimit: number;
};

type SharedTail = { tail: string; headLimit: number };

/** Brands whose neighbours are words and companies too. The others were coined for mail and have few near them. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  `mail me mac sky aim frontier charter orange free web alice rogers juno shaw list inbox centrum
   libero sina proton terra bk wp o2 op ig uol bol zoho telus freenet daum neuf qq 163 126 sfr skynet
   gazeta onet interia sapo nate abv azet`.split(/\s+/),
);

/** Brands with more neighbours than their length would say (family names, mostly), or with fewer. */
const OWN_LIMITS: ReadonlyMap<string, number> = new Map([
  ["alice", 0.65],
  ["telus", 0.65],
  ["terra", 0.65],
  ["live", 0.6],
  ["mail", 0.6],
  ["free", 0.6],
  ["web", 0.45],
  ["orange", 1.1],
]);

/**
 * Brands whose second half is common property: with another first half it is another firm (itcloud.com,
 * coxmail.com), while a slip in the second half itself is as telling as anywhere.
 */
const SHARED_TAILS: ReadonlyMap<string, SharedTail> = new Map([
  ["icloud", { tail: "cloud", headLimit: 0.55 }],
  ["ymail", { tail: "mail", headLimit: 0.55 }],
  ["fastmail", { tail: "mail", headLimit: 0.55 }],
  ["foxmail", { tail: "mail", headLimit: 0.55 }],
  ["hanmail", { tail: "mail", headLimit: 0.55 }],
  ["gmail", { tail: "mail", headLimit: 1 }],
  ["hotmail", { tail: "mail", headLimit: 1.25 }],
]);

/** Endings that exist and are still, after a mail brand, a slip of the finger or of the memory. */
const MISTAKEN_ENDINGS: ReadonlyMap<string, string> = new Map([
  ["co", "com"],
  ["cm", "com"],
  ["om", "com"],
  ["cam", "com"],
  ["ne", "net"],
  ["et", "net"],
  ["bet", "net"],
  ["uk", "co.uk"],
  ["br", "com.br"],
  ["com.uk", "co.uk"], // not an ending at all, but near to too many
]);

/** Of those, the ones under which so few live that even a common word there is a slip: mail.om. */
const EMPTY_ENDINGS: ReadonlySet<string> = new Set(["om", "cm"]);

/** A brand in so many countries is one house everywhere; docomo.co.jp is the company, docomo.ne.jp its mail. */
const INTERNATIONAL_SIZE = 10;

/** The greatest slip cost at an ending that exists, by the length of the name; the last holds for all longer ones. */
const COMMON_WORD_LIMITS: readonly number[] = [0, 0, 0, 0, 0.55, 0.75];
const COINED_LIMITS: readonly number[] = [0, 0, 0, 0.45, 0.55, 1, 1.2, 1.25, 1.4, 1.45];

/** So many people write there that even a far slip is likelier theirs than anybody's own name. */
const GIANT_WEIGHT = 100;
const GIANT_BONUS = 0.2;

/** A national variant that is not large by itself. */
const NATIONAL_WEIGHT = 0.5;

/** Every brand that has a large provider, with that provider's smaller national variants. */
export const MAIL_BRANDS: readonly MailBrand[] = brandsOf(LARGE_PROVIDERS);

function brandsOf(providers: ReadonlyMap<string, number>): MailBrand[] {
  const endingsByName = new Map<string, Map<string, number>>();
  for (const [domain, weight] of providers) {
    const [name, ending] = divided(domain);
    endingsByName.set(name, (endingsByName.get(name) ?? new Map()).set(ending, weight));
  }
  for (const domain of MAILBOX_PROVIDER_NAMES) {
    const [name, ending] = divided(domain);
    const endings = endingsByName.get(name);
    if (endings !== undefined && !endings.has(ending)) endings.set(ending, NATIONAL_WEIGHT);
  }
  return [...endingsByName].map(([name, endings]) => ({
    name,
    letters: lettersOf(name),
    endings,
    mistakenEndings: mistakenEndings(name, endings),
    mistakenEndingLimit: COMMON_WORDS.has(name) ? 0 : isUnmistakable(name) ? 1 : 0.7,
    isCommonWord: COMMON_WORDS.has(name),
    isUnmistakable: isUnmistakable(name),
    sharedTail: SHARED_TAILS.get(name),
    cautiousLimit: cautiousLimit(name) + (isGiant(name, endings) ? GIANT_BONUS : 0),
    daringLimit: daringLimit(name),
  }));
}

function isUnmistakable(name: string): boolean {
  return name.length >= 5 && !COMMON_WORDS.has(name) && (SHARED_TAILS.get(name)?.headLimit ?? 1) >= 1;
}

function mistakenEndings(name: string, endings: ReadonlyMap<string, number>): ReadonlyMap<string, string> {
  const mistaken = [...MISTAKEN_ENDINGS].filter(
    ([typed, right]) => endings.has(right) && (!COMMON_WORDS.has(name) || EMPTY_ENDINGS.has(typed)),
  );
  if (!isUnmistakable(name) || endings.size < INTERNATIONAL_SIZE) return new Map(mistaken);
  // The larger variant of a country comes last and so counts: yahoo.com.jp is yahoo.co.jp, not yahoo.ne.jp.
  const byWeight = [...endings].sort((a, b) => a[1] - b[1]).map(([ending]) => ending);
  const abroad = byWeight.flatMap((right) =>
    sameCountry(right).map((typed): [string, string] => [typed, right]),
  );
  return new Map([...abroad.filter(([typed]) => !endings.has(typed)), ...mistaken]);
}

/** The country right and what stands before it not: `com.in` for `co.in`. */
function sameCountry(ending: string): string[] {
  const country = /(?:^|\.)([a-z]{2})$/.exec(ending)?.[1];
  return country === undefined ? [] : [`co.${country}`, `com.${country}`];
}

function isGiant(name: string, endings: ReadonlyMap<string, number>): boolean {
  return !COMMON_WORDS.has(name) && Math.max(...endings.values()) >= GIANT_WEIGHT;
}

function divided(domain: string): [name: string, ending: string] {
  const dot = domain.indexOf(".");
  return [domain.slice(0, dot), domain.slice(dot + 1)];
}

/**
 * The greatest slip cost at which a typed name still stands for the brand. At an ending that does not exist the
 * typed domain is nobody's, and more is allowed.
 */
export function limitFor(brand: MailBrand, typedName: string, endingExists: boolean): number {
  if (!endingExists) return brand.daringLimit;
  const { sharedTail } = brand;
  return sharedTail !== undefined && typedName.endsWith(sharedTail.tail)
    ? sharedTail.headLimit
    : brand.cautiousLimit;
}

/** Nearly every short name is taken by somebody, so a short brand has to be nearly right. */
function cautiousLimit(name: string): number {
  const own = OWN_LIMITS.get(name);
  if (own !== undefined) return own;
  const limits = COMMON_WORDS.has(name) ? COMMON_WORD_LIMITS : COINED_LIMITS;
  return limits[Math.min(name.length, limits.length - 1)] ?? 0;
}

function daringLimit({ length }: string): number {
  return length <= 3 ? 0.5 : length === 4 ? 0.7 : length <= 6 ? 1.3 : 2;
}

/** The set of characters in a word as bits. One edit changes at most two of them, which rules out nearly everyone. */
export function lettersOf(word: string): number {
  let bits = 0;
  for (let i = 0; i < word.length; i++) bits |= 1 << (word.charCodeAt(i) & 31);
  return bits;
}

/** Could a slip of this cost lead from the one set of letters to the other? */
export function isWithinReach(letters: number, others: number, limit: number): boolean {
  return bitCount(letters ^ others) <= (limit > 1 ? 4 : 2);
}

function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Brands without national variants, so that any ending but .com is a mistake. */
export const ONE_ENDING_BRANDS: ReadonlySet<string> = new Set(
  "gmail googlemail icloud rocketmail".split(" "),
);

/** By an ending that exists: the brands that have it, and those it is mistaken at. */
export const BRANDS_BY_ENDING: ReadonlyMap<string, readonly MailBrand[]> = brandsByEnding(MAIL_BRANDS);

function brandsByEnding(brands: readonly MailBrand[]): ReadonlyMap<string, MailBrand[]> {
  const byEnding = new Map<string, MailBrand[]>();
  for (const brand of brands) {
    for (const ending of [...brand.endings.keys(), ...brand.mistakenEndings.keys()]) {
      byEnding.set(ending, [...(byEnding.get(ending) ?? []), brand]);
    }
  }
  return byEnding;
}
