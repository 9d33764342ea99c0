/** How we get along with mail hosts and providers, where all processes share it: the table `paces`, the worst first. */
import { type HostPace, MAX_PACES_SHOWN } from "@mailvet/contract";
import { openBreakerOf, type Reply, type ThrottleState } from "@mailvet/engine";
import type pg from "pg";
import { type ThrottleRow, throttleStateOf } from "../pacing/throttle-sql.ts";

export async function listSharedThrottles(pool: Pick<pg.Pool, "query">): Promise<HostPace[]> {
  const { rows } = await pool.query<ThrottleRow>(WORST_FIRST, [MAX_PACES_SHOWN]);
  return rows.map((row) => presentThrottle(row.key, throttleStateOf(row, 0), row.now_ms));
}

/** `nowMs` and the standing's times are milliseconds since 1970. */
export function presentThrottle(key: string, standing: ThrottleState, nowMs: number): HostPace {
  const { limit, delayMs, breaker } = standing;
  const isOpen = openBreakerOf(standing, nowMs) !== undefined;
  return {
    key,
    limit,
    rest_ms: Math.round(delayMs),
    breaker_open_until: isOpen ? new Date(breaker!.untilMs).toISOString() : null,
    last_reply: breaker ? replyText(breaker.reply) : null,
  };
}

const MAX_REPLY_LENGTH = 300;

function replyText({ code, enhanced, lines }: Reply): string {
  const text = [code || "", enhanced ?? "", ...lines].filter((part) => part !== "").join(" ");
  return text.length > MAX_REPLY_LENGTH ? `${text.slice(0, MAX_REPLY_LENGTH)}…` : text;
}

const msOf = (moment: string) => `(extract(epoch from ${moment}) * 1000)::float8`;

/** Those who will not have us, then those who want us slow. As compareThrottles of throttle-report.ts has it. */
const WORST_FIRST = `
select key, "limit", rest_ms, ${msOf("next_start_at")} as next_start_at_ms, quiet, refusals,
  ${msOf("tripped_until")} as tripped_until_ms, tripped_by, ${msOf("clock_timestamp()")} as now_ms
from paces
order by coalesce(tripped_until > now(), false) desc, refusals desc, rest_ms desc, "limit", key
limit $1`;
