/**
 * How plausible the mailbox is, judged by its name: what the model reads in it, how it fits the names known at
 * its domain, and what a language model said if one was asked. Pure judgement of evidence, as verdict.ts is.
 *
 * It cannot know whether a mailbox exists. So it is heard where the mail servers leave that open, and whatever they
 * did say stands. Each voice adds to the logit, within a limit of its own, so none of them can shout the others down.
 */
import type { Evidence } from "../evidence.ts";
import { knownOutcome } from "../known-outcome.ts";
import { loadNameModel, type NameOpinion, type Trait } from "./name-model.ts";
import { fitOf, type PatternFit } from "./naming-pattern.ts";
import { wordsOfAdjudication, wordsOfFit, wordsOfTraits } from "./plausibility-reasons.ts";

export type Plausibility = {
  /** 0 to 1: whether somebody has this mailbox. 0.5 is no opinion. */
  score: number;
  /** The voices that were heard, such as mailvet-names-1+naming. */
  method: string;
  /** In words, weightiest first. */
  reasons: string[];
  /** Nobody would choose such a name. Said only when there is next to no doubt. */
  looksRandom: boolean;
};

/** Undefined where no voice has anything to say. */
export function plausibilityOf(evidence: Evidence): Plausibility | undefined {
  if (!hasReadableName(evidence)) return undefined;
  const voices: Voice[] = [];
  for (const hear of VOICES) {
    const voice = hear(evidence);
    if (voice) voices.push(voice);
  }
  if (voices.length === 0) return undefined;
  const sum = voices.reduce((total, { logit }) => total + logit, 0);
  return {
    score: round(clip(1 / (1 + Math.exp(-sum)), LEAST, 1 - LEAST)),
    method: voices.map(({ method }) => method).join("+"),
    reasons: voices.sort((a, b) => Math.abs(b.logit) - Math.abs(a.logit)).flatMap(({ reasons }) => reasons),
    looksRandom: looksRandom(evidence),
  };
}

export const NO_OPINION = 0.5;
/** From a name alone nobody is ever surer than this. */
const LEAST = 0.05;

/** Whether the name is one that somebody chose for himself: roles are known, and a mask or a throw-away may look like anything. */
export function hasReadableName(evidence: Evidence): boolean {
  const { address, ignoresName, role, isPrivacyRelay, disposable } = evidence;
  return (
    address !== undefined &&
    !address.quoted &&
    !ignoresName &&
    role === undefined &&
    !isPrivacyRelay &&
    disposable === undefined
  );
}

/** Whether the names of other mailboxes at the domain say anything of this one: where anyone may sign up, they do not. */
export function hasNamingHabit(evidence: Evidence): boolean {
  return hasReadableName(evidence) && !evidence.isFree;
}

/** What looks random must be this sure to be so, and long enough to be told from initials and nicknames. */
const RANDOM_BELOW = 0.01;
const SHORTEST_RANDOM = 8;
/**
 * The model takes spellings it has never met for random: Caoimhe, Goikoetxea, Enkhtuya, Hrafnhildur. So it is not enough
 * that letters seldom stand together; there must be a sign that names of no language have.
 */
const SIGNS: ReadonlySet<Trait> = new Set([
  "machine_made",
  "keyboard_walk",
  "hexadecimal",
  "few_vowels",
  "repetition",
]);
/** Signs of a name that a program made, which no length explains. */
const RECIPES: ReadonlySet<Trait> = new Set(["machine_made", "hexadecimal"]);
const LONG_NAME = 40;
/** `k4x9q2w7` goes to and fro between letters and digits seven times; `j2smith99`, a name, three times. */
const LETTER_BESIDE_DIGIT = /[a-z](?=\d)|\d(?=[a-z])/g;
const MANY_TURNS = 4;

/** Rather a hundred random names missed than one person's name called random: whatever else speaks for it, clears it. */
export function looksRandom(evidence: Evidence): boolean {
  const { nameOpinion, adjudication } = evidence;
  if (nameOpinion === undefined || nameOpinion.score >= RANDOM_BELOW || !hasReadableName(evidence))
    return false;
  const local = untagged(evidence.address!.local);
  if (local.length < SHORTEST_RANDOM || !hasSign(local, nameOpinion)) return false;
  if (isLongAndProven(local, evidence)) return nameOpinion.traits.some((trait) => RECIPES.has(trait));
  if (adjudication !== undefined && adjudication.plausible >= NO_OPINION) return false;
  if (knownOutcome(evidence) === "delivered") return false;
  return fitsOf(evidence).every(({ fit }) => fit.lift < 1);
}

/** With so many letters, any measure finds something; that a server knows the name by heart weighs more. */
function isLongAndProven(local: string, { mailbox, decoy }: Evidence): boolean {
  const letters = local.match(/\p{L}/gu)?.length ?? 0;
  return letters >= LONG_NAME && mailbox?.answer === "accepted" && decoy?.answer === "not_found";
}

function hasSign(local: string, { traits }: NameOpinion): boolean {
  const turns = local.match(LETTER_BESIDE_DIGIT)?.length ?? 0;
  return turns >= MANY_TURNS || traits.some((trait) => SIGNS.has(trait));
}

type Voice = {
  method: string;
  /** For the mailbox when positive. */
  logit: number;
  reasons: string[];
};

/**
 * How far each voice may move the logit, and the input at which it has moved it that far. A name that nobody would
 * choose speaks loudly against a mailbox; one that somebody would speaks softly for it, for most fakes are chosen
 * names too. A house's pattern tells the most. Nobody proved the other addresses of a list, so they count half. A
 * language model is a guest: it may tip the scale, not load it. `npm run model:fusion` shows what comes of it.
 */
const NAME_FOR = { most: 0.7, at: 2 };
const NAME_AGAINST = { most: 2, at: 4 };
const NAMING = { most: 2, at: 2.5 };
const LIST_NAMING = { most: 1, at: 2.5 };
const ADJUDICATOR = { most: 1, at: 2 };

function nameVoice({ nameOpinion }: Evidence): Voice | undefined {
  if (nameOpinion === undefined) return undefined;
  return {
    method: loadNameModel().method,
    logit: weighed(logitOf(nameOpinion.score), nameOpinion.score < NO_OPINION ? NAME_AGAINST : NAME_FOR),
    reasons: wordsOfTraits(nameOpinion),
  };
}

/** Proven mailboxes and the list speak of the same habit: together no louder than the proven ones alone may be. */
function namingVoice(evidence: Evidence): Voice | undefined {
  const fits = fitsOf(evidence);
  if (fits.length === 0) return undefined;
  const sum = fits.reduce((total, { fit, source }) => total + weighed(Math.log(fit.lift), WEIGHT[source]), 0);
  return {
    method: "naming",
    logit: clip(sum, -NAMING.most, NAMING.most),
    reasons: fits.flatMap(({ fit, source }) => wordsOfFit(fit, source)),
  };
}

function adjudicatorVoice({ adjudication }: Evidence): Voice | undefined {
  if (adjudication === undefined) return undefined;
  return {
    method: `adjudicator:${adjudication.method}`,
    logit: weighed(logitOf(adjudication.plausible), ADJUDICATOR),
    reasons: wordsOfAdjudication(adjudication),
  };
}

const VOICES = [nameVoice, namingVoice, adjudicatorVoice];

/** Who told how mailboxes are named here: mailboxes that were proven, or the other addresses of a list. */
export type NamingSource = "proven" | "list";
const WEIGHT = { proven: NAMING, list: LIST_NAMING };

type Fit = { source: NamingSource; fit: PatternFit };

function fitsOf(evidence: Evidence): Fit[] {
  const { naming, listNaming } = evidence;
  if ((!naming && !listNaming) || !hasNamingHabit(evidence)) return [];
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

/** In lower case and without a +tag, which its owner made up. */
function untagged(local: string): string {
  const plus = local.indexOf("+");
  return (plus > 0 ? local.slice(0, plus) : local).toLowerCase();
}

function weighed(value: number, { most, at }: { most: number; at: number }): number {
  return most * clip(value / at, -1, 1);
}

/** Also for 0 and 1, which a language model likes to say. */
function logitOf(probability: number): number {
  const p = clip(probability, 1e-6, 1 - 1e-6);
  return Math.log(p / (1 - p));
}

function clip(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** More digits would promise what no model keeps. */
function round(score: number): number {
  return Math.round(score * 1000) / 1000;
}
