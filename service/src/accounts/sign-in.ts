/**
 * Sign-in. An unknown account, a wrong password and an unconfirmed email get the same response in the same time.
 */
import { and, eq } from "drizzle-orm";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../db/database.ts";
import { accountEmail } from "./account-email.ts";
import type { AttemptKind, AttemptLimiter } from "./attempt-limiter.ts";
import { networkOf } from "./client-network.ts";
import { verifyPassword } from "./password.ts";
import { accounts } from "./schema.ts";
import type { SessionClient, Sessions } from "./sessions.ts";
import type { SignedInSession } from "./sign-up.ts";

export type SignInDeps = { database: Database; sessions: Sessions; attempts: AttemptLimiter };

export type SignIn = {
  signIn(email: string, password: string, client: SessionClient): Promise<SignedInSession>;
};

export function createSignIn({ database, sessions, attempts }: SignInDeps): SignIn {
  return {
    async signIn(typedEmail, password, client) {
      const email = accountEmail(typedEmail);
      const tries = signInTries(email, client);
      await attempts.take(tries.fromHere, tries.byNetwork);
      // Only after these: a network over its limit must not use up the attempts of all others.
      await attempts.take(tries.toAccount);

      const account = await findByEmail(database, email);
      const passwordHash = account?.passwordHash ?? undefined;
      const isCorrect = await verifyPassword(password, passwordHash).catch(async (error: unknown) => {
        await attempts.forgive("one", ...Object.values(tries)); // overloaded: the password was not checked
        throw error;
      });
      if (!isCorrect || !account?.emailConfirmedAt) throw wrongCredentials();

      const session = await database.orm.transaction(async (tx) => {
        // The password may have been changed, and all sessions ended, during the comparison.
        const unchanged = await tx
          .select({ id: accounts.id })
          .from(accounts)
          .where(and(eq(accounts.id, account.id), eq(accounts.passwordHash, passwordHash!)))
          .for("share");
        if (unchanged.length === 0) throw wrongCredentials();
        return sessions.open(tx, account.id, client);
      });
      await attempts.forgive("all", tries.fromHere);
      await attempts.forgive("one", tries.byNetwork, tries.toAccount);
      return { accountId: account.id, ...session };
    },
  };
}

/** The limits that one sign-in attempt counts towards. */
export function signInTries(email: string, { ip }: SessionClient) {
  const network = networkOf(ip);
  return {
    fromHere: { what: "sign_in_from_one_network", by: [email, network] },
    byNetwork: { what: "sign_in_by_one_network", by: [network] },
    toAccount: { what: "sign_in_to_one_account", by: [email] },
  } as const satisfies Record<string, AttemptKind>;
}

export async function findByEmail({ orm }: Database, email: string) {
  if (email.includes("\0")) return undefined; // PostgreSQL text cannot hold a NUL, so no account has it
  const [account] = await orm.select().from(accounts).where(eq(accounts.email, email));
  return account;
}

function wrongCredentials(): Refusal {
  return new Refusal("wrong_credentials", "Incorrect email or password, or the email is not confirmed yet.");
}
