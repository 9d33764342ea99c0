/**
 * Operator keys (`mv_op_…`): created, listed, revoked, and authenticated.
 *
 * They are looked up in the database with every request: scripts of operators are few, and a key is refused from the moment
 * that it is revoked, expires, or its account loses the rights of the operator.
 */
import type { OperatorScope } from "@mailvet/contract";
import { and, count, desc, eq, getTableColumns, gt, isNull, or, sql } from "drizzle-orm";
import { accountSql, lockAccount } from "../accounts/account-queries.ts";
import { ACCOUNT_LIMITS } from "../accounts/plans.ts";
import type { RequireTwoFactor } from "../accounts/sessions.ts";
import { type Actor, recordAudit } from "../audit/audit-writer.ts";
import { isInRanges } from "../base/client-network.ts";
import { Refusal } from "../base/refusal.ts";
import type { BeforeCommit, Database } from "../db/database.ts";
import type { KnownKey } from "./key-cache.ts";
import { generateKeyText, hashOf, isWellFormedOperatorKey, prefixOf } from "./key-format.ts";
import { operatorKeys } from "./schema.ts";

export type OperatorKeys = {
  /** Undefined when the key is unknown, revoked or expired. */
  recognise(text: string, ip: string): Promise<KnownOperatorKey | undefined>;
  /** Refuses with too_many_keys. The text is not stored. */
  create(
    accountId: string,
    wanted: OperatorKeySettings,
    by: Actor,
    beforeCommit?: BeforeCommit<OperatorKeyWithText>,
  ): Promise<OperatorKeyWithText>;
  /** Those of all operators, newest first, including recently revoked ones. */
  list(): Promise<OperatorKeyRow[]>;
  /** Idempotent. Refuses with key_not_found. */
  revoke(keyId: string, by: Actor): Promise<void>;
};

export type KnownOperatorKey = Pick<KnownKey, "keyId" | "accountId" | "plan" | "isOperator"> & {
  scopes: readonly OperatorScope[];
  /** The operator must enable two-factor sign-in first. */
  needsTwoFactor: boolean;
  /** Whether the client's address is one from which the key works. */
  isAllowedFrom: boolean;
};

export type OperatorKeyRow = Omit<typeof operatorKeys.$inferSelect, "keyHash">;
export type OperatorKeyWithText = { key: OperatorKeyRow; text: string };
export type OperatorKeySettings = {
  name: string;
  scopes: readonly OperatorScope[];
  /** As parseIpRange reads them. */
  allowedRanges: readonly string[];
  expiresAt: Date | undefined;
};

type FoundKey = Omit<KnownOperatorKey, "isAllowedFrom"> & { allowedRanges: string[]; isUnseen: boolean };

const REVOKED_LISTED_FOR = "90 days";
const MAX_LISTED = 500;

export function createOperatorKeys({
  database,
  requireTwoFactor = "off",
}: {
  database: Pick<Database, "orm" | "pool">;
  requireTwoFactor?: RequireTwoFactor;
}): OperatorKeys {
  const { orm, pool } = database;
  return {
    async recognise(text, ip) {
      if (!isWellFormedOperatorKey(text)) return undefined;
      const values = [Buffer.from(hashOf(text), "hex"), requireTwoFactor === "operators"];
      const { rows } = await pool.query<FoundKey>({ ...FIND, values });
      if (!rows[0]) return undefined;
      const { allowedRanges, isUnseen, ...key } = rows[0];
      if (isUnseen) await pool.query({ ...SEE, values: [key.keyId] });
      return { ...key, isAllowedFrom: allowedRanges.length === 0 || isInRanges(ip, allowedRanges) };
    },

    async create(accountId, { name, scopes, allowedRanges, expiresAt }, by, beforeCommit) {
      const text = generateKeyText("op");
      return orm.transaction(async (tx) => {
        await lockAccount(tx, accountId); // concurrent requests are counted one after another
        const isActive = and(eq(operatorKeys.accountId, accountId), isNull(operatorKeys.revokedAt));
        const [counted] = await tx.select({ keys: count() }).from(operatorKeys).where(isActive);
        if (counted!.keys >= ACCOUNT_LIMITS.api_keys) throw tooManyKeys();
        const [key] = await tx
          .insert(operatorKeys)
          .values({
            accountId,
            name,
            keyHash: Buffer.from(hashOf(text), "hex"),
            prefix: prefixOf(text),
            scopes: [...scopes],
            allowedRanges: [...allowedRanges],
            expiresAt: expiresAt ?? null,
          })
          .returning(KEY_COLUMNS);
        const details = { name, prefix: key!.prefix, scopes: scopes.join(", ") };
        const entry = { action: "operator_key.created", accountId, subjectId: key!.id, details } as const;
        await recordAudit(tx, by, entry);
        const created = { key: key!, text };
        await beforeCommit?.(tx, created);
        return created;
      });
    },

    list() {
      const isRecent = gt(operatorKeys.revokedAt, sql`now() - ${REVOKED_LISTED_FOR}::interval`);
      return orm
        .select(KEY_COLUMNS)
        .from(operatorKeys)
        .where(or(isNull(operatorKeys.revokedAt), isRecent))
        .orderBy(desc(operatorKeys.createdAt), operatorKeys.id)
        .limit(MAX_LISTED);
    },

    async revoke(keyId, by) {
      await orm.transaction(async (tx) => {
        const isIt = eq(operatorKeys.id, keyId);
        const [key] = await tx.select(KEY_COLUMNS).from(operatorKeys).where(isIt).for("update");
        if (!key) throw new Refusal("key_not_found", "No operator key has this id.");
        if (key.revokedAt) return;
        await tx.update(operatorKeys).set({ revokedAt: sql`now()` }).where(isIt);
        const { accountId, name, prefix } = key;
        const entry = { action: "operator_key.revoked", accountId, subjectId: keyId } as const;
        await recordAudit(tx, by, { ...entry, details: { name, prefix } });
      });
    },
  };
}

const { keyHash: _, ...KEY_COLUMNS } = getTableColumns(operatorKeys);

const FIND = {
  name: "operator_key_by_hash",
  text: `
    select k.id as "keyId", k.account_id as "accountId", k.scopes, k.allowed_ranges as "allowedRanges",
      ${accountSql.rights}, ${accountSql.needsTwoFactor("$2", accountSql.hasPasskey)} as "needsTwoFactor",
      k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as "isUnseen"
    from operator_keys k ${accountSql.join("k.account_id")}
    where k.key_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
};

const SEE = { name: "operator_key_see", text: "update operator_keys set last_used_at = now() where id = $1" };

function tooManyKeys(): Refusal {
  return new Refusal(
    "too_many_keys",
    `An account can have at most ${ACCOUNT_LIMITS.api_keys} operator keys. Revoke one that is no longer used.`,
  );
}
