/**
 * Opening an account.
 *
 * Where mail reaches people, the answer is always the same and comes before anything has been looked up: only the
 * owner of the mailbox learns whether there was an account already. Where it does not, whoever signs up is let in
 * at once, and a taken address is said to be taken.
 */
import type { Plan } from "@mailvet/contract";
import type { Verifier } from "@mailvet/engine";
import { and, eq, isNull } from "drizzle-orm";
import type { Ledger } from "../credits/ledger.ts";
import type { Database, Orm } from "../db/database.ts";
import { Refusal } from "../refusal.ts";
import { newAccountEmail } from "./account-email.ts";
import type { AttemptLimiter } from "./attempt-limiter.ts";
import type { Background } from "./background-tasks.ts";
import { networkOf } from "./client-network.ts";
import { emailTemplates } from "./email-templates.ts";
import type { MailTokens } from "./mail-tokens.ts";
import type { Mailer, OutgoingEmail } from "./mailer.ts";
import { hashPassword } from "./password.ts";
import { accounts } from "./schema.ts";
import type { OpenedSession, SessionClient, Sessions } from "./sessions.ts";

export type SignUpSettings = {
  signUp: "open" | "closed";
  signUpCredits: number;
  signUpPlan: Plan;
  /** Where people reach this service, for links in mails. */
  publicUrl: string;
};

export type SignUpDeps = {
  database: Database;
  ledger: Pick<Ledger, "open" | "erase">;
  verify: Verifier["verify"];
  settings: SignUpSettings;
  sessions: Sessions;
  mailer: Mailer;
  mailTokens: MailTokens;
  throttle: AttemptLimiter;
  background: Background;
  now: () => Date;
};

/** Whose session it is, too: the route shows the account. */
export type SignedInSession = OpenedSession & { accountId: string };

export type SignUp = {
  /** Signed in at once, or undefined when a mail with a link is on its way. */
  signUp(email: string, password: string, visitor: SessionClient): Promise<SignedInSession | undefined>;
  confirmEmail(token: string, visitor: SessionClient): Promise<SignedInSession>;
};

export function createSignUp(deps: SignUpDeps): SignUp {
  const { database, sessions, mailTokens, settings, now } = deps;
  return {
    async signUp(typedEmail, password, visitor) {
      if (settings.signUp === "closed") {
        throw new Refusal("sign_up_closed", "Ask the operator of this installation for an account.");
      }
      await deps.throttle.take({ what: "sign_up", by: [networkOf(visitor.ip)] });
      const email = await newAccountEmail(deps.verify, typedEmail);
      const passwordHash = await hashPassword(password);
      if (deps.mailer.reachesPeople) {
        deps.background.run("A sign-up", () => signUpByMail(deps, email, passwordHash));
        return undefined;
      }
      return database.orm.transaction(async (tx) => {
        const accountId = await openAccount(tx, deps, { email, passwordHash, emailConfirmedAt: now() });
        if (!accountId) throw new Refusal("email_taken", "Sign in instead, or use another address.");
        return { accountId, ...(await sessions.open(tx, accountId, visitor)) };
      });
    },

    confirmEmail: (token, visitor) =>
      database.orm.transaction(async (tx) => {
        const accountId = await mailTokens.use(tx, token, "confirm_email");
        await tx.update(accounts).set({ emailConfirmedAt: now() }).where(eq(accounts.id, accountId));
        return { accountId, ...(await sessions.open(tx, accountId, visitor)) };
      }),
  };
}

async function signUpByMail(deps: SignUpDeps, email: string, passwordHash: string): Promise<void> {
  if (!(await deps.throttle.allows({ what: "mail_to_one_address", by: [email] }))) return;
  const { publicUrl } = deps.settings;
  const letter = await deps.database.orm.transaction(async (tx): Promise<OutgoingEmail> => {
    const opened = await openAccount(tx, deps, { email, passwordHash, emailConfirmedAt: null });
    if (opened) {
      const token = await deps.mailTokens.make(tx, opened, "confirm_email");
      return emailTemplates.confirmEmail(email, `${publicUrl}/confirm-email?token=${token}`);
    }
    const unconfirmed = await findUnconfirmed(tx, email);
    if (!unconfirmed) return emailTemplates.alreadyThere(email, `${publicUrl}/sign-in`);
    // Two have signed up, and it may be that only one of them reads this mail. A link that merely confirmed would
    // confirm the other's password with it, so from here on the only way in is to choose a new one.
    await deps.mailTokens.withdraw(tx, unconfirmed, "confirm_email");
    const token = await deps.mailTokens.make(tx, unconfirmed, "reset_password");
    return emailTemplates.choosePassword(email, `${publicUrl}/reset-password?token=${token}`);
  });
  await deps.mailer.send(letter);
}

type NewAccount = { email: string; passwordHash: string; emailConfirmedAt: Date | null };

/** The new account's id, with its books open; undefined when the email is taken. */
async function openAccount(
  tx: Orm,
  { ledger, settings, now }: SignUpDeps,
  account: NewAccount,
): Promise<string | undefined> {
  const [opened] = await tx
    .insert(accounts)
    .values({ ...account, plan: settings.signUpPlan, createdAt: now() })
    .onConflictDoNothing({ target: accounts.email })
    .returning({ id: accounts.id });
  if (opened) await ledger.open(tx, opened.id, settings.signUpCredits, "Welcome");
  return opened?.id;
}

async function findUnconfirmed(tx: Orm, email: string): Promise<string | undefined> {
  const [account] = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.email, email), isNull(accounts.emailConfirmedAt)))
    .for("update"); // it may be about to be confirmed
  return account?.id;
}
