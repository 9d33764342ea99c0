/** Tokens of links in emails: single-use, for one purpose, for a limited time. */
import { and, eq, gt, lte } from "drizzle-orm";
import type { Database, Orm } from "../db/database.ts";
import { Refusal } from "../refusal.ts";
import { mailTokens } from "./schema.ts";
import { makeSecret, secretHash } from "./secret-token.ts";

export type MailTokenPurpose = (typeof mailTokens.$inferSelect)["purpose"];

export type MailTokens = {
  create(orm: Orm, accountId: string, purpose: MailTokenPurpose): Promise<string>;
  /** The account of the token, without using it. Refuses with link_expired. */
  check(token: string, purpose: MailTokenPurpose): Promise<string>;
  /** Uses the token, and invalidates every other link of the account. */
  use(orm: Orm, token: string, purpose: MailTokenPurpose): Promise<string>;
  /** All tokens of the account, or those for one purpose. */
  revoke(orm: Orm, accountId: string, purpose?: MailTokenPurpose): Promise<void>;
  deleteExpired(): Promise<void>;
};

const MINUTE_MS = 60_000;

const LIFE_MS: Readonly<Record<MailTokenPurpose, number>> = {
  confirm_email: 24 * 60 * MINUTE_MS,
  reset_password: 30 * MINUTE_MS,
};

export function createMailTokens({ database, now }: { database: Database; now: () => Date }): MailTokens {
  const isUsable = (token: string, purpose: MailTokenPurpose) => {
    const hash = secretHash(token);
    if (!hash) throw expired();
    return and(
      eq(mailTokens.tokenHash, hash),
      eq(mailTokens.purpose, purpose),
      gt(mailTokens.expiresAt, now()),
    );
  };
  const revoke: MailTokens["revoke"] = async (orm, accountId, purpose) => {
    const hasPurpose = purpose && eq(mailTokens.purpose, purpose);
    await orm.delete(mailTokens).where(and(eq(mailTokens.accountId, accountId), hasPurpose));
  };
  return {
    async create(orm, accountId, purpose) {
      const { text, hash: tokenHash } = makeSecret();
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + LIFE_MS[purpose]);
      await orm.insert(mailTokens).values({ tokenHash, accountId, purpose, createdAt, expiresAt });
      return text;
    },
    async check(token, purpose) {
      const found = await database.orm
        .select({ accountId: mailTokens.accountId })
        .from(mailTokens)
        .where(isUsable(token, purpose));
      if (!found[0]) throw expired();
      return found[0].accountId;
    },
    async use(orm, token, purpose) {
      const used = await orm
        .delete(mailTokens)
        .where(isUsable(token, purpose))
        .returning({ accountId: mailTokens.accountId });
      if (!used[0]) throw expired();
      await revoke(orm, used[0].accountId);
      return used[0].accountId;
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
