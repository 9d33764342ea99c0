/** The worker: failing tasks, an unavailable database, and shutdown. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createPubSub } from "../src/db/pubsub.ts";
import type { OnExhausted, Task, TaskHandler } from "../src/queue/task.ts";
import type { Tasks } from "../src/queue/tasks.ts";
import { startWorker } from "../src/queue/worker.ts";
import { openQueueWorld, type QueueWorld } from "./queue-world.ts";
import { recordEvents } from "./recorded-events.ts";

const ME = randomUUID();

type Settings = {
  slots?: number;
  tasks?: Partial<Tasks>;
  onExhausted?: OnExhausted;
};

async function start(
  world: QueueWorld,
  slice: TaskHandler,
  { slots = 4, tasks, onExhausted }: Settings = {},
) {
  const { log, events } = recordEvents();
  const pubsub = createPubSub(world.database.connection, { log: () => {} });
  const worker = startWorker({
    database: world.database,
    tasks: { ...world.tasks, ...tasks },
    processes: { id: ME },
    pubsub,
    queue: "jobs",
    slots,
    handlers: { slice },
    onExhausted: onExhausted ?? (() => Promise.reject(new Error("unexpected"))),
    log,
  });
  await pubsub.start();
  const close = async (timeoutMs?: number) => {
    await worker.close(timeoutMs);
    await pubsub.close();
  };
  return { events, close };
}

/** A handler that only completes its task. */
const completing =
  ({ database, tasks }: QueueWorld): TaskHandler =>
  async (task) =>
    void (await tasks.complete(database.orm, task, ME));

const soon = { interval: 20 };

test("tasks start as soon as they are added, at most one per slot", async () => {
  await using world = await openQueueWorld();
  const account = await world.account();
  let [claims, running, most, done] = [0, 0, 0, 0];
  const claim: Tasks["claim"] = (...asked) => {
    claims++;
    return world.tasks.claim(...asked);
  };
  const slice: TaskHandler = async (task, signal) => {
    most = Math.max(most, ++running);
    await pause(10); // timing: work takes a while
    await completing(world)(task, signal);
    running--;
    done++;
  };
  const worker = await start(world, slice, { tasks: { claim } });
  await pause(1100); // timing: at least one poll
  const idleClaims = claims;
  await world.group(account, 40);
  await expect.poll(() => done, soon).toBe(40);
  expect(claims - idleClaims).toBeLessThan(40); // several per claim
  expect(most).toBe(4);
  expect(await world.rows()).toEqual([]);
  await worker.close();
  expect(worker.events).toEqual([]);
});

test("a task that fails is tried five times with back-off, then it is exhausted with its last error", async () => {
  await using world = await openQueueWorld();
  const group = await world.group(await world.account(), 1);
  let tries = 0;
  const exhausted: [Task, Error][] = [];
  const worker = await start(world, () => Promise.reject(new Error(`try ${++tries} went wrong`)), {
    onExhausted: async (...end) => void exhausted.push(end),
  });
  for (const failures of [1, 2, 3, 4]) {
    await expect.poll(() => world.rows(), soon).toMatchObject([{ failures, process_id: null }]);
    await hurry(world);
  }
  await expect.poll(() => world.rows(), soon).toEqual([]);

  expect(exhausted).toMatchObject([[{ groupId: group, failures: 4 }, { message: "try 5 went wrong" }]]);
  const task = { queue: "jobs", kind: "slice", subject: "0", group_id: group };
  const failed = (failures: number, retry_in_ms: number) => ({
    event: "task_failed",
    ...task,
    failures,
    max_failures: 5,
    retry_in_ms,
    err: new Error(`try ${failures} went wrong`),
  });
  expect(worker.events).toEqual([
    failed(1, 1000),
    failed(2, 5000),
    failed(3, 30_000),
    failed(4, 120_000),
    { event: "task_exhausted", ...task, err: new Error("try 5 went wrong") },
  ]);
  await worker.close();
});

test("a task whose process died twenty times is exhausted without another attempt", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  await world.database.pool.query("update tasks set losses = 20");
  let tries = 0;
  const reasons: string[] = [];
  const worker = await start(world, async () => void tries++, {
    onExhausted: async (_task, error) => void reasons.push(error.message),
  });
  await expect.poll(() => world.rows(), soon).toEqual([]);
  expect([tries, reasons]).toEqual([0, ["20 processes died while running this task"]]);
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
    },
  });
  await expect.poll(() => world.rows(), soon).toMatchObject([{ failures: 5, process_id: null }]);
  expect(worker.events.at(-1)).toMatchObject({
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
      await world.tasks.complete(tx, task, ME);
      await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`);
    });
  });
  await expect.poll(() => world.rows(), soon).toEqual([]);
  expect(failures).toEqual([0, 0]);
  expect(worker.events).toMatchObject([{ event: "task_interrupted", kind: "slice" }]);
  await worker.close();
});

test("tasks of a claim whose response was lost are released", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 3);
  let claims = 0;
  const done: string[] = [];
  const worker = await start(
    world,
    async (task, signal) => {
      done.push(task.subject);
      await completing(world)(task, signal);
    },
    {
      tasks: {
        async claim(...asked) {
          const claimed = await world.tasks.claim(...asked);
          if (++claims === 1) throw new Error("Connection terminated unexpectedly");
          return claimed;
        },
      },
    },
  );
  await expect.poll(() => done.sort(), soon).toEqual(["0", "1", "2"]);
  expect(worker.events).toMatchObject([
    { event: "task_claim_failed", queue: "jobs", err: { message: "Connection terminated unexpectedly" } },
    { event: "orphaned_tasks_released", queue: "jobs", count: 3 },
  ]);
  await worker.close();
});

test("a task postponed by a commit whose confirmation was lost is claimed again, and that claim holds", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  let [tries, claims] = [0, 0];
  let isFirstOver = false;
  const completed: boolean[] = [];
  const worker = await start(
    world,
    async (task) => {
      if (++tries === 1) {
        await world.tasks.postpone(world.database.orm, task, ME, {});
        await expect.poll(() => tries, soon).toBe(2); // it is due, and a slot is free
        throw new Error("Connection terminated unexpectedly"); // instead of the confirmation
      }
      await expect.poll(() => isFirstOver, soon).toBe(true);
      const before = claims;
      await expect.poll(() => claims, soon).toBeGreaterThan(before + 1); // orphaned tasks were released in between
      completed.push(await world.tasks.complete(world.database.orm, task, ME));
    },
    {
      tasks: {
        async claim(...asked) {
          claims++;
          if (isFirstOver && claims % 2 === 0) throw new Error("Connection terminated unexpectedly");
          return world.tasks.claim(...asked);
        },
        async postpone(...asked) {
          const answer = await world.tasks.postpone(...asked);
          setTimeout(() => (isFirstOver = true), 50);
          return answer;
        },
      },
    },
  );
  await expect.poll(() => completed, { interval: 20 }).toEqual([true]);
  expect(tries).toBe(2);
  expect(worker.events).not.toContainEqual(expect.objectContaining({ event: "orphaned_tasks_released" }));
  await worker.close();
});

test("a full or read-only database does not count as a failure of the task", async () => {
  await using world = await openQueueWorld();
  await world.group(await world.account(), 1);
  const codes = ["53100", "25006", "53200", "55P03", "40P01", "53100"]; // one more than the allowed failures
  let tries = 0;
  const worker = await start(world, async (task, signal) => {
    const code = codes[tries++];
    if (code === undefined) return completing(world)(task, signal);
    await world.database.pool.query(`do $$ begin raise exception 'no' using errcode = '${code}'; end $$`);
  });
  for (const { length } of codes.map((_, index) => codes.slice(0, index + 1))) {
    await expect.poll(() => tries, soon).toBe(length);
    await expect.poll(() => world.rows(), soon).toMatchObject([{ failures: 0, process_id: null }]);
    await hurry(world);
  }
  await expect.poll(() => world.rows(), soon).toEqual([]);
  await worker.close();
});

test("a worker claims only the kinds it has handlers for and leaves others to a newer version", async () => {
  await using world = await openQueueWorld();
  const group = await world.group(await world.account(), 0);
  await world.tasks.add(world.database.orm, [
    { groupId: group, kind: "plan", subject: "new" },
    { groupId: group, kind: "slice", subject: "known" },
  ]);
  const done: string[] = [];
  const worker = await start(world, async (task, signal) => {
    done.push(task.subject);
    await completing(world)(task, signal);
  });
  await expect.poll(() => done, soon).toEqual(["known"]);
  await pause(100); // timing: for an event that must not occur
  expect(await world.rows()).toMatchObject([{ failures: 0, process_id: null }]);
  expect(worker.events).toEqual([]);
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

  await worker.close(3000);

  const rows = await world.rows();
  expect(begun).toHaveLength(3);
  expect(rows).toHaveLength(9);
  expect(rows.filter((row) => row.process_id !== null || row.failures + row.losses > 0)).toEqual([]);
  expect(worker.events).toEqual([{ event: "unfinished_tasks_released", queue: "jobs", count: 1 }]);
});

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

/** Makes every task due now. */
async function hurry({ database }: QueueWorld): Promise<void> {
  await database.pool.query("update tasks set due_at = now()");
  await database.pool.query("select pg_notify('tasks', 'jobs')");
}
