/** The worker: failing tasks, dead letters, an unavailable database, processes that die, and shutdown. */
import { setTimeout as pause } from "node:timers/promises";
import { DrizzleQueryError, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createPubSub } from "../src/db/pubsub.ts";
import { createDeadLetters } from "../src/queue/dead-letters.ts";
import { releaseAll } from "../src/queue/expired-turns.ts";
import type { Feed } from "../src/queue/feed.ts";
import { startQueuePoll } from "../src/queue/queue-poll.ts";
import { MAX_LOSSES } from "../src/queue/run-task.ts";
import type { OnExhausted, Task, TaskHandler } from "../src/queue/task.ts";
import { startWorker } from "../src/queue/worker.ts";
import { openQueueWorld, type QueueWorld } from "./queue-world.ts";
import { recordEvents, withoutHeartbeats } from "./recorded-events.ts";

type Settings = {
  slots?: number;
  feed?: Partial<Feed>;
  onExhausted?: OnExhausted;
  timing?: { heartbeatMs: number; leaseMs: number };
};

/** Long enough that no claim expires on a busy machine, unless a test is about that. */
const PATIENT = { heartbeatMs: 1000, leaseMs: 600_000 };
/** For a test that waits until a lease has expired. */
const SHORT_LEASE = { heartbeatMs: 100, leaseMs: 8000 };

async function start(world: QueueWorld, handler: TaskHandler, settings: Settings = {}) {
  const { slots = 4, onExhausted, timing = PATIENT } = settings;
  const { log, events } = recordEvents();
  const retried: string[] = [];
  const { database, boss, tasks } = world;
  const pubsub = createPubSub(database.connection, { log: () => {} });
  const feed = { ...world.feed, ...settings.feed };
  const worker = startWorker({
    database,
    boss,
    tasks,
    feed,
    pubsub,
    queue: "slice",
    slots,
    handler,
    onExhausted: onExhausted ?? (() => Promise.reject(new Error("unexpected"))),
    countRetry: (queue) => retried.push(queue),
    log,
  });
  const poll = await startQueuePoll({ database, boss, tasks, workers: [worker], timing, log });
  await pubsub.start();
  const close = async (timeoutMs?: number) => {
    await worker.close(timeoutMs);
    await poll.close();
    await pubsub.close();
  };
  return { events, retried, close };
}

/** A handler that only completes its task. */
const completing =
  (world: QueueWorld): TaskHandler =>
  async (task) =>
    void (await world.complete(task));

const soon = { interval: 20 };

test("tasks start as soon as they are added, at most one per slot", async () => {
  await using world = await openQueueWorld();
  const account = await world.account();
  let [claims, running, most, done] = [0, 0, 0, 0];
  const claim: Feed["claim"] = (...asked) => {
    claims++;
    return world.feed.claim(...asked);
  };
  const worker = await start(
    world,
    async (task, signal) => {
      most = Math.max(most, ++running);
      await pause(10); // timing: work takes a while
      await completing(world)(task, signal);
      running--;
      done++;
    },
    { feed: { claim } },
  );
  await expect.poll(() => claims, soon).toBeGreaterThan(0);
  await world.group(account, 40);
  await expect.poll(() => done, soon).toBe(40);
  expect(most).toBe(4);
  expect(await world.rows()).toEqual([]);
  await worker.close();
  expect(withoutHeartbeats(worker.events)).toEqual([]);
});

test("a task that fails is tried five times with back-off, then it is a dead letter with its last error", async () => {
  await using world = await openQueueWorld();
  const account = await world.account();
  const group = await world.group(account, 1);
  let tries = 0;
  const exhausted: Task[] = [];
  const worker = await start(world, () => Promise.reject(new Error(`try ${++tries} went wrong`)), {
    onExhausted: async (_, task) => {
      exhausted.push(task);
      return { rows: [1, 2] };
    },
  });
  await hurryUntilDone(world);

  expect(exhausted).toMatchObject([{ groupId: group, failures: 4 }]);
  expect(worker.retried).toEqual(["slice", "slice", "slice", "slice"]);
  const task = { queue: "slice", subject: "0", group_id: group };
  const failed = (failures: number, retry_in_ms: number) => ({
    event: "task_failed",
    ...task,
    failures,
    max_failures: 5,
    retry_in_ms,
    err: new Error(`try ${failures} went wrong`),
  });
  expect(withoutHeartbeats(worker.events)).toEqual([
    failed(1, 1000),
    failed(2, 5000),
    failed(3, 30_000),
    failed(4, 120_000),
    { event: "task_exhausted", ...task, err: new Error("try 5 went wrong") },
  ]);
  await worker.close();

  const redriven: unknown[] = [];
  const deadLetters = createDeadLetters({
    database: world.database,
    redrives: {
      plan: async () => false,
      action: async () => false,
      recheck: async () => false,
      delivery: async () => false,
      slice: async (_, letter) => redriven.push(letter) === 1,
    },
  });
  const { letters, total } = await deadLetters.list({ skip: 0, limit: 10 });
  expect(total).toBe(1);
  expect(letters).toMatchObject([
    {
      kind: "slice",
      account_id: account,
      group_id: group,
      subject: "0",
      failures: 5,
      losses: 0,
      error: "try 5 went wrong",
    },
  ]);
  await deadLetters.redrive(letters[0]!.id);
  expect(redriven).toMatchObject([
    { queue: "slice", groupId: group, subject: "0", details: { rows: [1, 2] } },
  ]);
  expect((await deadLetters.list({ skip: 0, limit: 10 })).total).toBe(0);
  await expect(deadLetters.redrive(letters[0]!.id)).rejects.toMatchObject({ code: "dead_letter_not_found" });
});

test("a dead letter has no parameters of a statement, and is kept where its error is cut within a character", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  await world.database.pool.query("update tasks set failures = 4");
  const cause = new Error(`${"x".repeat(499)}\u{1f600}`);
  const error = new DrizzleQueryError("insert into accounts values ($1)", ["a-hash"], cause);
  const worker = await start(world, () => Promise.reject(error), { onExhausted: async () => undefined });
  await expect.poll(() => world.rows(), soon).toEqual([]);
  await worker.close();
  const nothing = async () => false;
  const redrives = { plan: nothing, action: nothing, recheck: nothing, delivery: nothing, slice: nothing };
  const deadLetters = createDeadLetters({ database: world.database, redrives });
  const [letter] = (await deadLetters.list({ skip: 0, limit: 10 })).letters;
  expect(letter!.error).toBe(`${"x".repeat(499)}\u{fffd}`);
});

test("a dead letter for which nothing is left to do stays", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  await world.database.pool.query("update tasks set failures = 4");
  const worker = await start(world, () => Promise.reject(new Error("no")), {
    onExhausted: async () => undefined,
  });
  await expect.poll(() => world.rows(), soon).toEqual([]);
  await worker.close();
  const nothing = async () => false;
  const redrives = { plan: nothing, action: nothing, recheck: nothing, delivery: nothing, slice: nothing };
  const deadLetters = createDeadLetters({ database: world.database, redrives });
  const [letter] = (await deadLetters.list({ skip: 0, limit: 10 })).letters;
  await expect(deadLetters.redrive(letter!.id)).rejects.toMatchObject({ code: "dead_letter_obsolete" });
  expect((await deadLetters.list({ skip: 0, limit: 10 })).total).toBe(1);
});

test("a task whose process died three times is a dead letter without another attempt", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  for (let loss = 0; loss < MAX_LOSSES; loss++) await world.lose((await world.claim(1))[0]!);
  let tries = 0;
  const worker = await start(world, async () => void tries++, { onExhausted: async () => undefined });
  await expect.poll(() => world.rows(), soon).toEqual([]);
  expect(tries).toBe(0);
  expect(withoutHeartbeats(worker.events)).toMatchObject([
    { event: "task_exhausted", err: { message: "3 processes died while running this task" } },
  ]);
  await worker.close();
});

test("when the handler of exhausted tasks fails, it is called again later", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  await world.database.pool.query("update tasks set failures = 4");
  let ends = 0;
  const worker = await start(world, () => Promise.reject(new Error("no")), {
    onExhausted: async () => {
      if (++ends === 1) throw new Error("not now");
      return undefined;
    },
  });
  await expect.poll(() => world.rows(), soon).toMatchObject([{ failures: 5, state: "waiting" }]);
  expect(withoutHeartbeats(worker.events).at(-1)).toMatchObject({
    event: "task_exhausted_handler_failed",
    retry_in_ms: 120_000,
    err: new Error("not now"),
  });
  await hurry(world);
  await expect.poll(() => world.rows(), soon).toEqual([]);
  expect(ends).toBe(2);
  await worker.close();
});

test("losing the database during a task does not count as a failure of the task", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  const failures: number[] = [];
  const worker = await start(world, async (task, signal) => {
    failures.push(task.failures);
    if (failures.length > 1) return completing(world)(task, signal);
    await world.database.orm.transaction(async (tx) => {
      await world.tasks.complete(tx, task);
      await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`);
    });
  });
  await expect.poll(() => world.rows(), soon).toEqual([]);
  expect(failures).toEqual([0, 0]);
  expect(withoutHeartbeats(worker.events)).toMatchObject([{ event: "task_interrupted", queue: "slice" }]);
  await worker.close();
});

test("tasks of a claim whose response was lost are released when their heartbeats expire", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 3);
  let claims = 0;
  const claim: Feed["claim"] = async (...asked) => {
    const claimed = await world.feed.claim(...asked);
    if (claimed.tasks.length > 0 && ++claims === 1) throw new Error("Connection terminated unexpectedly");
    return claimed;
  };
  const losses: number[] = [];
  const worker = await start(
    world,
    async (task, signal) => {
      losses.push(task.turn.retryCount);
      await completing(world)(task, signal);
    },
    { feed: { claim }, timing: SHORT_LEASE },
  );
  await expect.poll(() => world.rows(), soon).toEqual([]);
  expect(losses).toEqual([1, 1, 1]);
  await expect
    .poll(() => worker.events, soon)
    .toContainEqual({ event: "expired_tasks_released", queue: "slice", count: 3 });
  await worker.close();
});

test("a running task keeps its claim by heartbeats, and that of a dead process is run by another", async () => {
  await using world = await openQueueWorld();
  const group = await world.group(await world.account(), 2);
  const [lost] = await world.claim(1); // by a process that dies
  let isOver = false;
  const runs: [string, number][] = [];
  const worker = await start(
    world,
    async (task, signal) => {
      runs.push([task.subject, task.turn.retryCount]);
      if (task.id !== lost!.id) await expect.poll(() => isOver, soon).toBe(true); // longer than the lease
      await completing(world)(task, signal);
      isOver = true;
    },
    { timing: SHORT_LEASE },
  );
  await expect.poll(() => world.rows(), { interval: 50 }).toEqual([]);
  expect(runs).toEqual([
    ["1", 0],
    [lost!.subject, 1],
  ]);
  await expect
    .poll(() => withoutHeartbeats(worker.events), soon)
    .toEqual([{ event: "expired_tasks_released", queue: "slice", count: 1 }]);
  expect(await world.complete(lost!)).toBe(false);
  expect(group).toBe(lost!.groupId);
  await worker.close();
});

test("heartbeats of running tasks are sent while the pool is exhausted and a task is being saved", async () => {
  await using world = await openQueueWorld();
  const { pool } = world.database;
  await world.group(await world.account(), 2);
  const running: Task[] = [];
  const worker = await start(
    world,
    async (task, signal) => {
      running.push(task);
      await untilAborted(signal);
    },
    { timing: { heartbeatMs: 50, leaseMs: 600_000 } },
  );
  await expect.poll(() => running.length, soon).toBe(2);
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  const [client, saving] = clients;
  try {
    await saving!.query("begin");
    await saving!.query("select from pgboss.job where id = $1 for update", [running[0]!.turn.id]);
    const renewed = async () => {
      const text = "select id from pgboss.job where heartbeat_on > now() - interval '30 minutes'";
      return (await client!.query<{ id: string }>(text)).rows.map(({ id }) => id);
    };
    const { id } = running[1]!.turn;
    await client!.query("update pgboss.job set heartbeat_on = now() - interval '1 hour' where id = $1", [id]);
    await expect.poll(renewed, soon).toContain(id);
    await saving!.query("rollback");
  } finally {
    for (const one of clients) one.release();
  }
  await worker.close();
});

test("on the embedded database claims that exist at the start are released at once", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  await world.claim(1); // by a process that has died
  const losses: number[] = [];
  await releaseAll({ pool: world.database.pool, boss: world.boss }, () => {});
  const worker = await start(world, async (task, signal) => {
    losses.push(task.turn.retryCount);
    await completing(world)(task, signal);
  });
  await expect.poll(() => world.rows(), soon).toEqual([]);
  expect(losses).toEqual([1]);
  await worker.close();
});

test("a full or read-only database does not count as a failure of the task", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  const codes = ["53100", "25006", "53200", "55P03", "40P01", "53100"]; // one more than the allowed failures
  const failures: number[] = [];
  const worker = await start(world, async (task, signal) => {
    const code = codes[failures.push(task.failures) - 1];
    if (code === undefined) return completing(world)(task, signal);
    await world.database.pool.query(`do $$ begin raise exception 'no' using errcode = '${code}'; end $$`);
  });
  await hurryUntilDone(world);
  expect(failures).toEqual(Array(codes.length + 1).fill(0));
  await worker.close();
});

test("on shutdown handlers can save their work, nothing new is claimed, and the rest is released", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 10);
  const begun: string[] = [];
  const worker = await start(
    world,
    async (task, signal) => {
      begun.push(task.subject);
      if (task.subject === "0") await untilAborted(signal).then(() => completing(world)(task, signal));
      else if (task.subject === "1")
        await pause(60_000, undefined, { signal }); // timing: throws on abort
      else await new Promise(() => {}); // ignores the abort
    },
    { slots: 3 },
  );
  await expect.poll(() => begun.length, soon).toBe(3);

  await worker.close(10_000); // one handler needs all of it

  const rows = await world.rows();
  expect(begun).toHaveLength(3);
  expect(rows).toHaveLength(9);
  expect(rows.filter((row) => row.state === "taken" || row.failures > 0)).toEqual([]);
  const events = withoutHeartbeats(worker.events);
  expect(events).toEqual([{ event: "unfinished_tasks_released", queue: "slice", count: 1 }]);
  expect((await world.claim(20)).map(({ turn }) => turn.retryCount)).toEqual(Array(9).fill(0));
});

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

/** Makes every waiting task due now. */
async function hurry({ database }: QueueWorld): Promise<void> {
  await database.pool.query("update tasks set due_at = now() where state = 'waiting'");
  await database.pool.query("select pg_notify('tasks', 'slice')");
}

/** A retry does not wait for its time. */
async function hurryUntilDone(world: QueueWorld): Promise<void> {
  const rows = async () => {
    await hurry(world);
    return world.rows();
  };
  await expect.poll(rows, soon).toEqual([]);
}
