/**
 * Emails to account owners about their jobs and credits. Where no mail server is configured none are written.
 *
 * An email is written in the transaction that causes it and sent by maintenance, so that it is neither lost with a process nor
 * sent for something that was rolled back. A crash between sending and deleting sends it twice.
 */
import type { Job, NotificationSettings, WebhookEvent } from "@mailvet/contract";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { emailOf, operatorIds } from "../accounts/account-queries.ts";
import { type Actor, recordAudit } from "../audit/audit-writer.ts";
import type { Caller, Owner } from "../base/caller.ts";
import type { LogEvent } from "../base/log-events.ts";
import { Refusal } from "../base/refusal.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { Database, Orm } from "../db/database.ts";
import { type EmailContent, renderEmail } from "../mail/email-layout.ts";
import { emailTemplates } from "../mail/email-templates.ts";
import type { Mailer } from "../mail/mailer.ts";
import { notificationSettings, outgoingEmails } from "./schema.ts";

export type Notifications = {
  settingsOf(accountId: string): Promise<NotificationSettings>;
  changeSettings(
    accountId: string,
    changes: Partial<NotificationSettings>,
    by: Actor,
  ): Promise<NotificationSettings>;
  /** In the transaction that publishes the event. Only the end of live jobs is told. */
  onEvent(tx: Orm, owner: Owner, event: WebhookEvent, data: Record<string, unknown>): Promise<void>;
  /** The same for anything else that is told about jobs. */
  tell(tx: Orm, owner: Owner, email: EmailContent): Promise<void>;
  /** About the installation, in the same way; whatever they want to be told of their own account. */
  tellOperators(tx: Orm, email: EmailContent): Promise<void>;
  /** A job was refused for lack of credits. Only what a program asked for is told, at most once a day. */
  onJobRefused(
    caller: Pick<Caller, "accountId" | "isTest" | "by">,
    name: string,
    error: unknown,
  ): Promise<void>;
  /** Sends what is due, one email after another until the time is up; returns how many. For maintenance. */
  sendDue(maxDurationMs?: number): Promise<number>;
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
/** Per maintenance run: other tasks wait for it, and a mail server that does not respond takes ten seconds or more for each email. */
const MAX_DURATION_MS = 10_000;
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

  const write = (tx: Orm, accountId: string, email: EmailContent) =>
    tx.insert(outgoingEmails).values({ accountId, ...renderEmail(email) });

  /** Only right before it is sent: while others are, it would become due for another process too. */
  const claimDue = async () => {
    const [claimed] = await orm
      .update(outgoingEmails)
      .set({
        attempts: sql`${outgoingEmails.attempts} + 1`,
        dueAt: sql`now() + ${`${RETRY_MINUTES} minutes`}::interval`,
      })
      .where(
        sql`id = (select id from outgoing_emails where due_at <= now() order by due_at limit 1 for update skip locked)`,
      )
      .returning();
    return claimed;
  };

  const tell: Notifications["tell"] = async (tx, { accountId, isTest }, email) => {
    if (isTest || !mailer.reachesPeople || !(await settingsOf(tx, accountId)).job_emails) return;
    await write(tx, accountId, email);
  };

  return {
    settingsOf: (accountId) => settingsOf(orm, accountId),

    changeSettings: (accountId, changes, by) =>
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
        const details = { ...settings, low_credits_threshold: settings.low_credits_threshold ?? "none" };
        await recordAudit(tx, by, { action: "notifications.changed", accountId, details });
        return settings;
      }),

    async onEvent(tx, owner, event, data) {
      const job = data.job as Job | undefined;
      if (job && event === "job.completed")
        await tell(tx, owner, emailTemplates.jobCompleted(job, publicUrl));
      if (job && event === "job.failed") await tell(tx, owner, emailTemplates.jobFailed(job, publicUrl));
    },
    tell,

    async tellOperators(tx, email) {
      if (!mailer.reachesPeople) return;
      for (const accountId of await operatorIds(tx)) await write(tx, accountId, email);
    },

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
        if (isDue) await tell(tx, caller, emailTemplates.jobNeedsCredits(name, error.message, publicUrl));
      });
    },

    async sendDue(maxDurationMs = MAX_DURATION_MS) {
      const endsAtMs = performance.now() + maxDurationMs;
      let sent = 0;
      do {
        const email = await claimDue();
        if (!email) return sent;
        const { id, accountId, subject, text, html, attempts } = email;
        try {
          const to = await emailOf(database, accountId);
          if (to) await mailer.send({ to, subject, text, html: html ?? undefined });
          await orm.delete(outgoingEmails).where(eq(outgoingEmails.id, id));
          sent += 1;
        } catch (error) {
          log("notification_failed", { account_id: accountId, attempts, err: error });
          if (attempts >= MAX_ATTEMPTS) await orm.delete(outgoingEmails).where(eq(outgoingEmails.id, id));
        }
      } while (performance.now() < endsAtMs);
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
          await write(tx, accountId, emailTemplates.lowCredits(balance, lowCreditsThreshold!, publicUrl));
          notified += 1;
        });
      }
      return notified;
    },
  };
}
