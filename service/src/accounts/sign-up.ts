/**
 * New accounts: by sign-up, or by the operator's invitation.
 *
 * With a mail server, the response is always the same and is sent before any lookup: only the owner of the mailbox learns
 * whether there is an account already. Without one, a new account is signed in at once, and a taken address is refused.
 */
import type { Plan } from "@mailvet/contract";
import { and, eq, inArray, isNull } from "drizzle-orm";
import { type Actor, recordAudit } from "../audit/audit-writer.ts";
import { networkOf } from "../base/client-network.ts";
import { Refusal, wrongValue } from "../base/refusal.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { Database, Orm } from "../db/database.ts";
import { emailTemplates } from "../mail/email-templates.ts";
import type { Mailer, OutgoingEmail } from "../mail/mailer.ts";
import { type AccountEmail, findByEmail, newAccountEmail } from "./account-email.ts";
import { accountSuspended, requireNotSuspended, WAITING_FOR_APPROVAL } from "./account-queries.ts";
import type { AttemptLimiter } from "./attempt-limiter.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import type { SessionClient } from "./known-clients.ts";
import type { MailTokens } from "./mail-tokens.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-rules.ts";
import { accounts } from "./schema.ts";
import type { Sessions, SignedInSession, SignInMethod } from "./sessions.ts";

export type SignUpSettings = {
  signUp: SignUpMode;
  /** Of the mode "domains", in A-labels. */
  signUpDomains?: readonly string[];
  signUpCredits: number;
  signUpPlan: Plan;
  /** Public address of this service, for links in emails. */
  publicUrl: string;
};

/** "approval": the operator resumes new accounts. "domains": for addresses at some domains. */
export const SIGN_UP_MODES = ["open", "closed", "domains", "approval"] as const;
export type SignUpMode = (typeof SIGN_UP_MODES)[number];

export type SignUpDeps = {
  database: Database;
  ledger: Pick<Ledger, "open" | "erase">;
  settings: SignUpSettings;
  sessions: Sessions;
  mailer: Mailer;
  mailTokens: MailTokens;
  attempts: AttemptLimiter;
  background: BackgroundTasks;
  /** By the reference lists of the engine. */
  isDisposable(email: string): boolean;
  now: () => Date;
};

export type SignUp = {
  /** A session, or undefined when a confirmation link is sent by email. Refuses with account_suspended while it waits for approval. */
  signUp(email: string, password: string, client: SessionClient): Promise<SignedInSession | undefined>;
  /** Refuses with account_suspended while the account, now confirmed, waits for approval. */
  confirmEmail(token: string, client: SessionClient): Promise<SignedInSession>;
  /** Opens an account without a password. Refuses with email_taken. */
  invite(wanted: Invitation, by: Actor): Promise<Invited>;
  /** A new link, which replaces the earlier one. Refuses with account_not_found and account_active. */
  inviteAgain(accountId: string, by: Actor): Promise<Invited>;
};

export type Invitation = { email: string; plan?: Plan | undefined; credits?: number | undefined };

/** The link is for the operator to pass on; undefined when it is sent by email. */
export type Invited = { accountId: string; link: string | undefined };

export function createSignUp(deps: SignUpDeps): SignUp {
  const { database, sessions, mailTokens, settings, now } = deps;
  const enter = async (tx: Orm, accountId: string, client: SessionClient, method: SignInMethod) => {
    await requireNotSuspended(tx, accountId);
    const isWaiting = await welcome(tx, deps, accountId);
    return isWaiting ? undefined : sessions.open(tx, accountId, client, method);
  };
  return {
    async signUp(typedEmail, password, client) {
      if (settings.signUp === "closed") {
        throw new Refusal("sign_up_closed", "Sign-up is closed. Ask your administrator for an account.");
      }
      await deps.attempts.take({ what: "sign_up", by: [networkOf(client.ip)] });
      const email = newAccountEmail(typedEmail);
      requireAdmitted(deps, email);
      await requireGoodPassword("password", password, email.canonical);
      const passwordHash = await hashPassword(password);
      if (deps.mailer.reachesPeople) {
        deps.background.run("sign_up", () => signUpByMail(deps, email, passwordHash, client));
        return undefined;
      }
      const session = await database.orm.transaction(async (tx) => {
        const account = { email, passwordHash, emailConfirmedAt: now() };
        const accountId = await openAccount(tx, deps, { ip: client.ip }, account);
        if (!accountId)
          throw new Refusal(
            "email_taken",
            "This email already has an account. Sign in, or use another email.",
          );
        return enter(tx, accountId, client, "sign_up");
      });
      return session ?? refuseWaiting();
    },

    async confirmEmail(token, client) {
      const session = await database.orm.transaction(async (tx) => {
        const { accountId } = await mailTokens.use(tx, token, "confirm_email");
        await tx.update(accounts).set({ emailConfirmedAt: now() }).where(eq(accounts.id, accountId));
        return enter(tx, accountId, client, "email_link");
      });
      return session ?? refuseWaiting();
    },

    invite({ email: typedEmail, plan, credits }, by) {
      const email = newAccountEmail(typedEmail);
      return sendInvitation(deps, by, async (tx) => {
        const unconfirmed = { passwordHash: null, emailConfirmedAt: null, invitedAt: now() };
        const accountId = await openAccount(tx, deps, by, { email, ...unconfirmed }, plan);
        if (!accountId) throw new Refusal("email_taken", "This email already has an account.");
        await deps.ledger.open(tx, accountId, credits ?? settings.signUpCredits, WELCOME);
        return { id: accountId, email: email.canonical };
      });
    },

    inviteAgain: (accountId, by) =>
      sendInvitation(deps, by, async (tx) => {
        const [account] = await tx.select().from(accounts).where(eq(accounts.id, accountId)).for("update");
        if (!account) throw new Refusal("account_not_found", "No account has this id.");
        if (account.passwordHash)
          throw new Refusal("account_active", "The owner has chosen a password already.");
        await mailTokens.revoke(tx, accountId);
        return account;
      }),
  };
}

/** Refuses with sign_up_closed or validation_failed. */
function requireAdmitted({ settings, isDisposable }: SignUpDeps, { canonical }: AccountEmail): void {
  if (settings.signUp === "domains") {
    if (settings.signUpDomains?.includes(canonical.slice(canonical.lastIndexOf("@") + 1))) return;
    throw wrongValue("/email", "Sign-up is not open to addresses at this domain.");
  }
  if (isDisposable(canonical))
    throw wrongValue("/email", "Addresses of disposable email providers are not accepted. Use another one.");
}

/**
 * The mailbox of an account that signed up is confirmed, as far as it has to be: gives its credits, and has it wait for
 * approval where that is required. Returns whether it waits.
 */
export async function welcome(
  tx: Orm,
  { ledger, settings, now }: Pick<SignUpDeps, "ledger" | "settings" | "now">,
  accountId: string,
): Promise<boolean> {
  await ledger.open(tx, accountId, settings.signUpCredits, WELCOME);
  if (settings.signUp !== "approval") return false;
  await tx
    .update(accounts)
    .set({ suspendedAt: now(), suspendedReason: WAITING_FOR_APPROVAL })
    .where(eq(accounts.id, accountId));
  return true;
}

const WELCOME = "Welcome";

function refuseWaiting(): never {
  throw accountSuspended(WAITING_FOR_APPROVAL);
}

async function sendInvitation(
  { database, mailTokens, mailer, settings, background }: SignUpDeps,
  by: Actor,
  open: (tx: Orm) => Promise<{ id: string; email: string }>,
): Promise<Invited> {
  const { accountId, email, token } = await database.orm.transaction(async (tx) => {
    const { id: accountId, email } = await open(tx);
    await recordAudit(tx, by, { action: "account.invited", accountId });
    return { accountId, email, token: await mailTokens.create(tx, accountId, "invitation") };
  });
  const link = `${settings.publicUrl}/reset-password?invitation=yes&token=${token}`;
  if (!mailer.reachesPeople) return { accountId, link };
  background.run("invitation_email", () => mailer.send(emailTemplates.invitation(email, link)));
  return { accountId, link: undefined };
}

async function signUpByMail(
  deps: SignUpDeps,
  email: AccountEmail,
  passwordHash: string,
  client: SessionClient,
): Promise<void> {
  if (!(await deps.attempts.allows({ what: "mail_to_one_address", by: [email.canonical] }))) return;
  const { publicUrl } = deps.settings;
  const message = await deps.database.orm.transaction(async (tx): Promise<OutgoingEmail> => {
    const opened = await openAccount(
      tx,
      deps,
      { ip: client.ip },
      { email, passwordHash, emailConfirmedAt: null },
    );
    if (opened) {
      const token = await deps.mailTokens.create(tx, opened, "confirm_email");
      return emailTemplates.confirmEmail(email.canonical, `${publicUrl}/confirm-email?token=${token}`);
    }
    const unconfirmed = await findUnconfirmed(tx, email);
    if (!unconfirmed) return emailTemplates.accountExists(email.canonical, `${publicUrl}/sign-in`);
    // Two sign-ups with different passwords, perhaps by different people. A link that only confirmed would also confirm
    // a password that the owner of the mailbox may not know, so the owner has to choose a new one.
    await deps.mailTokens.revoke(tx, unconfirmed, "confirm_email");
    const token = await deps.mailTokens.create(tx, unconfirmed, "reset_password");
    return emailTemplates.choosePassword(email.canonical, `${publicUrl}/reset-password?token=${token}`);
  });
  await deps.mailer.send(message);
}

type NewAccount = {
  email: AccountEmail;
  passwordHash: string | null;
  emailConfirmedAt: Date | null;
  invitedAt?: Date;
};

/** The id of the new account, without credits; undefined when the email is taken. */
async function openAccount(
  tx: Orm,
  { ledger, settings, now }: SignUpDeps,
  by: Actor,
  { email, ...account }: NewAccount,
  plan: Plan = settings.signUpPlan,
): Promise<string | undefined> {
  if (await findByEmail(tx, email)) return undefined; // in any spelling
  const [opened] = await tx
    .insert(accounts)
    .values({ ...account, email: email.canonical, plan, createdAt: now() })
    .onConflictDoNothing({ target: accounts.email })
    .returning({ id: accounts.id });
  if (!opened) return undefined;
  await ledger.open(tx, opened.id, 0, WELCOME);
  await recordAudit(tx, by, { action: "account.created", accountId: opened.id });
  return opened.id;
}

async function findUnconfirmed(tx: Orm, { spellings }: AccountEmail): Promise<string | undefined> {
  const [account] = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      and(
        inArray(accounts.email, [...spellings]),
        isNull(accounts.emailConfirmedAt),
        isNull(accounts.suspendedAt),
      ),
    )
    .for("update"); // it may be confirmed concurrently
  return account?.id;
}
