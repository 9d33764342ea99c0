/**
 * What this process remembers of API keys, by their hash: whose they are, and which ones are nobody's.
 *
 * Believed as long as every change is heard of (db/pubsub.ts). While that is not so, it is believed for a second, so
 * that a revoked key is refused within a second even then. The database is asked once per key, however many wait.
 */
import type { KeyMode, KeyScope, Plan } from "@mailvet/contract";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import { accountSql } from "../accounts/account-queries.ts";
import { ACCOUNT_CHANGED, type PubSub } from "../db/pubsub.ts";

/** The channel for keys made and revoked. The payload is the key's hash. */
export const KEY_CHANGED = "api_key_changed";

export type KnownKey = {
  keyId: string;
  accountId: string;
  plan: Plan;
  isOperator: boolean;
  mode: KeyMode;
  scopes: readonly KeyScope[];
};

export type KeyCache = {
  /** The key with this hash, unless it is unknown, revoked or expired. At once, if it is remembered. */
  find(hash: string): Promise<KnownKey | undefined> | KnownKey | undefined;
  forget(hash: string): void;
  forgetAccount(accountId: string): void;
};

export type KeyMemoryDeps = {
  pool: Pick<pg.Pool, "query">;
  notices: Pick<PubSub, "on" | "onGap" | "isListening">;
};

type Learned = {
  key: KnownKey | undefined;
  /** On the clock of the world, unlike the others. */
  expiresAtMs: number;
  learnedAtMs: number;
  believedMs: number;
};

const BELIEVED_MS = 30_000; // in case a notice is lost after all
const UNKNOWN_BELIEVED_MS = 5_000;
const BELIEVED_UNHEARD_MS = 1_000;
const MAX_REMEMBERED = 10_000;
const NEVER = Number.POSITIVE_INFINITY;

export function createKeyCache({ pool, notices }: KeyMemoryDeps): KeyCache {
  const known = new LRUCache<string, Learned>({ max: MAX_REMEMBERED });
  // Apart from the others, so that guesses by the thousand cannot push real keys out.
  const unknown = new LRUCache<string, Learned>({ max: MAX_REMEMBERED });
  const lookups = new Map<string, Promise<Learned>>();

  const recall = (hash: string): Learned | undefined => {
    const learned = known.get(hash) ?? unknown.get(hash);
    if (!learned) return undefined;
    const believedMs = notices.isListening ? learned.believedMs : BELIEVED_UNHEARD_MS;
    return performance.now() - learned.learnedAtMs < believedMs ? learned : undefined;
  };

  const lookUp = (hash: string): Promise<Learned> => {
    const underWay = lookups.get(hash);
    if (underWay) return underWay;
    // Who heard of a change meanwhile has taken our place or emptied it; what we found may be older than the change.
    const isCurrent = () => lookups.get(hash) === lookup;
    const lookup = ask(pool, hash)
      .then((learned) => {
        if (isCurrent()) {
          forget(hash);
          (learned.key ? known : unknown).set(hash, learned);
        }
        return learned;
      })
      .finally(() => {
        if (isCurrent()) lookups.delete(hash);
      });
    lookups.set(hash, lookup);
    return lookup;
  };

  const forget = (hash: string): void => {
    known.delete(hash);
    unknown.delete(hash);
    lookups.delete(hash);
  };
  const forgetAccount = (accountId: string): void => {
    for (const [hash, learned] of known.entries()) {
      if (learned.key?.accountId === accountId) known.delete(hash);
    }
    lookups.clear();
  };

  notices.on(KEY_CHANGED, forget);
  notices.on(ACCOUNT_CHANGED, forgetAccount);
  notices.onGap(() => {
    known.clear();
    unknown.clear();
    lookups.clear();
  });

  return {
    find(hash) {
      const learned = recall(hash);
      return learned ? unexpired(learned) : lookUp(hash).then(unexpired);
    },
    forget,
    forgetAccount,
  };
}

function unexpired({ key, expiresAtMs }: Learned): KnownKey | undefined {
  return Date.now() < expiresAtMs ? key : undefined;
}

async function ask(pool: KeyMemoryDeps["pool"], hash: string): Promise<Learned> {
  const learnedAtMs = performance.now(); // before asking: what we hear may be as old as this
  const { rows } = await pool.query<KnownKey & { expiresAt: Date | null }>({
    name: "key_by_hash",
    text: KEY_BY_HASH,
    values: [Buffer.from(hash, "hex")],
  });
  if (!rows[0]) {
    return { key: undefined, expiresAtMs: NEVER, learnedAtMs, believedMs: UNKNOWN_BELIEVED_MS };
  }
  const { expiresAt, ...key } = rows[0];
  return { key, expiresAtMs: expiresAt?.getTime() ?? NEVER, learnedAtMs, believedMs: BELIEVED_MS };
}

const KEY_BY_HASH = `
  select k.id as "keyId", k.account_id as "accountId", k.mode, k.scopes, k.expires_at as "expiresAt",
    ${accountSql.rights}
  from api_keys k ${accountSql.join("k.account_id")}
  where k.key_hash = $1 and k.revoked_at is null`;
