/** Puts the service together from its settings, and takes it apart again in the reverse order. */
import { readFileSync } from "node:fs";
import { verifierFrom } from "@mailvet/engine";
import type { FastifyInstance } from "fastify";
import { createAccounts } from "./accounts/accounts.ts";
import { firstStart, type Welcome } from "./accounts/first-start.ts";
import { createMailer } from "./accounts/mailer.ts";
import { createSessions } from "./accounts/sessions.ts";
import type { Config } from "./config.ts";
import { createLedger } from "./credits/ledger.ts";
import { usageOf } from "./credits/usage.ts";
import { createNotices } from "./db/notices.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { accountRoutes } from "./http/account-routes.ts";
import { buildApp } from "./http/app.ts";
import { authRoutes } from "./http/auth-routes.ts";
import { creditRoutes } from "./http/credit-routes.ts";
import { HTTP_DEFAULTS } from "./http/http-settings.ts";
import { createIdempotentAnswers } from "./http/idempotent-answers.ts";
import { keyRoutes } from "./http/key-routes.ts";
import { createMetrics } from "./http/metrics.ts";
import { operatorRoutes } from "./http/operator-routes.ts";
import { createSessionCookie } from "./http/session-cookie.ts";
import { validationRoutes } from "./http/validation-routes.ts";
import { createKeyring } from "./keys/keyring.ts";
import type { Log } from "./log.ts";
import { openStorage } from "./storage.ts";
import { createValidations } from "./validations/validations.ts";
import { createVerdictMemory } from "./validations/verdict-memory.ts";

export type Service = {
  app: FastifyInstance;
  /** Makes the operator's account if there is none, and says what to tell them: once listening has not failed. */
  welcome(): Promise<Welcome | undefined>;
  /** Settles when the embedded database has gone although nobody stopped it. */
  databaseLost: Promise<void>;
  /** Finishes what was begun, then stops everything. Whoever still waits for an answer gets what is known by then. */
  close(): Promise<void>;
  /** For when closing takes too long: leaves everything as it is, but no database behind. */
  stopDatabase(): Promise<void>;
};

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Docker waits ten seconds before it kills: time enough then for the last answers and the rest of closing. */
const WRAP_UP_MS = 7000;

type Closer = () => unknown;

/** `say` is for the operator at the terminal; everything else goes to the log. */
export async function assemble(config: Config, log: Log, say: (text: string) => void): Promise<Service> {
  const closers: Closer[] = [];
  const close = async () => {
    const troubles: unknown[] = [];
    // One part that fails to close must not leave the others open, the database least of all.
    for (const closer of closers.splice(0).reverse()) {
      try {
        await closer();
      } catch (error) {
        troubles.push(error);
      }
    }
    if (troubles.length > 0) throw new AggregateError(troubles, "some parts did not close well");
  };
  try {
    return { ...(await open(config, log, say, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  config: Config,
  log: Log,
  say: (text: string) => void,
  closers: Closer[],
): Promise<Omit<Service, "close">> {
  const warn = (text: string) => log.write.warn(log.masked(text));
  const storage = await openStorage(config.storage, say);
  closers.push(storage.close);
  const { database } = storage;

  const notices = createNotices(database.connection, { say: warn });
  closers.push(() => notices.close());
  const ledger = createLedger({ database, say: warn });
  closers.push(() => ledger.close());
  const keyring = createKeyring({ database, notices });
  closers.push(() => keyring.close());
  await notices.start();

  const verifier = verifierFrom(config.engine);
  closers.push(() => verifier.close());
  const memory = createVerdictMemory({ database, say: warn });
  const metrics = createMetrics();
  const validations = createValidations({
    verifier,
    ledger,
    memory,
    level: "smtp",
    countVerdict: metrics.countVerdict,
    singleBudgetMs: config.budgets.singleMs,
    bulkBudgetMs: config.budgets.bulkMs,
    sayFailure: (requestId, failure) => log.write.error({ request_id: requestId }, log.masked(failure)),
  });
  closers.push(() => validations.close());

  const mailer = createMailer(config.mail, say);
  closers.push(() => mailer.close());
  const sessions = createSessions({ database });
  const accounts = createAccounts({
    database,
    ledger,
    sessions,
    mailer,
    verify: verifier.verify,
    forgetAccount: keyring.forgetAccount,
    settings: {
      signUp: config.signUp.mode,
      signUpPlan: config.signUp.plan,
      signUpCredits: config.signUp.credits,
      publicUrl: config.publicUrl ?? localUrl(config),
    },
    say: warn,
  });
  closers.push(() => accounts.close());

  const answers = createIdempotentAnswers(database.pool);
  const housekeeping = startHousekeeping(
    {
      reservations: ledger.releaseExpired,
      verdicts: memory.forgetExpired,
      answers: answers.deleteExpired,
      sessions: sessions.deleteExpired,
      accounts: accounts.deleteExpired,
    },
    (chore, error) => log.write.error({ err: error, chore }, "housekeeping failed"),
  );
  closers.push(() => housekeeping.close());

  const cookie = createSessionCookie(config.publicUrl);
  const app = buildApp({
    settings: {
      ...HTTP_DEFAULTS,
      publicUrl: config.publicUrl,
      trustedProxies: config.trustedProxies,
      metricsToken: config.metricsToken,
    },
    keyring,
    sessions,
    cookie,
    balanceOf: ledger.balanceOf,
    answers,
    pool: database.pool,
    log,
    metrics,
    version,
    routes: [
      validationRoutes({ validations }),
      accountRoutes({ accounts }),
      creditRoutes({ ledger, usageOf: (accountId, wanted) => usageOf(database, accountId, wanted) }),
      keyRoutes({ keyring }),
      authRoutes({ accounts, sessions, cookie, publicUrl: config.publicUrl }),
      operatorRoutes({ accounts, ledger }),
    ],
  });
  closers.push(() => {
    validations.wrapUp(WRAP_UP_MS);
    return app.close();
  });
  return {
    app,
    welcome: () => firstStart({ database, ledger, keyring }, config.operator),
    databaseLost: storage.lost,
    stopDatabase: storage.stopServer,
  };
}

/** For links in mails that never leave this machine. */
function localUrl({ host, port }: Config): string {
  const isEveryAddress = host === "0.0.0.0" || host === "::";
  return `http://${isEveryAddress ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
}
