/**
 * A process that spends credits until it is killed: credits-kill.test.ts starts and kills it.
 *
 * Half of its callers charge at once, the others reserve and settle, as a run does. Each reference is printed after its spending was
 * acknowledged; the caller goes on when the line is written, which takes longer while the reader is stalled.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { createLedger } from "../src/credits/ledger.ts";
import { RequestCharge } from "../src/credits/request-charge.ts";
import { reserveForRun, settleRun } from "../src/credits/run-credits.ts";
import { openDatabase } from "../src/db/database.ts";

export type Charging = { connection: pg.ClientConfig; accountId: string; callers: number };

const { connection, accountId, callers } = JSON.parse(process.argv[2]!) as Charging;
const database = openDatabase({ connection, maxConnections: 2 });
const ledger = createLedger({ database });

for (let caller = 0; caller < callers; caller++) void spend(caller % 2 === 0 ? chargeOnce : reserveAndSettle);

async function spend(once: (reference: string) => Promise<void>): Promise<never> {
  for (;;) {
    const reference = randomUUID();
    await once(reference);
    await new Promise((resolve) => process.stdout.write(`${reference}\n`, resolve));
  }
}

async function chargeOnce(reference: string): Promise<void> {
  const by = { kind: "session", sessionId: "" } as const;
  await ledger.charge(new RequestCharge({ accountId, by }, reference, undefined), 1);
}

async function reserveAndSettle(jobId: string): Promise<void> {
  await database.orm.transaction(async (tx) => {
    await reserveForRun(tx, { accountId, runId: jobId, jobId, amount: 1, keyId: null });
    await settleRun(tx, { accountId, runId: jobId, used: 1, refunded: 0 });
  });
}
