/** Processes that die, are taken for dead, or cannot reach the database: what they had in hand is neither lost nor doubled. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { type Database, openDatabase } from "../src/db/database.ts";
import { createProcessRegistry } from "../src/queue/process-registry.ts";
import { openQueueWorld, type QueueWorld } from "./queue-world.ts";

/** So long that a process of a busy machine is not taken for dead. */
const TIMING = { beatMs: 50, deadMs: 4000 };
const soon = { interval: 50 };

function startProcess(database: Database, options: { isAlone?: boolean; timing?: typeof TIMING } = {}) {
  const said: string[] = [];
  const { isAlone = false, timing = TIMING } = options;
  const say = (line: string) => said.push(line);
  return { ...createProcessRegistry({ database, role: "worker", isAlone, say, timing }), said };
}

/** One that is registered, and gave its last sign of life an hour ago. */
async function deadProcess({ database }: QueueWorld): Promise<string> {
  const id = randomUUID();
  const text = `insert into processes (id, role, host, pid, beat_at)
    values ($1, 'worker', 'elsewhere', 7, now() - interval '1 hour')`;
  await database.pool.query(text, [id]);
  return id;
}

async function takePlace({ database }: QueueWorld, processId: string): Promise<void> {
  await database.pool.query("insert into pace_places (key, number, process_id) values ('mx', 1, $1)", [
    processId,
  ]);
  await database.pool.query("insert into pace_wishes (key, process_id, is_urgent) values ('mx', $1, false)", [
    processId,
  ]);
}

async function placesAndWishes({ database }: QueueWorld): Promise<string[]> {
  const text = "select process_id from pace_places union all select process_id from pace_wishes";
  return (await database.pool.query(text)).rows.map((row) => row.process_id);
}

test("what a dead process had in hand waits again, its places at mail hosts are free, and the living keep theirs", async () => {
  await using world = await openQueueWorld();
  const dead = await deadProcess(world);
  const lane = await world.lane(await world.account(), 3);
  const lost = await world.tasks.claim("jobs", dead, 2);
  await takePlace(world, dead);
  const living = startProcess(world.database);
  await living.start();
  const [kept] = await world.tasks.claim("jobs", living.id, 1);

  await expect.poll(async () => (await world.rows()).map((row) => row.losses), soon).toEqual([1, 1, 0]);

  expect((await world.rows()).map((row) => row.process_id)).toEqual([null, null, living.id]);
  expect(await placesAndWishes(world)).toEqual([]);
  expect(await living.list()).toMatchObject([{ id: living.id, host: hostname(), pid: process.pid }]);
  expect(living.said).toEqual([
    "queue: the worker process 7 on elsewhere is dead",
    "queue: tasks in hand of dead processes, waiting again: 2",
  ]);
  expect(await world.tasks.complete(world.database.orm, lost[0]!, dead)).toBe(false);
  expect(await world.tasks.complete(world.database.orm, kept!, living.id)).toBe(true);
  expect((await world.tasks.claim("jobs", living.id, 3)).map((task) => task.laneId)).toEqual([lane, lane]);
  await living.close();
});

test("nobody is taken for dead before the others had time for a sign of life", async () => {
  await using world = await openQueueWorld();
  const dead = await deadProcess(world);
  const living = startProcess(world.database, { timing: { beatMs: 50, deadMs: 60_000 } });
  await living.start();
  await pause(300); // timing: for what must not come
  expect((await living.list()).map(({ id }) => id)).toEqual([dead, living.id]);
  await living.close();
});

test("on the embedded database whoever is still registered is dead, and it shows at once", async () => {
  await using world = await openQueueWorld();
  const dead = await deadProcess(world);
  await world.database.pool.query("update processes set beat_at = now()"); // a moment ago
  await world.lane(await world.account(), 1);
  await world.tasks.claim("jobs", dead, 1);
  await takePlace(world, dead);

  const alone = startProcess(world.database, { isAlone: true });
  await alone.start();

  expect(await world.rows()).toMatchObject([{ process_id: null, losses: 1 }]);
  expect(await placesAndWishes(world)).toEqual([]);
  expect((await alone.list()).map(({ id }) => id)).toEqual([alone.id]);
  await alone.close();
});

test("a process that goes gives back at once what it has, and that is no loss", async () => {
  await using world = await openQueueWorld();
  const going = startProcess(world.database);
  await going.start();
  await world.lane(await world.account(), 1);
  await world.tasks.claim("jobs", going.id, 1);
  await takePlace(world, going.id);

  await going.close();

  expect(await world.rows()).toMatchObject([{ process_id: null, losses: 0 }]);
  expect(await placesAndWishes(world)).toEqual([]);
  expect(await going.list()).toEqual([]);
  expect(going.said).toEqual([]);
});

test("one that was taken for dead comes back, and what it had is no longer its own, also if it gets it again", async () => {
  await using world = await openQueueWorld();
  const revenant = startProcess(world.database);
  const other = startProcess(world.database);
  await Promise.all([revenant.start(), other.start()]);
  await world.lane(await world.account(), 1);
  const [before] = await world.tasks.claim("jobs", revenant.id, 1);
  await world.database.pool.query("update tasks set process_id = $1", [randomUUID()]); // as if it were gone
  await world.database.pool.query("delete from processes where id = $1", [revenant.id]);

  await expect.poll(() => world.rows(), soon).toMatchObject([{ process_id: null, losses: 1 }]);
  await expect.poll(() => revenant.said.join(), soon).toContain("this process was taken for dead");
  expect((await other.list()).map(({ id }) => id).sort()).toEqual([revenant.id, other.id].sort());
  const [again] = await world.tasks.claim("jobs", revenant.id, 1);
  expect(again!.id).toBe(before!.id);
  expect(await world.tasks.complete(world.database.orm, before!, revenant.id)).toBe(false);
  expect(await world.tasks.complete(world.database.orm, again!, revenant.id)).toBe(true);
  await Promise.all([revenant.close(), other.close()]);
});

test("after an outage of the database nobody takes the others for dead, although all of them were silent", async () => {
  await using world = await openQueueWorld();
  const one = openReachable(world.database);
  const other = openReachable(world.database);
  const first = startProcess(one.database);
  const second = startProcess(other.database);
  await Promise.all([first.start(), second.start()]);
  await world.lane(await world.account(), 1);
  await world.tasks.claim("jobs", second.id, 1);
  await pause(TIMING.deadMs + 200); // timing: both watch over one another by now

  one.cut();
  other.cut();
  await hangUpOn(world.database);
  await pause(TIMING.deadMs + 200); // timing: an outage longer than that
  one.restore();
  await expect.poll(() => first.said.at(-1), soon).toBe("queue: the database is back");
  await pause(300); // timing: the other finds it a little later
  other.restore();
  await pause(TIMING.deadMs + 400); // timing: for what must not come

  expect(await world.rows()).toMatchObject([{ process_id: second.id, losses: 0 }]);
  expect(first.said[0]).toContain("no sign of life from here, trying again");
  expect([...first.said, ...second.said].filter((line) => line.includes("dead"))).toEqual([]);
  await Promise.all([first.close(), second.close()]);
  await Promise.all([one.database.close(), other.database.close()]);
});

/** The same database by a way that can be cut. */
function openReachable({ connection }: Database) {
  const database = openDatabase({ connection: { ...connection }, maxConnections: 2 });
  const ways = [database.connection, (database.pool as unknown as { options: pg.PoolConfig }).options];
  const { host } = connection;
  const lead = (to: string) => {
    for (const way of ways) way.host = to;
  };
  return { database, cut: () => lead("/nowhere"), restore: () => lead(host!) };
}

async function hangUpOn({ connection }: Database): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await client.end();
}
