import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Task } from "./task.ts";
import { startWorker, type WorkerDeps } from "./worker.ts";

const TASK = {
  id: 1,
  queue: "slice",
  accountId: "an account",
  failures: 0,
  turn: { retryCount: 0, cost: 10 },
};

/** With one slot, whose task runs until the worker is closed. `during` is called before the first claim is answered. */
function startWith(during: (notify: (queue: string) => void) => void, claimed: Partial<Task>[]) {
  let notify = (_queue: string) => {};
  let [feeds, claims] = [0, 0];
  const deps = {
    database: {},
    boss: {},
    tasks: { postpone: async () => true },
    feed: {
      async feedDue() {
        feeds++;
        return false;
      },
      async claim() {
        await nextTurn();
        if (++claims === 1) during(notify);
        return { tasks: claims === 1 ? claimed : [], isDrained: claims > 1 };
      },
    },
    pubsub: { on: (_channel: string, handler: typeof notify) => (notify = handler), onGap() {} },
    queue: "slice",
    slots: 1,
    handler: (_task: Task, signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    onExhausted: async () => ({}),
    log() {},
  };
  const worker = startWorker(deps as unknown as WorkerDeps);
  const settled = async () => {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    return { feeds, claims };
  };
  return { settled, close: () => worker.close() };
}

test("a task that is announced while a claim fills the last slot is fed, so that the running one can leave it the slot", async () => {
  const worker = startWith((notify) => notify("slice"), [TASK] as Partial<Task>[]);
  expect(await worker.settled()).toEqual({ feeds: 2, claims: 1 });
  await worker.close();
});

test("while all slots are in use nothing is asked without a reason", async () => {
  const worker = startWith(() => {}, [TASK] as Partial<Task>[]);
  expect(await worker.settled()).toEqual({ feeds: 1, claims: 1 });
  await worker.close();
});
