/**
 * Accounts and the people who sign in to them: assembles this folder.
 *
 * sign-up.ts, sign-in.ts, second-factors/ and password-change.ts are for people, account-queries.ts and email-change.ts are for
 * the operator. Sessions are created separately, because every request needs them.
 */
import { and, eq, isNull, lte } from "drizzle-orm";
import type { LogEvent } from "../base/log-events.ts";
import { Refusal } from "../base/refusal.ts";
import { emailTemplates } from "../mail/email-templates.ts";
import {
  type AccountQueries,
  type AccountQueriesDeps,
  createAccountQueries,
  deleteAccounts,
} from "./account-queries.ts";
import { createAttemptLimiter } from "./attempt-limiter.ts";
import { createBackgroundTasks } from "./background-tasks.ts";
import { createEmailChanges, type EmailChanges } from "./email-change.ts";
import { forgetUnused } from "./known-clients.ts";
import { createMailTokens, LIFE_MS } from "./mail-tokens.ts";
import { createOwnerWarnings } from "./owner-warnings.ts";
import { createPasswordChange, type PasswordChange, type PasswordChangeDeps } from "./password-change.ts";
import { accounts } from "./schema.ts";
import { createOwnerCheck, type OwnerCheckDeps } from "./second-factors/owner-check.ts";
import { createPasskeyAssertions } from "./second-factors/passkey-assertions.ts";
import { createPasskeyChallenges } from "./second-factors/passkey-challenges.ts";
import { createPasskeys, type Passkeys } from "./second-factors/passkeys.ts";
import { createTwoFactor, type TwoFactor } from "./second-factors/two-factor.ts";
import { createSignIn, type SignIn } from "./sign-in.ts";
import { createSignUp, type SignUp, type SignUpDeps } from "./sign-up.ts";

export type AccountsDeps = AccountQueriesDeps &
  Pick<PasswordChangeDeps, "revokeKeys"> &
  Pick<SignUpDeps, "settings" | "sessions" | "mailer" | "isDisposable"> & {
    settings: OwnerCheckDeps["settings"];
    ledger: AccountQueriesDeps["ledger"] & SignUpDeps["ledger"];
    now?: () => Date;
    log: LogEvent;
  };

export type Accounts = SignUp &
  SignIn &
  PasswordChange &
  TwoFactor &
  Passkeys &
  EmailChanges &
  AccountQueries & {
    /** Sends one of these emails to the owner; in the background, and whether or not it can be sent. */
    tellOwner(email: string, what: OwnerEmail): void;
    /** For the download of an export, within a day. */
    createExportToken(accountId: string): Promise<{ token: string; expiresAt: Date }>;
    /** Refuses with link_expired, also a token of another account. */
    checkExportToken(accountId: string, token: string): Promise<void>;
    /** Deletes expired links and challenges, expired attempt counts, clients that have not signed in for a year, and sign-ups that were not confirmed in time. */
    deleteExpired(): Promise<void>;
    /** Waits for emails that are being sent. */
    close(): Promise<void>;
  };

export type OwnerEmail =
  | { kind: "suspended"; reason: string }
  | { kind: "resumed" | "approved" }
  | { kind: "erased" };

const CONFIRM_WITHIN_MS = 7 * 24 * 60 * 60 * 1000;

export function createAccounts({ now = () => new Date(), log, ...given }: AccountsDeps): Accounts {
  const { database } = given;
  const settings = { ...given.settings, publicUrl: given.settings.publicUrl.replace(/\/+$/, "") };
  const mailTokens = createMailTokens({ database, now });
  const attempts = createAttemptLimiter({ database, now });
  const background = createBackgroundTasks(log);
  const challenges = createPasskeyChallenges({ database, now });
  const assertions = createPasskeyAssertions({ database, challenges, now });
  const ownerCheck = createOwnerCheck({ database, attempts, assertions, settings });
  const warnings = createOwnerWarnings({ ...given, settings, attempts, background, now });
  const deps = {
    ...given,
    settings,
    warnings,
    mailTokens,
    attempts,
    background,
    challenges,
    assertions,
    ownerCheck,
    now,
  };
  return {
    ...createSignUp(deps),
    ...createSignIn(deps),
    ...createPasswordChange(deps),
    ...createTwoFactor(deps),
    ...createEmailChanges(deps),
    ...createPasskeys(deps),
    ...createAccountQueries(deps),
    tellOwner(email, what) {
      background.run(`account_${what.kind}_email`, () =>
        given.mailer.send(ownerEmail(email, what, settings)),
      );
    },
    async createExportToken(accountId) {
      const token = await mailTokens.create(database.orm, accountId, "export");
      return { token, expiresAt: new Date(now().getTime() + LIFE_MS.export) };
    },
    async checkExportToken(accountId, token) {
      if ((await mailTokens.check(token, "export")) !== accountId)
        throw new Refusal("link_expired", "This link is of another account.");
    },
    async deleteExpired() {
      await mailTokens.deleteExpired();
      await challenges.deleteExpired();
      await attempts.deleteExpired();
      await forgetUnused(database, now());
      const since = new Date(now().getTime() - CONFIRM_WITHIN_MS);
      const isAbandoned = and(
        isNull(accounts.emailConfirmedAt),
        isNull(accounts.invitedAt),
        eq(accounts.isOperator, false),
        lte(accounts.createdAt, since),
      );
      await database.orm.transaction((tx) => deleteAccounts(tx, given.ledger, isAbandoned));
    },
    close: () => background.idle(),
  };
}

function ownerEmail(to: string, what: OwnerEmail, { publicUrl }: { publicUrl: string }) {
  switch (what.kind) {
    case "suspended":
      return emailTemplates.accountSuspended(to, what.reason);
    case "resumed":
      return emailTemplates.accountResumed(to, `${publicUrl}/sign-in`);
    case "approved":
      return emailTemplates.accountApproved(to, `${publicUrl}/sign-in`);
    case "erased":
      return emailTemplates.accountErased(to);
  }
}
