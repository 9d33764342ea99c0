/**
 * The API keys: made, listed, revoked, and recognised in every request.
 *
 * A key that was seen lately is recognised from memory, without a question to the database. Whatever changes a key or
 * its account says so in the same statement, and every process forgets what it remembered.
 */
import { KEY_SCOPES, type KeyMode, type KeyScope } from "@mailvet/contract";
import { and, count, desc, eq, getTableColumns, gt, isNotNull, isNull, or, sql } from "drizzle-orm";
import { lockAccount } from "../accounts/account-queries.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import { ACCOUNT_CHANGED, notify, notifySql, type PubSub } from "../db/pubsub.ts";
import { Refusal } from "../refusal.ts";
import { createKeyCache, KEY_CHANGED, type KnownKey } from "./key-cache.ts";
import { hashOf, isWellFormed, makeKeyText, modeOf, prefixOf } from "./key-text.ts";
import { createLastUsed } from "./last-used.ts";
import { apiKeys } from "./schema.ts";

export type ApiKeys = {
  /** Whose key this is; undefined when it is unknown, revoked or expired. At once, if it was seen lately. */
  recognise(text: string): Promise<KnownKey | undefined> | KnownKey | undefined;
  /** Refuses with too_many_keys. The text is not kept: it is known to the caller alone from here on. */
  create(accountId: string, wanted: WantedKey, beforeCommit?: BeforeCommit<MadeKey>): Promise<MadeKey>;
  /** Takes over a key that the operator chose. One that is there already stays as it is, also when revoked. */
  adopt(accountId: string, text: string, name: string): Promise<Key>;
  /** Newest first, with those revoked lately. */
  list(accountId: string): Promise<Key[]>;
  /** Revoking again changes nothing. Refuses with key_not_found. */
  revoke(accountId: string, keyId: string): Promise<void>;
  /** The account's plan or rights changed: everywhere, its keys are looked up anew. */
  forgetAccount(accountId: string): Promise<void>;
  /** Writes down which keys were used last. */
  close(): Promise<void>;
};

export type Key = Omit<typeof apiKeys.$inferSelect, "keyHash">;

/** A key with its text, which is shown this once. */
export type MadeKey = { key: Key; text: string };

export type WantedKey = {
  name: string;
  mode: KeyMode;
  scopes: readonly KeyScope[];
  expiresAt: Date | undefined;
};

export type KeyringDeps = {
  database: Database;
  notices: PubSub;
  /** Tells the account's webhooks, inside the transaction that makes or revokes the key. */
  announce?: AnnounceKey;
};

export type AnnounceKey = (
  tx: Orm,
  accountId: string,
  event: "api_key.created" | "api_key.revoked",
  data: { key_id: string; name: string; prefix: string },
) => Promise<void>;

export const MAX_KEYS_PER_ACCOUNT = 100;
const REVOKED_LISTED_FOR = "90 days";
const MAX_LISTED = 500;

export function createApiKeys({ database, notices, announce = async () => {} }: KeyringDeps): ApiKeys {
  const { orm, pool } = database;
  const memory = createKeyCache({ pool, notices });
  const lastUsed = createLastUsed(pool);
  const noted = (key: KnownKey | undefined) => {
    if (key) lastUsed.note(key.keyId);
    return key;
  };

  return {
    recognise(text) {
      if (!isWellFormed(text)) return undefined;
      const found = memory.find(hashOf(text));
      return found instanceof Promise ? found.then(noted) : noted(found);
    },

    async create(accountId, wanted, beforeCommit) {
      const text = makeKeyText(wanted.mode);
      const key = await orm.transaction(async (tx) => {
        await makeRoom(tx, accountId);
        const made = (await insertKey(tx, accountId, text, wanted))!; // two random keys are never the same
        await announce(tx, accountId, "api_key.created", newsOf(made));
        await beforeCommit?.(tx, { key: made, text });
        return made;
      });
      memory.forget(hashOf(text));
      return { key, text };
    },

    async adopt(accountId, text, name) {
      if (!isWellFormed(text)) throw new Error(`This cannot be an API key: ${UNFIT}`);
      const wanted = { name, mode: modeOf(text), scopes: KEY_SCOPES, expiresAt: undefined };
      const key = (await insertKey(orm, accountId, text, wanted)) ?? (await findByText(orm, text));
      if (key?.accountId !== accountId) throw new Error("This API key belongs to another account.");
      memory.forget(hashOf(text));
      return key;
    },

    async list(accountId) {
      const isRecent = gt(apiKeys.revokedAt, sql`now() - ${REVOKED_LISTED_FOR}::interval`);
      const keys = await orm
        .select(KEY_COLUMNS)
        .from(apiKeys)
        .where(and(eq(apiKeys.accountId, accountId), or(isNull(apiKeys.revokedAt), isRecent)))
        // Those that work come first, so that making and revoking many can push none of them off the list.
        .orderBy(isNotNull(apiKeys.revokedAt), desc(apiKeys.createdAt))
        .limit(MAX_LISTED);
      return keys.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
    },

    async revoke(accountId, keyId) {
      const hash = await orm.transaction(async (tx) => {
        const isIt = and(eq(apiKeys.id, keyId), eq(apiKeys.accountId, accountId));
        const [revoked] = await tx
          .update(apiKeys)
          .set({ revokedAt: sql`now()` })
          .where(and(isIt, isNull(apiKeys.revokedAt)))
          .returning({ ...KEY_COLUMNS, hash: HASH, notice: KEY_NOTICE });
        if (revoked) await announce(tx, accountId, "api_key.revoked", newsOf(revoked));
        const [key] = revoked ? [revoked] : await tx.select({ hash: HASH }).from(apiKeys).where(isIt);
        if (!key) throw new Refusal("key_not_found", "There is no API key with this id.");
        return key.hash;
      });
      memory.forget(hash);
    },

    async forgetAccount(accountId) {
      await notify(pool, ACCOUNT_CHANGED, accountId);
      memory.forgetAccount(accountId);
    },

    close: () => lastUsed.close(),
  };
}

const { keyHash: _, ...KEY_COLUMNS } = getTableColumns(apiKeys);
const HASH = sql<string>`encode(${apiKeys.keyHash}, 'hex')`;
const KEY_NOTICE = notifySql(KEY_CHANGED, HASH);
const UNFIT = "it takes 20 to 512 characters of ASCII without spaces at its ends.";

function newsOf({ id, name, prefix }: Pick<Key, "id" | "name" | "prefix">) {
  return { key_id: id, name, prefix };
}

/** Holds the account's row until the transaction ends, so that keys made at the same time are counted one by one. */
async function makeRoom(tx: Orm, accountId: string): Promise<void> {
  await lockAccount(tx, accountId);
  const [counted] = await tx
    .select({ keys: count() })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), isNull(apiKeys.revokedAt)));
  if (counted!.keys < MAX_KEYS_PER_ACCOUNT) return;
  throw new Refusal(
    "too_many_keys",
    `An account has at most ${MAX_KEYS_PER_ACCOUNT} API keys: revoke one that is no longer used.`,
  );
}

/** Undefined when there is such a key already. */
async function insertKey(
  by: Orm,
  accountId: string,
  text: string,
  { name, mode, scopes, expiresAt }: WantedKey,
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
