/** Usage summed per UTC day without gaps, per key, and in total. */
import type { Status, Usage, UsageDay } from "@mailvet/contract";
import { locale } from "../../language.ts";

export type UsageCounts = Record<Status, number> & { credits_used: number };
export type DayCounts = UsageCounts & { date: string };

const DAY_MS = 86_400_000;

/** One item per day of the range, oldest first. */
export function perDay({ from, to, days }: Usage): DayCounts[] {
  const byDate = groupBy(days, ({ date }) => date);
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => {
    const date = dayText(Date.parse(from) + index * DAY_MS);
    return { date, ...sumCounts(byDate.get(date) ?? []) };
  });
}

/** The later and the earlier half of the days: a period, and the one before it. */
export function halvesOf({ from, to, days }: Usage): { now: Usage; before: Usage } {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS + 1) / 2;
  const start = dayText(Date.parse(from) + count * DAY_MS);
  const isBefore = ({ date }: UsageDay) => date < start;
  return {
    now: { from: start, to, days: days.filter((day) => !isBefore(day)) },
    before: { from, to: dayText(Date.parse(start) - DAY_MS), days: days.filter(isBefore) },
  };
}

/** Most used first; the key id null is the web app. */
export function perKey(days: readonly UsageDay[]): { keyId: string | null; counts: UsageCounts }[] {
  return [...groupBy(days, ({ key_id }) => key_id)]
    .map(([keyId, ofKey]) => ({ keyId, counts: sumCounts(ofKey) }))
    .sort((a, b) => checked(b.counts) - checked(a.counts));
}

export function sumCounts(days: readonly UsageCounts[]): UsageCounts {
  const sum: UsageCounts = { valid: 0, invalid: 0, risky: 0, unknown: 0, credits_used: 0 };
  for (const day of days)
    for (const name of Object.keys(sum) as (keyof UsageCounts)[]) sum[name] += day[name];
  return sum;
}

/** Addresses with a verdict. */
export function checked({ valid, invalid, risky, unknown }: UsageCounts): number {
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

/** The date `days` days before, in UTC. */
export function daysBack(now: Date, days: number): string {
  return dayText(now.getTime() - days * DAY_MS);
}

function dayText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

const SHORT_DAY = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });

/** "12 Nov", in UTC. */
export function dayName(date: string): string {
  return SHORT_DAY.format(new Date(date));
}
