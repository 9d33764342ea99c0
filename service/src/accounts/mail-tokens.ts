/** Tokens of links: single-use, except for downloads; for one purpose, for a limited time. */
import { and, eq, gt, inArray, lte } from "drizzle-orm";
import { Refusal } from "../base/refusal.ts";
import type { Database, Orm } from "../db/database.ts";
import { mailTokens } from "./schema.ts";
import { makeSecret, secretHash } from "./secret-token.ts";

export type MailTokenPurpose = (typeof mailTokens.$inferSelect)["purpose"];

export type MailTokens = {
  /** `newEmail`: of change_email. */
  create(orm: Orm, accountId: string, purpose: MailTokenPurpose, newEmail?: string): Promise<string>;
  /** The account of the token, without using it. Refuses with link_expired. */
  check(token: string, ...purposes: MailTokenPurpose[]): Promise<string>;
  /** Uses the token, and invalidates every other link of the account. */
  use(orm: Orm, token: string, ...purposes: MailTokenPurpose[]): Promise<UsedToken>;
  /** All tokens of the account, or those for one purpose. */
  revoke(orm: Orm, accountId: string, purpose?: MailTokenPurpose): Promise<void>;
  deleteExpired(): Promise<void>;
};

export type UsedToken = { accountId: string; purpose: MailTokenPurpose; newEmail: string | null };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const LIFE_MS: Readonly<Record<MailTokenPurpose, number>> = {
  confirm_email: DAY_MS,
  reset_password: 30 * MINUTE_MS,
  invitation: 7 * DAY_MS,
  change_email: DAY_MS,
  export: DAY_MS,
};

export function createMailTokens({ database, now }: { database: Database; now: () => Date }): MailTokens {
  const isUsable = (token: string, purposes: MailTokenPurpose[]) => {
    const hash = secretHash(token);
    if (!hash) throw expired();
    return and(
      eq(mailTokens.tokenHash, hash),
      inArray(mailTokens.purpose, purposes),
      gt(mailTokens.expiresAt, now()),
    );
  };
  const revoke: MailTokens["revoke"] = async (orm, accountId, purpose) => {
    const hasPurpose = purpose && eq(mailTokens.purpose, purpose);
    await orm.delete(mailTokens).where(and(eq(mailTokens.accountId, accountId), hasPurpose));
  };
  return {
    async create(orm, accountId, purpose, newEmail) {
      const { text, hash: tokenHash } = makeSecret();
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + LIFE_MS[purpose]);
      await orm.insert(mailTokens).values({ tokenHash, accountId, purpose, newEmail, createdAt, expiresAt });
      return text;
    },
    async check(token, ...purposes) {
      const found = await database.orm
        .select({ accountId: mailTokens.accountId })
        .from(mailTokens)
        .where(isUsable(token, purposes));
      if (!found[0]) throw expired();
      return found[0].accountId;
    },
    async use(orm, token, ...purposes) {
      const used = await orm.delete(mailTokens).where(isUsable(token, purposes)).returning({
        accountId: mailTokens.accountId,
        purpose: mailTokens.purpose,
        newEmail: mailTokens.newEmail,
      });
      if (!used[0]) throw expired();
      await revoke(orm, used[0].accountId);
      return used[0];
    },
    revoke,
    async deleteExpired() {
      await database.orm.delete(mailTokens).where(lte(mailTokens.expiresAt, now()));
    },
  };
}

function expired(): Refusal {
  return new Refusal("link_expired", "This link has expired or was already used. Request a new one.");
}
