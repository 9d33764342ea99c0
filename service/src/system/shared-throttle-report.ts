/** Throttled mail hosts and providers of all processes, the worst first, and their number by egress identity. */
import type { HostPace } from "@mailvet/contract";
import {
  mailProviderOf,
  openBreakerOf,
  partsOfLimiterKey,
  type Reply,
  type ThrottleState,
} from "@mailvet/engine";
import type pg from "pg";
import { COUNT, READ_WORST, type ThrottleRow, throttleStateOf } from "../pacing/throttle-sql.ts";
import type { ThrottleCounts } from "./deployment-figures.ts";

/** Many more than are shown, so that no provider is left out (provider-states.ts). */
export const MAX_PACES = 1_000;

export async function listSharedThrottles(pool: Pick<pg.Pool, "query">): Promise<HostPace[]> {
  const { rows } = await pool.query<ThrottleRow>(READ_WORST, [MAX_PACES]);
  return rows.map((row) => presentThrottle(row.key, throttleStateOf(row, 0), row.now_ms));
}

export async function countSharedThrottles(pool: Pick<pg.Pool, "query">): Promise<ThrottleCounts[]> {
  const { rows } = await pool.query<ThrottleCounts>(COUNT);
  return rows;
}

/** Times are milliseconds since 1970. */
export function presentThrottle(key: string, state: ThrottleState, nowMs: number): HostPace {
  const { limit, delayMs, breaker } = state;
  const isOpen = openBreakerOf(state, nowMs) !== undefined;
  const parts = partsOfLimiterKey(key);
  return {
    ...parts,
    provider: /^provider (.+)/.exec(parts.key)?.[1] ?? mailProviderOf([parts.key], ""),
    limit,
    rest_ms: Math.round(delayMs),
    refused_since: breaker ? new Date(breaker.sinceMs).toISOString() : null,
    breaker_open_until: isOpen ? new Date(breaker!.untilMs).toISOString() : null,
    last_reply: breaker ? replyText(breaker.reply) : null,
  };
}

const MAX_REPLY_LENGTH = 2_000;

function replyText({ code, enhanced, lines }: Reply): string {
  const text = [code || "", enhanced ?? "", ...lines].filter((part) => part !== "").join(" ");
  return text.length > MAX_REPLY_LENGTH ? `${text.slice(0, MAX_REPLY_LENGTH)}…` : text;
}
