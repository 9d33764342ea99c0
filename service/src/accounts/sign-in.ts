/**
 * Sign-in. An unknown account, a wrong password and an unconfirmed email get the same response in the same time.
 */
import { and, eq } from "drizzle-orm";
import { recordAudit } from "../audit/audit-writer.ts";
import { networkOf } from "../base/client-network.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../db/database.ts";
import { type AccountEmail, accountEmail, findByEmail } from "./account-email.ts";
import type { AttemptKind, AttemptLimiter } from "./attempt-limiter.ts";
import { type Recognised, recognise, type SessionClient } from "./known-clients.ts";
import { type OwnerWarnings, wrongCodesOf } from "./owner-warnings.ts";
import { verifyPassword } from "./password.ts";
import { accounts } from "./schema.ts";
import { checkSecondFactor, isTimeCode } from "./second-factors/two-factor.ts";
import type { Sessions, SignedInSession } from "./sessions.ts";

export type SignInDeps = {
  database: Database;
  sessions: Sessions;
  attempts: AttemptLimiter;
  warnings: OwnerWarnings;
  now: () => Date;
};

export type SignIn = {
  /** With the code of two-factor sign-in, where the account has it. */
  signIn(email: string, password: string, client: SessionClient, code?: string): Promise<SignedInSession>;
};

export function createSignIn(deps: SignInDeps): SignIn {
  const { database, sessions, attempts, warnings } = deps;
  return {
    async signIn(typedEmail, password, client, code) {
      const email = accountEmail(typedEmail);
      const account = await findByEmail(database.orm, email);
      const known = await recognise(database, account?.id, client);
      const limits = limitsOf(email, client, known);
      const taken: Limits[] = [limits];
      await takeAll(attempts, limits);

      const passwordHash = account?.passwordHash ?? undefined;
      const isCorrect = await verifyPassword(password, passwordHash).catch(async (error: unknown) => {
        await forgiveOne(attempts, taken); // overloaded: the password was not checked
        throw error;
      });
      if (!isCorrect) warnings.wrongPassword(email.canonical, account?.id);
      const recordFailure = (action: FailedSignIn, details: { reason?: string } = {}) =>
        recordAudit(database.pool, { ip: client.ip }, { action, accountId: account?.id, details });
      if (!isCorrect || !account?.emailConfirmedAt) {
        // For an unknown account too: the response must not take less time.
        await recordFailure("sign_in.failed", { reason: isCorrect ? "email_not_confirmed" : "password" });
        throw wrongCredentials();
      }

      if (code !== undefined) {
        const ofCode = limitsOfCode(limits, account.id, code);
        await takeAll(attempts, ofCode).catch(async (error: unknown) => {
          await forgiveOne(attempts, taken); // the password was right
          throw error;
        });
        taken.push(ofCode);
      }
      const session = await database.orm
        .transaction(async (tx) => {
          // The password may have been changed, and all sessions ended, during the comparison.
          const unchanged = await tx
            .select({ id: accounts.id })
            .from(accounts)
            .where(and(eq(accounts.id, account.id), eq(accounts.passwordHash, passwordHash!)))
            .for("share");
          if (unchanged.length === 0) throw wrongCredentials();
          const factor = await checkSecondFactor(tx, account.id, code, deps.now());
          if (factor === "missing" || factor === "wrong") return factor;
          return sessions.open(tx, account.id, client, factor === "not_enabled" ? "password" : factor);
        })
        .catch(async (error: unknown) => {
          // Suspended: the password was right.
          if (error instanceof Refusal && error.code === "account_suspended")
            await forgiveOne(attempts, taken);
          throw error;
        });
      if (session === "wrong") {
        await recordFailure("sign_in.code_failed");
        warnings.wrongCode(account.id);
        throw secondFactorRequired("The code is incorrect or was used already.");
      }
      if (session === "missing") {
        await recordFailure("sign_in.code_requested");
        await forgiveOne(attempts, taken); // the first of two steps
        throw secondFactorRequired("Enter the code of your authenticator app, or a recovery code.");
      }
      warnings.signedIn(session, client);
      await attempts.forgive("all", ...taken.map(({ own }) => own[0]));
      if (code !== undefined) {
        const guesses = known.device || known.network ? [] : [codesOf(account.id)];
        await attempts.forgive("all", wrongCodesOf(account.id), ...guesses);
      }
      await attempts.forgive("one", ...taken.flatMap(({ own, shared }) => [...own.slice(1), ...shared]));
      return session;
    },
  };
}

type FailedSignIn = "sign_in.failed" | "sign_in.code_requested" | "sign_in.code_failed";

/** The limits that a sign-in attempt of an unknown client counts towards. */
export function signInTries({ canonical: email }: AccountEmail, { ip }: SessionClient) {
  const network = networkOf(ip);
  return {
    fromNetwork: { what: "sign_in_from_one_network", by: [email, network] },
    byNetwork: { what: "sign_in_by_one_network", by: [network] },
    toAccount: { what: "sign_in_to_one_account", by: [email] },
  } as const satisfies Record<string, AttemptKind>;
}

type Limits = { own: readonly [AttemptKind, ...AttemptKind[]]; shared: readonly AttemptKind[] };

/** A client that has signed in before has limits of its own: what others do does not count against it. */
function limitsOf(email: AccountEmail, client: SessionClient, known: Recognised): Limits {
  if (known.device) {
    // Not by its token: a sign-in to another account replaces that, and would start over.
    const by = [email.canonical, known.device.lastSignInAt.toISOString()];
    return { own: [{ what: "sign_in_from_one_device", by }], shared: [] };
  }
  const { fromNetwork, byNetwork, toAccount } = signInTries(email, client);
  return { own: [fromNetwork, byNetwork], shared: known.network ? [] : [toAccount] };
}

/**
 * Codes are also counted apart from passwords: a new password starts those over, and must give no more guesses of the code.
 * Recovery codes cannot be guessed, so they open the account while others guess.
 */
function limitsOfCode({ own: [first, ...more], shared }: Limits, accountId: string, code: string): Limits {
  const ofCode = ({ what, by }: AttemptKind): AttemptKind => ({ what, by: ["code", ...by] });
  const isLimited = shared.length > 0 && isTimeCode(code);
  return {
    own: [ofCode(first), ...more.map(ofCode)],
    shared: isLimited ? [codesOf(accountId)] : [],
  };
}

function codesOf(accountId: string): AttemptKind {
  return { what: "codes_of_one_account", by: [accountId] };
}

async function takeAll(attempts: AttemptLimiter, { own, shared }: Limits): Promise<void> {
  await attempts.take(...own);
  // Only after these: a network over its limit must not use up the attempts of all others.
  if (shared.length > 0) await attempts.take(...shared);
}

function forgiveOne(attempts: AttemptLimiter, taken: readonly Limits[]): Promise<void> {
  return attempts.forgive("one", ...taken.flatMap(({ own, shared }) => [...own, ...shared]));
}

function secondFactorRequired(detail: string): Refusal {
  return new Refusal("two_factor_required", detail);
}

function wrongCredentials(): Refusal {
  return new Refusal("wrong_credentials", "Incorrect email or password, or the email is not confirmed yet.");
}
