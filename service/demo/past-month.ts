/**
 * A simulated month of usage: checks at sign-up all day, a list every night, occasional checks in the web app; less at
 * weekends, and growth towards the end.
 *
 * Pure. ledger-history.ts writes the result to the tables.
 */
import type { Status } from "@mailvet/contract";
import type { SeededRandom } from "./seeded-random.ts";

/** One charged request: a single check or a bulk request. */
export type Spending = { at: Date; keyId: string | undefined; counts: Record<Status, number> };

export type Spender = {
  keyId: string | undefined;
  /** Per weekday at the end of the month. */
  requests: number;
  emails: { least: number; most: number };
  /** Of the day, UTC. */
  hours: { from: number; to: number };
  /** Share of a weekday's requests. */
  weekend: number;
  /** In percent; the rest is unknown. */
  mix: { valid: number; invalid: number; risky: number };
};

export const DAYS = 29; // and today is the thirtieth
const DAY_MS = 86_400_000;
/** How much lower usage was at the beginning, as a share. */
const GROWTH = 0.35;

/** In chronological order, up to yesterday: today is left for live use of the demo. */
export function pastMonth(spenders: readonly Spender[], now: Date, random: SeededRandom): Spending[] {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const month: Spending[] = [];
  for (let day = DAYS; day >= 1; day--) {
    const startMs = midnight - day * DAY_MS;
    const isWeekend = [0, 6].includes(new Date(startMs).getUTCDay());
    const activity = (1 - (GROWTH * day) / DAYS) * (0.85 + 0.3 * random.next());
    for (const spender of spenders) {
      const count = Math.round(spender.requests * activity * (isWeekend ? spender.weekend : 1));
      for (let n = 0; n < count; n++) month.push(spendingOf(spender, startMs, random));
    }
  }
  return month.sort((one, other) => one.at.getTime() - other.at.getTime());
}

function spendingOf({ keyId, emails, hours, mix }: Spender, startMs: number, random: SeededRandom): Spending {
  const counts: Record<Status, number> = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  const total = random.between(emails.least, emails.most);
  for (let n = 0; n < total; n++) counts[statusBy(mix, random.next() * 100)]++;
  const hour = hours.from + random.next() * (hours.to - hours.from);
  return { at: new Date(startMs + Math.floor(hour * 3_600_000)), keyId, counts };
}

function statusBy({ valid, invalid, risky }: Spender["mix"], drawn: number): Status {
  if (drawn < valid) return "valid";
  if (drawn < valid + invalid) return "invalid";
  return drawn < valid + invalid + risky ? "risky" : "unknown";
}
