/**
 * Signing in. Whether the account exists, the password is wrong or the email is unconfirmed: the answer is the same,
 * and takes as long.
 */
import { and, eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { Refusal } from "../refusal.ts";
import { accountEmail } from "./account-email.ts";
import type { AttemptKind, AttemptLimiter } from "./attempt-limiter.ts";
import { networkOf } from "./client-network.ts";
import { verifyPassword } from "./password.ts";
import { accounts } from "./schema.ts";
import type { SessionClient, Sessions } from "./sessions.ts";
import type { SignedInSession } from "./sign-up.ts";

export type SignInDeps = { database: Database; sessions: Sessions; throttle: AttemptLimiter };

export type SignIn = {
  signIn(email: string, password: string, visitor: SessionClient): Promise<SignedInSession>;
};

export function createSignIn({ database, sessions, throttle }: SignInDeps): SignIn {
  return {
    async signIn(typedEmail, password, visitor) {
      const email = accountEmail(typedEmail);
      const tries = signInTries(email, visitor);
      await throttle.take(tries.fromHere, tries.byNetwork);
      // Only after these: one network that was stopped must not use up the tries of everybody else.
      await throttle.take(tries.toAccount);

      const account = await findByEmail(database, email);
      const passwordHash = account?.passwordHash ?? undefined;
      const fits = await verifyPassword(password, passwordHash).catch(async (error: unknown) => {
        await throttle.giveBack("one", ...Object.values(tries)); // we were too busy to look at it
        throw error;
      });
      if (!fits || !account?.emailConfirmedAt) throw wrongCredentials();

      const session = await database.orm.transaction(async (tx) => {
        // The password may have been changed while we compared, and every session ended.
        const unchanged = await tx
          .select({ id: accounts.id })
          .from(accounts)
          .where(and(eq(accounts.id, account.id), eq(accounts.passwordHash, passwordHash!)))
          .for("share");
        if (unchanged.length === 0) throw wrongCredentials();
        return sessions.open(tx, account.id, visitor);
      });
      await throttle.giveBack("all", tries.fromHere);
      await throttle.giveBack("one", tries.byNetwork, tries.toAccount);
      return { accountId: account.id, ...session };
    },
  };
}

/** What one try to sign in counts as. */
export function signInTries(email: string, { ip }: SessionClient) {
  const network = networkOf(ip);
  return {
    fromHere: { what: "sign_in_from_one_network", by: [email, network] },
    byNetwork: { what: "sign_in_by_one_network", by: [network] },
    toAccount: { what: "sign_in_to_one_account", by: [email] },
  } as const satisfies Record<string, AttemptKind>;
}

export async function findByEmail({ orm }: Database, email: string) {
  if (email.includes("\0")) return undefined; // PostgreSQL's text cannot hold it, and so no account has it
  const [account] = await orm.select().from(accounts).where(eq(accounts.email, email));
  return account;
}

export function wrongCredentials(): Refusal {
  return new Refusal(
    "wrong_credentials",
    "Email and password do not fit, or the email is not confirmed yet.",
  );
}
