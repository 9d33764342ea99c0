/**
 * "Did you mean": the large provider's domain that a mistyped one stands for, or the ending that was meant when
 * the typed one does not exist.
 *
 * No DNS is asked here, so a wrong guess would "correct" somebody's own domain. Hence: known providers, relays
 * and real look-alikes are never touched; a name is split into brand and ending, and each may only be as far off
 * as the brand is long and distinct; and an ending that exists counts as meant, save for a few notorious ones.
 * Where the ending does not exist, the domain cannot be real, and more is dared.
 */

import { parse } from "tldts";
import { isFreeProvider, LARGE_PROVIDERS } from "../reference/free-providers.ts";
import { isPrivacyRelay } from "../reference/privacy-relays.ts";
import { isRealLookAlike } from "./look-alikes.ts";
import {
  BRANDS_BY_ENDING,
  isWithinReach,
  lettersOf,
  limitFor,
  MAIL_BRANDS,
  type MailBrand,
  ONE_ENDING_BRANDS,
} from "./mail-brands.ts";
import { specialUseOf } from "./special-use.ts";
import { lostPlaceCost, typoCost } from "./typo-cost.ts";

export type Suggestion = {
  domain: string;
  /** How likely it is that this was meant, 0 to 1. */
  certainty: number;
};

/** What the typed domain (A-labels, lower case) was probably meant to be, if it looks like a slip at all. */
export function suggestDomain(domain: string): Suggestion | undefined {
  if (LARGE_PROVIDERS.has(domain)) return undefined;
  const dot = domain.indexOf(".");
  if (dot <= 0 || dot === domain.length - 1 || domain.length > LONGEST_SLIP) return undefined;
  const [name, ending] = [domain.slice(0, dot), domain.slice(dot + 1)];
  const suggestion =
    wronglyDivided(domain) ??
    nearestProvider(name, ending) ??
    homeOfBrand(name, ending) ??
    repairedEnding(domain);
  return suggestion === undefined || isSurelyMeant(domain) ? undefined : suggestion;
}

/** The same for a domain without any dot: `gmailcom`, or just `gmail`. */
export function suggestForSingleLabel(label: string): Suggestion | undefined {
  if (label.length > LONGEST_SLIP) return undefined;
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

/** Longer than every provider's name by more than any slip. */
const LONGEST_SLIP = 40;

/** `g-mail.com` and `gmalcom` are slips; `b-k.ru` and `mecon` may be anything. */
const SHORTEST_UNDIVIDED = 7;

function isSurelyMeant(domain: string): boolean {
  return (
    isFreeProvider(domain) ||
    (isRealLookAlike(domain) && endingExists(domain.slice(domain.indexOf(".") + 1))) ||
    isPrivacyRelay(domain) ||
    specialUseOf(domain) !== undefined
  );
}

/** `gmailc.om`, `hot.mail.com`, `gmail.com.com`: the right letters, wrongly divided or with some to spare. */
function wronglyDivided(domain: string): Suggestion | undefined {
  const undivided = domain.replace(/[.-]/g, "");
  const meant = PROVIDER_WITHOUT_DOTS.get(undivided);
  if (meant !== undefined && isOneSlipOfDivision(domain, undivided))
    return { domain: meant, certainty: 0.95 };
  for (const [surplus, isMeant] of SURPLUS) {
    const bare = surplus.exec(domain)?.slice(1).join("");
    if (bare !== undefined && isMeant(bare)) return { domain: bare, certainty: 0.95 };
  }
  return undefined;
}

/** What people add to a domain that was complete without it, and whose domain the rest has to be. */
const SURPLUS: readonly [surplus: RegExp, isMeant: (domain: string) => boolean][] = [
  [/^www\.?(.+)$/, (domain) => LARGE_PROVIDERS.has(domain)],
  [/^([^.]+\.com)(?:\.?(?:com|con|co|net))+$/, (domain) => LARGE_PROVIDERS.has(domain)], // gmail.com.com
  [/^([^.]+)com(\.com)$/, (domain) => UNMISTAKABLE_PROVIDERS.has(domain)], // gmailcom.com
  [/^\d{1,4}(.+)$/, (domain) => UNMISTAKABLE_PROVIDERS.has(domain)], // 75yahoo.com: the end of the local part
];

function isOneSlipOfDivision(domain: string, undivided: string): boolean {
  const hyphens = domain.split("-").length - 1;
  return hyphens === 0 || (hyphens === 1 && undivided.length >= SHORTEST_UNDIVIDED);
}

const PROVIDER_WITHOUT_DOTS: ReadonlyMap<string, string> = new Map(
  [...LARGE_PROVIDERS.keys()].map((provider) => [provider.replace(/[.-]/g, ""), provider]),
);

const UNMISTAKABLE_PROVIDERS: ReadonlySet<string> = new Set(
  MAIL_BRANDS.filter(({ isUnmistakable }) => isUnmistakable).flatMap(({ name, endings }) =>
    [...endings.keys()].map((ending) => `${name}.${ending}`),
  ),
);

type Candidate = { domain: string; cost: number; weight: number };

function nearestProvider(name: string, ending: string): Suggestion | undefined {
  if (ending.length > LONGEST_ENDING) return undefined;
  const exists = endingExists(ending);
  if (ONE_ENDING_BRANDS.has(name) && isAnyEnding(ending)) return { domain: `${name}.com`, certainty: 0.88 };
  if (exists && name.length <= LONGEST_TAKEN && !MAIL_BRAND_BY_NAME.has(name)) return undefined;
  const notorious = NOTORIOUS.get(name);
  const letters = lettersOf(name);
  const candidates: Candidate[] = [];
  for (const brand of exists ? (BRANDS_BY_ENDING.get(ending) ?? []) : MAIL_BRANDS) {
    const limit = limitFor(brand, name, exists);
    const isNotorious = brand.name === notorious;
    if (!isNotorious && !isWithinReach(letters, brand.letters, limit)) continue;
    const nameCost = isNotorious ? NOTORIOUS_COST : costOfName(name, brand, limit);
    if (nameCost === Infinity) continue;
    for (const [right, weight] of brand.endings) {
      const cost = nameCost + costOfEnding(ending, exists, right, brand, nameCost);
      candidates.push({ domain: `${brand.name}.${right}`, cost, weight });
    }
  }
  return (
    best(candidates) ?? (exists && IN_A_COUNTRY.test(ending) ? slipOfOneEnding(name, letters) : undefined)
  );
}

/** `gmal.fr`, `gmial.co.uk`: a slip in the name as well, where the ending alone could not be the brand's. */
function slipOfOneEnding(name: string, letters: number): Suggestion | undefined {
  const near = MAIL_BRANDS_OF_ONE_ENDING.filter(
    (brand) =>
      isWithinReach(letters, brand.letters, ONE_LETTER) &&
      typoCost(name, brand.name, ONE_LETTER) <= ONE_LETTER &&
      !(brand.sharedTail && name.endsWith(brand.sharedTail.tail)), // gvmail.br is somebody else
  );
  return near[0] && { domain: `${near[0].name}.com`, certainty: 0.85 };
}

const ONE_LETTER = 0.7;
const IN_A_COUNTRY = /^(?:com?\.)?[a-z]{2}$/;
const MAIL_BRANDS_OF_ONE_ENDING = MAIL_BRANDS.filter(({ name }) => ONE_ENDING_BRANDS.has(name));

function costOfName(typed: string, brand: MailBrand, limit: number): number {
  const cost = typoCost(typed, brand.name, limit);
  return cost === Infinity && brand.isUnmistakable ? lostPlaceCost(typed, brand.name) : cost;
}

/** `com.br` and two letters too many. What is longer is a host below somebody's domain. */
const LONGEST_ENDING = 8;

/** Names this short are all taken, at any ending worth having. */
const LONGEST_TAKEN = 3;
const MAIL_BRAND_BY_NAME: ReadonlyMap<string, MailBrand> = new Map(
  MAIL_BRANDS.map((brand) => [brand.name, brand]),
);

/** Slips of the ear and of the first letter, further off than the limits allow and yet nobody's name. */
const NOTORIOUS: ReadonlyMap<string, string> = new Map(
  `hotmale:hotmail hotmile:hotmail hotmel:hotmail hotmayl:hotmail hotmeil:hotmail gmale:gmail gmel:gmail gmayl:gmail
   geemail:gmail jimail:gmail outluk:outlook outluck:outlook autlook:outlook iclowd:icloud iclould:icloud icould:icloud
   eyecloud:icloud yandeks:yandex yahu:yahoo yahuu:yahoo ahoo:yahoo tahoo:yahoo uahoo:yahoo gahoo:yahoo hahoo:yahoo`
    .split(/\s+/)
    .map((pair) => pair.split(":") as [slip: string, meant: string]),
);
const NOTORIOUS_COST = 0.8;

function costOfEnding(
  typed: string,
  exists: boolean,
  right: string,
  brand: MailBrand,
  nameCost: number,
): number {
  if (typed === right) return 0;
  const isMistaken = nameCost <= brand.mistakenEndingLimit && brand.mistakenEndings.get(typed) === right;
  if (isMistaken) return MISTAKEN_ENDING_COST;
  if (exists) return Infinity;
  const typedTld = typed.slice(typed.lastIndexOf(".") + 1);
  // A top-level domain that exists was meant: yahoo.cm.br is yahoo.com.br, but yahoo.com.is is not yahoo.com.sg.
  if (typed.includes(".") && endingExists(typedTld) && !right.endsWith(`.${typedTld}`)) return Infinity;
  if (right.startsWith(typed)) return STOPPED_EARLY_COST;
  const cost = typoCost(typed, right, ENDING_LIMIT, 0);
  if (!typed.startsWith(right)) return cost;
  return typed.length === right.length + 1
    ? Math.min(cost, ONE_LETTER_ON_COST)
    : right === "com"
      ? Math.min(cost, RUN_ON_COST)
      : cost;
}

const ENDING_LIMIT = 1.4;
const MISTAKEN_ENDING_COST = 0.5;
const STOPPED_EARLY_COST = 0.7; // gmail.c
const ONE_LETTER_ON_COST = 0.6; // gmx.deu
const RUN_ON_COST = 1.4; // gmail.comphone
const ONE_SLIP = 1;

/** One label, or one below a country's `com` or `co`. Anything else is a host of somebody's: `gmail.firm.com`. */
function isAnyEnding(ending: string): boolean {
  return /^(?:com?\.)?[a-z0-9-]+$/.test(ending);
}

/** `comcast.con`: no such ending, and nothing near it, but the brand has its mailboxes in one place. */
function homeOfBrand(name: string, ending: string): Suggestion | undefined {
  const brand = MAIL_BRAND_BY_NAME.get(name);
  if (brand === undefined || brand.isCommonWord || ending.includes(".") || endingExists(ending))
    return undefined;
  const [home] = [...brand.endings].reduce((a, b) => (b[1] > a[1] ? b : a));
  return { domain: `${name}.${home}`, certainty: 0.75 };
}

/** `firm.con`, `firm.couk`: no such ending, and one slip from one that everybody uses. */
function repairedEnding(domain: string): Suggestion | undefined {
  const lastDot = domain.lastIndexOf(".");
  if (endingExists(domain.slice(lastDot + 1))) return undefined;
  const secondLastDot = domain.lastIndexOf(".", lastDot - 1);
  const stems =
    secondLastDot > 0
      ? [domain.slice(0, lastDot), domain.slice(0, secondLastDot)]
      : [domain.slice(0, lastDot)];
  return best(
    stems.flatMap((stem) =>
      COMMON_ENDINGS.map(([ending, weight]) => ({
        domain: `${stem}.${ending}`,
        cost: typoCost(domain.slice(stem.length + 1), ending, ONE_SLIP, 0),
        weight,
      })),
    ),
  );
}

/** Endings of anybody's domain that are mistyped often enough to guess at. */
const COMMON_ENDINGS: readonly [ending: string, weight: number][] = [
  ["com", 100],
  ["net", 10],
  ["org", 10],
  ["edu", 3],
  ["gov", 1],
  ["co.uk", 5],
  ["com.br", 4],
  ["com.au", 3],
];

/** The likeliest: near, and of equally near ones the one more people have. */
function best(candidates: readonly Candidate[]): Suggestion | undefined {
  let winner: Candidate | undefined;
  let winnerRank = Infinity;
  for (const candidate of candidates) {
    const rank = candidate.cost - Math.log10(candidate.weight) * WEIGHT_OF_SIZE;
    if (rank < winnerRank) [winner, winnerRank] = [candidate, rank];
  }
  if (winner === undefined) return undefined;
  return { domain: winner.domain, certainty: Math.round((0.99 - 0.12 * winner.cost) * 100) / 100 };
}

/** Ten times the mailboxes outweigh this much of a slip. */
const WEIGHT_OF_SIZE = 0.1;

/** Is this an ending under which domains are registered (`fr`, `co.uk`)? Asked for every domain, so remembered. */
function endingExists(ending: string): boolean {
  const known = ENDINGS.get(ending);
  if (known !== undefined) return known;
  const parsed = parse(`a.${ending}`, { validateHostname: false });
  // A rule such as *.ck makes the ending one label longer than asked for; .ck itself exists none the less.
  const exists = parsed.isIcann === true && (parsed.publicSuffix?.length ?? 0) >= ending.length;
  if (ENDINGS.size < MOST_ENDINGS_REMEMBERED) ENDINGS.set(ending, exists);
  return exists;
}

const ENDINGS = new Map<string, boolean>();
const MOST_ENDINGS_REMEMBERED = 8192;
