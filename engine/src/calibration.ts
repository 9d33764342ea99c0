/**
 * Adjusts scores by an account's own delivery outcomes: actual bounces compared with what the scores predicted.
 *
 * Outcomes are counted per provider and per band of ten points. Estimates are shrunk hierarchically: a cell with few
 * outcomes towards its provider, a provider with few towards the account, and an account with few towards no change.
 * Proven, unproven and doubtful mailboxes are counted separately, because bounces at catch-all domains say nothing
 * about proven mailboxes. A score moves by 30 points at most and stays within the range of its kind.
 */
import { STATUS_OF, type SubStatus } from "@mailvet/contract/words";
import type { Evidence } from "./evidence.ts";
import { knownOutcome } from "./known-outcome.ts";
import { verdictScore } from "./score.ts";
import { isUnproven, type Verdict } from "./verdict.ts";

export type Calibration = {
  /** Number of outcomes it is based on. */
  readonly outcomes: number;
  /** Points to add to scores of this provider and band. */
  shiftOf(provider: string, band: number): number;
};

/** Aggregated outcomes of one provider and band. */
export type CalibrationCell = {
  provider: string;
  band: number;
  outcomes: number;
  bounced: number;
  /** Bounces that the scores predicted. */
  predicted: number;
};

/**
 * In band order. Doubtful: the mailbox exists, but sending is not advised (full, disposable, typo, random name).
 */
const KINDS = ["unproven", "proven", "doubtful"] as const;
type Kind = (typeof KINDS)[number];

const PROVEN: ReadonlySet<SubStatus> = new Set(["", "privacy_relay", "agent_mailbox", "role_based"]);
const MAX_SHIFT = 30;
/** Limits per kind. Scores of rejected mailboxes never move, and no other score is lowered into their range. */
const RANGES: Record<Kind, readonly [lowest: number, highest: number]> = {
  unproven: [6, 89],
  proven: [70, 99],
  doubtful: [6, 89],
};

/**
 * Prior weights, in outcomes. Providers differ more from each other than bands within a provider, so their prior is
 * weaker.
 */
const PROVIDER_PRIOR_WEIGHT = 15;
const BAND_PRIOR_WEIGHT = 40;

const BANDS_PER_KIND = 10;
const REJECTED_BAND = -1;

/** The band an outcome is counted in: ten per kind of mailbox, and -1 for rejected ones. */
export function bandOf(score: number, subStatus: SubStatus): number {
  const kind = kindOf(subStatus);
  if (kind === undefined) return REJECTED_BAND;
  const decile = Math.min(BANDS_PER_KIND - 1, Math.floor(score / BANDS_PER_KIND));
  return BANDS_PER_KIND * KINDS.indexOf(kind) + decile;
}

/** Undefined for rejected mailboxes. */
function kindOf(subStatus: SubStatus): Kind | undefined {
  const status = STATUS_OF[subStatus];
  if (status === "invalid") return undefined;
  if (isUnproven({ status, subStatus })) return "unproven";
  return PROVEN.has(subStatus) ? "proven" : "doubtful";
}

/** Bounce probability that a score stands for. */
export function predictedBounceRate(score: number): number {
  return 1 - score / 100;
}

export function calibrationFrom(cells: readonly CalibrationCell[]): Calibration {
  const sums = new Map<string, Sum>();
  let outcomes = 0;
  for (const cell of cells) {
    if (cell.band === REJECTED_BAND || cell.outcomes <= 0) continue;
    outcomes += cell.outcomes;
    for (const key of aggregateKeys(cell.provider, cell.band)) {
      const sum = sums.get(key) ?? { outcomes: 0, fewerBounces: 0 };
      sum.outcomes += cell.outcomes;
      sum.fewerBounces += cell.predicted - cell.bounced;
      sums.set(key, sum);
    }
  }
  return {
    outcomes,
    shiftOf(provider, band) {
      if (band === REJECTED_BAND) return 0;
      const [account, ofProvider, ofBand] = aggregateKeys(provider, band).map((key) => sums.get(key) ?? NONE);
      const accountShift = shrink(without(account!, ofProvider!), 0, PROVIDER_PRIOR_WEIGHT);
      const providerShift = shrink(ofProvider!, accountShift, PROVIDER_PRIOR_WEIGHT);
      const shift = shrink(ofBand!, providerShift, BAND_PRIOR_WEIGHT);
      return Math.min(MAX_SHIFT, Math.max(-MAX_SHIFT, shift));
    },
  };
}

/** Predicted minus actual bounces, over so many outcomes. */
type Sum = { outcomes: number; fewerBounces: number };
const NONE: Sum = { outcomes: 0, fewerBounces: 0 };

function without(whole: Sum, part: Sum): Sum {
  return { outcomes: whole.outcomes - part.outcomes, fewerBounces: whole.fewerBounces - part.fewerBounces };
}

/** The aggregates an outcome belongs to: account and kind, provider and kind, provider and band. */
function aggregateKeys(provider: string, band: number): [account: string, provider: string, band: string] {
  const kind = KINDS[Math.floor(band / BANDS_PER_KIND)]!;
  return [kind, `${kind} ${provider}`, `${band} ${provider}`];
}

/** Points per message, shrunk towards `prior` with the weight of `priorWeight` outcomes. */
function shrink({ outcomes, fewerBounces }: Sum, prior: number, priorWeight: number): number {
  return (100 * fewerBounces + priorWeight * prior) / (outcomes + priorWeight);
}

/** Applies an account's calibration to a score. */
export function calibrateScore(
  score: number,
  subStatus: SubStatus,
  provider: string,
  calibration: Calibration,
): number {
  const kind = kindOf(subStatus);
  if (kind === undefined) return score;
  const [lowest, highest] = RANGES[kind];
  const moved = score + calibration.shiftOf(provider, bandOf(score, subStatus));
  // The start score of a full mailbox may lie below the range of its kind; it is not raised for that.
  return Math.round(Math.min(Math.max(highest, score), Math.max(Math.min(lowest, score), moved)));
}

/**
 * The calibrated score of an address. An outcome reported for this mailbox outweighs the outcomes of others: they
 * raise no mailbox that bounced, and lower none that received a message.
 */
export function scoreWithCalibration(
  evidence: Evidence,
  verdict: Verdict,
  calibration: Calibration | undefined,
): number {
  const score = verdictScore(evidence, verdict);
  if (!calibration) return score;
  const outcome = isUnproven(verdict) ? knownOutcome(evidence) : undefined;
  const moved = calibrateScore(score, verdict.subStatus, evidence.provider ?? "", calibration);
  if (outcome === "bounced") return Math.min(score, moved);
  return outcome === "delivered" ? Math.max(score, moved) : moved;
}
