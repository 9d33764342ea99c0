/**
 * Accounts with their dependencies and a clock that a test can advance. The tests of a file share a database, one world at a
 * time, and each leaves it empty.
 */
import { afterAll, beforeAll } from "vitest";
import { type Accounts, type AccountsDeps, createAccounts } from "../src/accounts/accounts.ts";
import type { SessionClient } from "../src/accounts/known-clients.ts";
import { createSessions, type Sessions } from "../src/accounts/sessions.ts";
import { createLedger, type Ledger } from "../src/credits/ledger.ts";
import { keyLastUsedSql } from "../src/keys/api-keys.ts";
import { createMailer, type MailSettings, type OutgoingEmail } from "../src/mail/mailer.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { type LoggedEvent, recordEvents } from "./logged-events.ts";

export type AccountsWorld = AsyncDisposable & {
  database: TestDatabase;
  accounts: Accounts;
  sessions: Sessions;
  ledger: Ledger;
  /** Emails passed to the operator, as there is no mail server. */
  passedOn: OutgoingEmail[];
  events: LoggedEvent[];
  /** Accounts whose cached keys were invalidated. */
  forgotten: string[];
  now(): Date;
  pass(ms: number): void;
  /** The same accounts, in a new process. */
  restart(): Promise<void>;
};

export type WorldOptions = { mail?: MailSettings; settings?: Partial<AccountsDeps["settings"]> };

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
export const PUBLIC_URL = "https://mailvet.example";

/** Opens the database of a test file, and returns a function that opens a world on it. */
export function worldsOnOneDatabase(): (options?: WorldOptions) => AccountsWorld {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(async () => {
    await database.close();
  });
  return (options = {}) => openAccountsWorld(database, options);
}

function openAccountsWorld(database: TestDatabase, { mail, settings }: WorldOptions): AccountsWorld {
  const passedOn: OutgoingEmail[] = [];
  const { events, log } = recordEvents();
  const forgotten: string[] = [];
  let skippedMs = 0;
  const now = () => new Date(Date.now() + skippedMs);
  const ledger = createLedger({ database });
  const sessions = createSessions({ database, now });
  const mailer = createMailer(mail, (email) => passedOn.push(email));
  const open = () =>
    createAccounts({
      database,
      ledger,
      sessions,
      mailer,
      revokeKeys: async () => {},
      keyLastUsedSql,
      isDisposable: () => false,
      forgetAccount: async (accountId) => void forgotten.push(accountId),
      settings: {
        signUp: "open",
        signUpCredits: 100,
        signUpPlan: "free",
        publicUrl: PUBLIC_URL,
        requireTwoFactor: "off",
        ...settings,
      },
      now,
      log,
    });
  let accounts = open();
  return {
    database,
    get accounts() {
      return accounts;
    },
    sessions,
    ledger,
    passedOn,
    events,
    forgotten,
    now,
    pass(ms) {
      skippedMs += ms;
    },
    async restart() {
      await accounts.close();
      accounts = open();
    },
    async [Symbol.asyncDispose]() {
      await accounts.close();
      mailer.close();
      await ledger.close();
      await database.pool.query("delete from accounts");
      await database.pool.query("delete from ledger");
      await database.pool.query("delete from attempts");
    },
  };
}

/** A visitor from the network with this number. */
export function visitorFrom(network: number, userAgent = "A browser"): SessionClient {
  return { ip: `198.51.${network >> 8}.${network & 255}`, userAgent };
}

/** The code it was refused with. Fails when it was not refused. */
export async function refusalOf(attempt: Promise<unknown>): Promise<{ code: string; message: string }> {
  const refusal = await attempt.then(
    () => undefined,
    (error) => error,
  );
  if (refusal?.name !== "Refusal")
    throw new Error(`expected a refusal, got ${refusal?.stack ?? "a success"}`);
  return refusal;
}
