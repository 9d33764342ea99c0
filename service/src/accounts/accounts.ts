/**
 * Accounts and the people who sign in to them: the one door to this folder.
 *
 * sign-up.ts, sign-in.ts and password-change.ts are what people do; account-queries.ts is what the operator sees. Sessions
 * are made beside this, because every request asks for them.
 */
import { and, eq, isNull, lte } from "drizzle-orm";
import { type AccountQueries, type AccountQueriesDeps, createAccountQueries } from "./account-queries.ts";
import { createAttemptLimiter } from "./attempt-limiter.ts";
import { createBackground } from "./background-tasks.ts";
import { createMailTokens } from "./mail-tokens.ts";
import { createPasswordChange, type PasswordChange } from "./password-change.ts";
import { accounts } from "./schema.ts";
import { createSignIn, type SignIn } from "./sign-in.ts";
import { createSignUp, type SignUp, type SignUpDeps } from "./sign-up.ts";

export type AccountsDeps = AccountQueriesDeps &
  Pick<SignUpDeps, "verify" | "settings" | "sessions" | "mailer"> & {
    ledger: AccountQueriesDeps["ledger"] & SignUpDeps["ledger"];
    now?: () => Date;
    /** Tells the operator. */
    say(line: string): void;
  };

export type Accounts = SignUp &
  SignIn &
  PasswordChange &
  AccountQueries & {
    /** Forgets what has no use any more: links, counts of tries, sign-ups that nobody confirmed. */
    deleteExpired(): Promise<void>;
    /** Waits for the mails that are on their way. */
    close(): Promise<void>;
  };

const CONFIRM_WITHIN_MS = 7 * 24 * 60 * 60 * 1000;

export function createAccounts({ now = () => new Date(), say, ...given }: AccountsDeps): Accounts {
  const { database } = given;
  const settings = { ...given.settings, publicUrl: given.settings.publicUrl.replace(/\/+$/, "") };
  const mailTokens = createMailTokens({ database, now });
  const throttle = createAttemptLimiter({ database, now });
  const background = createBackground(say);
  const deps = { ...given, settings, mailTokens, throttle, background, now };
  return {
    ...createSignUp(deps),
    ...createSignIn(deps),
    ...createPasswordChange(deps),
    ...createAccountQueries(deps),
    async deleteExpired() {
      await mailTokens.deleteExpired();
      await throttle.deleteExpired();
      const since = new Date(now().getTime() - CONFIRM_WITHIN_MS);
      const isAbandoned = and(
        isNull(accounts.emailConfirmedAt),
        eq(accounts.isOperator, false),
        lte(accounts.createdAt, since),
      );
      await database.orm.transaction(async (tx) => {
        const erased = await tx.delete(accounts).where(isAbandoned).returning({ id: accounts.id });
        const ids = erased.map(({ id }) => id);
        if (ids.length > 0) await given.ledger.erase(tx, ids);
      });
    },
    close: () => background.idle(),
  };
}
