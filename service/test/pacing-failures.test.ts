/** Shared host limiters without the database: no session starts, and no event is lost. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { hostWith, openWay, type PacingProcess, startPacing, visit } from "./pacing-world.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const poll = (see: () => unknown) => expect.poll(see, { interval: 5 });
const placesIn = async () =>
  (await database.pool.query("select key, number from host_leases order by key, number")).rows;

/** Takes a lease of another host. Afterwards the process has written its releases, and has read every response. */
async function acquireElsewhere(one: PacingProcess): Promise<void> {
  const elsewhere = one.pace(`elsewhere-${++hosts}.test`, hostWith(1));
  await elsewhere.acquire();
  elsewhere.release();
}
let hosts = 0;

test("without the database no session starts; releases and events meanwhile are not lost", async () => {
  await using way = await openWay(database);
  await using cutOff = await startPacing(way.connection);
  await using connected = await startPacing(database.connection);
  const here = cutOff.pace("mx.test", hostWith(4));
  const there = connected.pace("mx.test", hostWith(4));
  await here.acquire();
  expect(await placesIn()).toEqual([{ key: "mx.test", number: 1 }]);

  way.cut();
  here.release();
  const late = visit(here);
  here.record({ kind: "rate_limited" });
  expect(here.limit).toBe(2); // as far as we know
  const eventsOf = (name: string) =>
    cutOff.events.filter(({ event, part }) => event === name && part === "leases");
  await poll(() => eventsOf("pacing_sync_failed")).toHaveLength(1);
  expect(late.isIn).toBeUndefined();
  expect(there.limit).toBe(4);
  expect(await placesIn()).toHaveLength(1);

  way.mend();
  await poll(() => there.limit).toBe(2);
  await poll(() => late.isIn).toBe(true);
  await poll(placesIn).toHaveLength(1);
  here.release();
  await poll(placesIn).toEqual([]);
  expect(eventsOf("pacing_sync_failed")).toHaveLength(1);
  expect(eventsOf("pacing_sync_restored")).toHaveLength(1);
});

test("leases granted without a response are released, and leases deleted by mistake are restored", async () => {
  await using way = await openWay(database);
  await using one = await startPacing(way.connection);
  await one.pace("kept.test", hostWith(1)).acquire();
  await database.pool.query("delete from host_leases where process_id = $1", [one.id]);
  await database.pool.query(
    "insert into host_leases (key, number, process_id) select 'unknown.test', n, $1 from generate_series(1, 3) n",
    [one.id],
  );
  way.cut();
  way.mend();
  await poll(placesIn).toEqual([{ key: "kept.test", number: 1 }]);
});

test("leases that others got while the heartbeat was expired stay theirs", async () => {
  await using way = await openWay(database);
  await using stalled = await startPacing(way.connection);
  await using other = await startPacing(database.connection);
  const [ours, theirs] = [stalled, other].map((one) => one.pace("lost.test", hostWith(2)));
  await Promise.all([ours!.acquire(), ours!.acquire()]);
  const waiting = visit(ours!);
  const visitors = [visit(theirs!), visit(theirs!)];
  await poll(async () => {
    // Again where the process has compared, and so restored, its leases meanwhile.
    await database.pool.query("delete from host_leases where process_id = $1", [stalled.id]);
    return visitors.map(({ isIn }) => isIn);
  }).toEqual([true, true]);

  const unknownLease = ["unknown.test", 1, stalled.id]; // released when the process compares its leases
  await database.pool.query(
    "insert into host_leases (key, number, process_id) values ($1, $2, $3)",
    unknownLease,
  );
  way.cut();
  way.mend();
  await poll(placesIn).toHaveLength(2);
  await acquireElsewhere(stalled); // it knows the result of the comparison
  ours!.release();
  ours!.release();
  await acquireElsewhere(stalled);
  const { rows } = await database.pool.query("select process_id from host_leases where key = 'lost.test'");
  expect(rows).toEqual([{ process_id: other.id }, { process_id: other.id }]);
  expect(waiting.isIn).toBeUndefined(); // two of their sessions are open
  theirs!.release();
  await poll(() => waiting.isIn).toBe(true);
  ours!.release();
  theirs!.release();
  await poll(placesIn).toEqual([]);
});

test("a process that closes releases its leases and waiters", async () => {
  await using one = await startPacing(database.connection);
  await using other = await startPacing(database.connection);
  await one.pace("mine.test", hostWith(1)).acquire();
  const heir = visit(other.pace("mine.test", hostWith(1)));
  await other.pace("theirs.test", hostWith(1)).acquire();
  visit(one.pace("theirs.test", hostWith(1)));
  await poll(() => one.pace("mine.test", hostWith(1)).hasWaiters).toBe(true);
  await poll(() => other.pace("theirs.test", hostWith(1)).hasWaiters).toBe(true);
  await one.close();
  await poll(() => heir.isIn).toBe(true);
  const { rows } = await database.pool.query("select key from host_waiters");
  expect(rows).toEqual([]);
});
