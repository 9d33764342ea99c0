/**
 * Cache of API keys by their hash, including hashes that belong to no key.
 *
 * Entries are valid while change notifications arrive (db/pubsub.ts). While they do not, entries are used for a second
 * only, so that a revoked key is refused within a second even then.
 */
import type { KeyMode, KeyScope, Plan } from "@mailvet/contract";
import type pg from "pg";
import { accountSql } from "../accounts/account-queries.ts";
import { createCachedLookup } from "../base/cached-lookup.ts";
import { ACCOUNT_CHANGED, type PubSub } from "../db/pubsub.ts";

/** The channel for keys created and revoked. The payload is the key's hash. */
export const KEY_CHANGED = "api_key_changed";

export type KnownKey = {
  keyId: string;
  accountId: string;
  plan: Plan;
  isOperator: boolean;
  /** Why the account is suspended; null unless it is. */
  suspendedFor: string | null;
  mode: KeyMode;
  scopes: readonly KeyScope[];
};

export type KeyCache = {
  /** The key with this hash, unless it is unknown, revoked or expired. At once, if it is cached. */
  find(hash: string): Promise<KnownKey | undefined> | KnownKey | undefined;
  forget(hash: string): void;
  forgetAccount(accountId: string): void;
};

export type KeyCacheDeps = {
  pool: Pick<pg.Pool, "query">;
  notices: Pick<PubSub, "on" | "onGap" | "isListening">;
};

type FoundKey = { key: KnownKey | undefined; expiresAtMs: number };

const TTL_MS = 30_000; // in case a notification is lost after all
const UNKNOWN_TTL_MS = 5_000;
const TTL_WITHOUT_NOTIFICATIONS_MS = 1_000;
const MAX_KEYS = 10_000;

export function createKeyCache({ pool, notices }: KeyCacheDeps): KeyCache {
  const keys = createCachedLookup<FoundKey>({
    load: (hash) => loadKey(pool, hash),
    max: MAX_KEYS,
    ttlMs: TTL_MS,
    isMiss: ({ key }) => key === undefined,
    missTtlMs: UNKNOWN_TTL_MS,
  });
  const forgetAccount = (accountId: string) =>
    keys.invalidateWhere(({ key }) => key?.accountId === accountId);

  notices.on(KEY_CHANGED, keys.invalidate);
  notices.on(ACCOUNT_CHANGED, forgetAccount);
  notices.onGap(() => keys.invalidateWhere(() => true));

  return {
    find(hash) {
      const found = keys.find(hash, notices.isListening ? undefined : TTL_WITHOUT_NOTIFICATIONS_MS);
      return found instanceof Promise ? found.then(unexpired) : unexpired(found);
    },
    forget: keys.invalidate,
    forgetAccount,
  };
}

function unexpired({ key, expiresAtMs }: FoundKey): KnownKey | undefined {
  return Date.now() < expiresAtMs ? key : undefined;
}

async function loadKey(pool: KeyCacheDeps["pool"], hash: string): Promise<FoundKey> {
  const { rows } = await pool.query<KnownKey & { expiresAt: Date | null }>({
    name: "key_by_hash",
    text: KEY_BY_HASH,
    values: [Buffer.from(hash, "hex")],
  });
  if (!rows[0]) return { key: undefined, expiresAtMs: Number.POSITIVE_INFINITY };
  const { expiresAt, ...key } = rows[0];
  return { key, expiresAtMs: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY };
}

const KEY_BY_HASH = `
  select k.id as "keyId", k.account_id as "accountId", k.mode, k.scopes, k.expires_at as "expiresAt",
    ${accountSql.rights}
  from api_keys k ${accountSql.join("k.account_id")}
  where k.key_hash = $1 and k.revoked_at is null`;
