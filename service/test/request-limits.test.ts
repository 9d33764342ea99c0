/** Request limits of an account hold for all its keys and across API processes. */
import { expect, test, vi } from "vitest";
import { accounts } from "../src/accounts/schema.ts";
import { createAccountLimits } from "../src/request-limits/account-limits.ts";
import { createUsageExchange, deleteIdleUsage } from "../src/request-limits/usage-exchange.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { PATIENCE } from "./patience.ts";
import { openService } from "./service.ts";

const PAYG_PER_MINUTE = 600;

test("requests of three keys at two API processes are all counted against the plan's rate", async () => {
  await using database = await openTestDatabase();
  const startedAtMs = performance.now();
  const statuses: number[] = [];
  {
    await using first = await openService({ database, env: { ROLE: "api" } });
    await using second = await openService({ database, env: { ROLE: "api" } });
    const account = await first.openAccount({ plan: "payg" });
    const keys = [account.key, (await account.makeKey()).key, (await account.makeKey()).key];
    let requests = 0;
    const sendInTurn = async (client: number) => {
      while (requests < 1_150) {
        const service = requests++ % 2 === 0 ? first : second;
        statuses.push((await service.ask("/account", { key: keys[client % 3]! })).status);
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, client) => sendInTurn(client)));
  }
  const granted = statuses.filter((status) => status === 200).length;
  expect(granted).toBeGreaterThanOrEqual(PAYG_PER_MINUTE * 0.9);
  for (const status of new Set(statuses)) expect([200, 429]).toContain(status);
  // The bucket is refilled by the database's clock; what was granted beyond it is its debt.
  const { rows } = await database.pool.query("select tokens from request_buckets where per_minute = 600");
  const elapsedMinutes = (performance.now() - startedAtMs) / 60_000; // timing: more time allows more
  const debt = Math.max(0, -rows[0].tokens);
  const allowed = PAYG_PER_MINUTE * (1 + elapsedMinutes) + debt;
  expect(granted).toBeLessThanOrEqual(allowed);
});

async function openAccount({ orm }: TestDatabase): Promise<string> {
  const [account] = await orm
    .insert(accounts)
    .values({ email: "ann@team.example", plan: "payg" })
    .returning();
  return account!.id;
}

function openTwoProcesses(database: TestDatabase) {
  const exchanges = [0, 1].map(() =>
    createUsageExchange({ pool: database.pool, processId: crypto.randomUUID() }),
  );
  const [first, second] = exchanges.map((exchange) => createAccountLimits(exchange));
  const exchangeAll = async () => {
    for (const exchange of [...exchanges, ...exchanges]) await exchange.flush();
  };
  return {
    first: first!,
    second: second!,
    exchangeAll,
    close: () => Promise.all(exchanges.map((exchange) => exchange.close())),
  };
}

test("two processes get the rate together, and beyond it at most what they granted between two reports", async () => {
  await using database = await openTestDatabase();
  const accountId = await openAccount(database);
  const { first, second, exchangeAll, close } = openTwoProcesses(database);
  let granted = 0;
  for (let round = 0; round < 50; round++) {
    for (const limits of [first, second]) {
      for (let n = 0; n < 12; n++) if (limits.take(accountId, PAYG_PER_MINUTE).isGranted) granted++;
    }
    await exchangeAll();
  }
  expect(granted).toBeGreaterThanOrEqual(PAYG_PER_MINUTE);
  const { rows } = await database.pool.query("select tokens from request_buckets");
  expect(rows[0].tokens).toBeGreaterThanOrEqual(-24);
  await close();
});

test("requests that both processes granted in a burst are paid back", async () => {
  await using database = await openTestDatabase();
  const accountId = await openAccount(database);
  const { first, second, exchangeAll, close } = openTwoProcesses(database);
  for (const limits of [first, second]) {
    for (let n = 0; n < 6; n++) expect(limits.take(accountId, 6).isGranted).toBe(true);
  }
  await exchangeAll();
  for (const limits of [first, second]) {
    const refused = limits.take(accountId, 6);
    expect(refused).toMatchObject({ isGranted: false, remaining: 0 });
    expect(refused.nextInSeconds).toBeGreaterThan(10); // six tokens of debt, one in ten seconds
  }
  await close();
});

test("requests in progress at one process count against the concurrency of the other until they end", async () => {
  await using database = await openTestDatabase();
  const accountId = await openAccount(database);
  const { first, second, exchangeAll, close } = openTwoProcesses(database);
  const begin = (limits: typeof first) => {
    limits.take(accountId, 600);
    return limits.begin(accountId, 4);
  };
  const ends = [begin(first), begin(first), begin(first)];
  const end = begin(second);
  await vi.waitFor(async () => {
    await exchangeAll(); // again where a report was older than three seconds when it was read
    expect(() => begin(second)()).toThrow(/At most 4 concurrent requests/);
  }, PATIENCE);
  for (const one of ends) one();
  await exchangeAll();
  begin(second)();
  end();
  await close();
});

test("while the database is unavailable each process limits alone, and reports afterwards", async () => {
  await using database = await openTestDatabase();
  const accountId = await openAccount(database);
  let isDown = true;
  const pool = Object.assign(Object.create(database.pool), {
    query: (...args: Parameters<typeof database.pool.query>) =>
      isDown ? Promise.reject(new Error("connection refused")) : database.pool.query(...args),
  });
  const exchange = createUsageExchange({ pool, processId: crypto.randomUUID() });
  const limits = createAccountLimits(exchange);
  vi.useFakeTimers({ toFake: ["performance"] }); // no token is refilled meanwhile
  try {
    for (let n = 0; n < 60; n++) expect(limits.take(accountId, 60).isGranted).toBe(true);
    await exchange.flush();
    expect(limits.take(accountId, 60).isGranted).toBe(false);
  } finally {
    vi.useRealTimers();
  }
  isDown = false;
  await exchange.flush();
  const { rows } = await database.pool.query("select tokens from request_buckets");
  expect(rows[0].tokens).toBeLessThan(30); // one is refilled every second
  await exchange.close();
});

test("rows of idle accounts are deleted", async () => {
  await using database = await openTestDatabase();
  const accountId = await openAccount(database);
  const { first, exchangeAll, close } = openTwoProcesses(database);
  first.take(accountId, 600);
  first.begin(accountId, 5)();
  await exchangeAll();
  await database.pool.query("update request_buckets set filled_at = now() - interval '1 hour'");
  await database.pool.query("update requests_in_progress set renewed_at = now() - interval '1 hour'");
  await deleteIdleUsage(database.pool);
  const left = await database.pool.query(
    "select account_id from request_buckets union all select account_id from requests_in_progress",
  );
  expect(left.rows).toEqual([]);
  await close();
});

test("an account that is deleted does not stop the exchange of the others", async () => {
  await using database = await openTestDatabase();
  const values = ["gone@team.example", "other@team.example"].map((email) => ({
    email,
    plan: "payg" as const,
  }));
  const [gone, other] = await database.orm.insert(accounts).values(values).returning();
  const exchange = createUsageExchange({ pool: database.pool, processId: crypto.randomUUID() });
  const reported: string[] = [];
  exchange.start(({ accountId }) => reported.push(accountId));
  await database.pool.query("delete from accounts where id = $1", [gone!.id]);
  exchange.countRequest(gone!.id, 60);
  exchange.countRequest(other!.id, 60);
  await exchange.flush();
  expect(reported).toEqual([other!.id]);
  await exchange.close();
});
