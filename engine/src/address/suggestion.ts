/**
 * "Did you mean": the large provider's domain that a typo stands for, or the correct TLD when the typed one does not
 * exist.
 *
 * No DNS query is made here, so a wrong guess would "correct" a real domain. Known providers, relays, agent
 * mailboxes and real look-alikes are therefore never changed; a domain is split into brand and suffix, and each may
 * only be as far off as the brand is long and distinctive; and a suffix that exists counts as intended, except for a
 * few notorious ones. Where the suffix does not exist the domain cannot be real, and larger corrections are made.
 */

import { isFreeProvider, LARGE_PROVIDERS } from "../reference/free-providers.ts";
import { isAgentMailbox, isPrivacyRelay } from "../reference/relays-and-agents.ts";
import { parse } from "./public-suffix.ts";
import { specialUseOf } from "./special-use-domains.ts";
import { typoCost, wholeWordTypoCost } from "./typo-cost.ts";
import { isRealLookAlike } from "./typo-exceptions.ts";
import {
  BRANDS_BY_SUFFIX,
  isWithinReach,
  lettersOf,
  limitFor,
  MAIL_BRANDS,
  type MailBrand,
  SINGLE_SUFFIX_BRANDS,
} from "./typo-target-brands.ts";

export type Suggestion = {
  domain: string;
  /** Probability that this domain was intended, 0 to 1. */
  certainty: number;
};

/**
 * The domain that was probably intended; undefined if the typed one (A-labels, lower case) does not look like a typo.
 */
export function suggestDomain(domain: string): Suggestion | undefined {
  if (LARGE_PROVIDERS.has(domain) || specialUseOf(domain) !== undefined) return undefined;
  const dot = domain.indexOf(".");
  if (dot <= 0 || dot === domain.length - 1 || domain.length > LONGEST_TYPO) return undefined;
  const [name, suffix] = [domain.slice(0, dot), domain.slice(dot + 1)];
  const suggestion =
    misplacedDots(domain) ??
    nearestProvider(name, suffix) ??
    mainDomainOfBrand(name, suffix) ??
    correctedSuffix(domain);
  return suggestion === undefined || isIntended(domain) ? undefined : suggestion;
}

/** The same for a domain without a dot: `gmailcom`, or just `gmail`. */
export function suggestForSingleLabel(label: string): Suggestion | undefined {
  if (label.length > LONGEST_TYPO) return undefined;
  const word = label.replace(/[-_,]/g, "");
  const exact = PROVIDER_WITHOUT_DOTS.get(word) ?? PROVIDER_WITHOUT_DOTS.get(`${word}com`);
  if (exact !== undefined) return { domain: exact, certainty: 0.95 };
  const limit = word.length < SHORTEST_UNDIVIDED ? 0 : 1;
  return best(
    [...PROVIDER_WITHOUT_DOTS].map(([undivided, domain]) => ({
      domain,
      cost: typoCost(word, undivided, limit),
      weight: LARGE_PROVIDERS.get(domain) ?? 1,
    })),
  );
}

/** Longer than every provider's domain by more than any typo. */
const LONGEST_TYPO = 40;

/** `g-mail.com` and `gmalcom` are typos; `b-k.ru` and `mecon` may be anything. */
const SHORTEST_UNDIVIDED = 7;

function isIntended(domain: string): boolean {
  return (
    isFreeProvider(domain) ||
    (isRealLookAlike(domain) && suffixExists(domain.slice(domain.indexOf(".") + 1))) ||
    isPrivacyRelay(domain) ||
    isAgentMailbox(domain)
  );
}

/** `gmailc.om`, `hot.mail.com`, `gmail.com.com`: the right letters with misplaced dots, or with a surplus part. */
function misplacedDots(domain: string): Suggestion | undefined {
  const undivided = domain.replace(/[.-]/g, "");
  const meant = PROVIDER_WITHOUT_DOTS.get(undivided);
  if (meant !== undefined && isOneMisplacedDot(domain, undivided)) return { domain: meant, certainty: 0.95 };
  for (const [surplus, isTarget] of SURPLUS) {
    const bare = surplus.exec(domain)?.slice(1).join("");
    if (bare !== undefined && isTarget(bare)) return { domain: bare, certainty: 0.95 };
  }
  return undefined;
}

/** Surplus parts that people add to a complete domain, and which domains the rest may be. */
const SURPLUS: readonly [surplus: RegExp, isTarget: (domain: string) => boolean][] = [
  [/^www\.?(.+)$/, (domain) => LARGE_PROVIDERS.has(domain)],
  [/^([^.]+\.com)(?:\.?(?:com|con|co|net))+$/, (domain) => LARGE_PROVIDERS.has(domain)], // gmail.com.com
  [/^([^.]+)com(\.com)$/, (domain) => DISTINCTIVE_PROVIDERS.has(domain)], // gmailcom.com
  [/^\d{1,4}(.+)$/, (domain) => DISTINCTIVE_PROVIDERS.has(domain)], // 75yahoo.com: the end of the local part
];

function isOneMisplacedDot(domain: string, undivided: string): boolean {
  const hyphens = domain.split("-").length - 1;
  return hyphens === 0 || (hyphens === 1 && undivided.length >= SHORTEST_UNDIVIDED);
}

const PROVIDER_WITHOUT_DOTS: ReadonlyMap<string, string> = new Map(
  [...LARGE_PROVIDERS.keys()].map((provider) => [provider.replace(/[.-]/g, ""), provider]),
);

const DISTINCTIVE_PROVIDERS: ReadonlySet<string> = new Set(
  MAIL_BRANDS.filter(({ isDistinctive }) => isDistinctive).flatMap(({ name, suffixes }) =>
    [...suffixes.keys()].map((suffix) => `${name}.${suffix}`),
  ),
);

type Candidate = { domain: string; cost: number; weight: number };

function nearestProvider(name: string, suffix: string): Suggestion | undefined {
  if (suffix.length > LONGEST_SUFFIX) return undefined;
  const exists = suffixExists(suffix);
  if (SINGLE_SUFFIX_BRANDS.has(name) && isSuffix(suffix)) return { domain: `${name}.com`, certainty: 0.88 };
  if (exists && name.length <= LONGEST_REGISTERED && !MAIL_BRAND_BY_NAME.has(name)) return undefined;
  const notorious = NOTORIOUS.get(name);
  const letters = lettersOf(name);
  const candidates: Candidate[] = [];
  for (const brand of exists ? (BRANDS_BY_SUFFIX.get(suffix) ?? []) : MAIL_BRANDS) {
    const limit = limitFor(brand, name, exists);
    const isNotorious = brand.name === notorious;
    if (!isNotorious && !isWithinReach(letters, brand.letters, limit)) continue;
    const nameCost = isNotorious ? NOTORIOUS_COST : nameCostOf(name, brand, limit);
    if (nameCost === Infinity) continue;
    for (const [right, weight] of brand.suffixes) {
      const cost = nameCost + suffixCost(suffix, exists, right, brand, nameCost);
      candidates.push({ domain: `${brand.name}.${right}`, cost, weight });
    }
  }
  return (
    best(candidates) ??
    (exists && COUNTRY_SUFFIX.test(suffix) ? typoOfOneSuffixBrand(name, letters) : undefined)
  );
}

/** `gmal.fr`, `gmial.co.uk`: a typo in the name under a suffix that the brand does not use. */
function typoOfOneSuffixBrand(name: string, letters: number): Suggestion | undefined {
  const near = SINGLE_SUFFIX_MAIL_BRANDS.filter(
    (brand) =>
      isWithinReach(letters, brand.letters, ONE_LETTER) &&
      typoCost(name, brand.name, ONE_LETTER) <= ONE_LETTER &&
      !(brand.sharedTail && name.endsWith(brand.sharedTail.tail)), // gvmail.br is a different domain
  );
  return near[0] && { domain: `${near[0].name}.com`, certainty: 0.85 };
}

const ONE_LETTER = 0.7;
const COUNTRY_SUFFIX = /^(?:com?\.)?[a-z]{2}$/;
const SINGLE_SUFFIX_MAIL_BRANDS = MAIL_BRANDS.filter(({ name }) => SINGLE_SUFFIX_BRANDS.has(name));

function nameCostOf(typed: string, brand: MailBrand, limit: number): number {
  const cost = typoCost(typed, brand.name, limit);
  return cost === Infinity && brand.isDistinctive ? wholeWordTypoCost(typed, brand.name) : cost;
}

/** `com.br` and two extra letters. Anything longer is a host below a registered domain. */
const LONGEST_SUFFIX = 8;

/** Names this short are registered under every common TLD. */
const LONGEST_REGISTERED = 3;
const MAIL_BRAND_BY_NAME: ReadonlyMap<string, MailBrand> = new Map(
  MAIL_BRANDS.map((brand) => [brand.name, brand]),
);

/** Phonetic misspellings and wrong first letters: beyond the cost limits, and not registered by anyone else. */
const NOTORIOUS: ReadonlyMap<string, string> = new Map(
  `hotmale:hotmail hotmile:hotmail hotmel:hotmail hotmayl:hotmail hotmeil:hotmail gmale:gmail gmel:gmail gmayl:gmail
   geemail:gmail jimail:gmail outluk:outlook outluck:outlook autlook:outlook iclowd:icloud iclould:icloud icould:icloud
   eyecloud:icloud yandeks:yandex yahu:yahoo yahuu:yahoo ahoo:yahoo tahoo:yahoo uahoo:yahoo gahoo:yahoo hahoo:yahoo`
    .split(/\s+/)
    .map((pair) => pair.split(":") as [typo: string, meant: string]),
);
const NOTORIOUS_COST = 0.8;

function suffixCost(
  typed: string,
  exists: boolean,
  right: string,
  brand: MailBrand,
  nameCost: number,
): number {
  if (typed === right) return 0;
  const isConfused = nameCost <= brand.confusedSuffixLimit && brand.confusedSuffixes.get(typed) === right;
  if (isConfused) return CONFUSED_SUFFIX_COST;
  if (exists) return Infinity;
  const typedTld = typed.slice(typed.lastIndexOf(".") + 1);
  // A TLD that exists was intended: yahoo.cm.br is yahoo.com.br, but yahoo.com.is is not yahoo.com.sg.
  if (typed.includes(".") && suffixExists(typedTld) && !right.endsWith(`.${typedTld}`)) return Infinity;
  if (right.startsWith(typed)) return CUT_SUFFIX_COST;
  const cost = typoCost(typed, right, SUFFIX_LIMIT, 0);
  if (!typed.startsWith(right)) return cost;
  return typed.length === right.length + 1
    ? Math.min(cost, ONE_EXTRA_LETTER_COST)
    : right === "com"
      ? Math.min(cost, EXTRA_WORD_COST)
      : cost;
}

const SUFFIX_LIMIT = 1.4;
const CONFUSED_SUFFIX_COST = 0.5;
const CUT_SUFFIX_COST = 0.7; // gmail.c
const ONE_EXTRA_LETTER_COST = 0.6; // gmx.deu
const EXTRA_WORD_COST = 1.4; // gmail.comphone
const ONE_TYPO = 1;

/** One label, or one below a country's `com` or `co`. Anything else is a host name: `gmail.firm.com`. */
function isSuffix(suffix: string): boolean {
  return /^(?:com?\.)?[a-z0-9-]+$/.test(suffix);
}

/** `comcast.con`: the suffix does not exist and is near none, but the brand has one main domain. */
function mainDomainOfBrand(name: string, suffix: string): Suggestion | undefined {
  const brand = MAIL_BRAND_BY_NAME.get(name);
  if (brand === undefined || brand.isCommonWord || suffix.includes(".") || suffixExists(suffix))
    return undefined;
  const [home] = [...brand.suffixes].reduce((a, b) => (b[1] > a[1] ? b : a));
  return { domain: `${name}.${home}`, certainty: 0.75 };
}

/** `firm.con`, `firm.couk`: the suffix does not exist and is one typo away from a common one. */
function correctedSuffix(domain: string): Suggestion | undefined {
  const lastDot = domain.lastIndexOf(".");
  if (suffixExists(domain.slice(lastDot + 1))) return undefined;
  const secondLastDot = domain.lastIndexOf(".", lastDot - 1);
  const stems =
    secondLastDot > 0
      ? [domain.slice(0, lastDot), domain.slice(0, secondLastDot)]
      : [domain.slice(0, lastDot)];
  return best(
    stems.flatMap((stem) =>
      COMMON_SUFFIXES.map(([suffix, weight]) => ({
        domain: `${stem}.${suffix}`,
        cost: typoCost(domain.slice(stem.length + 1), suffix, ONE_TYPO, 0),
        weight,
      })),
    ),
  );
}

/** Suffixes that are mistyped often enough to suggest for any domain. */
const COMMON_SUFFIXES: readonly [suffix: string, weight: number][] = [
  ["com", 100],
  ["net", 10],
  ["org", 10],
  ["edu", 3],
  ["gov", 1],
  ["co.uk", 5],
  ["com.br", 4],
  ["com.au", 3],
];

/** The lowest cost, adjusted by the number of users of the domain. */
function best(candidates: readonly Candidate[]): Suggestion | undefined {
  let winner: Candidate | undefined;
  let winnerRank = Infinity;
  for (const candidate of candidates) {
    const rank = candidate.cost - Math.log10(candidate.weight) * SIZE_WEIGHT;
    if (rank < winnerRank) [winner, winnerRank] = [candidate, rank];
  }
  if (winner === undefined) return undefined;
  return { domain: winner.domain, certainty: Math.round((0.99 - 0.12 * winner.cost) * 100) / 100 };
}

/** Cost advantage of a provider with ten times the mailboxes. */
const SIZE_WEIGHT = 0.1;

/** True for a public suffix (`fr`, `co.uk`). Needed for every domain, so results are cached. */
function suffixExists(suffix: string): boolean {
  if (PROVIDER_TLDS.has(suffix)) return true;
  const known = SUFFIX_CACHE.get(suffix);
  if (known !== undefined) return known;
  const parsed = parse(`a.${suffix}`, { validateHostname: false });
  // A rule such as *.ck makes the suffix one label longer than requested; .ck itself exists none the less.
  const exists = parsed.isIcann === true && (parsed.publicSuffix?.length ?? 0) >= suffix.length;
  if (SUFFIX_CACHE.size < MAX_CACHED_SUFFIXES) SUFFIX_CACHE.set(suffix, exists);
  return exists;
}

/** Top-level domains of large providers. They exist, so the public suffix list need not be loaded for them. */
export const PROVIDER_TLDS: ReadonlySet<string> = new Set(
  MAIL_BRANDS.flatMap(({ suffixes }) => [...suffixes.keys()]).filter((suffix) => !suffix.includes(".")),
);
const SUFFIX_CACHE = new Map<string, boolean>();
const MAX_CACHED_SUFFIXES = 8192;
