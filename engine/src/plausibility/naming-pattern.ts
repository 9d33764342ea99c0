/**
 * The naming pattern of a domain (`first.last`, `flast` …), and how well a local part fits it.
 *
 * Every local part is interpreted in all possible ways (name-parser.ts). Which one applies is inferred from the other
 * mailboxes, in a few rounds of expectation-maximisation that start from the general prior. A tally holds numbers
 * only: no name can be read out of it.
 *
 * Only meaningful where an organisation assigns names: at free providers people choose their own, and the caller does
 * not ask. Role names (info, sales) follow no template and are skipped.
 */

import { roleOf } from "../reference/role-addresses.ts";
import { loadNameLexicon, type NameLexicon } from "./name-lexicon.ts";
import { OTHER, TEMPLATES, type Template, templateLikelihoods } from "./name-parser.ts";

export { TEMPLATES, type Template };

/** How many mailboxes of a domain follow which template. Fractional: one name may have several interpretations. */
export type PatternTally = {
  mailboxes: number;
  /** One number per template, in the order of TEMPLATES; they add up to `mailboxes`. */
  shares: number[];
};

/** Where a naming pattern comes from: proven mailboxes, or the other addresses of a list. */
export type NamingSource = "proven" | "list";

export type PatternFit = {
  /**
   * Likelihood ratio of this local part here versus at an unknown domain: above 1 is evidence for it, below 1
   * against.
   */
  lift: number;
  /** Its best interpretation, here. */
  template: Template;
  /** The most common template here: `agreeing` of `of` mailboxes. */
  leading: Template;
  agreeing: number;
  of: number;
};

export function emptyTally(): PatternTally {
  return { mailboxes: 0, shares: TEMPLATES.map(() => 0) };
}

/** Adds one mailbox. Role names and unsupported scripts leave the tally unchanged. */
export function withMailbox(tally: PatternTally, local: string, lexicon = loadNameLexicon()): PatternTally {
  const likelihoods = likelihoodsOf(local, lexicon);
  if (likelihoods === undefined) return tally;
  const mailbox = posterior(likelihoods, priorFrom(tally));
  return { mailboxes: tally.mailboxes + 1, shares: tally.shares.map((share, i) => share + mailbox[i]!) };
}

/** The tally of many local parts, of which the first MAX_NAMES are used. Their order does not matter. */
export function tallyOf(locals: Iterable<string>, lexicon = loadNameLexicon()): PatternTally {
  const parsed: Float64Array[] = [];
  let seen = 0;
  for (const local of locals) {
    if (++seen > MAX_NAMES) break;
    const likelihoods = likelihoodsOf(local, lexicon);
    if (likelihoods !== undefined) parsed.push(likelihoods);
  }
  let tally = emptyTally();
  for (let iteration = 0; iteration < EM_ITERATIONS; iteration++) {
    const prior = priorFrom(tally);
    const shares = TEMPLATES.map(() => 0);
    for (const likelihoods of parsed) {
      const mailbox = posterior(likelihoods, prior);
      for (let i = 0; i < shares.length; i++) shares[i]! += mailbox[i]!;
    }
    tally = { mailboxes: parsed.length, shares };
  }
  return tally;
}

/**
 * Undefined with too little evidence: fewer than MIN_MAILBOXES, a role name, an unsupported script. A name
 * interpreted as `other` never gains: random letters would otherwise fit wherever names follow no template.
 */
export function fitOf(
  local: string,
  tally: PatternTally,
  lexicon = loadNameLexicon(),
): PatternFit | undefined {
  if (tally.mailboxes < MIN_MAILBOXES) return undefined;
  const likelihoods = likelihoodsOf(local, lexicon);
  if (likelihoods === undefined) return undefined;
  const template = argmax(posterior(likelihoods, priorFrom(tally)));
  const lift = liftOf(likelihoods, tally);
  const leading = argmax(tally.shares);
  return {
    lift: template === OTHER ? Math.min(lift, 1) : lift,
    template: TEMPLATES[template]!,
    leading: TEMPLATES[leading]!,
    agreeing: Math.round(tally.shares[leading]!),
    of: Math.round(tally.mailboxes),
  };
}

/** Probability of the name at this domain over its probability anywhere. */
export function liftOf(likelihoods: Float64Array, tally: PatternTally): number {
  const prior = priorFrom(tally);
  let here = 0;
  let anywhere = 0;
  for (let i = 0; i < likelihoods.length; i++) {
    here += prior[i]! * likelihoods[i]!;
    anywhere += GENERAL_PRIOR[i]! * likelihoods[i]!;
  }
  return anywhere > 0 ? here / anywhere : 1;
}

const MAX_NAMES = 200;
const EM_ITERATIONS = 4;
const MIN_MAILBOXES = 3;

/** Prior: how mailboxes at companies are named in general. */
const GENERAL_SHARES: Record<Template, number> = {
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
const GENERAL_PRIOR = TEMPLATES.map((template) => GENERAL_SHARES[template]);

/** Weight of the prior, in mailboxes. */
const PRIOR_WEIGHT = 2;

function priorFrom({ mailboxes, shares }: PatternTally): number[] {
  return GENERAL_PRIOR.map(
    (share, i) => (PRIOR_WEIGHT * share + (shares[i] ?? 0)) / (PRIOR_WEIGHT + mailboxes),
  );
}

/** Posterior over the templates for one mailbox. */
function posterior(likelihoods: Float64Array, prior: readonly number[]): number[] {
  let total = 0;
  for (let i = 0; i < likelihoods.length; i++) total += prior[i]! * likelihoods[i]!;
  if (total === 0) return TEMPLATES.map((_, i) => (i === OTHER ? 1 : 0));
  return prior.map((probability, i) => (probability * likelihoods[i]!) / total);
}

function argmax(values: readonly number[]): number {
  let index = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[index]!) index = i;
  return index;
}

/** Verdict, score and reasons of an address parse the same name in a row, so the last result is kept. */
let lastParsed: { local: string; lexicon: NameLexicon; likelihoods: Float64Array | undefined } | undefined;

function likelihoodsOf(local: string, lexicon: NameLexicon): Float64Array | undefined {
  if (lastParsed?.local !== local || lastParsed.lexicon !== lexicon) {
    const likelihoods = roleOf(local) === undefined ? templateLikelihoods(local, lexicon) : undefined;
    lastParsed = { local, lexicon, likelihoods };
  }
  return lastParsed.likelihoods;
}
