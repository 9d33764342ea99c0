/**
 * Verdict cache: evidence about addresses for as long as it is fresh, in this process and in the database.
 *
 * Each account has a cache of its own. A shared one would reveal, by `cached` or by the response time, which addresses
 * other accounts have asked for. The database stores addresses as hashes that differ per account. Writes are batched and
 * delayed; what is lost when the process dies is checked again.
 *
 * Stale evidence is kept for a month to match outcomes reported later. It never answers a request.
 *
 * Not on cached-lookup.ts: a bulk request reads a thousand addresses in one query.
 */
import type { Evidence } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import { accountSql } from "../accounts/account-queries.ts";
import { createBatcher } from "../base/batcher.ts";
import type { LogEvent } from "../base/log-events.ts";
import { batchedDelete } from "../db/batched-delete.ts";
import type { Database } from "../db/database.ts";
import { addressHash } from "../feedback/address-hash.ts";
import { type CachedEvidence, cachedPartOf } from "./cached-evidence.ts";
import { freshForMs, STALE_DAYS } from "./freshness.ts";

export type CachedVerdict = { evidence: CachedEvidence; checkedAtMs: number; freshUntilMs: number };

export type VerdictCache = {
  /** From the memory of this process; the address is normalised. */
  findInMemory(accountId: string, address: string): CachedVerdict | undefined;
  /** From the database, in one query, by normalised address. For what is not in memory. */
  findFresh(accountId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, CachedVerdict>>;
  /** The last evidence, fresh or not, by normalised address. Never used for an answer. */
  findStale(accountId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, CachedVerdict>>;
  store(accountId: string, address: string, evidence: Evidence, checkedAtMs: number): void;
  /** Deletes what is neither fresh nor needed for outcomes; returns how many. */
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

type VerdictRow = CachedVerdict & {
  accountId: string;
  /** Hexadecimal. */
  hash: string;
};

export function createVerdictCache(deps: VerdictCacheDeps): VerdictCache {
  const { countLookups = () => {}, log } = deps;
  const { pool } = deps.database;
  const memory = new LRUCache<string, CachedVerdict>({ max: MAX_IN_MEMORY });
  let isClosed = false;
  const writes = createBatcher<VerdictRow, void>({
    async run(rows) {
      await pool
        .query({ name: "write_verdicts", text: WRITE, values: [JSON.stringify(rows)] })
        .catch((error) => log("verdicts_write_failed", { err: error, count: rows.length }));
      return [];
    },
    maxItems: ROWS_PER_STATEMENT,
    delayMs: WRITE_DELAY_MS,
    keysOf: ({ hash }) => [hash], // a statement may touch each row only once
  });

  const readTable = async (
    accountId: string,
    addresses: readonly string[],
    query: { name: string; text: string },
  ): Promise<Map<string, CachedVerdict>> => {
    if (addresses.length === 0) return new Map();
    const byHash = new Map(addresses.map((address) => [addressHash(accountId, address), address]));
    const hashes = [...byHash.keys()].map((hash) => Buffer.from(hash, "hex"));
    const { rows } = await pool.query<Row>({ ...query, values: [accountId, hashes] });
    return new Map(
      rows.map(({ hash, evidence, checked_at, fresh_until }) => {
        const times = { checkedAtMs: checked_at.getTime(), freshUntilMs: fresh_until.getTime() };
        return [byHash.get(hash)!, { evidence, ...times }];
      }),
    );
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
      for (const [address, cached] of found) memory.set(keyOf(accountId, address), cached);
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
      void writes.submit({ accountId, hash: addressHash(accountId, address), ...cached });
    },
    deleteExpired: () => batchedDelete(pool, DELETE_EXPIRED),
    close() {
      isClosed = true;
      return writes.flush();
    },
  };
}

type Row = { hash: string; evidence: CachedEvidence; checked_at: Date; fresh_until: Date };

const OF_ADDRESSES = `
  select encode(address_hash, 'hex') as hash, evidence, checked_at, fresh_until
  from verdicts
  where account_id = $1 and address_hash = any($2::bytea[])`;

const FRESH = { name: "fresh_verdicts", text: `${OF_ADDRESSES} and fresh_until > now()` };
const STALE = { name: "stale_verdicts", text: OF_ADDRESSES };

const DELETE_EXPIRED = `
  delete from verdicts where (account_id, address_hash) in (
    select account_id, address_hash from verdicts
    where fresh_until <= now() - interval '${STALE_DAYS} days' limit $1 for update skip locked
  )`;

// One JSON value: given arrays, the driver escapes every element. Ordered, so that processes that write the same rows cannot deadlock. Rows of an account that was deleted meanwhile are
// skipped by the join.
const WRITE = `
  insert into verdicts (account_id, address_hash, evidence, checked_at, fresh_until)
  select one."accountId", decode(one.hash, 'hex'), one.evidence,
    to_timestamp(one."checkedAtMs" / 1000), to_timestamp(one."freshUntilMs" / 1000)
  from json_to_recordset($1::json)
    as one ("accountId" uuid, hash text, evidence jsonb, "checkedAtMs" float8, "freshUntilMs" float8)
  ${accountSql.join('one."accountId"')}
  order by one."accountId", one.hash
  on conflict (account_id, address_hash) do update
  set evidence = excluded.evidence, checked_at = excluded.checked_at, fresh_until = excluded.fresh_until
  where verdicts.checked_at < excluded.checked_at
    -- Evidence that was never fresh does not replace evidence that still is.
    and (excluded.fresh_until > excluded.checked_at or verdicts.fresh_until <= excluded.checked_at)`;

function keyOf(accountId: string, address: string): string {
  return `${accountId} ${address}`;
}
