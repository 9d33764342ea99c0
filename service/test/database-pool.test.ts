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
