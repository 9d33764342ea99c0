/** A new password: with the current one, or with a link of a reset or an invitation. */
import { and, count, eq, isNull, sql } from "drizzle-orm";
import { type Actor, recordAudit } from "../audit/audit-writer.ts";
import { networkOf } from "../base/client-network.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database, Orm } from "../db/database.ts";
import { emailTemplates } from "../mail/email-templates.ts";
import type { Mailer } from "../mail/mailer.ts";
import { accountEmail, findByEmail } from "./account-email.ts";
import { emailOf, lockAccount } from "./account-queries.ts";
import type { AttemptLimiter } from "./attempt-limiter.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import type { SessionClient } from "./known-clients.ts";
import type { MailTokens } from "./mail-tokens.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import { requireGoodPassword } from "./password-rules.ts";
import { accounts, passkeys } from "./schema.ts";
import type { OwnerCheck } from "./second-factors/owner-check.ts";
import { type OpenedSession, type Sessions, type SignedInBrowser, signedInActor } from "./sessions.ts";
import { signInTries } from "./sign-in.ts";
import { type SignUpDeps, welcome } from "./sign-up.ts";

export type PasswordChangeDeps = {
  database: Database;
  sessions: Sessions;
  mailer: Mailer;
  mailTokens: MailTokens;
  attempts: AttemptLimiter;
  background: BackgroundTasks;
  ledger: SignUpDeps["ledger"];
  settings: SignUpDeps["settings"];
  ownerCheck: Pick<OwnerCheck, "requireSecondFactor">;
  /** Revokes all API keys of the account (keys/api-keys.ts). */
  revokeKeys(tx: Orm, accountId: string, by: Actor): Promise<void>;
  /** Makes every process drop its cached keys of this account (keys/api-keys.ts). */
  forgetAccount(accountId: string): Promise<void>;
  now: () => Date;
};

export type PasswordChange = {
  /** Ends the account's other sessions; the current one continues under a new token. */
  changePassword(
    by: SignedInBrowser,
    passwords: { current: string; next: string; revokeKeys?: boolean },
  ): Promise<OpenedSession>;
  /** Sends a link if the account exists and is not suspended. The response and its time are the same either way. */
  requestReset(email: string, client: SessionClient): Promise<void>;
  /** With the token of such a link, or of an invitation. Ends all sessions. Refuses with account_suspended. */
  chooseNewPassword(
    token: string,
    password: string,
    client: SessionClient,
    options?: { revokeKeys?: boolean; removePasskeys?: boolean },
  ): Promise<void>;
};

export function createPasswordChange(deps: PasswordChangeDeps): PasswordChange {
  const { database, sessions, mailer, mailTokens, attempts, background, settings, now } = deps;
  const { orm } = database;

  const notifyOwner = (accountId: string, email: string, removed = 0) => {
    if (!mailer.reachesPeople) return;
    background.run("password_changed_email", async () => {
      const [found] = await orm
        .select({ left: count() })
        .from(passkeys)
        .where(eq(passkeys.accountId, accountId));
      const { publicUrl } = settings;
      const ofPasskeys = { left: found!.left, removed, settings: `${publicUrl}/settings` };
      await mailer.send(emailTemplates.passwordChanged(email, `${publicUrl}/forgotten-password`, ofPasskeys));
    });
  };

  return {
    async changePassword(signedIn, passwords) {
      const { accountId, sessionId } = signedIn;
      const by = signedInActor(signedIn);
      const tried = { what: "change_password", by: [accountId] } as const;
      await attempts.take(tried);
      const [account] = await orm.select().from(accounts).where(eq(accounts.id, accountId));
      const before = account?.passwordHash ?? undefined;
      if (!account || !(await verifyPassword(passwords.current, before))) throw wrongCurrentPassword();

      await requireGoodPassword("new_password", passwords.next, account.email);
      const passwordHash = await hashPassword(passwords.next);
      const session = await orm.transaction(async (tx) => {
        const changed = await tx
          .update(accounts)
          .set({ passwordHash })
          .where(and(eq(accounts.id, accountId), eq(accounts.passwordHash, before!)))
          .returning({ id: accounts.id });
        if (changed.length === 0) throw wrongCurrentPassword(); // changed concurrently
        await mailTokens.revoke(tx, accountId);
        await recordAudit(tx, by, { action: "password.changed", accountId });
        if (passwords.revokeKeys) await deps.revokeKeys(tx, accountId, by);
        await sessions.endAll(tx, accountId, sessionId);
        return sessions.rotate(tx, sessionId);
      });
      if (passwords.revokeKeys) await deps.forgetAccount(accountId);
      await attempts.forgive("one", tried); // as in owner-check.ts
      notifyOwner(accountId, account.email);
      return session;
    },

    async requestReset(typedEmail, client) {
      await attempts.take({ what: "reset_password", by: [networkOf(client.ip)] });
      const email = accountEmail(typedEmail);
      background.run("password_reset_email", async () => {
        const account = await findByEmail(orm, email);
        if (
          !account ||
          account.suspendedAt ||
          !(await attempts.allows({ what: "mail_to_one_address", by: [email.canonical] }))
        )
          return;
        // In one transaction: the token's foreign key keeps the account until the entry, which is erased with it, is there.
        const token = await orm.transaction(async (tx) => {
          const created = await mailTokens.create(tx, account.id, "reset_password");
          const by = { ip: client.ip };
          await recordAudit(tx, by, { action: "password.reset_requested", accountId: account.id });
          return created;
        });
        await mailer.send(
          emailTemplates.resetPassword(account.email, `${settings.publicUrl}/reset-password?token=${token}`),
        );
      });
    },

    async chooseNewPassword(token, password, client, { revokeKeys = false, removePasskeys = false } = {}) {
      const accountId = await mailTokens.check(token, ...CHOOSING); // before hashing
      await requireGoodPassword("new_password", password, (await emailOf(database, accountId)) ?? "");
      const passwordHash = await hashPassword(password);
      const { email, purpose, removed } = await orm.transaction(async (tx) => {
        const { purpose } = await mailTokens.use(tx, token, ...CHOOSING);
        await lockAccount(tx, accountId);
        const isNew = and(
          eq(accounts.id, accountId),
          isNull(accounts.emailConfirmedAt),
          isNull(accounts.invitedAt),
        );
        if ((await tx.select({ id: accounts.id }).from(accounts).where(isNew)).length > 0)
          await welcome(tx, deps, accountId);
        const [account] = await tx
          .update(accounts)
          // The link proves access to the mailbox, or that the operator vouches for it.
          .set({ passwordHash, emailConfirmedAt: sql`coalesce(${accounts.emailConfirmedAt}, ${now()})` })
          .where(eq(accounts.id, accountId))
          .returning({ email: accounts.email });
        const by = { ip: client.ip };
        await recordAudit(tx, by, { action: "password.reset", accountId });
        if (revokeKeys) await deps.revokeKeys(tx, accountId, by);
        const removed = removePasskeys
          ? await tx.delete(passkeys).where(eq(passkeys.accountId, accountId)).returning({ id: passkeys.id })
          : [];
        for (const { id } of removed)
          await recordAudit(tx, by, { action: "passkey.removed", accountId, subjectId: id });
        if (removed.length > 0) await deps.ownerCheck.requireSecondFactor(tx, accountId);
        await sessions.endAll(tx, accountId);
        return { email: account!.email, purpose, removed: removed.length };
      });
      if (revokeKeys) await deps.forgetAccount(accountId);
      // Attempts with the forgotten password do not count against the new one.
      const tries = signInTries(accountEmail(email), client);
      await attempts.forgive("all", tries.fromNetwork, tries.toAccount);
      if (purpose === "reset_password") notifyOwner(accountId, email, removed);
    },
  };
}

const CHOOSING = ["reset_password", "invitation"] as const;

function wrongCurrentPassword(): Refusal {
  return new Refusal("wrong_credentials", "The current password is incorrect.");
}
