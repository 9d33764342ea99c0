/** Predicted against real bounces: what the scores had led to expect, what they would say now, and what came of it. */
import {
  type BounceComparison,
  type DeliveryOutcome,
  type FeedbackReport,
  MAX_PROVIDERS_SHOWN,
  type SubStatus,
} from "@mailvet/contract";
import { type Calibration, calibrateScore, predictedBounceRate } from "@mailvet/engine";
import type pg from "pg";

/** Outcomes that are alike. */
export type OutcomeGroup = {
  /** Its Monday, as 2026-01-26. */
  week: string;
  outcome: DeliveryOutcome;
  /** What we had said; null when nothing. */
  score: number | null;
  sub_status: SubStatus | null;
  provider: string | null;
  count: number;
};

/** Of outcomes since that day: complaints are kept for longer. */
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
  const judged = groups.flatMap((group) => judge(group, calibration) ?? []);
  const totalOf = (outcome: DeliveryOutcome) =>
    groups.reduce((sum, one) => sum + (one.outcome === outcome ? one.count : 0), 0);
  return {
    from,
    totals: {
      delivered: totalOf("delivered"),
      bounced: totalOf("bounced"),
      complained: totalOf("complained"),
      matched: judged.reduce((sum, { count }) => sum + count, 0),
    },
    overall: judged.length > 0 ? compare(judged) : null,
    by_score: [...groupedBy(judged, ({ score }) => Math.min(90, 10 * Math.floor(score / 10)))]
      .sort(([a], [b]) => b - a)
      .map(([lowest, ones]) => ({ from: lowest, to: lowest === 90 ? 100 : lowest + 9, ...compare(ones) })),
    by_provider: [...groupedBy(judged, ({ provider }) => provider)]
      .map(([provider, ones]) => ({ provider, ...compare(ones) }))
      .sort((a, b) => b.outcomes - a.outcomes || (a.provider < b.provider ? -1 : 1))
      .slice(0, MAX_PROVIDERS_SHOWN),
    by_week: [...groupedBy(judged, ({ week }) => week)]
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .map(([week, ones]) => ({ week, ...compare(ones) })),
  };
}

/** So many messages, and the bounces among them: expected before, expected now, and real. */
type Judged = {
  week: string;
  provider: string;
  score: number;
  count: number;
  predicted: number;
  calibrated: number;
  bounced: number;
};

function judge(group: OutcomeGroup, calibration: Calibration | undefined): Judged | undefined {
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

function compare(ones: readonly Judged[]): BounceComparison {
  const sum = (of: (one: Judged) => number) => ones.reduce((all, one) => all + of(one), 0);
  const outcomes = sum(({ count }) => count);
  const rate = (bounces: number) => Math.round((bounces / outcomes) * 10_000) / 10_000;
  return {
    outcomes,
    predicted_bounce_rate: rate(sum(({ predicted }) => predicted)),
    calibrated_bounce_rate: rate(sum((one) => one.calibrated)),
    real_bounce_rate: rate(sum(({ bounced }) => bounced)),
  };
}

function groupedBy<K>(ones: readonly Judged[], keyOf: (one: Judged) => K): Map<K, Judged[]> {
  const groups = new Map<K, Judged[]>();
  for (const one of ones) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
