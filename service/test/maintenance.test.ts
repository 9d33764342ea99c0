import { expect, test } from "vitest";
import { startMaintenance } from "../src/maintenance.ts";
import { openBoss } from "../src/queue/boss.ts";
import { openTestDatabase } from "./database.ts";

test("maintenance starts as soon as the database is available", async () => {
  await using database = await openTestDatabase();
  let failures = 0;
  const pool = Object.assign(Object.create(database.pool), {
    query: (...asked: Parameters<typeof database.pool.query>) =>
      failures === 0
        ? Promise.reject(new Error("Connection terminated unexpectedly"))
        : database.pool.query(...asked),
  });
  let runs = 0;
  const maintenance = startMaintenance({
    boss: openBoss(pool),
    minutely: { count: async () => ++runs },
    hourly: {},
    onFailure: () => failures++,
  });
  await expect.poll(() => runs).toBeGreaterThan(0);
  expect(failures).toBeGreaterThan(0);
  await maintenance.close();
});
