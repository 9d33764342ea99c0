/** Emails about jobs and credits: written with the event, sent by maintenance, once. */
import type { Job } from "@mailvet/contract";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Refusal } from "../src/base/refusal.ts";
import { createLedger, type Ledger } from "../src/credits/ledger.ts";
import type { OutgoingEmail } from "../src/mail/mailer.ts";
import { createNotifications, type Notifications } from "../src/notifications/notifications.ts";
import { charge, openAccount } from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { recordEvents } from "./recorded-events.ts";

let database: TestDatabase;
let ledger: Ledger;
let notifications: Notifications;
let sent: OutgoingEmail[] = [];
let isDown = false;
let duringSend = async () => {};
beforeAll(async () => {
  database = await openTestDatabase();
  ledger = createLedger({ database });
  notifications = createNotifications({
    database,
    ledger,
    mailer: {
      reachesPeople: true,
      async send(email) {
        if (isDown) throw new Error("the mail server is down");
        sent.push(email);
        await duringSend();
      },
    },
    publicUrl: "https://mailvet.example",
    log: recordEvents().log,
  });
});
afterAll(async () => {
  await ledger.close();
  await database.close();
});
beforeEach(() => {
  sent = [];
  isDown = false;
  duringSend = async () => {};
});

const JOB = {
  id: "7f1c8a52-33f0-4d77-9b0a-0b8f2f6f3a11",
  filename: "people.csv",
  valid_count: 3,
  risky_count: 1,
  invalid_count: 1,
  unknown_count: 0,
  credits_used: 5,
  credits_refunded: 2,
  error: null,
} as Job;

const tell = (accountId: string, event: "job.completed" | "job.failed" | "job.paused", isTest = false) =>
  database.orm.transaction((tx) => notifications.onEvent(tx, { accountId, isTest }, event, { job: JOB }));

test("the end of a job is told once, with counts and a link; a pause and test mode are not", async () => {
  const account = await openAccount(database, ledger, 10);
  await tell(account, "job.paused");
  await tell(account, "job.completed", true);
  expect(await notifications.sendDue()).toBe(0);
  await tell(account, "job.completed");
  expect(await Promise.all([notifications.sendDue(), notifications.sendDue()])).toContain(1);
  expect(await notifications.sendDue()).toBe(0);
  expect(sent).toMatchObject([{ to: `${account}@example.com`, subject: "people.csv is validated" }]);
  expect(sent[0]!.text).toContain(
    "60 % of 5 results are valid.\n\nValid: 3\nRisky: 1\nInvalid: 1\nUnknown: 0\n",
  );
  expect(sent[0]!.text).toContain("Credits used: 5\nOf which refunded: 2\n");
  expect(sent[0]!.text).toContain(`https://mailvet.example/bulk/${JOB.id}`);
});

test("an account that does not want it is not told", async () => {
  const account = await openAccount(database, ledger, 10);
  expect(await notifications.settingsOf(account)).toEqual({ job_emails: true, low_credits_threshold: null });
  await notifications.changeSettings(account, { job_emails: false }, {});
  await tell(account, "job.failed");
  expect(await notifications.sendDue()).toBe(0);
});

test("a program's job that is refused for lack of credits is told once a day, what a person sees is not", async () => {
  const account = await openAccount(database, ledger, 1);
  const caller = { accountId: account, isTest: false, by: { kind: "key", keyId: "k", scopes: [] } } as const;
  const error = new Refusal("insufficient_credits", "This costs 5 credits, and the balance is 1.");
  const refuse = (name: string) => notifications.onJobRefused(caller, name, error);
  await notifications.onJobRefused(caller, "a.csv", new Refusal("too_many_active_jobs", "Wait."));
  await notifications.onJobRefused({ ...caller, by: { kind: "session", sessionId: "s" } }, "a.csv", error);
  expect(await notifications.sendDue()).toBe(0);
  await Promise.all([refuse("a.csv"), refuse("a.csv")]);
  expect(await notifications.sendDue()).toBe(1);
  expect(sent).toMatchObject([{ to: `${account}@example.com`, subject: "a.csv needs credits" }]);
  expect(sent[0]!.text).toContain("This costs 5 credits, and the balance is 1.");
  expect(await notifications.settingsOf(account)).toEqual({ job_emails: true, low_credits_threshold: null });

  await database.pool.query(
    "update notification_settings set refusal_told_at = now() - interval '25 hours' where account_id = $1",
    [account],
  );
  await refuse("b.csv");
  expect(await notifications.sendDue()).toBe(1);
});

test("an email that cannot be sent is tried again", async () => {
  const account = await openAccount(database, ledger, 10);
  await tell(account, "job.failed");
  isDown = true;
  expect(await notifications.sendDue()).toBe(0);
  isDown = false;
  await database.pool.query("update outgoing_emails set due_at = now()");
  expect(await notifications.sendDue()).toBe(1);
  expect(sent).toMatchObject([{ subject: "people.csv could not be validated" }]);
});

test("a mail server that takes minutes gets each email once", async () => {
  const account = await openAccount(database, ledger, 10);
  for (let count = 0; count < 8; count++) await tell(account, "job.completed");
  duringSend = async () => {
    await database.pool.query("update outgoing_emails set due_at = due_at - interval '1 minute'");
    if (sent.length === 6) await notifications.sendDue(); // as another process, meanwhile
  };
  while ((await notifications.sendDue()) > 0);
  expect(sent).toHaveLength(8);
});

test("a slow mail server does not hold up the rest of maintenance", async () => {
  const account = await openAccount(database, ledger, 10);
  for (let count = 0; count < 2; count++) await tell(account, "job.completed");
  expect(await notifications.sendDue(0)).toBe(1);
  expect(await notifications.sendDue(0)).toBe(1);
  expect(await notifications.sendDue(0)).toBe(0);
});

test("falling below the threshold is told once, and again only after the balance was above it", async () => {
  const account = await openAccount(database, ledger, 10);
  await notifications.changeSettings(account, { low_credits_threshold: 5 }, {});
  expect(await notifications.notifyLowCredits()).toBe(0);
  await charge(ledger, account, { amount: 6 });
  expect(await notifications.notifyLowCredits()).toBe(1);
  expect(await notifications.notifyLowCredits()).toBe(0);
  await ledger.grant({ accountId: account, amount: 10, reference: "more", idempotencyKey: undefined });
  expect(await notifications.notifyLowCredits()).toBe(0);
  await charge(ledger, account, { amount: 10 });
  expect(await notifications.notifyLowCredits()).toBe(1);
  expect(await notifications.sendDue()).toBe(2);
  expect(sent[0]!.text).toContain("balance of your account is 4, which is below your threshold of 5");
});
