/**
 * Queries on accounts: find, list, change the plan, suspend and delete; and what other folders need of the table: its row
 * lock, an account's email, plan and rights.
 */
import type { AccountListQuery, Plan } from "@mailvet/contract";
import { and, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { deleteOwnersEntries } from "../audit/audit-log.ts";
import { recordAudit, SYSTEM } from "../audit/audit-writer.ts";
import { Refusal } from "../base/refusal.ts";
import type { Ledger } from "../credits/ledger.ts";
import { accountFiguresSql } from "../credits/usage.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import type { AccountRecord, ListedAccount } from "./present-account.ts";
import { accounts } from "./schema.ts";

export type AccountQueriesDeps = {
  database: Database;
  ledger: Pick<Ledger, "balancesOf" | "erase">;
  /** Makes every process drop its cached keys of this account (keys/api-keys.ts). */
  forgetAccount(accountId: string): Promise<void>;
  /** SQL: when a key of the account in this column was last used (keys/api-keys.ts). */
  keyLastUsedSql(accountIdColumn: string): string;
};

export type AccountQueries = {
  /** Refuses with account_not_found. */
  find(accountId: string): Promise<AccountRecord>;
  /** With what the list shows. Refuses with account_not_found. */
  findListed(accountId: string): Promise<ListedAccount>;
  list(query: AccountListQuery): Promise<{ accounts: ListedAccount[]; total: number }>;
  /** By id. Accounts that no longer exist are missing. */
  emailsOf(accountIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The function is called if the plan is another one than before. */
  setPlan(accountId: string, plan: Plan, beforeCommit?: BeforeCommit<{ before: Plan }>): Promise<void>;
  /** Its keys and sessions are refused from now on. Refuses for the last operator and for accounts being erased. */
  markSuspended(accountId: string, reason: string, beforeCommit?: BeforeCommit<void>): Promise<void>;
  /** Refuses with account_not_found, also while the account is being erased. */
  markResumed(accountId: string, beforeCommit?: BeforeCommit<void>): Promise<void>;
  /** Suspended for good; refuses for the last operator. What is left is deleted afterwards, at last by `remove`. */
  markErasing(accountId: string, beforeCommit?: BeforeCommit<void>): Promise<void>;
  /** Accounts whose erasure has begun. */
  listErasing(): Promise<string[]>;
  /** Deletes the account's row and all that goes with it. False: it was deleted before. */
  remove(accountId: string): Promise<boolean>;
};

/** Shown to the owner while the data is being deleted. */
const ERASING = "The account is being deleted.";

export function createAccountQueries({
  database,
  ledger,
  forgetAccount,
  keyLastUsedSql,
}: AccountQueriesDeps): AccountQueries {
  const { orm, pool } = database;
  const columns = listedColumns(keyLastUsedSql);

  const find = async (accountId: string) => {
    const [row] = await orm.select().from(accounts).where(eq(accounts.id, accountId));
    if (!row) throw notFound();
    const balances = await ledger.balancesOf([accountId]);
    return { ...row, ...(balances.get(accountId) ?? { balance: 0, reserved: 0 }) };
  };

  /** Refuses to suspend or erase the last operator. */
  const change = async (
    accountId: string,
    values: PgUpdateSetSource<typeof accounts>,
    beforeCommit: BeforeCommit<void> | undefined,
  ) => {
    await orm.transaction(async (tx) => {
      if (values.suspendedAt !== null) await refuseLastOperator(tx, accountId);
      const changed = await tx
        .update(accounts)
        .set(values)
        .where(and(isIt(accountId), isNull(accounts.erasingAt)))
        .returning({ id: accounts.id });
      if (changed.length === 0) throw notFound();
      await beforeCommit?.(tx);
    });
    await forgetAccount(accountId);
  };

  return {
    find,

    async findListed(accountId) {
      const { rows } = await pool.query<ListedAccount>(`select ${columns} from accounts a where a.id = $1`, [
        accountId,
      ]);
      if (!rows[0]) throw notFound();
      return rows[0];
    },

    async list({ skip, limit, search = "", state, sort, order, after }) {
      // PostgreSQL text cannot hold a NUL, so no email matches.
      if (search.includes("\0")) return { accounts: [], total: 0 };
      const filter = `($1 = '' or position($1 in a.email) > 0) and ($2::text is null or ${STATE} = $2)`;
      const filters = [search.toLowerCase(), state ?? null];
      const key = sortKeys(keyLastUsedSql)[sort];
      const [direction, compared] = order === "asc" ? ["asc", ">"] : ["desc", "<"];
      // Only the accounts of the page are joined with their figures, unless these are the sort key.
      const page = `
        with page as (
          select a.id, ${key} as key from accounts a
          where ${filter} and ($3::uuid is null or (${key}, a.id) ${compared} (
            select ${key}, a.id from accounts a where a.id = $3))
          order by 2 ${direction}, 1 ${direction} limit $4 offset $5
        )
        select ${columns} from page join accounts a on a.id = page.id
        order by page.key ${direction}, page.id ${direction}`;
      const [{ rows }, counted] = await Promise.all([
        pool.query<ListedAccount>(page, [...filters, after ?? null, limit, skip]),
        pool.query<{ total: number }>(`select count(*) as total from accounts a where ${filter}`, filters),
      ]);
      return { accounts: rows, total: counted.rows[0]!.total };
    },

    async emailsOf(accountIds) {
      const rows = await orm
        .select({ id: accounts.id, email: accounts.email })
        .from(accounts)
        .where(inArray(accounts.id, [...accountIds]));
      return new Map(rows.map(({ id, email }) => [id, email]));
    },

    async setPlan(accountId, plan, beforeCommit) {
      await orm.transaction(async (tx) => {
        const [account] = await tx.select().from(accounts).where(isIt(accountId)).for("no key update");
        if (!account || account.plan === plan) return;
        await tx.update(accounts).set({ plan }).where(isIt(accountId));
        await beforeCommit?.(tx, { before: account.plan });
      });
      await forgetAccount(accountId);
    },

    markSuspended: (accountId, suspendedReason, beforeCommit) =>
      change(accountId, { suspendedAt: SINCE_NOW, suspendedReason }, beforeCommit),

    markResumed: (accountId, beforeCommit) =>
      change(accountId, { suspendedAt: null, suspendedReason: null }, beforeCommit),

    markErasing: (accountId, beforeCommit) =>
      change(
        accountId,
        { suspendedAt: SINCE_NOW, suspendedReason: ERASING, erasingAt: sql`now()` },
        beforeCommit,
      ),

    async listErasing() {
      const rows = await orm.select({ id: accounts.id }).from(accounts).where(isNotNull(accounts.erasingAt));
      return rows.map(({ id }) => id);
    },

    remove: (accountId) => orm.transaction((tx) => deleteAccounts(tx, ledger, isIt(accountId))),
  };
}

/** With every row that references them; of the audit log, what the owners did. */
export async function deleteAccounts(
  tx: Orm,
  ledger: Pick<Ledger, "erase">,
  areThey: SQL | undefined,
): Promise<boolean> {
  const deleted = await tx.delete(accounts).where(areThey).returning({ id: accounts.id });
  if (deleted.length === 0) return false;
  // After the balances, whose lock an entry needs.
  await ledger.erase(
    tx,
    deleted.map(({ id }) => id),
  );
  for (const { id: accountId } of deleted) {
    await deleteOwnersEntries(tx, accountId);
    await recordAudit(tx, SYSTEM, { action: "account.deleted", accountId });
  }
  return true;
}

const isIt = (accountId: string) => eq(accounts.id, accountId);
const SINCE_NOW = sql`coalesce(${accounts.suspendedAt}, now())`;

/** As in the contract. */
const STATE = `case when a.erasing_at is not null then 'erasing' when a.suspended_at is not null then 'suspended'
  when a.email_confirmed_at is not null then 'active' when a.invited_at is not null then 'invited'
  else 'unconfirmed' end`;

const lastSeenSql = (keyLastUsedSql: AccountQueriesDeps["keyLastUsedSql"]) =>
  `greatest((select max(s.last_seen_at) from sessions s where s.account_id = a.id), ${keyLastUsedSql("a.id")})`;

function listedColumns(keyLastUsedSql: AccountQueriesDeps["keyLastUsedSql"]): string {
  return `a.id, a.email, a.plan, a.is_operator as "isOperator", a.created_at as "createdAt", ${STATE} as state,
    a.suspended_at as "suspendedAt", a.suspended_reason as "suspendedReason",
    ${accountFiguresSql.balance("a.id")} as balance, ${accountFiguresSql.reserved("a.id")} as reserved,
    ${accountFiguresSql.usedRecently("a.id")} as "usedRecently", ${lastSeenSql(keyLastUsedSql)} as "lastSeenAt"`;
}

/** Never null, so that rows can be compared. */
const sortKeys = (
  keyLastUsedSql: AccountQueriesDeps["keyLastUsedSql"],
): Readonly<Record<AccountListQuery["sort"], string>> => ({
  created: "a.created_at",
  email: "a.email",
  plan: "a.plan",
  credits: accountFiguresSql.balance("a.id"),
  used: accountFiguresSql.usedRecently("a.id"),
  last_seen: `coalesce(${lastSeenSql(keyLastUsedSql)}, '-infinity')`,
});

/** Without an operator the installation could not be administered. Concurrent changes of operators take turns. */
async function refuseLastOperator(tx: Orm, accountId: string): Promise<void> {
  const operators = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.isOperator, true), isNull(accounts.suspendedAt)))
    .orderBy(accounts.id)
    .for("no key update");
  if (operators.length === 1 && operators[0]!.id === accountId)
    throw new Refusal("operator_protected", "This is the last operator account of the installation.");
}

function notFound(): Refusal {
  return new Refusal("account_not_found", "No account has this id.");
}

export async function operatorIds(tx: Pick<Orm, "select">): Promise<string[]> {
  const isActive = and(eq(accounts.isOperator, true), isNull(accounts.suspendedAt));
  return (await tx.select({ id: accounts.id }).from(accounts).where(isActive)).map(({ id }) => id);
}

/** Undefined when the account no longer exists. */
export async function emailOf(
  { orm }: Pick<Database, "orm">,
  accountId: string,
): Promise<string | undefined> {
  const [found] = await orm
    .select({ email: accounts.email })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  return found?.email;
}

/** Undefined when the account no longer exists. */
export async function planOf(orm: Pick<Orm, "select">, accountId: string): Promise<Plan | undefined> {
  const [found] = await orm.select({ plan: accounts.plan }).from(accounts).where(eq(accounts.id, accountId));
  return found?.plan;
}

/**
 * Locks the account's row until the transaction ends: concurrent transactions that count and insert take turns. Refuses with
 * account_suspended: a request may have been admitted before the suspension.
 */
export async function lockAccount(tx: Pick<Orm, "select">, accountId: string): Promise<void> {
  refuseSuspended(await selectSuspension(tx, accountId).for("no key update"));
}

/** The same without the lock. */
export async function requireNotSuspended(orm: Pick<Orm, "select">, accountId: string): Promise<void> {
  refuseSuspended(await selectSuspension(orm, accountId));
}

function selectSuspension(orm: Pick<Orm, "select">, accountId: string) {
  return orm.select({ reason: accounts.suspendedReason }).from(accounts).where(eq(accounts.id, accountId));
}

function refuseSuspended([account]: readonly { reason: string | null }[]): void {
  if (account?.reason) throw accountSuspended(account.reason);
}

/** The reason of accounts that signed up where new ones need approval. The operator resumes them. */
export const WAITING_FOR_APPROVAL = "Waiting for approval.";

export function accountSuspended(reason: string): Refusal {
  if (reason === WAITING_FOR_APPROVAL)
    return new Refusal("account_suspended", "This account is waiting for the operator's approval.");
  return new Refusal("account_suspended", `This account is suspended: ${reason}`);
}

/** For raw SQL of other folders: the join on the account that owns a row, and its rights as columns. */
export const accountSql = {
  join: (accountIdColumn: string) => `join accounts on accounts.id = ${accountIdColumn}`,
  rights: `accounts.plan, accounts.is_operator as "isOperator", accounts.suspended_reason as "suspendedFor"`,
  email: "accounts.email",
  isSuspended: "accounts.suspended_at is not null",
  /**
   * Whether it is an operator who must enable two-factor sign-in first. The parameter says whether that is required, the other
   * one whether a passkey has been used.
   */
  needsTwoFactor: (
    isRequired: string,
    byPasskey: string,
  ) => `accounts.is_operator and ${isRequired} and not ${byPasskey}
    and not exists (select from two_factor f where f.account_id = accounts.id and f.enabled_at is not null)`,
  hasPasskey: "exists (select from passkeys p where p.account_id = accounts.id)",
};
