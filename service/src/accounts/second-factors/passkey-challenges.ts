/** Challenges that a passkey has to sign: random, single-use, for five minutes, stored as hashes. */
import { and, eq, gt, isNull, lte } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { passkeyChallenges } from "../schema.ts";
import { makeSecret, secretHash } from "../secret-token.ts";

export type PasskeyChallenges = {
  /** For a new passkey of this account, or for a signature of any existing one. */
  create(accountId?: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Uses up the challenge in the client data. Undefined if it is none of ours, or not for this. */
  use(clientDataJson: string, accountId?: string): Promise<string | undefined>;
  deleteExpired(): Promise<void>;
};

export const CHALLENGE_LIFE_MS = 5 * 60_000;

export function createPasskeyChallenges({
  database: { orm },
  now,
}: {
  database: Database;
  now: () => Date;
}): PasskeyChallenges {
  return {
    async create(accountId) {
      const { text, hash: challengeHash } = makeSecret();
      const expiresAt = new Date(now().getTime() + CHALLENGE_LIFE_MS);
      await orm.insert(passkeyChallenges).values({ challengeHash, accountId, expiresAt });
      return new Uint8Array(Buffer.from(text, "base64url"));
    },
    async use(clientDataJson, accountId) {
      const challenge = challengeIn(clientDataJson);
      const hash = secretHash(challenge);
      if (!hash) return undefined;
      const isFor = accountId
        ? eq(passkeyChallenges.accountId, accountId)
        : isNull(passkeyChallenges.accountId);
      const used = await orm
        .delete(passkeyChallenges)
        .where(and(eq(passkeyChallenges.challengeHash, hash), isFor, gt(passkeyChallenges.expiresAt, now())))
        .returning({ hash: passkeyChallenges.challengeHash });
      return used.length > 0 ? challenge : undefined;
    },
    async deleteExpired() {
      await orm.delete(passkeyChallenges).where(lte(passkeyChallenges.expiresAt, now()));
    },
  };
}

function challengeIn(clientDataJson: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJson, "base64url").toString());
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}
