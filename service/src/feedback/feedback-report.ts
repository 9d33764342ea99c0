/** Compares predicted, calibrated and real bounce rates. */
import {
  type BounceComparison,
  type DeliveryOutcome,
  type FeedbackReport,
  MAX_PROVIDERS_SHOWN,
  type SubStatus,
} from "@mailvet/contract";
import { type Calibration, calibrateScore, predictedBounceRate } from "@mailvet/engine";
import type pg from "pg";

/** Outcomes with equal properties. */
export type OutcomeGroup = {
  /** Its Monday, as 2026-01-26. */
  week: string;
  outcome: DeliveryOutcome;
  /** Predicted; null when the mailbox was not checked. */
  score: number | null;
  sub_status: SubStatus | null;
  provider: string | null;
  count: number;
};

/** Of outcomes since that day; complaints are kept longer. */
export async function readGroups(pool: pg.Pool, accountId: string, from: string): Promise<OutcomeGroup[]> {
  const { rows } = await pool.query<OutcomeGroup>({
    name: "outcome_groups",
    text: GROUPS,
    values: [accountId, from],
  });
  return rows;
}

const GROUPS = `
  select to_char(date_trunc('week', reported_at at time zone 'UTC'), 'YYYY-MM-DD') as week,
    outcome, score, sub_status, provider, count(*)::int as count
  from outcomes where account_id = $1 and reported_at >= $2::timestamp at time zone 'UTC'
  group by 1, 2, 3, 4, 5`;

export function feedbackReport(
  groups: readonly OutcomeGroup[],
  calibration: Calibration | undefined,
  from: string,
): FeedbackReport {
  const compared = groups.flatMap((group) => compareGroup(group, calibration) ?? []);
  const totalOf = (outcome: DeliveryOutcome) =>
    groups.reduce((sum, one) => sum + (one.outcome === outcome ? one.count : 0), 0);
  return {
    from,
    totals: {
      delivered: totalOf("delivered"),
      bounced: totalOf("bounced"),
      complained: totalOf("complained"),
      matched: compared.reduce((sum, { count }) => sum + count, 0),
    },
    overall: compared.length > 0 ? compare(compared) : null,
    by_score: [...groupedBy(compared, ({ score }) => Math.min(90, 10 * Math.floor(score / 10)))]
      .sort(([a], [b]) => b - a)
      .map(([lowest, ones]) => ({ from: lowest, to: lowest === 90 ? 100 : lowest + 9, ...compare(ones) })),
    by_provider: [...groupedBy(compared, ({ provider }) => provider)]
      .map(([provider, ones]) => ({ provider, ...compare(ones) }))
      .sort((a, b) => b.outcomes - a.outcomes || (a.provider < b.provider ? -1 : 1))
      .slice(0, MAX_PROVIDERS_SHOWN),
    by_week: [...groupedBy(compared, ({ week }) => week)]
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .map(([week, ones]) => ({ week, ...compare(ones) })),
  };
}

/** A number of messages, with predicted, calibrated and real bounces. */
type Compared = {
  week: string;
  provider: string;
  score: number;
  count: number;
  predicted: number;
  calibrated: number;
  bounced: number;
};

function compareGroup(group: OutcomeGroup, calibration: Calibration | undefined): Compared | undefined {
  const { week, outcome, score, count } = group;
  if (score === null) return undefined;
  const provider = group.provider ?? "";
  const after = calibration ? calibrateScore(score, group.sub_status ?? "", provider, calibration) : score;
  return {
    week,
    provider,
    score,
    count,
    predicted: count * predictedBounceRate(score),
    calibrated: count * predictedBounceRate(after),
    bounced: outcome === "bounced" ? count : 0,
  };
}

function compare(ones: readonly Compared[]): BounceComparison {
  const sum = (of: (one: Compared) => number) => ones.reduce((all, one) => all + of(one), 0);
  const outcomes = sum(({ count }) => count);
  const rate = (bounces: number) => Math.round((bounces / outcomes) * 10_000) / 10_000;
  return {
    outcomes,
    predicted_bounce_rate: rate(sum(({ predicted }) => predicted)),
    calibrated_bounce_rate: rate(sum((one) => one.calibrated)),
    real_bounce_rate: rate(sum(({ bounced }) => bounced)),
  };
}

function groupedBy<K>(ones: readonly Compared[], keyOf: (one: Compared) => K): Map<K, Compared[]> {
  const groups = new Map<K, Compared[]>();
  for (const one of ones) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
