/** Processes that die, lose their lease or cannot reach the database: what they have leased is released once. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import pg from "pg";
import { expect, test } from "vitest";
import { type Database, openDatabase } from "../src/db/database.ts";
import { processLeases } from "../src/pacing/lease-sql.ts";
import { createProcessRegistry } from "../src/queue/process-registry.ts";
import { openQueueWorld, type QueueWorld } from "./queue-world.ts";
import { recordEvents, withoutHeartbeats } from "./recorded-events.ts";

const TIMING = { heartbeatMs: 50, leaseMs: 4000 };
/** Long enough that no lease expires on a busy machine. */
const PATIENT = { heartbeatMs: 50, leaseMs: 15_000 };
const soon = { interval: 50 };

function startProcess(database: Database, options: { isAlone?: boolean; timing?: typeof TIMING } = {}) {
  const { log, events } = recordEvents();
  const { isAlone = false, timing = TIMING } = options;
  const deps = { database, role: "worker" as const, isAlone, leases: processLeases, log, timing };
  return { ...createProcessRegistry(deps), events };
}

/** A registered process whose last heartbeat was an hour ago. */
async function expiredProcess({ database }: QueueWorld): Promise<string> {
  const id = randomUUID();
  const text = `insert into processes (id, role, host, pid, beat_at)
    values ($1, 'worker', 'elsewhere', 7, now() - interval '1 hour')`;
  await database.pool.query(text, [id]);
  return id;
}

async function takeLease({ database }: QueueWorld, processId: string, key = "mx"): Promise<void> {
  const values = [processId, key];
  await database.pool.query("insert into host_leases (key, number, process_id) values ($2, 1, $1)", values);
  await database.pool.query(
    "insert into host_waiters (key, process_id, is_urgent) values ($2, $1, false)",
    values,
  );
}

async function leasesAndWaiters({ database }: QueueWorld): Promise<string[]> {
  const text = "select process_id from host_leases union all select process_id from host_waiters";
  return (await database.pool.query(text)).rows.map((row) => row.process_id);
}

/** Resolves when this process has sent so many more heartbeats. */
async function heartbeats({ database }: QueueWorld, id: string, count: number): Promise<void> {
  const last = async () =>
    (await database.pool.query("select beat_at::text from processes where id = $1", [id])).rows[0].beat_at;
  for (let n = 0; n < count; n++) await expect.poll(last, soon).not.toBe(await last());
}

/** Resolves when this moment of the database's clock is longer than a lease ago. */
async function leaseTimeAfter({ database }: QueueWorld, moment: string): Promise<void> {
  const text = `select extract(epoch from clock_timestamp() - (${moment}))::float8 * 1000 as age`;
  await expect
    .poll(async () => (await database.pool.query(text)).rows[0].age, soon)
    .toBeGreaterThan(PATIENT.leaseMs);
}

test("host leases of an expired process are released, those of a live process are not", async () => {
  await using world = await openQueueWorld();
  const expired = await expiredProcess(world);
  await takeLease(world, expired);
  const living = startProcess(world.database);
  await living.start();
  await takeLease(world, living.id, "other");

  await expect.poll(() => leasesAndWaiters(world), soon).toEqual([living.id, living.id]);

  expect(await living.list()).toMatchObject([{ id: living.id, host: hostname(), pid: process.pid }]);
  await expect
    .poll(() => withoutHeartbeats(living.events), soon)
    .toEqual([{ event: "process_lease_expired", role: "worker", host: "elsewhere", pid: 7 }]);
  await living.close();
});

test("no process is removed before it had a full lease time to send a heartbeat", async () => {
  await using world = await openQueueWorld();
  const expired = await expiredProcess(world);
  const living = startProcess(world.database, { timing: { heartbeatMs: 50, leaseMs: 60_000 } });
  await living.start();
  await heartbeats(world, living.id, 4); // each of them looks for expired processes
  expect((await living.list()).map(({ id }) => id)).toEqual([expired, living.id]);
  await living.close();
});

test("on the embedded database any other registered process is removed at once", async () => {
  await using world = await openQueueWorld();
  const expired = await expiredProcess(world);
  await world.database.pool.query("update processes set beat_at = now()"); // a moment ago
  await takeLease(world, expired);

  const alone = startProcess(world.database, { isAlone: true });
  await alone.start();

  expect(await leasesAndWaiters(world)).toEqual([]);
  expect((await alone.list()).map(({ id }) => id)).toEqual([alone.id]);
  await alone.close();
});

test("a process that closes releases its leases at once", async () => {
  await using world = await openQueueWorld();
  const going = startProcess(world.database);
  await going.start();
  await takeLease(world, going.id);

  await going.close();

  expect(await leasesAndWaiters(world)).toEqual([]);
  expect(await going.list()).toEqual([]);
  expect(withoutHeartbeats(going.events)).toEqual([]);
});

test("a process whose lease expired registers again", async () => {
  await using world = await openQueueWorld();
  const returning = startProcess(world.database);
  const other = startProcess(world.database);
  await Promise.all([returning.start(), other.start()]);
  await world.database.pool.query("delete from processes where id = $1", [returning.id]);

  await expect.poll(() => returning.events, soon).toContainEqual({ event: "own_lease_expired" });
  expect((await other.list()).map(({ id }) => id).sort()).toEqual([returning.id, other.id].sort());
  await Promise.all([returning.close(), other.close()]);
});

test("after a database outage no lease expires, although no process sent heartbeats", async () => {
  await using world = await openQueueWorld();
  const one = openReachable(world.database);
  const other = openReachable(world.database);
  const first = startProcess(one.database, { timing: PATIENT });
  const second = startProcess(other.database, { timing: PATIENT });
  await Promise.all([first.start(), second.start()]);
  await takeLease(world, second.id);
  await leaseTimeAfter(world, "select max(started_at) from processes"); // from here on, both may remove others

  one.cut();
  other.cut();
  await hangUpOn(world.database);
  await leaseTimeAfter(world, "select max(beat_at) from processes");
  one.restore();
  await expect.poll(() => first.events.at(-1), soon).toEqual({ event: "heartbeat_restored" });
  other.restore(); // finds the database a little later
  await expect.poll(() => second.events.at(-1), soon).toEqual({ event: "heartbeat_restored" });
  const { rows } = await world.database.pool.query("select clock_timestamp()::text as restored_at");
  await leaseTimeAfter(world, `timestamptz '${rows[0].restored_at}'`);
  await Promise.all([heartbeats(world, first.id, 2), heartbeats(world, second.id, 2)]);

  expect(await leasesAndWaiters(world)).toEqual([second.id, second.id]);
  expect(first.events[0]).toMatchObject({ event: "heartbeat_failed", retry_in_ms: expect.any(Number) });
  expect([...first.events, ...second.events].filter(({ event }) => event.includes("expired"))).toEqual([]);
  await Promise.all([first.close(), second.close()]);
  await Promise.all([one.database.close(), other.database.close()]);
});

/** The same database over a connection that can be cut. */
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
