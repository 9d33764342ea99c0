import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createScheduler } from "./request-scheduler.ts";

/** A clock that stands still unless work takes time, and an event loop that turns when told to. */
function openLoop(costMs: number) {
  let time = 0;
  const turns: (() => void)[] = [];
  const handled: number[] = [];
  const sockets = new Map<number, { destroyed: boolean }>();
  const schedule = createScheduler(
    (request) => {
      handled.push((request as unknown as { n: number }).n);
      time += costMs;
    },
    () => time,
    (work) => turns.push(work),
  );
  return {
    handled,
    arrive: (...requests: number[]) => {
      for (const n of requests) {
        const socket = { destroyed: false };
        sockets.set(n, socket);
        schedule({ n, socket } as unknown as IncomingMessage, {} as ServerResponse);
      }
    },
    hangUp: (n: number) => {
      sockets.get(n)!.destroyed = true;
    },
    turn: () => {
      for (const work of turns.splice(0)) work();
      return turns.length;
    },
  };
}

test("short requests are dispatched on arrival", () => {
  const loop = openLoop(0.1);
  loop.arrive(1, 2, 3);
  expect(loop.handled).toEqual([1, 2, 3]);
  expect(loop.turn()).toBe(0); // nothing is left to do
});

test("when a slice is used up the rest is queued for the next iterations, in order of arrival", () => {
  const loop = openLoop(3);
  loop.arrive(1, 2, 3, 4, 5);
  expect(loop.handled).toEqual([1, 2]);
  loop.turn();
  expect(loop.handled).toEqual([1, 2, 3, 4]);
  loop.arrive(6); // may not overtake 5
  expect(loop.handled).toEqual([1, 2, 3, 4]);
  loop.turn();
  expect(loop.handled).toEqual([1, 2, 3, 4, 5, 6]);
  loop.turn();
  loop.arrive(7);
  expect(loop.handled.at(-1)).toBe(7);
});

test("after a request longer than a slice the others still get theirs", () => {
  const loop = openLoop(50);
  loop.arrive(1, 2, 3);
  for (let n = 1; n <= 3; n++) {
    expect(loop.handled).toHaveLength(n);
    loop.turn();
  }
});

test("a queued request whose client disconnected is dropped", () => {
  const loop = openLoop(50);
  loop.arrive(1, 2, 3);
  loop.hangUp(2);
  loop.turn();
  expect(loop.handled).toEqual([1, 3]);
});

test("a queue that never runs empty keeps its order and drops dispatched requests", () => {
  const loop = openLoop(3);
  let sent = 0;
  loop.arrive(...Array.from({ length: 10 }, () => ++sent));
  for (let turn = 0; turn < 2_000; turn++) {
    loop.arrive(++sent, ++sent);
    loop.turn();
  }
  expect(loop.handled).toEqual(Array.from({ length: loop.handled.length }, (_, index) => index + 1));
  expect(loop.handled.length).toBeGreaterThan(4_000 - 20);
});
