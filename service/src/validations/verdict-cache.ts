/**
 * Verdict cache: evidence about addresses for as long as it is fresh, in this process and in the database.
 *
 * Each account has a cache of its own. A shared one would reveal, by `cached` or by the response time, which addresses
 * other accounts have asked for. The database stores addresses as hashes that differ per account. What addresses have in
 * common is stored once (shared-evidence.ts). Writes are batched and delayed; what is lost when the process dies is checked
 * again.
 *
 * Stale evidence is kept for a month to match outcomes reported later. It never answers a request. The tables have one
 * partition for each week of expiry, so an address that is checked again may have a row in several.
 *
 * Not on cached-lookup.ts: a bulk request reads a thousand addresses in one query.
 */
import type { Evidence } from "@mailvet/engine";
import { entriesUpTo } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import { accountSql } from "../accounts/account-queries.ts";
import { createBatcher } from "../base/batcher.ts";
import type { LogEvent } from "../base/log-events.ts";
import { batchedDelete } from "../db/batched-delete.ts";
import { type Database, retriedOnConflict } from "../db/database.ts";
import {
  createPartitions,
  dropPartitions,
  isMissingPartition,
  pastPartitionDates,
} from "../db/partitions.ts";
import { addressHash } from "../feedback/address-hash.ts";
import { type CachedEvidence, cachedPartOf } from "./cached-evidence.ts";
import { expiryDate, freshForMs, MAX_FRESH_DAYS, STALE_DAYS } from "./freshness.ts";
import {
  addressKey,
  contentId,
  factsJson,
  joinEvidence,
  type OwnEvidence,
  type SharedFacts,
  type SharedFinding,
  splitEvidence,
  withDomain,
  withoutDomain,
} from "./shared-evidence.ts";

export type CachedVerdict = { evidence: CachedEvidence; checkedAtMs: number; freshUntilMs: number };

export type VerdictCache = {
  /** From the memory of this process; the address is normalised. */
  findInMemory(accountId: string, address: string): CachedVerdict | undefined;
  /** From the database, in one query, by normalised address. For what is not in memory. */
  findFresh(accountId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, CachedVerdict>>;
  /** The last evidence, fresh or not, by normalised address. Never used for an answer. */
  findStale(accountId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, CachedVerdict>>;
  store(accountId: string, address: string, evidence: Evidence, checkedAtMs: number): void;
  /** Drops what is neither fresh nor needed for outcomes, and creates the next partitions. Returns how many it dropped. */
  deleteExpired(): Promise<number>;
  /** Writes what is still to be written. */
  close(): Promise<void>;
};

export type VerdictCacheDeps = {
  database: Pick<Database, "pool">;
  /** For the metrics. */
  countLookups?: (result: CacheLookupResult, addresses: number) => void;
  log: LogEvent;
};

export type CacheLookupResult = "memory" | "database" | "missing";

const MAX_IN_MEMORY = 20_000;
const WRITE_DELAY_MS = 50;
const ROWS_PER_STATEMENT = 500;
/** Beyond this verdicts are not written; this process still has them in memory. */
const MAX_WAITING = 20_000;

const MAX_FACTS_IN_MEMORY = 5_000;
/** Facts that are known to be stored are not sent again. Not for long: a failover may have lost them. */
const MAX_STORED_FACTS = 50_000;
const STORED_FACTS_TTL_MS = 10 * 60_000;
const TABLES = ["cached_verdicts", "cached_facts"];

type VerdictRow = {
  accountId: string;
  key: string;
  factsId: string;
  findingId: string | undefined;
  own: OwnEvidence;
  checkedAtMs: number;
  freshSeconds: number;
  expiresOn: string;
};

type Facts = { id: string; expiresOn: string; json: string };
type Write = { row: VerdictRow; facts: Facts[] };

export function createVerdictCache(deps: VerdictCacheDeps): VerdictCache {
  const { countLookups = () => {}, log } = deps;
  const { pool } = deps.database;
  const memory = new LRUCache<string, CachedVerdict>({ ...entriesUpTo(MAX_IN_MEMORY) });
  let isClosed = false;
  const facts = new LRUCache<string, object>({ ...entriesUpTo(MAX_FACTS_IN_MEMORY) }); // never change
  const storedFacts = new LRUCache<string, true>({
    ...entriesUpTo(MAX_STORED_FACTS),
    ttl: STORED_FACTS_TTL_MS,
  });

  const write = async (batch: readonly Write[]) => {
    const added = new Map(batch.flatMap(({ facts }) => facts.map((one) => [factsKey(one), one])));
    for (const key of added.keys()) if (storedFacts.has(key)) added.delete(key);
    const texts = [...added.values()].map(
      ({ id, expiresOn, json }) => `{"id":"${id}","expiresOn":"${expiresOn}","content":${json}}`,
    );
    const values = [JSON.stringify(batch.map(({ row }) => row)), `[${texts.join(",")}]`];
    await retriedOnConflict(() => pool.query({ name: "write_cached_verdicts", text: WRITE, values }));
    for (const key of added.keys()) storedFacts.set(key, true);
  };

  const writes = createBatcher<Write, void>({
    async run(batch) {
      const dates = [...new Set(batch.map(({ row }) => row.expiresOn))];
      await write(batch)
        .catch(async (error) => {
          if (!isMissingPartition(error)) throw error;
          await createPartitions(pool, TABLES, dates);
          await write(batch);
        })
        .catch((error) => log("verdicts_write_failed", { err: error, count: batch.length }));
      return [];
    },
    maxItems: ROWS_PER_STATEMENT,
    delayMs: WRITE_DELAY_MS,
    keysOf: ({ row }) => [row.key], // a statement may touch each row only once
  });

  /** By id, in one query for all rows; the same facts belong to many of them. Some rows may need more than fit in memory. */
  const readFacts = async (rows: readonly Row[]): Promise<ReadonlyMap<string, object>> => {
    const known = new Map<string, object>();
    const ids = new Set<string>();
    const dates = new Set<string>();
    for (const { facts_id, finding_id, expires_on } of rows) {
      for (const id of [facts_id, finding_id]) {
        if (id === null || known.has(id)) continue;
        const content = facts.get(id);
        if (content) known.set(id, content);
        else {
          ids.add(id);
          dates.add(expires_on);
        }
      }
    }
    if (ids.size === 0) return known;
    const values = [[...ids], [...dates]];
    const found = await pool.query<{ id: string; content: object }>({ ...FACTS, values });
    for (const { id, content } of found.rows) {
      facts.set(id, content);
      known.set(id, content);
    }
    return known;
  };

  const readTable = async (
    accountId: string,
    addresses: readonly string[],
    query: { name: string; text: string },
  ): Promise<Map<string, CachedVerdict & { isFresh: boolean }>> => {
    const found = new Map<string, CachedVerdict & { isFresh: boolean }>();
    if (addresses.length === 0) return found;
    const byKey = new Map(
      addresses.flatMap((address) => [
        [addressKey(accountId, address), address],
        [addressKey(accountId, address, 1), address],
      ]),
    );
    const byHash = new Map(addresses.map((address) => [addressHash(accountId, address), address]));
    const hashes = [...byHash.keys()].map((hash) => Buffer.from(hash, "hex"));
    const { rows } = await pool.query<Row>({ ...query, values: [accountId, [...byKey.keys()], hashes] });
    const known = await readFacts(rows);
    for (const row of rows) {
      const address = (byKey.get(row.key) ?? byHash.get(row.key))!;
      const evidence = row.evidence ?? evidenceOf(address, row, known);
      if (!evidence) continue;
      const checkedAtMs = row.checked_at.getTime();
      const freshUntilMs = row.fresh_until.getTime();
      const earlier = found.get(address);
      // Evidence that was never fresh does not replace evidence that still was.
      if (earlier && freshUntilMs <= checkedAtMs && earlier.freshUntilMs > checkedAtMs) continue;
      found.set(address, {
        evidence,
        checkedAtMs,
        freshUntilMs,
        isFresh: row.is_fresh,
      });
    }
    return found;
  };

  return {
    findInMemory(accountId, address) {
      const cached = memory.get(keyOf(accountId, address));
      if (!cached || cached.freshUntilMs <= Date.now()) return undefined;
      countLookups("memory", 1);
      return cached;
    },
    async findFresh(accountId, addresses) {
      const found = await readTable(accountId, addresses, FRESH);
      for (const [address, cached] of found) {
        const key = keyOf(accountId, address);
        if (!cached.isFresh) found.delete(address);
        // A check that ended while this was read is newer.
        else if ((memory.peek(key)?.checkedAtMs ?? 0) <= cached.checkedAtMs) memory.set(key, cached);
      }
      countLookups("database", found.size);
      countLookups("missing", addresses.length - found.size);
      return found;
    },
    findStale: (accountId, addresses) => readTable(accountId, addresses, STALE),
    store(accountId, address, evidence, checkedAtMs) {
      if (evidence.failure !== undefined) return;
      const freshMs = freshForMs(evidence);
      const cached = {
        evidence: cachedPartOf(evidence),
        checkedAtMs,
        freshUntilMs: checkedAtMs + freshMs,
      };
      if (freshMs > 0) memory.set(keyOf(accountId, address), cached);
      if (isClosed || writes.size >= MAX_WAITING) return;
      void writes.submit(writeOf(accountId, address, cached));
    },
    async deleteExpired() {
      const nowMs = Date.now();
      await createPartitions(pool, TABLES, [expiryDate(nowMs), expiryDate(nowMs + MAX_FRESH_DAYS * DAY_MS)]);
      await batchedDelete(pool, DELETE_EXPIRED); // of earlier releases
      let dropped = 0;
      for (const date of await pastPartitionDates(pool, TABLES[0]!)) {
        if (await dropPartitions(pool, TABLES, date)) dropped += 1;
      }
      return dropped;
    },
    close() {
      isClosed = true;
      return writes.flush();
    },
  };
}

function writeOf(accountId: string, address: string, cached: CachedVerdict): Write {
  const { checkedAtMs, freshUntilMs } = cached;
  const { facts, finding, own } = withoutDomain(address, splitEvidence(address, cached.evidence));
  const expiresOn = expiryDate(freshUntilMs);
  const storedAs = (json: string): Facts => ({ id: contentId(json), expiresOn, json });
  const stored = [storedAs(factsJson(facts))];
  if (finding) stored.push(storedAs(JSON.stringify(finding)));
  const row = {
    accountId,
    key: addressKey(accountId, address),
    factsId: stored[0]!.id,
    findingId: stored[1]?.id,
    own,
    checkedAtMs,
    freshSeconds: Math.round((freshUntilMs - checkedAtMs) / 1000),
    expiresOn,
  };
  return { row, facts: stored };
}

/** Undefined: the facts are lost. */
function evidenceOf(
  address: string,
  { facts_id, finding_id, own }: Row,
  known: ReadonlyMap<string, object>,
): CachedEvidence | undefined {
  const shared = known.get(facts_id!) as SharedFacts | undefined;
  const sharedFinding =
    finding_id === null ? undefined : (known.get(finding_id) as SharedFinding | undefined);
  if (!shared || (finding_id !== null && !sharedFinding)) return undefined;
  const {
    facts,
    finding,
    own: ofAddress,
  } = withDomain(address, { facts: shared, finding: sharedFinding, own });
  return joinEvidence(address, facts, finding ?? null, ofAddress);
}

const factsKey = ({ id, expiresOn }: Pick<Facts, "id" | "expiresOn">) => `${expiresOn} ${id}`;
const DAY_MS = 24 * 3_600_000;

type Row = {
  key: string;
  /** Of an earlier release; otherwise null, and the ids are not. */
  evidence: CachedEvidence | null;
  facts_id: string | null;
  finding_id: string | null;
  expires_on: string;
  own: OwnEvidence;
  checked_at: Date;
  fresh_until: Date;
  is_fresh: boolean;
};

/** Rows of the addresses in the order in which they were checked. */
const rowsOf = (condition: string) => `
  select *, fresh_until > now() as is_fresh from (
    select replace(address_key::text, '-', '') as key, null::jsonb as evidence, facts_id, finding_id,
      expires_on::text, own, checked_at, checked_at + fresh_seconds * interval '1 second' as fresh_until
    from cached_verdicts
    where account_id = $1 and address_key = any($2::uuid[]) ${condition}
    union all
    select encode(address_hash, 'hex'), evidence, null, null, null, null, checked_at, fresh_until
    from verdicts
    where account_id = $1 and address_hash = any($3::bytea[])
  ) found
  order by checked_at`;

// Partitions whose verdicts all were checked before those that are fresh now are not read.
const FRESH = {
  name: "fresh_cached_verdicts",
  text: rowsOf(`and expires_on >= (now() at time zone 'utc')::date + ${STALE_DAYS - MAX_FRESH_DAYS}`),
};
const STALE = { name: "stale_cached_verdicts", text: rowsOf("") };
// Not joined: the planner would read all facts for some hundred rows.
const FACTS = {
  name: "cached_facts",
  text: "select id, content from cached_facts where id = any($1::uuid[]) and expires_on = any($2::date[])",
};

const DELETE_EXPIRED = `
  delete from verdicts where (account_id, address_hash) in (
    select account_id, address_hash from verdicts
    where fresh_until <= now() - interval '${STALE_DAYS} days' limit $1 for update skip locked
  )`;

const COLUMNS = "account_id, address_key, facts_id, finding_id, checked_at, fresh_seconds, expires_on, own";
const VALUES = `
  "accountId", key, "factsId", "findingId", to_timestamp("checkedAtMs" / 1000), "freshSeconds", "expiresOn", own`;

// One JSON value: given arrays, the driver escapes every element. Ordered, so that processes that write the same rows hardly
// ever deadlock. Rows of an account that was deleted meanwhile are skipped by the join, which keeps others from being deleted.
// Most addresses are new. These are inserted without `on conflict`, which writes a second WAL record for each row; if
// another process inserts one at the same moment, the statement fails and is repeated.
const WRITE = `
  with facts as (
    insert into cached_facts (id, expires_on, content)
    select id, "expiresOn", content from json_to_recordset($2::json) as one (id uuid, "expiresOn" date, content json)
    order by id
    on conflict do nothing
  ), given as materialized (
    select one.*, known.is_known
    from json_to_recordset($1::json) as one ("accountId" uuid, key uuid, "factsId" uuid, "findingId" uuid,
      "checkedAtMs" float8, "freshSeconds" int, "expiresOn" date, own json)
    ${accountSql.join('one."accountId"')}
    cross join lateral (
      select exists (
        select from cached_verdicts where address_key = one.key and expires_on = one."expiresOn" offset 0
      ) as is_known
    ) known
    order by one.key
    for key share of accounts
  ), added as (
    insert into cached_verdicts (${COLUMNS}) select ${VALUES} from given where not is_known order by key
  )
  insert into cached_verdicts as cached (${COLUMNS}) select ${VALUES} from given where is_known order by key
  on conflict (address_key, expires_on) do update
  set facts_id = excluded.facts_id, finding_id = excluded.finding_id, own = excluded.own,
    checked_at = excluded.checked_at, fresh_seconds = excluded.fresh_seconds
  where cached.checked_at < excluded.checked_at
    -- Evidence that was never fresh does not replace evidence that still is.
    and (excluded.fresh_seconds > 0
      or cached.checked_at + cached.fresh_seconds * interval '1 second' <= excluded.checked_at)`;

function keyOf(accountId: string, address: string): string {
  return `${accountId} ${address}`;
}
