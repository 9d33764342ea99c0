/** A new password: by somebody who knows the current one, or by whoever reads the account's mail. */
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { Refusal } from "../refusal.ts";
import { accountEmail } from "./account-email.ts";
import type { AttemptLimiter } from "./attempt-limiter.ts";
import type { Background } from "./background-tasks.ts";
import { networkOf } from "./client-network.ts";
import { emailTemplates } from "./email-templates.ts";
import type { MailTokens } from "./mail-tokens.ts";
import type { Mailer } from "./mailer.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import { accounts } from "./schema.ts";
import type { OpenedSession, SessionClient, Sessions } from "./sessions.ts";
import { findByEmail, signInTries } from "./sign-in.ts";

export type PasswordChangeDeps = {
  database: Database;
  sessions: Sessions;
  mailer: Mailer;
  mailTokens: MailTokens;
  throttle: AttemptLimiter;
  background: Background;
  settings: { publicUrl: string };
  now: () => Date;
};

export type PasswordChange = {
  /** Ends the account's other sessions; the one it was asked in goes on under a new token. */
  changePassword(
    by: { accountId: string; sessionId: string },
    passwords: { current: string; next: string },
  ): Promise<OpenedSession>;
  /** Sends a link, if there is such an account. Says nothing either way, and takes as long. */
  requestReset(email: string, visitor: SessionClient): Promise<void>;
  /** With the token of such a link. Ends all sessions. */
  chooseNewPassword(token: string, password: string, visitor: SessionClient): Promise<void>;
};

export function createPasswordChange(deps: PasswordChangeDeps): PasswordChange {
  const { database, sessions, mailer, mailTokens, throttle, background, settings, now } = deps;
  const { orm } = database;

  const tellOwner = (email: string) => {
    if (!mailer.reachesPeople) return;
    const letter = emailTemplates.passwordChanged(email, `${settings.publicUrl}/sign-in`);
    background.run("A mail about a changed password", () => mailer.send(letter));
  };

  return {
    async changePassword({ accountId, sessionId }, passwords) {
      const tried = { what: "change_password", by: [accountId] } as const;
      await throttle.take(tried);
      const [account] = await orm.select().from(accounts).where(eq(accounts.id, accountId));
      const before = account?.passwordHash ?? undefined;
      if (!account || !(await verifyPassword(passwords.current, before))) throw wrongCurrentPassword();

      const passwordHash = await hashPassword(passwords.next);
      const session = await orm.transaction(async (tx) => {
        const changed = await tx
          .update(accounts)
          .set({ passwordHash })
          .where(and(eq(accounts.id, accountId), eq(accounts.passwordHash, before!)))
          .returning({ id: accounts.id });
        if (changed.length === 0) throw wrongCurrentPassword(); // somebody was faster
        await mailTokens.withdraw(tx, accountId);
        await sessions.endAll(tx, accountId, sessionId);
        return sessions.rotate(tx, sessionId);
      });
      await throttle.giveBack("all", tried);
      tellOwner(account.email);
      return session;
    },

    async requestReset(typedEmail, visitor) {
      await throttle.take({ what: "reset_password", by: [networkOf(visitor.ip)] });
      const email = accountEmail(typedEmail);
      background.run("A mail with a link for a new password", async () => {
        const account = await findByEmail(database, email);
        if (!account || !(await throttle.allows({ what: "mail_to_one_address", by: [email] }))) return;
        const token = await mailTokens.make(orm, account.id, "reset_password");
        await mailer.send(
          emailTemplates.resetPassword(email, `${settings.publicUrl}/reset-password?token=${token}`),
        );
      });
    },

    async chooseNewPassword(token, password, visitor) {
      await mailTokens.look(token, "reset_password"); // before the costly part
      const passwordHash = await hashPassword(password);
      const email = await orm.transaction(async (tx) => {
        const accountId = await mailTokens.use(tx, token, "reset_password");
        const [account] = await tx
          .update(accounts)
          // Whoever had the link reads the account's mail.
          .set({ passwordHash, emailConfirmedAt: sql`coalesce(${accounts.emailConfirmedAt}, ${now()})` })
          .where(eq(accounts.id, accountId))
          .returning({ email: accounts.email });
        await sessions.endAll(tx, accountId);
        return account!.email;
      });
      // Forgetting a password begins with wrong ones. They are not held against the new one.
      const tries = signInTries(email, visitor);
      await throttle.giveBack("all", tries.fromHere, tries.toAccount);
      tellOwner(email);
    },
  };
}

function wrongCurrentPassword(): Refusal {
  return new Refusal("wrong_credentials", "The current password is another one.");
}
