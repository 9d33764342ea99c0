/**
 * Queries on accounts: find, list, change the plan; and what other folders need of the table: its row lock, an account's
 * email, plan and rights.
 */
import type { Plan } from "@mailvet/contract";
import { count, desc, eq, inArray, sql } from "drizzle-orm";
import { Refusal } from "../base/refusal.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import type { AccountRecord } from "./present-account.ts";
import { accounts } from "./schema.ts";

export type AccountQueriesDeps = {
  database: Database;
  ledger: Pick<Ledger, "balancesOf">;
  /** Makes every process drop its cached keys of this account (keys/api-keys.ts). */
  forgetAccount(accountId: string): Promise<void>;
};

export type AccountPage = { skip: number; limit: number; search: string | undefined };

export type AccountQueries = {
  /** Refuses with account_not_found. */
  find(accountId: string): Promise<AccountRecord>;
  /** Newest first. */
  list(page: AccountPage): Promise<{ accounts: AccountRecord[]; total: number }>;
  /** By id. Accounts that no longer exist are missing. */
  emailsOf(accountIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The function is called if the plan is another one than before. */
  setPlan(
    accountId: string,
    plan: Plan,
    beforeCommit?: BeforeCommit<{ before: Plan }>,
  ): Promise<AccountRecord>;
};

export function createAccountQueries({
  database: { orm },
  ledger,
  forgetAccount,
}: AccountQueriesDeps): AccountQueries {
  const withBalances = async (rows: readonly (typeof accounts.$inferSelect)[]): Promise<AccountRecord[]> => {
    const balances = await ledger.balancesOf(rows.map(({ id }) => id));
    return rows.map((row) => ({ ...row, ...(balances.get(row.id) ?? { balance: 0, reserved: 0 }) }));
  };
  const find = async (accountId: string) => {
    const [account] = await withBalances(await orm.select().from(accounts).where(eq(accounts.id, accountId)));
    if (!account) throw new Refusal("account_not_found", "No account has this id.");
    return account;
  };
  return {
    find,
    async list({ skip, limit, search }) {
      // PostgreSQL text cannot hold a NUL, so no email matches.
      if (search?.includes("\0")) return { accounts: [], total: 0 };
      const matches = search ? sql`position(${search.toLowerCase()} in ${accounts.email}) > 0` : undefined;
      const page = orm.select().from(accounts).where(matches).orderBy(desc(accounts.createdAt), accounts.id);
      const [rows, counted] = await Promise.all([
        page.offset(skip).limit(limit),
        orm.select({ total: count() }).from(accounts).where(matches),
      ]);
      return { accounts: await withBalances(rows), total: counted[0]!.total };
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
        await lockAccount(tx, accountId);
        const before = await planOf(tx, accountId);
        if (before === undefined || before === plan) return;
        await tx.update(accounts).set({ plan }).where(eq(accounts.id, accountId));
        await beforeCommit?.(tx, { before });
      });
      await forgetAccount(accountId);
      return find(accountId);
    },
  };
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

/** Locks the account's row until the transaction ends: concurrent transactions that count and insert take turns. */
export async function lockAccount(tx: Pick<Orm, "select">, accountId: string): Promise<void> {
  await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for("no key update");
}

/** For raw SQL of other folders: the join on the account that owns a row, and its rights as columns. */
export const accountSql = {
  join: (accountIdColumn: string) => `join accounts on accounts.id = ${accountIdColumn}`,
  rights: `accounts.plan, accounts.is_operator as "isOperator"`,
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
