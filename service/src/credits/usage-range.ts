/** The days of a usage report: calendar days in UTC, both ends included. */
import { MAX_USAGE_DAYS } from "@mailvet/contract";
import { wrongField } from "../base/refusal.ts";

export type UsageRange = { from: string; to: string };

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS_BY_DEFAULT = 30;
/** PostgreSQL has no year 0. */
const FIRST_DAY = "1970-01-01";

/** Applies defaults and refuses invalid ranges. Given days are valid calendar days. */
export function usageRange(wanted: { from?: string; to?: string }, now: Date): UsageRange {
  const to = wanted.to ?? dayOf(now.getTime());
  if (to < FIRST_DAY) refuse("/to", `must not be before ${FIRST_DAY}`);
  const from = wanted.from ?? dayOf(Math.max(0, Date.parse(to) - (DAYS_BY_DEFAULT - 1) * DAY_MS));
  if (from < FIRST_DAY) refuse("/from", `must not be before ${FIRST_DAY}`);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) refuse("/from", `must not be after ${to}, the last day`);
  if (days > MAX_USAGE_DAYS)
    refuse("/from", `must be at most ${MAX_USAGE_DAYS} days before the end of ${to}`);
  return { from, to };
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

function refuse(pointer: string, message: string): never {
  throw wrongField(pointer, message);
}
