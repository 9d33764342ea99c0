/**
 * SQL of leases at mail hosts, each statement for many hosts at once.
 *
 * There are never more leases than the limit: they are numbered, a number is taken once, and the lowest free numbers are
 * taken first. So two processes that see the same lease free try to insert the same number, and one of them succeeds. Rows
 * are always locked in the order of their keys, so that processes cannot deadlock.
 */
import type { Database } from "../db/database.ts";
import { isUnregistered, type ProcessLeases } from "../queue/process-registry.ts";

export type LeaseRequest = {
  key: string;
  /** Limit of the profile, and its minimum gap between sessions. */
  most: number;
  gapMs: number;
  wanted: number;
  isUrgent: boolean;
};

/** Whether other processes wait for a lease there: for a list, or for an interactive check. */
export type Demand = "none" | "list" | "urgent";

export type LeaseResponse = {
  /** Numbers of the acquired leases. */
  numbers: number[];
  /** Until the next session may start there. */
  restLeftMs: number;
  /** This process is registered as a waiter. */
  isWaiting: boolean;
  demand: Demand;
};

export type HostLease = { key: string; number: number };

export type Audit = {
  /** Demand of others, by key. */
  demands: Map<string, Demand>;
  /** Leases that another process has by now. */
  lost: HostLease[];
};

export type LeaseStatements = {
  /** Takes what is free and due; registers as a waiter for the rest. Responses in the order of the requests. */
  ask(requests: readonly LeaseRequest[]): Promise<LeaseResponse[]>;
  /** Releases leases and waiters, and notifies the next process. Returns the remaining demand by key. */
  release(leases: readonly HostLease[], cancelled: readonly string[]): Promise<Map<string, Demand>>;
  /**
   * Makes the table match these leases. For after a statement with unknown outcome, a crash of the database, or an expired
   * heartbeat of this process.
   */
  audit(leases: readonly HostLease[]): Promise<Audit>;
  /** Releases everything of this process. */
  leave(): Promise<void>;
};

/** To holders: another process waits. Payload: process, demand, key. */
export const LEASE_WANTED = "place_wished";
/** To the next waiter: a lease may be free. Payload: process, key. */
export const LEASE_FREE = "place_free";

/** A list that has waited this long goes before interactive checks, so that it is not starved. */
const MAX_LIST_WAIT = "interval '10 seconds'";
/** A waiter is renewed every second or two; otherwise its process is dead or unreachable. */
const STALE = "interval '5 seconds'";
const RENEW = "interval '1 second'";

/** A release need not wait for the disk: if a crash loses it, an audit finds it. */
const ASYNC_COMMIT = "(select set_config('synchronous_commit', 'off', true)) = 'off'";

/** The waiters of one key. `offset 0` is an optimisation fence: it forces the index lookup by key. */
const waitersFor = (key: string) => `(select *, ctid as at from host_waiters where key = ${key} offset 0)`;

const goesFirst = (wish: string) => `(${wish}.is_urgent or ${wish}.since < now() - ${MAX_LIST_WAIT})`;
const demandOf = (wish: string) =>
  `case when bool_or(${wish}.is_urgent) then 'urgent' when count(${wish}.key) > 0 then 'list' else 'none' end`;

const ASK = `
with asked as materialized (
  select a.*, coalesce(mine.since, now()) as since, mine.is_urgent as was_urgent, mine.renewed_at, mine.at as wish,
         a.is_urgent or coalesce(${goesFirst("mine")}, false) as goes_first
    from unnest($2::text[], $3::int[], $4::float8[], $5::int[], $6::bool[])
         with ordinality as a (key, most, gap_ms, wanted, is_urgent, lease)
    left join lateral ${waitersFor("a.key")} mine on mine.process_id = $1
), seen as materialized (
  select a.*, least(p."limit", a.most) as most_now, greatest(p.rest_ms, a.gap_ms) as rest_ms,
         coalesce(extract(epoch from p.next_start_at - clock_timestamp()) * 1000, 0)::float8 as rest_left_ms,
         there.numbers, others.ahead, others.demand
    from asked a
    left join throttle_states p on p.key = a.key
   cross join lateral (
      select coalesce(array_agg(number), '{}') as numbers from host_leases where key = a.key
   ) there
   cross join lateral (
      select ${demandOf("o")} as demand,
             count(*) filter (where (not ${goesFirst("o")}, o.since) < (not a.goes_first, a.since)) as ahead
        from ${waitersFor("a.key")} o
       where o.process_id <> $1 and o.renewed_at > now() - ${STALE}
   ) others
), allowed as materialized (
  select s.*, case
           when rest_ms <= 0 then least(wanted, most_now - cardinality(numbers) - ahead)
           when rest_left_ms <= 0 and ahead = 0 then least(1, most_now - cardinality(numbers))
           else 0
         end as allowed
    from seen s
), started as (
  insert into throttle_states as p (key, "limit", rest_ms, next_start_at)
  select key, most, gap_ms, clock_timestamp() + rest_ms * interval '1 millisecond'
    from allowed where allowed > 0 and rest_ms > 0 order by key
  on conflict (key) do update -- not excluded.next_start_at, which is from before the wait for the row's lock
     set next_start_at = clock_timestamp() + greatest(p.rest_ms, excluded.rest_ms) * interval '1 millisecond'
   where p.next_start_at is null or p.next_start_at <= clock_timestamp()
  returning key
), taken as (
  insert into host_leases (key, number, process_id)
  select a.key, free.number, $1
    from allowed a
   cross join lateral (
      select number from generate_series(1, a.most_now) number
       where number <> all (a.numbers) order by number limit greatest(0, a.allowed)
   ) free
   where (select count(*) from started) >= 0 -- all of them first: see the order of keys
     and (a.rest_ms <= 0 or a.key in (select key from started))
   order by a.key, free.number
  on conflict do nothing
  returning key, number
), got as materialized (
  select a.*, coalesce(t.numbers, '{}') as new_numbers, coalesce(cardinality(t.numbers), 0) as count
    from allowed a
    left join (select key, array_agg(number) as numbers from taken group by key) t on t.key = a.key
), wished as (
  insert into host_waiters as w (key, process_id, is_urgent)
  select key, $1, is_urgent from got
   where count < wanted
     and (renewed_at is null or renewed_at < now() - ${RENEW} or is_urgent <> was_urgent or count > 0)
   order by key
  on conflict (key, process_id) do update
     set is_urgent = excluded.is_urgent, renewed_at = now(),
         since = case when w.key in (select key from got where count > 0) then now() else w.since end
), cancelled as (
  delete from host_waiters where ctid = any (array(select wish from got where count >= wanted and wish is not null))
)
select new_numbers as numbers, count < wanted as is_wishing, demand,
       case when rest_ms > 0 and count > 0 then rest_ms else rest_left_ms end as rest_left_ms,
       case when count < wanted and (count > 0 or renewed_at is null or (is_urgent and not was_urgent))
            then pg_notify('${LEASE_WANTED}',
                   $1::text || ' ' || case when is_urgent then 'urgent' else 'list' end || ' ' || key)
       end
  from got order by lease`;

const RELEASE = `
with given as (
  delete from host_leases
   where ${ASYNC_COMMIT}
     and ctid = any (array(
           select there.at
             from unnest($2::text[], $3::int[]) g (key, number)
            cross join lateral (
               select process_id, ctid as at from host_leases where key = g.key and number = g.number offset 0
            ) there
            where there.process_id = $1
         ))
  returning key
), cancelled as (
  delete from host_waiters where process_id = $1 and key = any ($4::text[]) returning key
), waiting as (
  select w.*, row_number() over (partition by w.key order by not ${goesFirst("w")}, w.since) as turn, free.count
    from (select key, count(*) from (select key from given union all select key from cancelled) g group by key) free
    join lateral ${waitersFor("free.key")} w on w.process_id <> $1 and w.renewed_at > now() - ${STALE}
)
select key, case when is_urgent then 'urgent' else 'list' end as demand, turn > count as is_left,
       case when turn <= count then pg_notify('${LEASE_FREE}', process_id::text || ' ' || key) end
  from waiting`;

const AUDIT = `
with ours as (
  select * from unnest($2::text[], $3::int[]) o (key, number)
), dropped as (
  delete from host_leases p
   where p.process_id = $1 and (p.key, p.number) not in (select key, number from ours)
), restored as (
  insert into host_leases (key, number, process_id)
  select key, number, $1 from ours order by key, number
  on conflict do nothing
  returning key, number
), forgotten as (
  delete from host_waiters where process_id = $1 and renewed_at < now() - ${STALE}
)
select key, number, null as demand
  from ours o
 where (key, number) not in (select key, number from restored)
   and not exists (
         select from host_leases p where p.key = o.key and p.number = o.number and p.process_id = $1
       )
union all
select w.key, null, ${demandOf("w")}
  from (select distinct key from ours) o
  join lateral ${waitersFor("o.key")} w on w.process_id <> $1 and w.renewed_at > now() - ${STALE}
 group by w.key`;

export function createLeaseStatements(pool: Database["pool"], processId: string): LeaseStatements {
  const run = async <Row>(name: string, text: string, values: unknown[]): Promise<Row[]> =>
    (await pool.query({ name, text, values: [processId, ...values] })).rows;
  const columnsOf = (leases: readonly HostLease[]) => [
    leases.map((lease) => lease.key),
    leases.map((lease) => lease.number),
  ];
  const byKey = (rows: { key: string; demand: Demand }[]) =>
    new Map(rows.map(({ key, demand }) => [key, demand]));
  const release: LeaseStatements["release"] = async (leases, cancelled) => {
    type Row = { key: string; demand: Demand; is_left: boolean };
    const rows = await run<Row>("release_leases", RELEASE, [...columnsOf(leases), cancelled]);
    const left = rows.filter((row) => row.is_left);
    return byKey([
      ...left.filter((row) => row.demand === "list"),
      ...left.filter((row) => row.demand === "urgent"),
    ]);
  };
  const audit: LeaseStatements["audit"] = async (leases) => {
    type Row = HostLease | { key: string; number: null; demand: Demand };
    const rows = await run<Row>("audit_leases", AUDIT, columnsOf(leases));
    return {
      demands: byKey(rows.filter((row) => row.number === null)),
      lost: rows.filter((row) => row.number !== null),
    };
  };

  return {
    async ask(requests) {
      type Row = { numbers: number[]; is_wishing: boolean; demand: Demand; rest_left_ms: number };
      const column = <Name extends keyof LeaseRequest>(name: Name) => requests.map((one) => one[name]);
      const rows = await run<Row>("ask_leases", ASK, [
        column("key"),
        column("most"),
        column("gapMs"),
        column("wanted"),
        column("isUrgent"),
      ]);
      return rows.map((row) => ({
        numbers: row.numbers,
        restLeftMs: Math.max(0, row.rest_left_ms),
        isWaiting: row.is_wishing,
        demand: row.demand,
      }));
    },
    release,
    audit,
    async leave() {
      const { rows } = await pool.query<HostLease>(
        "select key, number from host_leases where process_id = $1",
        [processId],
      );
      await release(rows, []);
      await pool.query("delete from host_waiters where process_id = $1", [processId]);
    },
  };
}

const LEASE_TABLES = ["host_leases", "host_waiters"];

/** Releases leases and waiters when their process ends or its lease expires (queue/process-registry.ts). */
export const processLeases: ProcessLeases = {
  async releaseOf(client, processId) {
    for (const table of LEASE_TABLES) {
      const text = `delete from ${table} where process_id = $1`;
      await client.query({ name: `release-${table}`, text, values: [processId] });
    }
  },
  // Locked rows are skipped and found by the next call.
  async releaseOfExpired(client) {
    for (const table of LEASE_TABLES) {
      const isExpired = isUnregistered("held.process_id");
      const expired = `select held.ctid from ${table} held where ${isExpired} for update skip locked`;
      const text = `delete from ${table} where ctid = any(array(${expired}))`;
      await client.query({ name: `release-expired-${table}`, text });
    }
  },
};
