/** Usage added up: by calendar day in UTC with no day left out, by key, and altogether. */
import type { Status, Usage, UsageDay } from "@mailvet/contract";

export type Counts = Record<Status, number> & { credits_used: number };
export type DayCounts = Counts & { date: string };

const DAY_MS = 86_400_000;

/** One item per day of the range, oldest first; a day on which nothing happened has zeros. */
export function perDay({ from, to, days }: Usage): DayCounts[] {
  const byDate = groupBy(days, ({ date }) => date);
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => {
    const date = dayText(Date.parse(from) + index * DAY_MS);
    return { date, ...sumCounts(byDate.get(date) ?? []) };
  });
}

/** Most used first; null stands for the web app. */
export function perKey(days: readonly UsageDay[]): { keyId: string | null; counts: Counts }[] {
  return [...groupBy(days, ({ key_id }) => key_id)]
    .map(([keyId, ofKey]) => ({ keyId, counts: sumCounts(ofKey) }))
    .sort((a, b) => checked(b.counts) - checked(a.counts));
}

export function sumCounts(days: readonly Counts[]): Counts {
  const sum: Counts = { valid: 0, invalid: 0, risky: 0, unknown: 0, credits_used: 0 };
  for (const day of days) for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += day[name];
  return sum;
}

/** Addresses that were given a verdict, whichever. */
export function checked({ valid, invalid, risky, unknown }: Counts): number {
  return valid + invalid + risky + unknown;
}

function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** The day so many days before, in UTC. */
export function daysBack(now: Date, days: number): string {
  return dayText(now.getTime() - days * DAY_MS);
}

function dayText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

const SHORT_DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** "12 Nov". The day is the one in UTC, wherever the reader is. */
export function dayName(date: string): string {
  return SHORT_DAY.format(new Date(date));
}
