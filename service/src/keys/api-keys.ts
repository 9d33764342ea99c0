/**
 * API keys: created, listed, revoked, and authenticated in every request.
 *
 * Recently used keys are authenticated from a cache (key-cache.ts). The statement that changes a key or its account also
 * notifies every process, which drops its cached entry.
 */
import { type ApiKey, KEY_SCOPES, type KeyMode, type KeyScope } from "@mailvet/contract";
import { and, count, desc, eq, getTableColumns, gt, isNotNull, isNull, or, sql } from "drizzle-orm";
import { lockAccount } from "../accounts/account-queries.ts";
import { ACCOUNT_LIMITS } from "../accounts/plans.ts";
import { type Actor, recordAudit, SYSTEM } from "../audit/audit-writer.ts";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import { ACCOUNT_CHANGED, notify, notifySql, type PubSub } from "../db/pubsub.ts";
import { createKeyCache, KEY_CHANGED, type KnownKey } from "./key-cache.ts";
import { generateKeyText, hashOf, isWellFormed, modeOf, prefixOf } from "./key-format.ts";
import { createLastUsed } from "./last-used.ts";
import { apiKeys } from "./schema.ts";

export type ApiKeys = {
  /** Undefined when the key is unknown, revoked or expired. At once, if it is cached. */
  recognise(text: string): Promise<KnownKey | undefined> | KnownKey | undefined;
  /** Refuses with too_many_keys. The text is not stored. */
  create(
    accountId: string,
    wanted: KeySettings,
    by?: Actor | typeof SYSTEM,
    beforeCommit?: BeforeCommit<KeyWithText>,
  ): Promise<KeyWithText>;
  /** Stores a key chosen by the operator. An existing key is left as it is, even if revoked. */
  adopt(accountId: string, text: string, name: string): Promise<Key>;
  /** Newest first, including recently revoked keys. */
  list(accountId: string): Promise<Key[]>;
  /** Idempotent. Refuses with key_not_found. */
  revoke(accountId: string, keyId: string, by?: Actor | typeof SYSTEM): Promise<void>;
  /** All keys of the account. Their cached entries are dropped by forgetAccount, after the commit. */
  revokeAll(tx: Orm, accountId: string, by?: Actor | typeof SYSTEM): Promise<void>;
  /** The account's plan or rights changed: every process looks its keys up again. */
  forgetAccount(accountId: string): Promise<void>;
  /** Writes the last use of keys. */
  close(): Promise<void>;
};

export type Key = Omit<typeof apiKeys.$inferSelect, "keyHash">;

/** A key with its text, which is shown only once. */
export type KeyWithText = { key: Key; text: string };

export type KeySettings = {
  name: string;
  mode: KeyMode;
  scopes: readonly KeyScope[];
  expiresAt: Date | undefined;
};

export type ApiKeysDeps = {
  database: Database;
  notices: PubSub;
  /** Publishes the webhook event inside the transaction that creates or revokes the key. */
  announce?: PublishKeyEvent;
};

export type PublishKeyEvent = (
  tx: Orm,
  owner: Owner,
  event: "api_key.created" | "api_key.revoked",
  data: { key_id: string; name: string; prefix: string },
) => Promise<void>;

const REVOKED_LISTED_FOR = "90 days";
const MAX_LISTED = 500;

export function createApiKeys({ database, notices, announce = async () => {} }: ApiKeysDeps): ApiKeys {
  const { orm, pool } = database;
  const cache = createKeyCache({ pool, notices });
  const lastUsed = createLastUsed(pool);
  /** Inside the transaction that creates or revokes the key. */
  const report = async (
    tx: Orm,
    by: Actor | typeof SYSTEM,
    accountId: string,
    event: "created" | "revoked",
    { id, name, prefix, mode }: Pick<Key, "id" | "name" | "prefix" | "mode">,
  ) => {
    const details = { name, prefix, mode };
    await recordAudit(tx, by, { action: `key.${event}`, accountId, subjectId: id, details });
    await announce(tx, { accountId, isTest: false }, `api_key.${event}`, { key_id: id, name, prefix });
  };
  const noted = (key: KnownKey | undefined) => {
    if (key) lastUsed.note(key.keyId);
    return key;
  };

  return {
    recognise(text) {
      if (!isWellFormed(text)) return undefined;
      const found = cache.find(hashOf(text));
      return found instanceof Promise ? found.then(noted) : noted(found);
    },

    async create(accountId, wanted, by = SYSTEM, beforeCommit) {
      const text = generateKeyText(wanted.mode);
      const key = await orm.transaction(async (tx) => {
        await requireRoom(tx, accountId);
        const made = (await insertKey(tx, accountId, text, wanted))!; // random keys do not collide
        await report(tx, by, accountId, "created", made);
        await beforeCommit?.(tx, { key: made, text });
        return made;
      });
      cache.forget(hashOf(text));
      return { key, text };
    },

    async adopt(accountId, text, name) {
      if (!isWellFormed(text)) throw new Error(`invalid API key: ${MALFORMED}`);
      const wanted = { name, mode: modeOf(text), scopes: KEY_SCOPES, expiresAt: undefined };
      const key = (await insertKey(orm, accountId, text, wanted)) ?? (await findByText(orm, text));
      if (key?.accountId !== accountId) throw new Error("this API key belongs to another account");
      cache.forget(hashOf(text));
      return key;
    },

    async list(accountId) {
      const isRecent = gt(apiKeys.revokedAt, sql`now() - ${REVOKED_LISTED_FOR}::interval`);
      const keys = await orm
        .select(KEY_COLUMNS)
        .from(apiKeys)
        .where(and(eq(apiKeys.accountId, accountId), or(isNull(apiKeys.revokedAt), isRecent)))
        // Active keys first, so that many revoked ones cannot push them off the list.
        .orderBy(isNotNull(apiKeys.revokedAt), desc(apiKeys.createdAt))
        .limit(MAX_LISTED);
      return keys.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
    },

    async revoke(accountId, keyId, by = SYSTEM) {
      const hash = await orm.transaction(async (tx) => {
        const isIt = and(eq(apiKeys.id, keyId), eq(apiKeys.accountId, accountId));
        const [revoked] = await tx
          .update(apiKeys)
          .set({ revokedAt: sql`now()` })
          .where(and(isIt, isNull(apiKeys.revokedAt)))
          .returning({ ...KEY_COLUMNS, hash: HASH, notice: KEY_NOTICE });
        if (revoked) await report(tx, by, accountId, "revoked", revoked);
        const [key] = revoked ? [revoked] : await tx.select({ hash: HASH }).from(apiKeys).where(isIt);
        if (!key) throw new Refusal("key_not_found", "No API key of this account has this id.");
        return key.hash;
      });
      cache.forget(hash);
    },

    async revokeAll(tx, accountId, by = SYSTEM) {
      const revoked = await tx
        .update(apiKeys)
        .set({ revokedAt: sql`now()` })
        .where(and(eq(apiKeys.accountId, accountId), isNull(apiKeys.revokedAt)))
        .returning({ ...KEY_COLUMNS, notice: KEY_NOTICE });
      for (const key of revoked) await report(tx, by, accountId, "revoked", key);
    },

    async forgetAccount(accountId) {
      await notify(pool, ACCOUNT_CHANGED, accountId);
      cache.forgetAccount(accountId);
    },

    close: () => lastUsed.close(),
  };
}

/** SQL: when a key of the account in this column was last used. */
export const keyLastUsedSql = (accountIdColumn: string) =>
  `(select max(last_used_at) from api_keys where account_id = ${accountIdColumn})`;

const { keyHash: _, ...KEY_COLUMNS } = getTableColumns(apiKeys);
const HASH = sql<string>`encode(${apiKeys.keyHash}, 'hex')`;
const KEY_NOTICE = notifySql(KEY_CHANGED, HASH);
const MALFORMED = "a key has 20 to 512 ASCII characters and no spaces at its ends";

/** Locks the account, so that concurrent requests cannot exceed the limit. */
async function requireRoom(tx: Orm, accountId: string): Promise<void> {
  await lockAccount(tx, accountId);
  const [counted] = await tx
    .select({ keys: count() })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), isNull(apiKeys.revokedAt)));
  if (counted!.keys < ACCOUNT_LIMITS.api_keys) return;
  throw new Refusal(
    "too_many_keys",
    `An account can have at most ${ACCOUNT_LIMITS.api_keys} API keys. Revoke one that is no longer used.`,
  );
}

/** Undefined when the key exists already. */
async function insertKey(
  by: Orm,
  accountId: string,
  text: string,
  { name, mode, scopes, expiresAt }: KeySettings,
): Promise<Key | undefined> {
  const keyHash = Buffer.from(hashOf(text), "hex");
  const [inserted] = await by
    .insert(apiKeys)
    .values({
      accountId,
      name,
      mode,
      keyHash,
      prefix: prefixOf(text),
      scopes: [...scopes],
      expiresAt: expiresAt ?? null,
    })
    .onConflictDoNothing({ target: apiKeys.keyHash })
    .returning({ ...KEY_COLUMNS, notice: KEY_NOTICE });
  if (!inserted) return undefined;
  const { notice: _, ...key } = inserted;
  return key;
}

async function findByText(by: Orm, text: string): Promise<Key | undefined> {
  const keyHash = Buffer.from(hashOf(text), "hex");
  const [found] = await by.select(KEY_COLUMNS).from(apiKeys).where(eq(apiKeys.keyHash, keyHash));
  return found;
}

export function presentKey(key: Key): ApiKey {
  return {
    id: key.id,
    name: key.name,
    mode: key.mode,
    prefix: key.prefix,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}
