/**
 * Remembers what was found out about an address for as long as it is fresh, in this process and in the database.
 *
 * Each account has a memory of its own. A shared one would tell from `cached`, or from how fast the answer comes,
 * which addresses somebody else has asked for. The database knows addresses by a hash that differs from account to
 * account. Writing lags behind and may be lost when the process dies: then somebody is asked once more.
 *
 * What is no longer fresh, or never was, is kept for a month to look back at: whoever reports what became of a message
 * is told how that had been foreseen. It answers for nothing.
 */
import type { Evidence } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import { batchedDelete } from "../db/batched-delete.ts";
import type { Database } from "../db/database.ts";
import { addressHash } from "../feedback/address-hash.ts";
import { type CachedEvidence, keep } from "./cached-evidence.ts";
import { freshForMs, STALE_DAYS } from "./freshness.ts";
import { createVerdictWriter } from "./verdict-cache-writer.ts";

export type CachedVerdict = { kept: CachedEvidence; checkedAtMs: number; freshUntilMs: number };

export type VerdictCache = {
  /** What this process still knows of a normalised address. */
  atHand(accountId: string, address: string): CachedVerdict | undefined;
  /** Normalised address → what the database knows of it. In one query, for what is not at hand. */
  recall(accountId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, CachedVerdict>>;
  /** Normalised address → what was last found out about it, fresh or not: to look back at, never to answer with. */
  lookBack(accountId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, CachedVerdict>>;
  /** Keeps it: to answer with while it is fresh, and then to look back at. */
  remember(accountId: string, address: string, evidence: Evidence, checkedAtMs: number): void;
  /** Deletes what nobody may use any more; says how many. */
  forgetExpired(): Promise<number>;
  /** Writes what is still to be written. */
  close(): Promise<void>;
};

export type VerdictCacheDeps = { database: Pick<Database, "pool">; say: (message: string) => void };

const MAX_HOT = 20_000;

export function createVerdictCache({ database: { pool }, say }: VerdictCacheDeps): VerdictCache {
  const hot = new LRUCache<string, CachedVerdict>({ max: MAX_HOT });
  const writer = createVerdictWriter({ pool, say });

  const readTable = async (
    accountId: string,
    addresses: readonly string[],
    query: { name: string; text: string },
  ) => {
    const byHash = new Map(addresses.map((address) => [addressHash(accountId, address), address]));
    const hashes = [...byHash.keys()].map((hash) => Buffer.from(hash, "hex"));
    const { rows } = await pool.query<Row>({ ...query, values: [accountId, hashes] });
    return rows.map(({ hash, evidence, checked_at, fresh_until }) => {
      const times = { checkedAtMs: checked_at.getTime(), freshUntilMs: fresh_until.getTime() };
      return [byHash.get(hash)!, { kept: evidence, ...times }] as const;
    });
  };

  return {
    atHand(accountId, address) {
      const remembered = hot.get(keyOf(accountId, address));
      return remembered && remembered.freshUntilMs > Date.now() ? remembered : undefined;
    },
    async recall(accountId, addresses) {
      if (addresses.length === 0) return new Map();
      const known = new Map(await readTable(accountId, addresses, RECALL));
      for (const [address, remembered] of known) hot.set(keyOf(accountId, address), remembered);
      return known;
    },
    lookBack: async (accountId, addresses) =>
      new Map(addresses.length > 0 ? await readTable(accountId, addresses, LOOK_BACK) : []),
    remember(accountId, address, evidence, checkedAtMs) {
      if (evidence.failure !== undefined) return;
      const freshMs = freshForMs(evidence);
      const remembered = { kept: keep(evidence), checkedAtMs, freshUntilMs: checkedAtMs + freshMs };
      if (freshMs > 0) hot.set(keyOf(accountId, address), remembered);
      writer.write({ accountId, hash: addressHash(accountId, address), ...remembered });
    },
    forgetExpired: () => batchedDelete(pool, FORGET),
    close: () => writer.close(),
  };
}

type Row = { hash: string; evidence: CachedEvidence; checked_at: Date; fresh_until: Date };

const OF_ADDRESSES = `
  select encode(address_hash, 'hex') as hash, evidence, checked_at, fresh_until
  from verdicts
  where account_id = $1 and address_hash = any($2::bytea[])`;

const RECALL = { name: "recall_verdicts", text: `${OF_ADDRESSES} and fresh_until > now()` };
const LOOK_BACK = { name: "look_back_at_verdicts", text: OF_ADDRESSES };

const FORGET = `
  delete from verdicts where (account_id, address_hash) in (
    select account_id, address_hash from verdicts
    where fresh_until <= now() - interval '${STALE_DAYS} days' limit $1 for update skip locked
  )`;

function keyOf(accountId: string, address: string): string {
  return `${accountId} ${address}`;
}
