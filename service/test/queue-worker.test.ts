/** A worker at work: what it does with tasks that fail, a database that goes away, and the word to stop. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createPubSub } from "../src/db/pubsub.ts";
import type { Task, Tasks } from "../src/queue/tasks.ts";
import { type Handler, startWorker } from "../src/queue/worker.ts";
import { openQueueWorld, type QueueWorld } from "./queue-world.ts";

const ME = randomUUID();

type Settings = {
  slots?: number;
  tasks?: Partial<Tasks>;
  giveUp?: (task: Task, error: Error) => Promise<void>;
};

async function employ(world: QueueWorld, slice: Handler, { slots = 4, tasks, giveUp }: Settings = {}) {
  const said: string[] = [];
  const notices = createPubSub(world.database.connection, { log: () => {} });
  const worker = startWorker({
    database: world.database,
    tasks: { ...world.tasks, ...tasks },
    processes: { id: ME },
    notices,
    line: "jobs",
    slots,
    handlers: { slice },
    giveUp: giveUp ?? (() => Promise.reject(new Error("not to be given up"))),
    say: (line) => said.push(line),
  });
  await notices.start();
  const close = async (patienceMs?: number) => {
    await worker.close(patienceMs);
    await notices.close();
  };
  return { said, close };
}

/** A handler that does nothing but complete its task. */
const completing =
  ({ database, tasks }: QueueWorld): Handler =>
  async (task) =>
    void (await tasks.complete(database.orm, task, ME));

const soon = { interval: 20 };

test("tasks are begun as soon as they are there, a few at a time", async () => {
  await using world = await openQueueWorld();
  const account = await world.account();
  let [claims, inHand, most, done] = [0, 0, 0, 0];
  const claim: Tasks["claim"] = (...asked) => {
    claims++;
    return world.tasks.claim(...asked);
  };
  const slice: Handler = async (task, signal) => {
    most = Math.max(most, ++inHand);
    await pause(10); // timing: work takes a while
    await completing(world)(task, signal);
    inHand--;
    done++;
  };
  const worker = await employ(world, slice, { tasks: { claim } });
  await pause(1100); // timing: at least one look of its own
  const idleClaims = claims;
  await world.lane(account, 40);
  await expect.poll(() => done, soon).toBe(40);
  expect(claims - idleClaims).toBeLessThan(40); // several at a time
  expect(most).toBe(4);
  expect(await world.rows()).toEqual([]);
  await worker.close();
  expect(worker.said).toEqual([]);
});

test("a task that fails is tried five times with growing rests, and then given up with its last error", async () => {
  await using world = await openQueueWorld();
  const lane = await world.lane(await world.account(), 1);
  let tries = 0;
  const given: [Task, Error][] = [];
  const worker = await employ(world, () => Promise.reject(new Error(`try ${++tries} went wrong`)), {
    giveUp: async (...end) => void given.push(end),
  });
  for (const failures of [1, 2, 3, 4]) {
    await expect.poll(() => world.rows(), soon).toMatchObject([{ failures, process_id: null }]);
    await hurry(world);
  }
  await expect.poll(() => world.rows(), soon).toEqual([]);

  expect(given).toMatchObject([[{ laneId: lane, failures: 4 }, { message: "try 5 went wrong" }]]);
  const name = `jobs: slice 0 of ${lane}`;
  expect(worker.said).toEqual([
    `${name} failed (1 of 5), again in 1 s: try 1 went wrong`,
    `${name} failed (2 of 5), again in 5 s: try 2 went wrong`,
    `${name} failed (3 of 5), again in 30 s: try 3 went wrong`,
    `${name} failed (4 of 5), again in 120 s: try 4 went wrong`,
    `${name} is given up: try 5 went wrong`,
  ]);
  await worker.close();
});

test("a task that took twenty processes along is given up without another try", async () => {
  await using world = await openQueueWorld();
  await world.lane(await world.account(), 1);
  await world.database.pool.query("update tasks set losses = 20");
  let tries = 0;
  const given: string[] = [];
  const worker = await employ(world, async () => void tries++, {
    giveUp: async (_task, error) => void given.push(error.message),
  });
  await expect.poll(() => world.rows(), soon).toEqual([]);
  expect([tries, given]).toEqual([0, ["20 processes died while they worked on it"]]);
  await worker.close();
});

test("when giving up fails too, the task rests and is given up later", async () => {
  await using world = await openQueueWorld();
  await world.lane(await world.account(), 1);
  await world.database.pool.query("update tasks set failures = 4");
  let ends = 0;
  const worker = await employ(world, () => Promise.reject(new Error("no")), {
    giveUp: async () => {
      if (++ends === 1) throw new Error("not now");
    },
  });
  await expect.poll(() => world.rows(), soon).toMatchObject([{ failures: 5, process_id: null }]);
  expect(worker.said.at(-1)).toContain("could not be given up, again in 120 s: not now");
  await hurry(world);
  await expect.poll(() => world.rows(), soon).toEqual([]);
  expect(ends).toBe(2);
  await worker.close();
});

test("a database that goes away in the middle of a task does not count against the task", async () => {
  await using world = await openQueueWorld();
  await world.lane(await world.account(), 1);
  const failures: number[] = [];
  const worker = await employ(world, async (task, signal) => {
    failures.push(task.failures);
    if (failures.length > 1) return completing(world)(task, signal);
    await world.database.orm.transaction(async (tx) => {
      await world.tasks.complete(tx, task, ME);
      await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`);
    });
  });
  await expect.poll(() => world.rows(), soon).toEqual([]);
  expect(failures).toEqual([0, 0]);
  expect(worker.said).toEqual([expect.stringContaining("the database is away, trying again")]);
  await worker.close();
});

test("tasks whose claim was never answered are not stuck in our name", async () => {
  await using world = await openQueueWorld();
  await world.lane(await world.account(), 3);
  let claims = 0;
  const done: string[] = [];
  const worker = await employ(
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
  expect(worker.said).toEqual([
    "jobs: claiming failed, trying again: Connection terminated unexpectedly",
    "jobs: tasks in our name but not in hand, waiting again: 3",
  ]);
  await worker.close();
});

test("a task put off by a commit that nobody heard of is begun anew, and nobody takes it away again", async () => {
  await using world = await openQueueWorld();
  await world.lane(await world.account(), 1);
  let [tries, claims] = [0, 0];
  let isFirstOver = false;
  const completed: boolean[] = [];
  const worker = await employ(
    world,
    async (task) => {
      if (++tries === 1) {
        await world.tasks.postpone(world.database.orm, task, ME, {});
        await expect.poll(() => tries, soon).toBe(2); // it was due, and there was a free slot
        throw new Error("Connection terminated unexpectedly"); // instead of the answer
      }
      await expect.poll(() => isFirstOver, soon).toBe(true);
      const before = claims;
      await expect.poll(() => claims, soon).toBeGreaterThan(before + 1); // strays were looked for
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
  expect(worker.said.join()).not.toContain("not in hand");
  await worker.close();
});

test("a database that is full, or takes no writes for a while, does not count against a task either", async () => {
  await using world = await openQueueWorld();
  await world.lane(await world.account(), 1);
  const codes = ["53100", "25006", "53200", "55P03", "40P01", "53100"]; // one more than a task may fail
  let tries = 0;
  const worker = await employ(world, async (task, signal) => {
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

test("a worker takes only what it knows how to do: the rest is for those of a newer version", async () => {
  await using world = await openQueueWorld();
  const lane = await world.lane(await world.account(), 0);
  await world.tasks.add(world.database.orm, [
    { laneId: lane, kind: "plan", subject: "new" },
    { laneId: lane, kind: "slice", subject: "known" },
  ]);
  const done: string[] = [];
  const worker = await employ(world, async (task, signal) => {
    done.push(task.subject);
    await completing(world)(task, signal);
  });
  await expect.poll(() => done, soon).toEqual(["known"]);
  await pause(100); // timing: for what must not come
  expect(await world.rows()).toMatchObject([{ failures: 0, process_id: null }]);
  expect(worker.said).toEqual([]);
  await worker.close();
});

test("told to stop, a worker lets handlers save what they have, takes nothing new, and gives back the rest", async () => {
  await using world = await openQueueWorld();
  await world.lane(await world.account(), 10);
  const begun: string[] = [];
  const worker = await employ(
    world,
    async (task, signal) => {
      begun.push(task.subject);
      if (task.subject === "0") await untilAborted(signal).then(() => completing(world)(task, signal));
      else if (task.subject === "1")
        await pause(60_000, undefined, { signal }); // timing: throws when it is told
      else await new Promise(() => {}); // hears nothing
    },
    { slots: 3 },
  );
  await expect.poll(() => begun.length, soon).toBe(3);

  await worker.close(3000);

  const rows = await world.rows();
  expect(begun).toHaveLength(3);
  expect(rows).toHaveLength(9);
  expect(rows.filter((row) => row.process_id !== null || row.failures + row.losses > 0)).toEqual([]);
  expect(worker.said).toEqual(["jobs: tasks not finished in time, waiting again: 1"]);
});

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

/** What rests is due now. */
async function hurry({ database }: QueueWorld): Promise<void> {
  await database.pool.query("update tasks set due_at = now()");
  await database.pool.query("select pg_notify('tasks', 'jobs')");
}
