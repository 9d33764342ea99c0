/**
 * The large providers split for typo correction: a brand (`yahoo`), the suffixes it uses (`com`, `co.uk`, `fr` …),
 * and how far a typed name may be from the brand.
 */

import { MAILBOX_PROVIDER_NAMES } from "../reference/free-provider-domains.ts";
import { LARGE_PROVIDERS } from "../reference/free-providers.ts";

export type MailBrand = {
  name: string;
  /** Its letters as a bit set, see lettersOf. */
  letters: number;
  /** With a weight: the approximate number of users. */
  suffixes: ReadonlyMap<string, number>;
  /** Suffixes it does not use but is often given, with the intended one. */
  confusedSuffixes: ReadonlyMap<string, string>;
  /** Maximum typo cost of the name in front of such a suffix. */
  confusedSuffixLimit: number;
  /** Also a word or a company: under a suffix that the provider does not use it is a different domain. */
  isCommonWord: boolean;
  /** Coined for mail, long, and without a common second half: every near miss was meant for it. */
  isDistinctive: boolean;
  sharedTail: SharedTail | undefined;
  registeredLimit: number;
  unregisteredLimit: number;
};

type SharedTail = { tail: string; headLimit: number };

/** Brands whose near misses are words and companies too. The others were coined for mail. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  `mail me mac sky aim frontier charter orange free web alice rogers juno shaw list inbox centrum
   libero sina proton terra bk wp o2 op ig uol bol zoho telus freenet daum neuf qq 163 126 sfr skynet
   gazeta onet interia sapo nate abv azet`.split(/\s+/),
);

/** Brands with more real names nearby than their length suggests (family names, mostly), or with fewer. */
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
 * Brands whose second half is common: with another first half it is a different company (itcloud.com, coxmail.com),
 * while a typo in the second half itself is as significant as anywhere.
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

/** Suffixes that exist, but after a mail brand are almost always typos. */
const CONFUSED_SUFFIXES: ReadonlyMap<string, string> = new Map([
  ["co", "com"],
  ["cm", "com"],
  ["om", "com"],
  ["cam", "com"],
  ["ne", "net"],
  ["et", "net"],
  ["bet", "net"],
  ["uk", "co.uk"],
  ["br", "com.br"],
  ["com.uk", "co.uk"], // not a public suffix, but near too many
]);

/** Those with so few registrations that even a common word there is a typo: mail.om. */
const RARE_SUFFIXES: ReadonlySet<string> = new Set(["om", "cm"]);

/**
 * A brand in this many countries is one provider everywhere; docomo.co.jp is the company, docomo.ne.jp its mail.
 */
const INTERNATIONAL_SIZE = 10;

/** Maximum typo cost under an existing suffix, by length of the name; the last entry holds for all longer ones. */
const COMMON_WORD_LIMITS: readonly number[] = [0, 0, 0, 0, 0.55, 0.75];
const COINED_LIMITS: readonly number[] = [0, 0, 0, 0.45, 0.55, 1, 1.2, 1.25, 1.4, 1.45];

/** With this many users even a distant typo is more likely theirs than a real domain. */
const GIANT_WEIGHT = 100;
const GIANT_BONUS = 0.2;

/** A national variant that is not large by itself. */
const NATIONAL_WEIGHT = 0.5;

/** Every brand that has a large provider, with that provider's smaller national variants. */
export const MAIL_BRANDS: readonly MailBrand[] = brandsOf(LARGE_PROVIDERS);

function brandsOf(providers: ReadonlyMap<string, number>): MailBrand[] {
  const suffixesByName = new Map<string, Map<string, number>>();
  for (const [domain, weight] of providers) {
    const [name, suffix] = splitDomain(domain);
    suffixesByName.set(name, (suffixesByName.get(name) ?? new Map()).set(suffix, weight));
  }
  for (const domain of MAILBOX_PROVIDER_NAMES) {
    const [name, suffix] = splitDomain(domain);
    const suffixes = suffixesByName.get(name);
    if (suffixes !== undefined && !suffixes.has(suffix)) suffixes.set(suffix, NATIONAL_WEIGHT);
  }
  return [...suffixesByName].map(([name, suffixes]) => ({
    name,
    letters: lettersOf(name),
    suffixes,
    confusedSuffixes: confusedSuffixes(name, suffixes),
    confusedSuffixLimit: COMMON_WORDS.has(name) ? 0 : isDistinctive(name) ? 1 : 0.7,
    isCommonWord: COMMON_WORDS.has(name),
    isDistinctive: isDistinctive(name),
    sharedTail: SHARED_TAILS.get(name),
    registeredLimit: registeredLimit(name) + (isGiant(name, suffixes) ? GIANT_BONUS : 0),
    unregisteredLimit: unregisteredLimit(name),
  }));
}

function isDistinctive(name: string): boolean {
  return name.length >= 5 && !COMMON_WORDS.has(name) && (SHARED_TAILS.get(name)?.headLimit ?? 1) >= 1;
}

function confusedSuffixes(name: string, suffixes: ReadonlyMap<string, number>): ReadonlyMap<string, string> {
  const confused = [...CONFUSED_SUFFIXES].filter(
    ([typed, right]) => suffixes.has(right) && (!COMMON_WORDS.has(name) || RARE_SUFFIXES.has(typed)),
  );
  if (!isDistinctive(name) || suffixes.size < INTERNATIONAL_SIZE) return new Map(confused);
  // The last entry wins, and the larger variant of a country is last: yahoo.com.jp is yahoo.co.jp, not yahoo.ne.jp.
  const byWeight = [...suffixes].sort((a, b) => a[1] - b[1]).map(([suffix]) => suffix);
  const national = byWeight.flatMap((right) =>
    sameCountry(right).map((typed): [string, string] => [typed, right]),
  );
  return new Map([...national.filter(([typed]) => !suffixes.has(typed)), ...confused]);
}

/** The right country with the wrong second level: `com.in` for `co.in`. */
function sameCountry(suffix: string): string[] {
  const country = /(?:^|\.)([a-z]{2})$/.exec(suffix)?.[1];
  return country === undefined ? [] : [`co.${country}`, `com.${country}`];
}

function isGiant(name: string, suffixes: ReadonlyMap<string, number>): boolean {
  return !COMMON_WORDS.has(name) && Math.max(...suffixes.values()) >= GIANT_WEIGHT;
}

function splitDomain(domain: string): [name: string, suffix: string] {
  const dot = domain.indexOf(".");
  return [domain.slice(0, dot), domain.slice(dot + 1)];
}

/**
 * The maximum typo cost at which a typed name still stands for the brand. Higher under a suffix that does not exist,
 * because the typed domain cannot be real.
 */
export function limitFor(brand: MailBrand, typedName: string, suffixExists: boolean): number {
  if (!suffixExists) return brand.unregisteredLimit;
  const { sharedTail } = brand;
  return sharedTail !== undefined && typedName.endsWith(sharedTail.tail)
    ? sharedTail.headLimit
    : brand.registeredLimit;
}

/** Nearly every short name is registered, so only small typos of a short brand are corrected. */
function registeredLimit(name: string): number {
  const own = OWN_LIMITS.get(name);
  if (own !== undefined) return own;
  const limits = COMMON_WORDS.has(name) ? COMMON_WORD_LIMITS : COINED_LIMITS;
  return limits[Math.min(name.length, limits.length - 1)] ?? 0;
}

function unregisteredLimit({ length }: string): number {
  return length <= 3 ? 0.5 : length === 4 ? 0.7 : length <= 6 ? 1.3 : 2;
}

/**
 * The characters of a word as a bit set. One edit changes at most two bits, which rules out nearly all candidates.
 */
export function lettersOf(word: string): number {
  let bits = 0;
  for (let i = 0; i < word.length; i++) bits |= 1 << (word.charCodeAt(i) & 31);
  return bits;
}

/** Whether a typo of this cost can lead from one bit set to the other. */
export function isWithinReach(letters: number, others: number, limit: number): boolean {
  return bitCount(letters ^ others) <= (limit > 1 ? 4 : 2);
}

function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Brands without national variants: every suffix but .com is wrong. */
export const SINGLE_SUFFIX_BRANDS: ReadonlySet<string> = new Set(
  "gmail googlemail icloud rocketmail".split(" "),
);

/** By existing suffix: the brands that use it, and those it is confused with. */
export const BRANDS_BY_SUFFIX: ReadonlyMap<string, readonly MailBrand[]> = brandsBySuffix(MAIL_BRANDS);

function brandsBySuffix(brands: readonly MailBrand[]): ReadonlyMap<string, MailBrand[]> {
  const byEnding = new Map<string, MailBrand[]>();
  for (const brand of brands) {
    for (const suffix of [...brand.suffixes.keys(), ...brand.confusedSuffixes.keys()]) {
      byEnding.set(suffix, [...(byEnding.get(suffix) ?? []), brand]);
    }
  }
  return byEnding;
}
