/** Emails that warn the owner of an account of sign-ins that may not be theirs. Without a mail server there are none. */
import type { Database } from "../db/database.ts";
import { emailTemplates } from "../mail/email-templates.ts";
import type { Mailer, OutgoingEmail } from "../mail/mailer.ts";
import { emailOf } from "./account-queries.ts";
import type { AttemptKind, AttemptLimiter } from "./attempt-limiter.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import type { SessionClient } from "./known-clients.ts";
import type { SignedInSession } from "./sessions.ts";

export type OwnerWarningsDeps = {
  database: Pick<Database, "orm">;
  attempts: AttemptLimiter;
  mailer: Mailer;
  background: BackgroundTasks;
  settings: { publicUrl: string };
  now: () => Date;
};

export type OwnerWarnings = {
  /** Of many for one email, once a day. For an unknown account, too: the response must not take less time. */
  wrongPassword(email: string, accountId: string | undefined): void;
  /** Of the third after a right password, once a day or until a right code. */
  wrongCode(accountId: string): void;
  /** Of a sign-in from a network that has not signed in to the account before. */
  signedIn(session: SignedInSession, client: SessionClient): void;
};

export function createOwnerWarnings(deps: OwnerWarningsDeps): OwnerWarnings {
  const { database, attempts, mailer, background, settings } = deps;
  const resetPassword = `${settings.publicUrl}/forgotten-password`;

  const warn = async (accountId: string | undefined, message: (email: string) => OutgoingEmail) => {
    const email = accountId && (await emailOf(database, accountId));
    if (email) await mailer.send(message(email));
  };
  const warnAtLast = (
    name: string,
    tried: AttemptKind,
    accountId: string | undefined,
    message: (email: string) => OutgoingEmail,
  ) => {
    if (!mailer.reachesPeople) return;
    background.run(name, async () => {
      if (await attempts.usesUp(tried)) await warn(accountId, message);
    });
  };
  return {
    wrongPassword: (email, accountId) =>
      warnAtLast("wrong_passwords_email", { what: "wrong_passwords", by: [email] }, accountId, (to) =>
        emailTemplates.wrongPasswords(to, resetPassword),
      ),
    wrongCode: (accountId) =>
      warnAtLast("wrong_codes_email", wrongCodesOf(accountId), accountId, (to) =>
        emailTemplates.wrongCodes(to, resetPassword),
      ),
    signedIn({ accountId, isNewNetwork }, { ip }) {
      if (!isNewNetwork || !mailer.reachesPeople) return;
      const at = deps.now();
      background.run("new_network_email", () =>
        warn(accountId, (to) => emailTemplates.newNetwork(to, { ip, at }, resetPassword)),
      );
    },
  };
}

export function wrongCodesOf(accountId: string): AttemptKind {
  return { what: "wrong_codes", by: [accountId] };
}
