import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { bufferOutputTo } from "./buffered-output.ts";

test("text is flushed after 100 ms without an explicit flush", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stream = new PassThrough();
  const output = bufferOutputTo(stream);
  await output.print("one ");
  await output.print("two");
  expect(stream.read()).toBeNull();
  vi.advanceTimersByTime(100);
  expect(String(stream.read())).toBe("one two");
});

test("buffered text is flushed on disposal, also after an error", () => {
  const stream = new PassThrough();
  const work = () => {
    using output = bufferOutputTo(stream);
    void output.print("done so far");
    throw new Error("work failed");
  };
  expect(work).toThrow("work failed");
  expect(String(stream.read())).toBe("done so far");
});

test("print waits for a slow reader", async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  const output = bufferOutputTo(stream);
  let isPrinted = false;
  const printing = output.print("x".repeat(40_000)).then(() => {
    isPrinted = true;
  });
  await nextTurn();
  expect(isPrinted).toBe(false);
  stream.resume();
  await printing;
});
