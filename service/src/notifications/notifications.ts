/**
 * Emails to account owners about their jobs and credits. Where no mail server is configured none are written.
 *
 * An email is written in the transaction that causes it and sent by maintenance, so that it is neither lost with a process nor
 * sent for something that was rolled back. A crash between sending and deleting sends it twice.
 */
import type { Job, NotificationSettings, WebhookEvent } from "@mailvet/contract";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { emailOf } from "../accounts/account-queries.ts";
import type { Mailer } from "../accounts/mailer.ts";
import type { Caller, Owner } from "../base/caller.ts";
import type { LogEvent } from "../base/log-events.ts";
import { Refusal } from "../base/refusal.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { Database, Orm } from "../db/database.ts";
import { notificationSettings, outgoingEmails } from "./schema.ts";

export type Notifications = {
  settingsOf(accountId: string): Promise<NotificationSettings>;
  changeSettings(accountId: string, changes: Partial<NotificationSettings>): Promise<NotificationSettings>;
  /** In the transaction that publishes the event. Only the end of live jobs is told. */
  onEvent(tx: Orm, owner: Owner, event: WebhookEvent, data: Record<string, unknown>): Promise<void>;
  /** The same for anything else that is told about jobs. */
  tell(tx: Orm, owner: Owner, email: NotificationText): Promise<void>;
  /** A job was refused for lack of credits. Only what a program asked for is told, at most once a day. */
  onJobRefused(
    caller: Pick<Caller, "accountId" | "isTest" | "by">,
    name: string,
    error: unknown,
  ): Promise<void>;
  /** Sends what is due; returns how many. For maintenance. */
  sendDue(): Promise<number>;
  /** Writes an email for each account whose balance has fallen below its threshold; returns how many. For maintenance. */
  notifyLowCredits(): Promise<number>;
};

export type NotificationDeps = {
  database: Pick<Database, "orm">;
  ledger: Pick<Ledger, "balancesOf">;
  mailer: Pick<Mailer, "reachesPeople" | "send">;
  /** Of the web app, for links. */
  publicUrl: string;
  log: LogEvent;
};

/** Of an account that has chosen nothing: no threshold of its own. */
const DEFAULTS: NotificationSettings = { job_emails: true, low_credits_threshold: null };
const MAX_AT_ONCE = 50;
const MAX_ATTEMPTS = 5;
const RETRY_MINUTES = 5;
/** Between two emails about refused jobs. */
const REFUSAL_INTERVAL = "1 day";

export function createNotifications({
  database,
  ledger,
  mailer,
  publicUrl,
  log,
}: NotificationDeps): Notifications {
  const { orm } = database;

  const settingsOf = async (by: Pick<Orm, "select">, accountId: string): Promise<NotificationSettings> => {
    const [row] = await by
      .select()
      .from(notificationSettings)
      .where(eq(notificationSettings.accountId, accountId));
    return row ? { job_emails: row.jobEmails, low_credits_threshold: row.lowCreditsThreshold } : DEFAULTS;
  };

  const write = (tx: Orm, accountId: string, { subject, text, path }: NotificationText) =>
    tx.insert(outgoingEmails).values({ accountId, subject, text: `${text}\n\n${publicUrl}${path}\n` });

  const tell: Notifications["tell"] = async (tx, { accountId, isTest }, email) => {
    if (isTest || !mailer.reachesPeople || !(await settingsOf(tx, accountId)).job_emails) return;
    await write(tx, accountId, email);
  };

  return {
    settingsOf: (accountId) => settingsOf(orm, accountId),

    changeSettings: (accountId, changes) =>
      orm.transaction(async (tx) => {
        const settings = { ...(await settingsOf(tx, accountId)), ...changes };
        const columns = {
          jobEmails: settings.job_emails,
          lowCreditsThreshold: settings.low_credits_threshold,
        };
        await tx
          .insert(notificationSettings)
          .values({ accountId, ...columns })
          .onConflictDoUpdate({ target: notificationSettings.accountId, set: columns });
        return settings;
      }),

    async onEvent(tx, owner, event, data) {
      const email = emailAbout(event, data.job as Job | undefined);
      if (email) await tell(tx, owner, email);
    },
    tell,

    async onJobRefused(caller, name, error) {
      if (!(error instanceof Refusal) || error.code !== "insufficient_credits") return;
      if (caller.by.kind !== "key" || !mailer.reachesPeople) return; // in the web app the owner reads it
      const { accountId } = caller;
      await orm.transaction(async (tx) => {
        const toldAt = notificationSettings.refusalToldAt;
        const [isDue] = await tx
          .insert(notificationSettings)
          .values({ accountId, jobEmails: DEFAULTS.job_emails, refusalToldAt: sql`now()` })
          .onConflictDoUpdate({
            target: notificationSettings.accountId,
            set: { refusalToldAt: sql`now()` },
            setWhere: sql`${toldAt} is null or ${toldAt} < now() - ${REFUSAL_INTERVAL}::interval`,
          })
          .returning({ accountId: notificationSettings.accountId });
        if (isDue) await tell(tx, caller, refusedEmail(name, error.message));
      });
    },

    async sendDue() {
      const due = await orm
        .update(outgoingEmails)
        .set({
          attempts: sql`${outgoingEmails.attempts} + 1`,
          dueAt: sql`now() + ${`${RETRY_MINUTES} minutes`}::interval`,
        })
        .where(
          sql`id in (select id from outgoing_emails where due_at <= now() order by due_at limit ${MAX_AT_ONCE} for update skip locked)`,
        )
        .returning();
      let sent = 0;
      for (const { id, accountId, subject, text, attempts } of due) {
        try {
          const to = await emailOf(database, accountId);
          if (to) await mailer.send({ to, subject, text });
          await orm.delete(outgoingEmails).where(eq(outgoingEmails.id, id));
          sent += 1;
        } catch (error) {
          log("notification_failed", { account_id: accountId, attempts, err: error });
          if (attempts >= MAX_ATTEMPTS) await orm.delete(outgoingEmails).where(eq(outgoingEmails.id, id));
        }
      }
      return sent;
    },

    async notifyLowCredits() {
      if (!mailer.reachesPeople) return 0;
      const watched = await orm
        .select()
        .from(notificationSettings)
        .where(isNotNull(notificationSettings.lowCreditsThreshold));
      const balances = await ledger.balancesOf(watched.map(({ accountId }) => accountId));
      let notified = 0;
      for (const { accountId, lowCreditsThreshold, isLowNotified } of watched) {
        const balance = balances.get(accountId)?.balance ?? 0;
        const isLow = balance < lowCreditsThreshold!;
        if (isLow === isLowNotified) continue;
        await orm.transaction(async (tx) => {
          const changed = await tx
            .update(notificationSettings)
            .set({ isLowNotified: isLow })
            .where(
              and(
                eq(notificationSettings.accountId, accountId),
                eq(notificationSettings.isLowNotified, !isLow),
              ),
            )
            .returning({ accountId: notificationSettings.accountId });
          if (!isLow || changed.length === 0) return;
          await write(tx, accountId, lowCreditsEmail(balance, lowCreditsThreshold!));
          notified += 1;
        });
      }
      return notified;
    },
  };
}

/** `path`: the page of the web app that the email links to. */
export type NotificationText = { subject: string; text: string; path: string };

/** Undefined: not told. */
function emailAbout(event: WebhookEvent, job: Job | undefined): NotificationText | undefined {
  if (!job || (event !== "job.completed" && event !== "job.failed")) return undefined;
  const path = `/bulk/${job.id}`;
  if (event === "job.failed") {
    const text = job.error?.detail ?? "An internal error ended it.";
    return { subject: `${job.filename} could not be validated`, text, path };
  }
  const { valid_count, risky_count, invalid_count, unknown_count, credits_used, credits_refunded } = job;
  const counts = `${valid_count} valid, ${risky_count} risky, ${invalid_count} invalid, ${unknown_count} unknown`;
  const refund = credits_refunded > 0 ? `, of which ${credits_refunded} were refunded` : "";
  const text = `${counts}.\n${credits_used} credits used${refund}.\n\nResults:`;
  return { subject: `${job.filename} is validated`, text, path };
}

function refusedEmail(name: string, detail: string): NotificationText {
  const text = `The validation did not start. ${detail}\n\nThis is told once a day at most.`;
  return { subject: `${name} needs credits`, text, path: "/usage" };
}

function lowCreditsEmail(balance: number, threshold: number): NotificationText {
  const text = `${balance} credits are left, fewer than the ${threshold} you asked to be told about.`;
  return { subject: "Your Mailvet credits are low", text, path: "/usage" };
}
