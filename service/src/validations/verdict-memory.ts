/**
 * Remembers what was found out about an address for as long as it is fresh, in this process and in the database.
 *
 * Each account has a memory of its own. A shared one would tell from `cached`, or from how fast the answer comes,
 * which addresses somebody else has asked for. The database knows addresses by a hash that differs from account to
 * account. Writing lags behind and may be lost when the process dies: then somebody is asked once more.
 */
import { createHash } from "node:crypto";
import type { Evidence } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type { Database } from "../db/database.ts";
import { freshForMs } from "./freshness.ts";
import { type KeptEvidence, keep } from "./kept-evidence.ts";
import { createVerdictWriter } from "./verdict-writer.ts";

export type Remembered = { kept: KeptEvidence; checkedAtMs: number; freshUntilMs: number };

export type VerdictMemory = {
  /** What this process still knows of a normalised address. */
  atHand(accountId: string, address: string): Remembered | undefined;
  /** Normalised address → what the database knows of it. In one query, for what is not at hand. */
  recall(accountId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, Remembered>>;
  /** Keeps it, if it is of the kind that stays fresh. */
  remember(accountId: string, address: string, evidence: Evidence, checkedAtMs: number): void;
  /** Deletes what nobody may use any more; says how many. */
  forgetExpired(): Promise<number>;
  /** Writes what is still to be written. */
  close(): Promise<void>;
};

export type VerdictMemoryDeps = { database: Pick<Database, "pool">; say: (message: string) => void };

const MAX_HOT = 20_000;
const DELETED_AT_ONCE = 1000;
const MAX_DELETIONS = 200;

export function createVerdictMemory({ database: { pool }, say }: VerdictMemoryDeps): VerdictMemory {
  const hot = new LRUCache<string, Remembered>({ max: MAX_HOT });
  const writer = createVerdictWriter({ pool, say });

  const recallFromTable = async (accountId: string, addresses: readonly string[]) => {
    const byHash = new Map(addresses.map((address) => [hashOf(accountId, address), address]));
    const hashes = [...byHash.keys()].map((hash) => Buffer.from(hash, "hex"));
    const { rows } = await pool.query<Row>({
      name: "recall_verdicts",
      text: RECALL,
      values: [accountId, hashes],
    });
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
      const known = new Map(await recallFromTable(accountId, addresses));
      for (const [address, remembered] of known) hot.set(keyOf(accountId, address), remembered);
      return known;
    },
    remember(accountId, address, evidence, checkedAtMs) {
      const freshMs = freshForMs(evidence);
      if (freshMs === 0) return;
      const remembered = { kept: keep(evidence), checkedAtMs, freshUntilMs: checkedAtMs + freshMs };
      hot.set(keyOf(accountId, address), remembered);
      writer.write({ accountId, hash: hashOf(accountId, address), ...remembered });
    },
    async forgetExpired() {
      let forgotten = 0;
      for (let i = 0; i < MAX_DELETIONS; i++) {
        const { rowCount } = await pool.query(FORGET, [DELETED_AT_ONCE]);
        forgotten += rowCount ?? 0;
        if ((rowCount ?? 0) < DELETED_AT_ONCE) break;
      }
      return forgotten;
    },
    close: () => writer.close(),
  };
}

type Row = { hash: string; evidence: KeptEvidence; checked_at: Date; fresh_until: Date };

const RECALL = `
  select encode(address_hash, 'hex') as hash, evidence, checked_at, fresh_until
  from verdicts
  where account_id = $1 and address_hash = any($2::bytea[]) and fresh_until > now()`;

const FORGET = `
  delete from verdicts where (account_id, address_hash) in (
    select account_id, address_hash from verdicts where fresh_until <= now() limit $1 for update skip locked
  )`;

function keyOf(accountId: string, address: string): string {
  return `${accountId} ${address}`;
}

/** The account is part of it, so that equal hashes never tell of equal addresses. */
function hashOf(accountId: string, address: string): string {
  return createHash("sha256").update(keyOf(accountId, address)).digest("hex");
}
