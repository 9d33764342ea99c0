/**
 * How the mailboxes of a domain are named (`first.last`, `flast` …), and how well one more fits in.
 *
 * Every mailbox name is read in all the ways it can be (name-parser.ts); which of them was meant is told by the other
 * mailboxes, in a few rounds that start from how mailboxes are named in general. A tally keeps numbers only: no name
 * can be read out of it.
 *
 * Only for domains where somebody hands out names: at free mail providers everybody picks their own, and the caller
 * does not ask. Names of functions (info, sales) follow no template and are passed over here.
 */

import { roleOf } from "../reference/roles.ts";
import { loadNameLexicon, type NameLexicon } from "./name-lexicon.ts";
import { OTHER, readName, TEMPLATES, type Template } from "./name-parser.ts";

export { TEMPLATES, type Template };

/** How many mailboxes of a domain follow which template. Fractions: one name may be read in several ways. */
export type PatternTally = {
  mailboxes: number;
  /** One number for each template, in the order of TEMPLATES; they add up to `mailboxes`. */
  shares: number[];
};

export type PatternFit = {
  /** How much likelier this mailbox name is here than at a domain nobody knows: above 1 speaks for it, below 1 against. */
  lift: number;
  /** How it is best read, here. */
  template: Template;
  /** What most mailboxes here follow: `agreeing` of `of`. */
  leading: Template;
  agreeing: number;
  of: number;
};

export function emptyTally(): PatternTally {
  return { mailboxes: 0, shares: TEMPLATES.map(() => 0) };
}

/** The tally with one mailbox more. Names of functions, and in scripts we cannot read, leave it as it is. */
export function withMailbox(tally: PatternTally, local: string, lexicon = loadNameLexicon()): PatternTally {
  const reading = readingOf(local, lexicon);
  if (reading === undefined) return tally;
  const one = divided(reading, beliefFrom(tally));
  return { mailboxes: tally.mailboxes + 1, shares: tally.shares.map((share, i) => share + one[i]!) };
}

/** The tally of many at once, of which the first MOST_LOOKED_AT are looked at. Order does not matter among those. */
export function tallyOf(locals: Iterable<string>, lexicon = loadNameLexicon()): PatternTally {
  const readings: Float64Array[] = [];
  let looked = 0;
  for (const local of locals) {
    if (++looked > MOST_LOOKED_AT) break;
    const reading = readingOf(local, lexicon);
    if (reading !== undefined) readings.push(reading);
  }
  let tally = emptyTally();
  for (let round = 0; round < ROUNDS; round++) {
    const belief = beliefFrom(tally);
    const shares = TEMPLATES.map(() => 0);
    for (const reading of readings) {
      const one = divided(reading, belief);
      for (let i = 0; i < shares.length; i++) shares[i]! += one[i]!;
    }
    tally = { mailboxes: readings.length, shares };
  }
  return tally;
}

/**
 * Undefined when there is too little to go by: fewer than FEWEST_MAILBOXES, a function's name, a script we cannot read.
 * A name that is read as `other` never gains by it: random letters would fit in wherever names follow no template.
 */
export function fitOf(
  local: string,
  tally: PatternTally,
  lexicon = loadNameLexicon(),
): PatternFit | undefined {
  if (tally.mailboxes < FEWEST_MAILBOXES) return undefined;
  const reading = readingOf(local, lexicon);
  if (reading === undefined) return undefined;
  const template = greatest(divided(reading, beliefFrom(tally)));
  const lift = liftOf(reading, tally);
  const leading = greatest(tally.shares);
  return {
    lift: template === OTHER ? Math.min(lift, 1) : lift,
    template: TEMPLATES[template]!,
    leading: TEMPLATES[leading]!,
    agreeing: Math.round(tally.shares[leading]!),
    of: Math.round(tally.mailboxes),
  };
}

/** Chance of the reading at this domain over its chance at any. */
export function liftOf(reading: Float64Array, tally: PatternTally): number {
  const belief = beliefFrom(tally);
  let here = 0;
  let anywhere = 0;
  for (let i = 0; i < reading.length; i++) {
    here += belief[i]! * reading[i]!;
    anywhere += USUAL[i]! * reading[i]!;
  }
  return anywhere > 0 ? here / anywhere : 1;
}

const MOST_LOOKED_AT = 200;
const ROUNDS = 4;
const FEWEST_MAILBOXES = 3;

/** How mailboxes at companies are named as long as nothing else is known. */
const USUAL_SHARE: Record<Template, number> = {
  "first.last": 0.4,
  flast: 0.16,
  first: 0.13,
  "f.last": 0.04,
  firstl: 0.04,
  firstlast: 0.03,
  "last.first": 0.03,
  lastf: 0.02,
  last: 0.03,
  first_last: 0.02,
  "first-last": 0.01,
  other: 0.09,
};
const USUAL = TEMPLATES.map((template) => USUAL_SHARE[template]);

/** What is usual weighs as much as this many mailboxes of the domain. */
const WEIGHT_OF_USUAL = 2;

function beliefFrom({ mailboxes, shares }: PatternTally): number[] {
  return USUAL.map(
    (usual, i) => (WEIGHT_OF_USUAL * usual + (shares[i] ?? 0)) / (WEIGHT_OF_USUAL + mailboxes),
  );
}

/** One mailbox, divided among the ways to read it. */
function divided(reading: Float64Array, belief: readonly number[]): number[] {
  let total = 0;
  for (let i = 0; i < reading.length; i++) total += belief[i]! * reading[i]!;
  if (total === 0) return TEMPLATES.map((_, i) => (i === OTHER ? 1 : 0));
  return belief.map((chance, i) => (chance * reading[i]!) / total);
}

function greatest(values: readonly number[]): number {
  let place = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[place]!) place = i;
  return place;
}

/** The verdict, the score and the reasons of one address all read the same name, one right after the other. */
let lastRead: { local: string; lexicon: NameLexicon; reading: Float64Array | undefined } | undefined;

function readingOf(local: string, lexicon: NameLexicon): Float64Array | undefined {
  if (lastRead?.local !== local || lastRead.lexicon !== lexicon) {
    const reading = roleOf(local) === undefined ? readName(local, lexicon) : undefined;
    lastRead = { local, lexicon, reading };
  }
  return lastRead.reading;
}
