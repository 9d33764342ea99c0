/**
 * A process that spends credits until it is killed: credits-kill.test.ts starts and kills it.
 *
 * Half of its callers charge at once, the others reserve and settle. Each reference is printed after its spending was
 * acknowledged; the caller goes on when the line is written, which takes longer while the reader is stalled.
 */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { createLedger } from "../src/credits/ledger.ts";
import { openDatabase } from "../src/db/database.ts";

export type Charging = { connection: pg.ClientConfig; accountId: string; callers: number };

const { connection, accountId, callers } = JSON.parse(process.argv[2]!) as Charging;
const ledger = createLedger({ database: openDatabase({ connection, maxConnections: 2 }) });
const usage = { keyId: undefined, counts: { valid: 1, invalid: 0, risky: 0, unknown: 0 } };

for (let caller = 0; caller < callers; caller++) void spend(caller % 2 === 0 ? charge : holdAndSettle);

async function spend(once: (reference: string) => Promise<void>): Promise<never> {
  for (;;) {
    const reference = randomUUID();
    await once(reference);
    await new Promise((resolve) => process.stdout.write(`${reference}\n`, resolve));
  }
}

async function charge(reference: string): Promise<void> {
  await ledger.charge({ accountId, amount: 1, reference, idempotencyKey: undefined, usage });
}

async function holdAndSettle(reference: string): Promise<void> {
  await using held = await ledger.reserve({
    accountId,
    amount: 1,
    reference,
    holdMs: 1,
    idempotencyKey: undefined,
  });
  await held.settle(usage);
}
