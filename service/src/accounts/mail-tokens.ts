/** What the links in our mails carry: good once, for one purpose, for a limited time. */
import { and, eq, gt, lte } from "drizzle-orm";
import type { Database, Orm } from "../db/database.ts";
import { Refusal } from "../refusal.ts";
import { mailTokens } from "./schema.ts";
import { makeSecret, secretHash } from "./secret-token.ts";

export type Purpose = (typeof mailTokens.$inferSelect)["purpose"];

export type MailTokens = {
  make(orm: Orm, accountId: string, purpose: Purpose): Promise<string>;
  /** Whose it is, without using it up. Refuses with link_expired. */
  look(token: string, purpose: Purpose): Promise<string>;
  /** Uses it up, and every other link of the account with it. */
  use(orm: Orm, token: string, purpose: Purpose): Promise<string>;
  /** Those for one purpose, or all of the account's. */
  withdraw(orm: Orm, accountId: string, purpose?: Purpose): Promise<void>;
  deleteExpired(): Promise<void>;
};

const MINUTE_MS = 60_000;

const LIFE_MS: Readonly<Record<Purpose, number>> = {
  confirm_email: 24 * 60 * MINUTE_MS,
  reset_password: 30 * MINUTE_MS,
};

export function createMailTokens({ database, now }: { database: Database; now: () => Date }): MailTokens {
  const isGood = (token: string, purpose: Purpose) => {
    const hash = secretHash(token);
    if (!hash) throw expired();
    return and(
      eq(mailTokens.tokenHash, hash),
      eq(mailTokens.purpose, purpose),
      gt(mailTokens.expiresAt, now()),
    );
  };
  const withdraw: MailTokens["withdraw"] = async (orm, accountId, purpose) => {
    const isMeant = purpose && eq(mailTokens.purpose, purpose);
    await orm.delete(mailTokens).where(and(eq(mailTokens.accountId, accountId), isMeant));
  };
  return {
    async make(orm, accountId, purpose) {
      const { text, hash: tokenHash } = makeSecret();
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + LIFE_MS[purpose]);
      await orm.insert(mailTokens).values({ tokenHash, accountId, purpose, createdAt, expiresAt });
      return text;
    },
    async look(token, purpose) {
      const found = await database.orm
        .select({ accountId: mailTokens.accountId })
        .from(mailTokens)
        .where(isGood(token, purpose));
      if (!found[0]) throw expired();
      return found[0].accountId;
    },
    async use(orm, token, purpose) {
      const used = await orm
        .delete(mailTokens)
        .where(isGood(token, purpose))
        .returning({ accountId: mailTokens.accountId });
      if (!used[0]) throw expired();
      await withdraw(orm, used[0].accountId);
      return used[0].accountId;
    },
    withdraw,
    async deleteExpired() {
      await database.orm.delete(mailTokens).where(lte(mailTokens.expiresAt, now()));
    },
  };
}

function expired(): Refusal {
  return new Refusal("link_expired", "This link has expired or was used already. Ask for a new one.");
}
