/** A process that spends credits is killed repeatedly: every acknowledged charge is there exactly once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createLedger } from "../src/credits/ledger.ts";
import type { Database } from "../src/db/database.ts";
import { expectBooksToAddUp, openAccount } from "./credits-books.ts";
import type { Charging } from "./credits-charger.ts";
import { openTestDatabase } from "./database.ts";
import { rounds } from "./rounds.ts";

const CHARGER = fileURLToPath(new URL("./credits-charger.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");
const ROUNDS = rounds(8);
const SIDE_BY_SIDE = 2;
const CALLERS = 8;
const APPLICATION = "charger";

test(`no acknowledged charge is lost or doubled in ${ROUNDS} rounds of kill -9`, async () => {
  await using database = await openTestDatabase();
  const ledger = createLedger({ database });
  const accountId = await openAccount(database, ledger, 10_000_000);
  const connection = { ...database.connection, application_name: APPLICATION };
  const charging = { connection, accountId, callers: CALLERS };
  const acknowledged: string[] = [];

  const lanes = Array.from({ length: SIDE_BY_SIDE }, async () => {
    for (let round = 0; round < ROUNDS / SIDE_BY_SIDE; round++) {
      acknowledged.push(...(await spendUntilKilled(charging)));
    }
  });
  await Promise.all(lanes);

  await disconnected(database);
  const { rows } = await database.pool.query<{ reference: string }>(
    "select reference from ledger where kind = 'settle' and account_id = $1",
    [accountId],
  );
  const written = new Set(rows.map(({ reference }) => reference));
  expect(written.size).toBe(rows.length); // nothing twice
  expect(acknowledged.filter((reference) => !written.has(reference))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(ROUNDS * CALLERS); // they charged, and did not just start
  expect(rows.length - acknowledged.length).toBeLessThanOrEqual(ROUNDS * CALLERS); // charges in flight
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: 10_000_000 - rows.length, reserved: 0 });
  await expectBooksToAddUp(database);
});

/** Runs a process until each caller has charged some times, kills it, and returns the acknowledged references. */
async function spendUntilKilled(charging: Charging): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ["--import", TSX, "--conditions=source", CHARGER, JSON.stringify(charging)],
    { stdio: ["ignore", "pipe", "inherit"], timeout: 540_000, killSignal: "SIGKILL" },
  );
  const lines = createInterface(child.stdout);
  const received: string[] = [];
  lines.on("line", (line) => received.push(line));
  const over = Promise.all([once(child, "exit"), once(lines, "close")]);
  const failed = over.then(() => Promise.reject(new Error("the process ended by itself")));
  failed.catch(() => {});
  const enough = CALLERS + 1 + Math.random() * 200;
  while (received.length < enough) await Promise.race([once(lines, "line"), failed]);
  await pause(Math.random() * 20); // timing: any moment
  child.kill("SIGKILL");
  const [[, signal]] = await over;
  expect(signal).toBe("SIGKILL"); // and not by an error before
  return received;
}

/** A statement already sent to the server may still commit after its client has died, until its connection is closed. */
async function disconnected({ pool }: Database): Promise<void> {
  const connections =
    "select from pg_stat_activity where datname = current_database() and application_name = $1";
  await expect.poll(async () => (await pool.query(connections, [APPLICATION])).rowCount).toBe(0);
}
