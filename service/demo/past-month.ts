/**
 * A month as an account may have had it: checks at sign-up all day long, a list every night, somebody in the web app now
 * and then; quiet weekends, and a little more of everything towards the end.
 *
 * Pure. What is spent here is what books.ts writes down.
 */
import type { Status } from "@mailvet/contract";
import type { Chance } from "./chance.ts";

/** Something that cost credits: one check, or a request of many. */
export type Spending = { at: Date; keyId: string | undefined; counts: Record<Status, number> };

export type Spender = {
  keyId: string | undefined;
  /** On an ordinary weekday at the end of the month. */
  requests: number;
  emails: { least: number; most: number };
  /** Of the day, UTC. */
  hours: { from: number; to: number };
  /** Share of what a weekday sees. */
  weekend: number;
  /** Out of a hundred; what is left over is unknown. */
  mix: { valid: number; invalid: number; risky: number };
};

export const DAYS = 29; // and today is the thirtieth
const DAY_MS = 86_400_000;
/** How much less there was at the beginning. */
const GROWTH = 0.35;

/** In the order of time. Of today nothing: that is for whoever looks at the demonstration. */
export function pastMonth(spenders: readonly Spender[], now: Date, chance: Chance): Spending[] {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const month: Spending[] = [];
  for (let day = DAYS; day >= 1; day--) {
    const startMs = midnight - day * DAY_MS;
    const isWeekend = [0, 6].includes(new Date(startMs).getUTCDay());
    const mood = (1 - (GROWTH * day) / DAYS) * (0.85 + 0.3 * chance.next());
    for (const spender of spenders) {
      const count = Math.round(spender.requests * mood * (isWeekend ? spender.weekend : 1));
      for (let n = 0; n < count; n++) month.push(spendingOf(spender, startMs, chance));
    }
  }
  return month.sort((one, other) => one.at.getTime() - other.at.getTime());
}

function spendingOf({ keyId, emails, hours, mix }: Spender, startMs: number, chance: Chance): Spending {
  const counts: Record<Status, number> = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  const total = chance.between(emails.least, emails.most);
  for (let n = 0; n < total; n++) counts[statusBy(mix, chance.next() * 100)]++;
  const hour = hours.from + chance.next() * (hours.to - hours.from);
  return { at: new Date(startMs + Math.floor(hour * 3_600_000)), keyId, counts };
}

function statusBy({ valid, invalid, risky }: Spender["mix"], drawn: number): Status {
  if (drawn < valid) return "valid";
  if (drawn < valid + invalid) return "invalid";
  return drawn < valid + invalid + risky ? "risky" : "unknown";
}
