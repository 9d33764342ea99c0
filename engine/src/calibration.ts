/**
 * Scores after what outcomes taught: an account's own bounces and deliveries, held against what its scores had foreseen.
 *
 * Outcomes are counted in cells: for each provider, and for each band of ten points. A cell with few outcomes borrows
 * from its provider, a provider with few from the account as a whole, and an account with few keeps the scores as they
 * are. Proven mailboxes, unproven ones and doubtful ones are counted apart: what catch-all domains did says nothing about
 * the others.
 * However much was learned, a score moves by 30 points at most and stays among its kind.
 */
import { STATUS_OF, type SubStatus } from "@mailvet/contract/words";
import type { Evidence } from "./evidence.ts";
import { knownOutcome } from "./known-outcome.ts";
import { verdictScore } from "./score.ts";
import { isUnproven, type Verdict } from "./verdict.ts";

export type Calibration = {
  /** Outcomes it was learned from. */
  readonly outcomes: number;
  /** Points by which scores of this provider and band move. */
  shiftOf(provider: string, band: number): number;
};

/** What outcomes add up to. */
export type CalibrationCell = {
  provider: string;
  band: number;
  outcomes: number;
  bounced: number;
  /** Bounces that the scores had led to expect. */
  predicted: number;
};

/** In the order of their bands. Doubtful is what is there and yet better left alone: full, throw-away, a slip, random. */
const KINDS = ["unproven", "proven", "doubtful"] as const;
type Kind = (typeof KINDS)[number];

const PROVEN: ReadonlySet<SubStatus> = new Set(["", "privacy_relay", "role_based"]);
const MAX_SHIFT = 30;
/** Where scores of a kind stay. Refused ones never move, and nothing comes down to them. */
const RANGES: Record<Kind, readonly [lowest: number, highest: number]> = {
  unproven: [6, 89],
  proven: [70, 99],
  doubtful: [6, 89],
};

/** As many outcomes as count as much as what is borrowed. Providers are rather unlike each other, their bands less so. */
const BORROWED_BY_PROVIDER = 15;
const BORROWED_BY_BAND = 40;

const BANDS_PER_KIND = 10;
const REFUSED_BAND = -1;

/** The band in which an outcome counts: ten for each kind of mailbox, and -1 for refused ones. */
export function bandOf(score: number, subStatus: SubStatus): number {
  const kind = kindOf(subStatus);
  if (kind === undefined) return REFUSED_BAND;
  const decile = Math.min(BANDS_PER_KIND - 1, Math.floor(score / BANDS_PER_KIND));
  return BANDS_PER_KIND * KINDS.indexOf(kind) + decile;
}

/** Undefined for refused ones. */
function kindOf(subStatus: SubStatus): Kind | undefined {
  const status = STATUS_OF[subStatus];
  if (status === "invalid") return undefined;
  if (isUnproven({ status, subStatus })) return "unproven";
  return PROVEN.has(subStatus) ? "proven" : "doubtful";
}

/** The share of messages that a score leads to expect back. */
export function predictedBounce(score: number): number {
  return 1 - score / 100;
}

export function calibrationFrom(cells: readonly CalibrationCell[]): Calibration {
  const sums = new Map<string, Sum>();
  let outcomes = 0;
  for (const cell of cells) {
    if (cell.band === REFUSED_BAND || cell.outcomes <= 0) continue;
    outcomes += cell.outcomes;
    for (const whole of wholesOf(cell.provider, cell.band)) {
      const sum = sums.get(whole) ?? { outcomes: 0, spared: 0 };
      sum.outcomes += cell.outcomes;
      sum.spared += cell.predicted - cell.bounced;
      sums.set(whole, sum);
    }
  }
  return {
    outcomes,
    shiftOf(provider, band) {
      if (band === REFUSED_BAND) return 0;
      const [account, ofProvider, ofBand] = wholesOf(provider, band).map((whole) => sums.get(whole) ?? NONE);
      const elsewhere = shrunk(without(account!, ofProvider!), 0, BORROWED_BY_PROVIDER);
      const atProvider = shrunk(ofProvider!, elsewhere, BORROWED_BY_PROVIDER);
      const shift = shrunk(ofBand!, atProvider, BORROWED_BY_BAND);
      return Math.min(MAX_SHIFT, Math.max(-MAX_SHIFT, shift));
    },
  };
}

/** Bounces that were expected and did not come, among so many outcomes. */
type Sum = { outcomes: number; spared: number };
const NONE: Sum = { outcomes: 0, spared: 0 };

function without(whole: Sum, part: Sum): Sum {
  return { outcomes: whole.outcomes - part.outcomes, spared: whole.spared - part.spared };
}

/** What an outcome is part of: the account's mailboxes of that kind, those at the provider, those in the band. */
function wholesOf(provider: string, band: number): [account: string, provider: string, band: string] {
  const kind = KINDS[Math.floor(band / BANDS_PER_KIND)]!;
  return [kind, `${kind} ${provider}`, `${band} ${provider}`];
}

/** Points per message, as if so many further outcomes had been like the others. */
function shrunk({ outcomes, spared }: Sum, others: number, borrowed: number): number {
  return (100 * spared + borrowed * others) / (outcomes + borrowed);
}

/** A score as the account's outcomes have it. */
export function calibrated(
  score: number,
  subStatus: SubStatus,
  provider: string,
  calibration: Calibration,
): number {
  const kind = kindOf(subStatus);
  if (kind === undefined) return score;
  const [lowest, highest] = RANGES[kind];
  const moved = score + calibration.shiftOf(provider, bandOf(score, subStatus));
  // A full mailbox may begin below the range of its kind; it is not lifted for that.
  return Math.round(Math.min(Math.max(highest, score), Math.max(Math.min(lowest, score), moved)));
}

/**
 * The score of an address, with what outcomes of others taught. What is known of this very mailbox counts for more: the
 * others lift no mailbox that bounced, and lower none that took a message.
 */
export function scoreAfter(
  evidence: Evidence,
  verdict: Verdict,
  calibration: Calibration | undefined,
): number {
  const score = verdictScore(evidence, verdict);
  if (!calibration) return score;
  const outcome = isUnproven(verdict) ? knownOutcome(evidence) : undefined;
  const moved = calibrated(score, verdict.subStatus, evidence.provider ?? "", calibration);
  if (outcome === "bounced") return Math.min(score, moved);
  return outcome === "delivered" ? Math.max(score, moved) : moved;
}
