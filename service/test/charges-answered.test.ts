/**
 * Charges equal answers exactly: clients disconnect at random, and database connections are cut during responses, so that
 * the service often does not know whether a charge was committed.
 */
import { connect } from "node:net";
import { expect, test } from "vitest";
import { createLedger } from "../src/credits/ledger.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { openTestDatabase } from "./database.ts";
import { openFlakyDatabase } from "./flaky-database.ts";
import { rounds } from "./rounds.ts";
import { openService } from "./service.ts";

const CLIENTS = 8;
const REQUESTS = rounds(150);
const CREDITS = 100_000;

type Seen = { answered: Set<string>; failed: Set<string>; hungUp: number };

test("delivered answers are charged once; failed and undelivered ones cost nothing", async () => {
  await using database = await openTestDatabase();
  await using flaky = await openFlakyDatabase(database);
  const service = await openService({ database, env: { ROLE: "api", DATABASE_URL: flaky.url } });
  const { key, accountId } = await service.openAccount({ credits: CREDITS });
  const seen: Seen = { answered: new Set(), failed: new Set(), hungUp: 0 };

  flaky.lose(0.05);
  const port = Number(new URL(service.url).port);
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = 0; n < REQUESTS; n++) {
        // The sandbox is known when it is charged, the other is checked after it.
        const email = n % 3 === 0 ? `ann${client}.${n}@not-contacted.com` : `valid+${n}@mailvet.test`;
        await ask({ port, key, email, hangUp: hangUpAt(n) }, seen);
      }
    }),
  );
  flaky.lose(0);
  await service[Symbol.asyncDispose](); // finishes requests in flight, and refunds that wait
  expect(flaky.lost()).toBeGreaterThan(0);

  const ledger = createLedger({ database });
  const { rows } = await database.pool.query<{ reference: string; times: number }>(
    `select reference, count(*) filter (where kind = 'settle') - count(*) filter (where kind = 'refund') as times
     from ledger where account_id = $1 and kind in ('settle', 'refund') group by reference`,
    [accountId],
  );
  const charged = new Set(rows.filter(({ times }) => times === 1).map(({ reference }) => reference));
  expect(rows.filter(({ times }) => times !== 1 && times !== 0)).toEqual([]);
  expect([...seen.answered].filter((id) => !charged.has(id))).toEqual([]);
  expect([...seen.failed].filter((id) => charged.has(id))).toEqual([]);
  // The rest was written to clients whose disconnect the service had not seen.
  expect(charged.size - seen.answered.size).toBeLessThanOrEqual(seen.hungUp);
  expect(seen.answered.size).toBeGreaterThan(CLIENTS * 10);
  expect(seen.failed.size).toBeGreaterThan(0);
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: CREDITS - charged.size, reserved: 0 });
  await ledger.close();
  await expectBooksToAddUp(database);
});

test("a client that half-closes its connection is charged exactly for the answers it reads", async () => {
  await using database = await openTestDatabase();
  const service = await openService({ database, env: { ROLE: "api" } });
  const { key, accountId } = await service.openAccount({ credits: CREDITS });
  const port = Number(new URL(service.url).port);
  const seen: Seen = { answered: new Set(), failed: new Set(), hungUp: 0 };
  for (let n = 0; n < 50; n++) await ask({ port, key, email: "valid@mailvet.test", hangUp: "half" }, seen);
  await service[Symbol.asyncDispose](); // finishes requests in flight
  const ledger = createLedger({ database });
  expect(await ledger.balanceOf(accountId)).toEqual({ balance: CREDITS - seen.answered.size, reserved: 0 });
  expect(seen.answered.size + seen.hungUp).toBe(50);
  await ledger.close();
});

type HangUp = "after writing" | "at the first byte" | "half" | "never";

function hangUpAt(n: number): HangUp {
  return n % 5 === 1 ? "after writing" : n % 5 === 2 ? "at the first byte" : "never";
}

type Asked = { port: number; key: string; email: string; hangUp: HangUp };

function ask({ port, key, email, hangUp }: Asked, seen: Seen): Promise<void> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => {
      const path = `/api/v1/validation/single?email=${encodeURIComponent(email)}`;
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\nconnection: close\r\n\r\n`,
        () => {
          if (hangUp === "after writing") socket.destroy();
          if (hangUp === "half") socket.end();
        },
      );
    });
    socket.on("data", (chunk) => {
      received += chunk;
      if (hangUp === "at the first byte") socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      const status = /^HTTP\/1\.1 (\d+)/.exec(received)?.[1];
      const id = /^x-request-id: (\S+)/im.exec(received)?.[1];
      if (status === "200" && id) seen.answered.add(id);
      else if (id) seen.failed.add(id);
      else seen.hungUp++;
      resolve();
    });
  });
}
