/** SQL of throttle state (table `throttle_states`). Times are milliseconds since 1970. */
import { DEFAULT_IDENTITY, type Reply, type ThrottleState } from "@mailvet/engine";

/** The channel for changed rows. Payload: the key. */
export const PACE_CHANGED = "pace_changed";

export type ThrottleRow = {
  key: string;
  limit: number;
  rest_ms: number;
  next_start_at_ms: number | null;
  quiet: number;
  refusals: number;
  refused_since_ms: number | null;
  tripped_until_ms: number | null;
  tripped_by: Reply | null;
  /** The database's clock. */
  now_ms: number;
};

/** `offsetMs` converts the database's time to the clock of the state. */
export function throttleStateOf(row: ThrottleRow, offsetMs: number): ThrottleState {
  const { tripped_until_ms: untilMs, tripped_by: reply } = row;
  const sinceMs = row.refused_since_ms ?? row.now_ms;
  return {
    limit: row.limit,
    delayMs: row.rest_ms,
    nextStartAtMs: row.next_start_at_ms === null ? Number.NEGATIVE_INFINITY : row.next_start_at_ms + offsetMs,
    okSessions: row.quiet,
    blocks: row.refusals,
    breaker:
      untilMs === null || reply === null
        ? undefined
        : { sinceMs: sinceMs + offsetMs, untilMs: untilMs + offsetMs, reply },
  };
}

const msOf = (moment: string) => `(extract(epoch from ${moment}) * 1000)::float8`;
const momentOf = (ms: string) => `to_timestamp(${ms} / 1000)`;

const COLUMNS = `key, "limit", rest_ms, ${msOf("next_start_at")} as next_start_at_ms, quiet, refusals,
  ${msOf("refused_since")} as refused_since_ms, ${msOf("tripped_until")} as tripped_until_ms, tripped_by, ${msOf("clock_timestamp()")} as now_ms`;

/** The most recent rows, as many as are cached. */
export const READ_ALL = `select ${COLUMNS} from throttle_states order by updated_at desc limit 20000`;

/** Open breakers first, then the slowest; the order of system/throttle-report.ts. */
export const READ_WORST = `
select ${COLUMNS} from throttle_states
order by coalesce(tripped_until > now(), false) desc, refusals desc, rest_ms desc, "limit", key
limit $1`;

/** By egress identity; the key of the default one does not name it (engine/src/egress/identity.ts). */
export const COUNT = `
select coalesce(substring(key from ' from ([^ ]+)$'), '${DEFAULT_IDENTITY}') as identity, count(*)::int as throttled,
       (count(*) filter (where tripped_until > now()))::int as "openBreakers"
  from throttle_states group by 1`;

export const READ_SOME = {
  name: "read_throttles",
  text: `select ${COLUMNS} from throttle_states where key = any ($1::text[])`,
};

/** Missing rows are inserted from the profile first. Locked until the transaction ends. */
export const READ_FOR_UPDATE = {
  name: "lock_throttles",
  text: `
insert into throttle_states as p (key, "limit", rest_ms)
select * from unnest($1::text[], $2::int[], $3::float8[]) as first (key, most, rest_ms) order by key
on conflict (key) do update set updated_at = now()
returning ${COLUMNS.replace(/^key/, "p.key")}`,
};

export const WRITE = {
  name: "write_throttles",
  text: `
update throttle_states p
   set "limit" = l."limit", rest_ms = l.rest_ms, next_start_at = ${momentOf("l.next_start_at_ms")}, quiet = l.quiet,
       refusals = l.refusals, refused_since = ${momentOf("l.refused_since_ms")},
       tripped_until = ${momentOf("l.tripped_until_ms")}, tripped_by = l.tripped_by, updated_at = now()
  from unnest($1::text[], $2::int[], $3::float8[], $4::float8[], $5::int[], $6::int[], $7::float8[], $8::float8[],
              $9::json[])
       as l (key, "limit", rest_ms, next_start_at_ms, quiet, refusals, refused_since_ms, tripped_until_ms, tripped_by)
 where p.key = l.key
returning pg_notify('${PACE_CHANGED}', p.key)`,
};

/** Rows unused for an hour. Locked rows are skipped, so that processes cannot deadlock. */
export const DELETE_OLD = `
delete from throttle_states
 where key = any (array(
         select key from throttle_states
          where greatest(updated_at, next_start_at, tripped_until) < now() - interval '1 hour'
            for update skip locked
       ))
returning pg_notify('${PACE_CHANGED}', key)`;
