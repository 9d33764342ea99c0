/** Accounts as records: found, listed, put on another plan. Credits are read along, so that a page is one query. */
import type { Plan } from "@mailvet/contract";
import { count, desc, eq, sql } from "drizzle-orm";
import { balances } from "../credits/schema.ts";
import type { Database } from "../db/database.ts";
import { Refusal } from "../refusal.ts";
import type { AccountRecord } from "./present-account.ts";
import { accounts } from "./schema.ts";

export type AccountQueriesDeps = {
  database: Database;
  /** Tells every process that what it remembers of this account's keys is out of date. */
  forgetAccount(accountId: string): Promise<void>;
};

export type AccountPage = { skip: number; limit: number; search: string | undefined };

export type AccountQueries = {
  /** Refuses with account_not_found. */
  find(accountId: string): Promise<AccountRecord>;
  /** Newest first. */
  list(page: AccountPage): Promise<{ accounts: AccountRecord[]; total: number }>;
  setPlan(accountId: string, plan: Plan): Promise<AccountRecord>;
};

const RECORD = {
  id: accounts.id,
  email: accounts.email,
  plan: accounts.plan,
  isOperator: accounts.isOperator,
  createdAt: accounts.createdAt,
  balance: sql<number>`coalesce(${balances.balance}, 0)`,
  reserved: sql<number>`coalesce(${balances.reserved}, 0)`,
};

export function createAccountQueries({
  database: { orm },
  forgetAccount,
}: AccountQueriesDeps): AccountQueries {
  const records = () =>
    orm.select(RECORD).from(accounts).leftJoin(balances, eq(balances.accountId, accounts.id)).$dynamic();
  const find = async (accountId: string) => {
    const [account] = await records().where(eq(accounts.id, accountId));
    if (!account) throw new Refusal("account_not_found", `There is no account ${accountId}.`);
    return account;
  };
  return {
    find,
    async list({ skip, limit, search }) {
      // PostgreSQL's text cannot hold a NUL, and so no email has one.
      if (search?.includes("\0")) return { accounts: [], total: 0 };
      const isMeant = search ? sql`position(${search.toLowerCase()} in ${accounts.email}) > 0` : undefined;
      const page = records().where(isMeant).orderBy(desc(accounts.createdAt), accounts.id);
      const [found, counted] = await Promise.all([
        page.offset(skip).limit(limit),
        orm.select({ total: count() }).from(accounts).where(isMeant),
      ]);
      return { accounts: found, total: counted[0]!.total };
    },
    async setPlan(accountId, plan) {
      await orm.update(accounts).set({ plan }).where(eq(accounts.id, accountId));
      await forgetAccount(accountId);
      return find(accountId);
    },
  };
}

/** Where to write to its owner; undefined when the account is gone. */
export async function emailOf({ orm }: Database, accountId: string): Promise<string | undefined> {
  const [found] = await orm
    .select({ email: accounts.email })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  return found?.email;
}
