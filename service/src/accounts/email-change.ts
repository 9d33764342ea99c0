/**
 * A new email of an account, by the operator: confirmed by a link that is sent to it, or set at once. The owner is told at
 * both addresses.
 */
import { and, eq, isNull } from "drizzle-orm";
import { type Actor, recordAudit } from "../audit/audit-writer.ts";
import { Refusal, wrongValue } from "../base/refusal.ts";
import { type Database, type Orm, sqlStateOf, UNIQUE_VIOLATION } from "../db/database.ts";
import { emailTemplates } from "../mail/email-templates.ts";
import type { Mailer } from "../mail/mailer.ts";
import { findByEmail, newAccountEmail } from "./account-email.ts";
import { emailOf } from "./account-queries.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import type { MailTokens } from "./mail-tokens.ts";
import { accounts } from "./schema.ts";

export type EmailChangeDeps = {
  database: Database;
  mailTokens: MailTokens;
  mailer: Mailer;
  background: BackgroundTasks;
  settings: { publicUrl: string };
  now: () => Date;
};

export type EmailChanges = {
  /** Refuses with account_not_found and email_taken. */
  changeEmail(
    accountId: string,
    wanted: { email: string; confirm?: boolean | undefined },
    by: Actor,
  ): Promise<"changed" | "mail_sent">;
  /** Takes the token of such a link. Refuses with link_expired and email_taken. Opens no session. */
  confirmNewEmail(token: string, by: Actor): Promise<void>;
};

export function createEmailChanges(deps: EmailChangeDeps): EmailChanges {
  const { database, mailTokens, mailer, background, settings } = deps;
  const { orm } = database;

  const tell = (oldEmail: string, newEmail: string) => {
    for (const to of [oldEmail, newEmail])
      background.run("email_changed_email", () => mailer.send(emailTemplates.emailChanged(to, newEmail)));
  };

  const set = async (tx: Orm, accountId: string, email: string, by: Actor): Promise<string> => {
    const [before] = await tx.select().from(accounts).where(eq(accounts.id, accountId)).for("update");
    if (!before) throw notFound();
    // An invitation still has to be accepted.
    const emailConfirmedAt = before.passwordHash === null ? before.emailConfirmedAt : deps.now();
    await tx
      .update(accounts)
      .set({ email, emailConfirmedAt })
      .where(and(eq(accounts.id, accountId), isNull(accounts.erasingAt)))
      .catch((error: unknown) => {
        throw sqlStateOf(error) === UNIQUE_VIOLATION ? emailTaken() : error;
      });
    await recordAudit(tx, by, { action: "email.changed", accountId });
    return before.email;
  };

  return {
    async changeEmail(accountId, { email: typedEmail, confirm = mailer.reachesPeople }, by) {
      if (confirm && !mailer.reachesPeople)
        throw wrongValue("/confirm", "This installation sends no email, so the address cannot be confirmed.");
      const email = newAccountEmail(typedEmail);
      if (!(await emailOf(database, accountId))) throw notFound();
      const taken = await findByEmail(orm, email);
      if (taken && taken.id !== accountId) throw emailTaken();
      if (confirm) {
        const token = await orm.transaction(async (tx) => {
          await mailTokens.revoke(tx, accountId, "change_email"); // perhaps sent to a wrong address
          await recordAudit(tx, by, { action: "email.change_requested", accountId });
          return mailTokens.create(tx, accountId, "change_email", email.canonical);
        });
        const link = `${settings.publicUrl}/confirm-email?change=yes&token=${token}`;
        background.run("confirm_new_email", () =>
          mailer.send(emailTemplates.confirmNewEmail(email.canonical, link)),
        );
        return "mail_sent";
      }
      const oldEmail = await orm.transaction(async (tx) => {
        await mailTokens.revoke(tx, accountId); // sent to the old address
        return set(tx, accountId, email.canonical, by);
      });
      tell(oldEmail, email.canonical);
      return "changed";
    },

    async confirmNewEmail(token, by) {
      const { oldEmail, newEmail } = await orm.transaction(async (tx) => {
        const { accountId, newEmail } = await mailTokens.use(tx, token, "change_email");
        return { oldEmail: await set(tx, accountId, newEmail!, by), newEmail: newEmail! };
      });
      tell(oldEmail, newEmail);
    },
  };
}

function notFound(): Refusal {
  return new Refusal("account_not_found", "No account has this id.");
}

function emailTaken(): Refusal {
  return new Refusal("email_taken", "This email already has an account.");
}
