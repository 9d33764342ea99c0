/** Validations as the service runs them, on a real database, against the lab's mail servers. */
import { randomUUID } from "node:crypto";
import type { BulkSummary, Plan } from "@mailvet/contract";
import { readEngineSettings, settingsFrom, type Verifier, verifierFrom } from "@mailvet/engine";
import { type Lab, type MailWorld, openLab, type Temperament } from "@mailvet/lab";
import { expect } from "vitest";
import type { Caller } from "../src/base/caller.ts";
import type { LogEvent } from "../src/base/log-events.ts";
import { createLedger, type Ledger } from "../src/credits/ledger.ts";
import { RequestCharge } from "../src/credits/request-charge.ts";
import type { PresentOptions } from "../src/validations/present-result.ts";
import type { Validated } from "../src/validations/validate.ts";
import { createValidations, type ValidationDeps, type Validations } from "../src/validations/validations.ts";
import { createVerdictCache } from "../src/validations/verdict-cache.ts";
import { openClaims } from "./claims.ts";
import { openAccount } from "./credits-books.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import type { LoggedEvent } from "./logged-events.ts";

export type ValidationWorld = AsyncDisposable & {
  readonly lab: Lab;
  readonly database: TestDatabase;
  readonly ledger: Ledger;
  readonly verifier: Verifier;
  /** Internal errors, as logged. */
  readonly failures: LoggedEvent[];
  /** Verdicts given, as the metrics count them: status, sub-status and whether cached. */
  readonly verdicts: string[];
  /** A caller with a live key of a new account. */
  caller(credits: number): Promise<Caller>;
  /** Validations with an empty in-memory cache, unlike the database. */
  open(options?: Options): PayingValidations;
};

type Options = Partial<
  Pick<
    ValidationDeps,
    "verifier" | "singleBudgetMs" | "bulkBudgetMs" | "maxInFlight" | "level" | "unknownRefund"
  >
>;

export async function openValidationWorld(world: MailWorld = {}): Promise<ValidationWorld> {
  const [lab, database] = await Promise.all([openLab(world), openTestDatabase()]);
  const ledger = createLedger({ database });
  const verifier = verifierFrom(
    readEngineSettings(
      settingsFrom({
        ...lab.env,
        EHLO_NAME: "probe.mailvet-lab.example",
      }),
    ),
  );
  const failures: LoggedEvent[] = [];
  const verdicts: string[] = [];
  const opened: Validations[] = [];
  return {
    lab,
    database,
    ledger,
    verifier,
    failures,
    verdicts,
    caller: async (credits) => liveKeyOf(await openAccount(database, ledger, credits)),
    open(options = {}) {
      const log: LogEvent = (event, fields) => failures.push({ event, ...fields });
      const verdictCache = createVerdictCache({ database, log });
      const countVerdict: ValidationDeps["countVerdict"] = (...words) => verdicts.push(words.join(" "));
      const validations = createValidations({
        verifier,
        ledger,
        unknownRefund: "own_fault",
        verdictCache,
        level: "smtp",
        singleBudgetMs: 25_000,
        bulkBudgetMs: 50_000,
        log,
        countVerdict,
        rechecking: {
          database,
          tasks: openClaims(database).tasks,
          announce: async () => {},
        },
        ...options,
      });
      opened.push(validations);
      return paying(validations, ledger);
    },
    async [Symbol.asyncDispose]() {
      await verifier.close();
      await Promise.all(opened.map((validations) => validations.close()));
      await ledger.close();
      await database.close();
      await lab[Symbol.asyncDispose]();
    },
  };
}

export function liveKeyOf(accountId: string, plan: Plan = "payg"): Caller {
  const by: Caller["by"] = { kind: "key", keyId: randomUUID(), scopes: ["validate", "bulk"] };
  return { accountId, isTest: false, plan, isOperator: false, by };
}

export function testKeyOf({ accountId, plan }: Caller): Caller {
  return { ...liveKeyOf(accountId, plan), isTest: true };
}

export function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Replies truthfully to RCPT: to the nth when this has happened. */
export function repliesAfter(eventOf: (nth: number) => Promise<unknown>): Temperament {
  let asked = 0;
  return {
    on: {
      rcpt(session) {
        const truth = session.truth(session.address) === "exists" ? "exists" : "does_not_exist";
        return { until: eventOf(++asked), reply: session.reply(truth) };
      },
    },
  };
}

/** Sub-status of a check that was not finished in time. A slow machine may not even know the route yet. */
export const TIMED_OUT: unknown = expect.stringMatching(/^(smtp_timeout|dns_error)$/);

/** A request that begins now. */
export function asking(idempotencyKey?: string) {
  return { requestId: randomUUID(), idempotencyKey, startedAtMs: performance.now() };
}

type Asking = Omit<PresentOptions, "charge"> & { idempotencyKey: string | undefined };
type Paid = { creditsRemaining: number | undefined };

export type PayingValidations = Omit<Validations, "validate" | "validateMany"> & {
  validate(caller: Caller, email: string, asking: Asking): Promise<Validated & Paid>;
  validateMany(
    caller: Caller,
    emails: readonly string[],
    asking: Asking,
  ): Promise<Paid & { summary: BulkSummary }>;
};

/** Each call with a charge of its own, which is settled as over HTTP when the response is written. */
function paying(validations: Validations, ledger: Ledger): PayingValidations {
  const settled = async <Answer>(
    caller: Caller,
    { idempotencyKey, ...asking }: Asking,
    ask: (asking: PresentOptions) => Promise<Answer>,
  ) => {
    const charge = new RequestCharge(caller, asking.requestId, idempotencyKey);
    try {
      const answer = await ask({ ...asking, charge });
      await ledger.refund(charge, "returned");
      return { answer, creditsRemaining: charge.balance };
    } catch (error) {
      await ledger.refund(charge, "all");
      throw error;
    }
  };
  return {
    ...validations,
    async validate(caller, email, asking) {
      const ask = (paid: PresentOptions) => validations.validate(caller, email, paid);
      const { answer, creditsRemaining } = await settled(caller, asking, ask);
      return { ...answer, creditsRemaining };
    },
    async validateMany(caller, emails, asking) {
      const ask = (paid: PresentOptions) => validations.validateMany(caller, emails, paid);
      const { answer: summary, creditsRemaining } = await settled(caller, asking, ask);
      return { summary, creditsRemaining };
    },
  };
}
