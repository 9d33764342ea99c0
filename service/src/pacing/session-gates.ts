/**
 * Session gates of the egress identities: sessions are counted in the database, so that the daily cap holds for all
 * processes together and across restarts. Days are those of UTC by the database's clock.
 *
 * A capped identity counts before the session starts, in one statement for all that start at a time; another one counts
 * afterwards. An identity with an owner opens sessions in that process only (identity-ownership.ts).
 */
import {
  type EgressIdentity,
  type GateRefusal,
  RememberedRefusal,
  type SessionGate,
  type SessionGateFor,
} from "@mailvet/engine";
import type pg from "pg";
import { type Batcher, createBatcher } from "../base/batcher.ts";

export type SessionGates = {
  gateFor: SessionGateFor;
  /** Deletes the counts of past months; returns how many. */
  deleteOld(): Promise<number>;
  /** Writes the counts that are not written yet. */
  close(): Promise<void>;
};

export type SessionGatesDeps = {
  pool: Pick<pg.Pool, "query">;
  /** Whether this process has the identity, if it has an owner. */
  isOwned(identity: string): boolean;
};

const MAX_PER_STATEMENT = 1000;
/** An uncapped identity is counted this much later. */
const COUNT_AFTER_MS = 1000;
const RETRY_SECONDS = 1;

export function createSessionGates({ pool, isOwned }: SessionGatesDeps): SessionGates {
  const batchers: Batcher<void, GateRefusal | undefined>[] = [];

  const batcherFor = ({ name, sessionsPerDay }: EgressIdentity) => {
    const perDay = sessionsPerDay ?? Number.POSITIVE_INFINITY;
    const batcher = createBatcher<void, GateRefusal | undefined>({
      maxItems: MAX_PER_STATEMENT,
      ...(sessionsPerDay === undefined && { delayMs: COUNT_AFTER_MS }),
      async run(sessions) {
        const { rows } = await pool.query<{ sessions: number; seconds_left: number }>({
          ...ADD,
          values: [name, sessions.length],
        });
        const { sessions: total, seconds_left: left } = rows[0]!;
        const admitted = Math.max(0, sessions.length - Math.max(0, total - perDay));
        const refusal: GateRefusal = { reason: "daily_cap", retryAfterSeconds: Math.max(1, Math.ceil(left)) };
        return sessions.map((_, index) => (index < admitted ? undefined : refusal));
      },
    });
    batchers.push(batcher);
    return batcher;
  };

  const gateFor = (identity: EgressIdentity): SessionGate => {
    const batcher = batcherFor(identity);
    const remembered = new RememberedRefusal();
    const mayUse = () => identity.owner === undefined || isOwned(identity.name);
    return {
      get refusal() {
        return mayUse() ? remembered.current : NOT_OWNED;
      },
      async admit() {
        const known = this.refusal;
        if (known) return known;
        const counted = batcher.submit();
        if (identity.sessionsPerDay === undefined) {
          counted.catch(() => {}); // for the report only
          return undefined;
        }
        // Without the database nothing is counted, so nothing is admitted.
        remembered.current = await counted.catch(() => NOT_COUNTED);
        return remembered.current;
      },
    };
  };

  return {
    gateFor,
    deleteOld: async () => (await pool.query(DELETE_OLD)).rowCount ?? 0,
    async close() {
      await Promise.all(batchers.map((batcher) => batcher.flush()));
    },
  };
}

const NOT_OWNED: GateRefusal = { reason: "not_owned", retryAfterSeconds: RETRY_SECONDS };
const NOT_COUNTED: GateRefusal = { reason: "not_counted", retryAfterSeconds: RETRY_SECONDS };

const TODAY = "(now() at time zone 'utc')::date";

/** Counts the refused ones too, so that the sum alone tells how many of these are admitted. */
const ADD = {
  name: "add_egress_sessions",
  text: `
insert into egress_sessions as counted (identity, day, sessions) values ($1, ${TODAY}, $2)
on conflict (identity, day) do update set sessions = counted.sessions + excluded.sessions
returning sessions, extract(epoch from ((day + 1)::timestamp at time zone 'utc') - now())::float8 as seconds_left`,
};

const DELETE_OLD = `delete from egress_sessions where day < ${TODAY} - 31`;

/** Sessions of each identity today. May be above its cap by those that were refused. */
export async function countSessionsToday(pool: Pick<pg.Pool, "query">): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ identity: string; sessions: number }>(
    `select identity, sessions from egress_sessions where day = ${TODAY}`,
  );
  return new Map(rows.map(({ identity, sessions }) => [identity, sessions]));
}
