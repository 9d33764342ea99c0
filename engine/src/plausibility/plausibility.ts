/**
 * Plausibility of a mailbox by its local part: the name model's score, the fit with the domain's naming pattern, and
 * a language model's answer if there is one. A pure function of the evidence, like verdict.ts.
 *
 * It cannot know whether a mailbox exists, so it is used only where SMTP is inconclusive and never overrules it. Each
 * source adds to the logit within its own limit, so none can dominate.
 */
import type { Language } from "@mailvet/contract/words";
import type { Evidence } from "../evidence.ts";
import { knownOutcome } from "../known-outcome.ts";
import { loadNameModel, type NameScore, type NameSignal } from "./name-model/name-model.ts";
import { fitOf, type NamingSource, type PatternFit } from "./naming-pattern.ts";
import {
  adjudicationReasons,
  fitReasons,
  PLAUSIBILITY_TEXTS,
  type PlausibilityTexts,
  signalReasons,
} from "./plausibility-reasons.ts";

export type Plausibility = {
  /** 0 to 1: probability that the mailbox is in use. 0.5 is neutral. */
  score: number;
  /** The sources used, such as mailvet-names-1+naming. */
  method: string;
  /** As phrases, most important first. */
  reasons: string[];
  /** The name looks random. Only set when there is almost no doubt. */
  looksRandom: boolean;
};

/** Undefined where no source applies. The language is that of the reasons. */
export function plausibilityOf(evidence: Evidence, language: Language = "en"): Plausibility | undefined {
  if (!hasScorableName(evidence)) return undefined;
  const texts = PLAUSIBILITY_TEXTS[language];
  const contributions: Contribution[] = [];
  for (const contribute of SOURCES) {
    const contribution = contribute(evidence, texts);
    if (contribution) contributions.push(contribution);
  }
  if (contributions.length === 0) return undefined;
  const sum = contributions.reduce((total, { logit }) => total + logit, 0);
  return {
    score: round(clip(1 / (1 + Math.exp(-sum)), MIN_SCORE, 1 - MIN_SCORE)),
    method: contributions.map(({ method }) => method).join("+"),
    reasons: contributions
      .sort((a, b) => Math.abs(b.logit) - Math.abs(a.logit))
      .flatMap(({ reasons }) => reasons),
    looksRandom: looksRandom(evidence),
  };
}

export const NEUTRAL_SCORE = 0.5;
/** A name alone never gives more certainty than this. */
const MIN_SCORE = 0.05;

/** Whether a person chose the local part: not so for roles, privacy relays, agents and disposable addresses. */
export function hasScorableName(evidence: Evidence): boolean {
  const { address, ignoresName, role, isPrivacyRelay, isAgentMailbox, disposable } = evidence;
  return (
    address !== undefined &&
    !address.quoted &&
    !ignoresName &&
    role === undefined &&
    !isPrivacyRelay &&
    !isAgentMailbox &&
    disposable === undefined
  );
}

/** Whether other local parts at the domain are evidence: not so where anyone can sign up. */
export function hasNamingPattern(evidence: Evidence): boolean {
  return hasScorableName(evidence) && !evidence.isFree;
}

/** Between these scores the local model is undecided. */
const AMBIGUOUS = { from: 0.35, to: 0.65 };

/**
 * Whether the local part can be scored and the score is inconclusive. A name the local model abstains from is
 * inconclusive.
 */
export function isAmbiguous(evidence: Evidence): boolean {
  if (!hasScorableName(evidence)) return false;
  const score = plausibilityOf(evidence)?.score ?? NEUTRAL_SCORE;
  return score >= AMBIGUOUS.from && score <= AMBIGUOUS.to;
}

/** Threshold and minimum length; shorter names may be initials or nicknames. */
const RANDOM_BELOW = 0.01;
const SHORTEST_RANDOM = 8;
/**
 * The model scores unfamiliar spellings as random: Caoimhe, Goikoetxea, Enkhtuya, Hrafnhildur. So rare letter
 * sequences are not enough; one of these signals must be present, which names of no language have.
 */
const RANDOM_SIGNALS: ReadonlySet<NameSignal> = new Set([
  "machine_made",
  "keyboard_walk",
  "hexadecimal",
  "few_vowels",
  "repetition",
]);
/** Signals of generated names, which hold at any length. */
const GENERATED_SIGNALS: ReadonlySet<NameSignal> = new Set(["machine_made", "hexadecimal"]);
const LONG_NAME = 40;
/** `k4x9q2w7` alternates between letters and digits seven times; `j2smith99`, a name, three times. */
const LETTER_BESIDE_DIGIT = /[a-z](?=\d)|\d(?=[a-z])/g;
const MIN_ALTERNATIONS = 4;

/** Prefers missing a hundred random names to calling one person's name random: any evidence in favour clears it. */
export function looksRandom(evidence: Evidence): boolean {
  const { nameScore, adjudication } = evidence;
  if (nameScore === undefined || nameScore.score >= RANDOM_BELOW || !hasScorableName(evidence)) return false;
  const local = untagged(evidence.address!.local);
  if (local.length < SHORTEST_RANDOM || !hasRandomSignal(local, nameScore)) return false;
  if (isLongAndProven(local, evidence))
    return nameScore.signals.some((signal) => GENERATED_SIGNALS.has(signal));
  if (adjudication !== undefined && adjudication.plausible >= NEUTRAL_SCORE) return false;
  if (knownOutcome(evidence) === "delivered") return false;
  return fitsOf(evidence).every(({ fit }) => fit.lift < 1);
}

/** With this many letters some feature is always extreme; acceptance by the server outweighs it. */
function isLongAndProven(local: string, { mailbox, decoy }: Evidence): boolean {
  const letters = local.match(/\p{L}/gu)?.length ?? 0;
  return letters >= LONG_NAME && mailbox?.answer === "accepted" && decoy?.answer === "not_found";
}

function hasRandomSignal(local: string, { signals }: NameScore): boolean {
  const turns = local.match(LETTER_BESIDE_DIGIT)?.length ?? 0;
  return turns >= MIN_ALTERNATIONS || signals.some((signal) => RANDOM_SIGNALS.has(signal));
}

type Contribution = {
  method: string;
  /** Positive values favour the mailbox. */
  logit: number;
  reasons: string[];
};

/**
 * The maximum logit of each source, and the input at which it is reached. An implausible name is strong evidence
 * against a mailbox; a plausible one is weak evidence for it, because most fakes are plausible names too. The naming
 * pattern is the strongest source. Other addresses of a list are unproven, so they count half. A language model may
 * tip the balance only. `npm run model:fusion` shows the effect.
 */
const NAME_FOR = { most: 0.7, at: 2 };
const NAME_AGAINST = { most: 2, at: 4 };
const NAMING = { most: 2, at: 2.5 };
const LIST_NAMING = { most: 1, at: 2.5 };
const ADJUDICATOR = { most: 1, at: 2 };

function nameContribution({ nameScore }: Evidence, texts: PlausibilityTexts): Contribution | undefined {
  if (nameScore === undefined) return undefined;
  return {
    method: loadNameModel().method,
    logit: saturate(logitOf(nameScore.score), nameScore.score < NEUTRAL_SCORE ? NAME_AGAINST : NAME_FOR),
    reasons: signalReasons(nameScore, texts),
  };
}

/**
 * Proven mailboxes and the list are evidence of the same pattern, so their sum is limited to that of the proven ones.
 */
function namingContribution(evidence: Evidence, texts: PlausibilityTexts): Contribution | undefined {
  const fits = fitsOf(evidence);
  if (fits.length === 0) return undefined;
  const sum = fits.reduce(
    (total, { fit, source }) => total + saturate(Math.log(fit.lift), WEIGHT[source]),
    0,
  );
  return {
    method: "naming",
    logit: clip(sum, -NAMING.most, NAMING.most),
    reasons: fits.flatMap(({ fit, source }) => fitReasons(fit, source, texts)),
  };
}

function adjudicationContribution(
  { adjudication }: Evidence,
  texts: PlausibilityTexts,
): Contribution | undefined {
  if (adjudication === undefined) return undefined;
  return {
    method: `adjudicator:${adjudication.method}`,
    logit: saturate(logitOf(adjudication.plausible), ADJUDICATOR),
    reasons: adjudicationReasons(adjudication, texts),
  };
}

const SOURCES = [nameContribution, namingContribution, adjudicationContribution];

const WEIGHT = { proven: NAMING, list: LIST_NAMING };

type Fit = { source: NamingSource; fit: PatternFit };

function fitsOf(evidence: Evidence): Fit[] {
  const { naming, listNaming } = evidence;
  if ((!naming && !listNaming) || !hasNamingPattern(evidence)) return [];
  const local = untagged(evidence.address!.local);
  const fits: Fit[] = [];
  for (const [source, tally] of [
    ["proven", naming],
    ["list", listNaming],
  ] as const) {
    const fit = tally && fitOf(local, tally);
    if (fit) fits.push({ source, fit });
  }
  return fits;
}

/** Lower case, without the +tag. */
function untagged(local: string): string {
  const plus = local.indexOf("+");
  return (plus > 0 ? local.slice(0, plus) : local).toLowerCase();
}

function saturate(value: number, { most, at }: { most: number; at: number }): number {
  return most * clip(value / at, -1, 1);
}

/** Defined for 0 and 1 too, which language models often return. */
function logitOf(probability: number): number {
  const p = clip(probability, 1e-6, 1 - 1e-6);
  return Math.log(p / (1 - p));
}

function clip(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** More digits would suggest false precision. */
function round(score: number): number {
  return Math.round(score * 1000) / 1000;
}
