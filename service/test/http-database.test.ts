/** Requests and connections while the database is unreachable or hangs. */
import { sql } from "drizzle-orm";
import pg from "pg";
import { expect, test } from "vitest";
import {
  type Database,
  isDatabaseOverloaded,
  isDatabaseUnavailable,
  openDatabase,
} from "../src/db/database.ts";
import { openTestDatabase } from "./database.ts";
import { openHttpWorld } from "./http-world.ts";

/** Terminates every connection of the pool, like a server that stops. */
async function hangUpOn({ connection }: Database): Promise<void> {
  const other = new pg.Client(connection);
  await other.connect();
  await other.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await other.end();
}

const errorOf = (asking: Promise<unknown>) =>
  asking.then(
    () => undefined,
    (error: unknown) => error,
  );

test("while the database is unreachable requests get 503 with Retry-After, and succeed again afterwards", async () => {
  await using world = await openHttpWorld();
  const cookie = await (await world.account()).cookie();
  const ask = () => fetch(`${world.api}/me`, { headers: { cookie } });
  expect((await ask()).status).toBe(200);

  const options = (world.database.pool as unknown as { options: pg.PoolConfig }).options;
  const { host } = options;
  options.host = "/nowhere";
  await hangUpOn(world.database);
  await expect.poll(() => world.database.pool.totalCount).toBe(0);
  const away = await ask();
  expect([away.status, away.headers.get("retry-after")]).toEqual([503, "5"]);
  const problem = (await away.json()) as { request_id: string };
  expect(problem).toMatchObject({
    code: "overloaded",
    detail: "The database is currently unreachable.",
  });
  const line = await world.logged((one) => one.event === "request_failed");
  expect(line).toMatchObject({ request_id: problem.request_id, err: { code: "ENOENT" } });
  for (let n = 0; n < 30; n++) expect((await ask()).status).toBe(503);
  const stacks = world.logText().match(/"stack"/g)?.length ?? 0;
  expect(stacks).toBeLessThan(3); // one, and not one a request, also when this takes longer than an interval

  options.host = host;
  expect((await ask()).status).toBe(200);
});

test("a full disk is reported as an outage, and the service is not ready until there is space again", async () => {
  await using database = await openTestDatabase();
  await database.check();
  const refused = await errorOf(
    database.pool.query("do $$ begin raise exception 'no room' using errcode = '53100'; end $$"),
  );
  expect([isDatabaseOverloaded(refused), isDatabaseUnavailable(refused)]).toEqual([true, false]);
  await database.pool.query("set temp_file_limit = '1MB'"); // the one idle connection is asked next
  const stillFull = await errorOf(database.check());
  expect(isDatabaseOverloaded(stillFull)).toBe(true);
  await database.pool.query("reset temp_file_limit");
  await database.check();
});

test("a connection lost in a transaction fails that transaction only", async () => {
  await using database = await openTestDatabase();
  const error = await errorOf(
    database.orm.transaction(async (tx) => {
      await tx.execute(sql`select 1`);
      await hangUpOn(database);
      await new Promise((resolve) => setTimeout(resolve, 50)); // timing: the connection is idle when it ends
      await tx.execute(sql`select 1`);
    }),
  );
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect((await database.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("a query that hangs is abandoned together with its connection", async () => {
  await using server = await openTestDatabase();
  const { connection } = server;
  const database = openDatabase({ connection, maxConnections: 1, queryTimeoutMs: 2000 });
  const error = await errorOf(
    database.orm.transaction(async (tx) => void (await tx.execute(sql`select pg_sleep(300)`))),
  );
  expect(isDatabaseUnavailable(error)).toBe(true);
  // A busy server may take longer than the limit for this as well.
  const one = async () => (await database.pool.query("select 1 as one")).rows;
  await expect.poll(one).toEqual([{ one: 1 }]);
  expect(isDatabaseUnavailable(await errorOf(database.pool.query("select pg_sleep(300)")))).toBe(true);
  await expect.poll(one).toEqual([{ one: 1 }]);
  await database.close();
});

test("connection errors count as unavailable, statement errors do not", async () => {
  const closed = openDatabase({ connection: { host: "127.0.0.1", port: 9, user: "a", database: "a" } });
  const refused = await errorOf(closed.pool.query("select 1"));
  expect(refused).toMatchObject({ code: "ECONNREFUSED" });
  expect(isDatabaseUnavailable(refused)).toBe(true);
  expect(isDatabaseUnavailable(await errorOf(closed.orm.execute(sql`select 1`)))).toBe(true);
  await closed.close();

  await using database = await openTestDatabase();
  expect(isDatabaseUnavailable(await errorOf(database.orm.execute(sql`select 1 / 0`)))).toBe(false);
  expect(isDatabaseUnavailable(new Error("no such thing"))).toBe(false);
});
