/** The connection pool when the database fails. */
import { expect, test } from "vitest";
import { openDatabase } from "../src/db/database.ts";
import { openTestDatabase } from "./database.ts";

test("a transaction whose begin fails releases its connection", async () => {
  await using server = await openTestDatabase();
  const database = openDatabase({ connection: server.connection, maxConnections: 2 });
  const impossible = { isolationLevel: "none at all" as never };
  for (let tries = 0; tries < 2; tries++)
    await expect(database.orm.transaction(async () => {}, impossible)).rejects.toThrow("begin");
  const { idleCount, totalCount } = database.pool;
  expect(idleCount).toBe(totalCount);
  await database.close();
});

test("waits for a connection are counted, and only those", async () => {
  await using server = await openTestDatabase();
  let waits = 0;
  const countWait = () => {
    waits++;
  };
  const database = openDatabase({ connection: server.connection, maxConnections: 1, countWait });
  const { pool } = database;
  await pool.query("select 1");
  const client = await pool.connect();
  expect(waits).toBe(0);
  const waiting = [pool.query("select 1"), database.orm.transaction(async () => {})];
  client.release();
  await Promise.all(waiting);
  expect(waits).toBe(2);
  await database.close();
});
