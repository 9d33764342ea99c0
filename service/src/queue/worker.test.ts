import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Charge } from "./feed.ts";
import type { Occupy, Task, TaskHandler } from "./task.ts";
import { startWorker, type WorkerDeps } from "./worker.ts";

const TASK = {
  id: 1,
  queue: "slice",
  accountId: "an account",
  failures: 0,
  turn: { retryCount: 0, cost: 10 },
};

const untilClosed = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

/** With one slot, whose task runs until the worker is closed. `during` is called before the first claim is answered. */
function startWith(
  during: (notify: (queue: string) => void) => void,
  claimed: Partial<Task>[],
  handler: TaskHandler = (_task, signal) => untilClosed(signal),
) {
  let notify = (_queue: string) => {};
  let [feeds, claims] = [0, 0];
  const charged: Charge[] = [];
  const deps = {
    database: {},
    boss: {},
    tasks: { postpone: async () => true },
    feed: {
      async feedDue() {
        feeds++;
        return false;
      },
      async claim(_queue: string, _count: number, charges: Charge[]) {
        charged.push(...charges);
        await nextTurn();
        if (++claims === 1) during(notify);
        return { tasks: claims === 1 ? claimed : [], isDrained: claims > 1 };
      },
    },
    pubsub: { on: (_channel: string, handler: typeof notify) => (notify = handler), onGap() {} },
    queue: "slice",
    slots: 1,
    handler,
    onExhausted: async () => ({}),
    log() {},
  };
  const worker = startWorker(deps as unknown as WorkerDeps);
  const settled = async () => {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    return { feeds, claims };
  };
  return { settled, charged, close: () => worker.close() };
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

test("a task that takes next to nothing of its slot leaves it to another one, once", async () => {
  const worker = startWith(
    () => {},
    [TASK] as Partial<Task>[],
    (_task, signal, occupy) => {
      for (const share of [0.9, 0.2, 0.1, 0.2]) occupy!(share);
      return untilClosed(signal);
    },
  );
  expect(await worker.settled()).toEqual({ feeds: 2, claims: 2 });
  await worker.close();
});

test("an account is charged for the share of the slot that its task took", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let occupy: Occupy = () => {};
  let end = () => {};
  const worker = startWith(
    () => {},
    [TASK] as Partial<Task>[],
    (_task, _signal, given) => {
      occupy = given!;
      return new Promise((resolve) => {
        end = resolve;
      });
    },
  );
  await worker.settled();
  vi.advanceTimersByTime(5_000);
  occupy(0.2);
  vi.advanceTimersByTime(5_000);
  occupy(0); // an eighth is the least
  vi.advanceTimersByTime(8_000);
  end();
  await worker.settled();
  expect(worker.charged).toEqual([{ accountId: "an account", cost: 10, actual: 70 }]); // tenths of a second
  await worker.close();
});
