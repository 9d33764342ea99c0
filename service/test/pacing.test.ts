/** Several processes at the same mail hosts: together they never exceed the session limit, and all are served. */
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createThrottleStore } from "../src/pacing/throttle-store.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { beginHolder } from "./lock-waits.ts";
import { recordEvents } from "./logged-events.ts";
import { hostWith, type PacingProcess, startPacing, visit } from "./pacing-world.ts";

let database: TestDatabase;
let processes: PacingProcess[];
let [api, worker, other] = [] as unknown as [PacingProcess, PacingProcess, PacingProcess];

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  processes = await Promise.all(Array.from({ length: 3 }, () => startPacing(database.connection)));
  [api, worker, other] = processes as [PacingProcess, PacingProcess, PacingProcess];
});
afterEach(() => Promise.all(processes.map((one) => one.close())));

const reply = { code: 554, lines: ["your address is blocked"] };
const poll = (see: () => unknown) => expect.poll(see, { interval: 5 });
const placesIn = async () =>
  (await database.pool.query("select key, process_id from host_leases order by key, number")).rows;

test("sessions of three processes never exceed the limit of a host", async () => {
  const limits = [1, 2, 3, 7];
  const inside = limits.map(() => 0);
  const most = limits.map(() => 0);
  let entered = 0;
  const come = async (one: PacingProcess, place: number) => {
    const pace = one.pace(`host${place}.test`, hostWith(limits[place]!));
    for (let i = 0; i < 6; i++) {
      await pace.acquire();
      entered++;
      most[place] = Math.max(most[place]!, ++inside[place]!);
      await delay(Math.random() * 8);
      inside[place]!--;
      pace.release();
      if (Math.random() < 0.3) await delay(Math.random() * 20);
    }
  };
  const visits = processes.flatMap((one) =>
    limits.flatMap((limit, place) => Array.from({ length: limit + 1 }, () => come(one, place))),
  );
  await Promise.all(visits);
  expect(most).toEqual(limits); // all that is allowed, and no more
  expect(entered).toBe(3 * 6 * (2 + 3 + 4 + 8));
  await poll(placesIn).toEqual([]);
  // A busy machine may lose notifications for a while: leases are then found by polling.
  const events = processes.flatMap((one) => one.events);
  expect(events.filter(({ event }) => !event.startsWith("notifications_"))).toEqual([]);
});

test("an interactive check goes before the list of another process", async () => {
  const [first, second, third] = processes.map((one) => one.pace("busy.test", hostWith(1)));
  await first!.acquire();
  const list = visit(second!);
  await poll(() => first!.hasWaiters).toBe(true);
  expect(first!.hasInteractiveWaiter).toBe(false);
  const interactive = visit(third!, true);
  await poll(() => first!.hasInteractiveWaiter).toBe(true);
  await database.pool.query("update host_waiters set since = now()"); // or the list goes first after ten seconds
  first!.release();
  await poll(() => interactive.isIn).toBe(true);
  expect(list.isIn).toBeUndefined();
  third!.release();
  await poll(() => list.isIn).toBe(true);
});

test("a list that has waited ten seconds goes before interactive checks", async () => {
  const [first, second, third] = processes.map((one) => one.pace("besieged.test", hostWith(1)));
  await first!.acquire();
  const list = visit(second!);
  await poll(() => first!.hasWaiters).toBe(true);
  await database.pool.query("update host_waiters set since = since - interval '11 seconds'");
  const interactive = visit(third!, true);
  await poll(() => first!.hasInteractiveWaiter).toBe(true);
  first!.release();
  await poll(() => list.isIn).toBe(true);
  expect(interactive.isIn).toBeUndefined();
});

test("a busy process cannot take a lease again before another that waits for it", async () => {
  const [busy, patient] = [api.pace("turns.test", hostWith(1)), worker.pace("turns.test", hostWith(1))];
  await busy.acquire();
  const waiting = visit(patient);
  await poll(() => busy.hasWaiters).toBe(true);
  const crowd = Array.from({ length: 4 }, () => visit(busy));
  const served = () => crowd.filter(({ isIn }) => isIn).length;
  busy.release();
  await poll(() => waiting.isIn).toBe(true);
  expect(served()).toBe(0);
  patient.release();
  for (const turn of crowd.keys()) {
    await poll(served).toBe(turn + 1);
    busy.release();
  }
});

test("gaps between sessions apply across processes", async () => {
  const begunAt = performance.now();
  const starts: number[] = [];
  const come = async (one: PacingProcess) => {
    const pace = one.pace("provider giant", hostWith(2, 60));
    for (let i = 0; i < 3; i++) {
      await pace.acquire();
      starts.push(performance.now() - begunAt);
      await delay(5); // timing: a session takes a while
      pace.release();
    }
  };
  await Promise.all(processes.map(come));
  // A start may be reported late, but after this many gaps never early.
  for (const [rests, at] of starts.entries()) expect(at).toBeGreaterThan(rests * 60 - 1);
});

test("a gap begins when the start is granted, however long the row was locked", async () => {
  await database.pool.query(
    `insert into throttle_states (key, "limit", rest_ms) values ('locked.test', 1, 0)`,
  );
  await using holder = await beginHolder(database.pool);
  await holder.query("select from throttle_states where key = 'locked.test' for update", []);
  const visitor = visit(api.pace("locked.test", hostWith(1, 60_000)));
  await holder.untilBlocked(1);
  const { rows } = await holder.query("select clock_timestamp()::text as unlocked_at", []);
  await holder.commit();
  await poll(() => visitor.isIn).toBe(true);
  const kept = await database.pool.query(
    "select next_start_at - $1::timestamptz >= interval '60 seconds' as is_kept from throttle_states where key = 'locked.test'",
    [rows[0].unlocked_at],
  );
  expect(kept.rows).toEqual([{ is_kept: true }]);
});

test("when the limit drops below the sessions in use, none starts before enough have ended", async () => {
  const [full, ...others] = processes.map((one) => one.pace("shrunk.test", hostWith(4)));
  await Promise.all(Array.from({ length: 4 }, () => full!.acquire()));
  await database.pool.query(
    `insert into throttle_states (key, "limit", rest_ms) values ('shrunk.test', 2, 0) returning pg_notify('pace_changed', key)`,
  );
  await poll(() => others.map((pace) => pace.limit)).toEqual([2, 2]);
  const waiting = others.map((pace) => visit(pace));
  const inside = () => waiting.filter((visitor) => visitor.isIn).length;
  await poll(() => full!.hasWaiters).toBe(true);
  for (const left of [3, 2]) {
    full!.release();
    await poll(placesIn).toHaveLength(left);
    await delay(300); // timing: they have polled again
    expect(inside()).toBe(0);
  }
  full!.release();
  await poll(inside).toBe(1);
  full!.release();
  await poll(inside).toBe(2);
});

test("a rate-limit reply in one process halves the limit of all, and successful sessions restore it", async () => {
  const paces = processes.map((one) => one.pace("touchy.test", hostWith(4)));
  const complainedAt = performance.now();
  paces[0]!.record({ kind: "rate_limited" });
  expect(paces[0]!.limit).toBe(2);
  expect(paces[0]!.delayLeftMs).toBeGreaterThan(0);
  await poll(() => paces.map((pace) => pace.limit)).toEqual([2, 2, 2]);
  const first = visit(paces[1]!);
  const second = visit(paces[2]!);
  await poll(() => first.isIn ?? second.isIn).toBe(true);
  expect(performance.now() - complainedAt).toBeGreaterThan(950); // timing: a delay of a second is no less on any machine

  for (let i = 0; i < 5; i++) paces[i % 3]!.record({ kind: "ok" });
  await poll(() => paces.map((pace) => pace.limit)).toEqual([3, 3, 3]);
  await poll(() => [first.isIn, second.isIn]).toEqual([true, true]);
});

test("three refusals in three processes open the breaker for all until it expires", async () => {
  const paces = processes.map((one) => one.pace("stern.test", hostWith(1)));
  const inside = visit(paces[0]!);
  await poll(() => inside.isIn).toBe(true);
  const waiting = visit(paces[1]!);
  for (const pace of paces) pace.record({ kind: "blocked", reply });
  await poll(() => paces.map((pace) => pace.openBreaker?.reply)).toEqual([reply, reply, reply]);
  await poll(() => waiting.isIn).toBe(true); // returns the refusal, without a lease
  paces[1]!.release();
  expect(await placesIn()).toEqual([{ key: "stern.test", process_id: api.id }]);

  await database.pool.query(
    `update throttle_states set tripped_until = now() - interval '1 second' where key = 'stern.test'
     returning pg_notify('pace_changed', key)`,
  );
  await poll(() => paces.map((pace) => pace.openBreaker?.reply)).toEqual([undefined, undefined, undefined]);
  paces[2]!.record({ kind: "blocked", reply }); // still the same
  await poll(() => paces.map((pace) => pace.openBreaker?.reply)).toEqual([reply, reply, reply]);
  paces[2]!.record({ kind: "ok" });
  await poll(() => paces.map((pace) => pace.openBreaker?.reply)).toEqual([undefined, undefined, undefined]);
});

test("a change that is notified while the row is being read is read again", async () => {
  const signals = new EventEmitter();
  const read = once(signals, "read");
  const answer = once(signals, "answer");
  const query = async (...args: Parameters<typeof database.pool.query>) => {
    const result = await database.pool.query(...args);
    signals.emit("read");
    await answer;
    return result;
  };
  const store = createThrottleStore({
    database: { ...database, pool: { query } as unknown as typeof database.pool },
    onChange() {},
    log: recordEvents().log,
  });
  const setLimit = (limit: number) =>
    database.pool.query(
      `insert into throttle_states (key, "limit", rest_ms) values ('late.test', $1, 0)
       on conflict (key) do update set "limit" = excluded."limit"`,
      [limit],
    );
  await setLimit(3);
  store.refresh("late.test");
  await read;
  await setLimit(1);
  store.refresh("late.test");
  signals.emit("answer");
  await poll(() => store.of("late.test")?.limit).toBe(1);
  await store.close();
});

test("a process that starts later knows the throttle state of the others", async () => {
  for (let i = 0; i < 3; i++) api.pace("known.test", hostWith(2)).record({ kind: "blocked", reply });
  await poll(() => worker.pace("known.test", hostWith(2)).openBreaker?.reply).toEqual(reply);
  await using late = await startPacing(database.connection);
  await poll(() => late.pace("known.test", hostWith(2)).openBreaker?.reply).toEqual(reply);
});

test("a cancelled wait leaves no waiter behind", async () => {
  const [first, second, third] = processes.map((one) => one.pace("left.test", hostWith(1)));
  await first!.acquire();
  const leaving = new AbortController();
  const impatient = visit(second!, false, leaving.signal);
  await poll(() => first!.hasWaiters).toBe(true);
  const patient = visit(third!);
  leaving.abort();
  await poll(() => impatient.isIn).toBe(false);
  first!.release();
  await poll(() => patient.isIn).toBe(true);
});

test("leases of a dead process are free once they are deleted", async () => {
  const dead = randomUUID();
  await database.pool.query(
    "insert into host_leases (key, number, process_id) select 'grave.test', n, $1 from generate_series(1, 2) n",
    [dead],
  );
  const heir = visit(other.pace("grave.test", hostWith(2)));
  const waiters = "select from host_waiters where key = 'grave.test'";
  await poll(async () => (await database.pool.query(waiters)).rowCount).toBe(1);
  expect(heir.isIn).toBeUndefined();
  await database.pool.query("delete from host_leases where process_id = $1", [dead]);
  await poll(() => heir.isIn).toBe(true);
});

test("throttle state unused for an hour is deleted everywhere", async () => {
  api.pace("old.test", hostWith(4)).record({ kind: "rate_limited" });
  api.pace("new.test", hostWith(4)).record({ kind: "rate_limited" });
  const limits = () => ["old.test", "new.test"].map((key) => other.pace(key, hostWith(4)).limit);
  await poll(limits).toEqual([2, 2]);
  await database.pool.query(
    `update throttle_states set updated_at = updated_at - interval '2 hours', next_start_at = null where key = 'old.test'`,
  );
  expect(await api.forgetOld()).toBe(1);
  await poll(limits).toEqual([4, 2]);
});
