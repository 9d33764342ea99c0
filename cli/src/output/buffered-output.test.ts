import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { outletTo } from "./buffered-output.ts";

test("a few words are seen soon, although nobody says that they are all", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stream = new PassThrough();
  const outlet = outletTo(stream);
  await outlet.print("one ");
  await outlet.print("two");
  expect(stream.read()).toBeNull();
  vi.advanceTimersByTime(100);
  expect(String(stream.read())).toBe("one two");
});

test("what was collected is handed over at the end, whatever the end is", () => {
  const stream = new PassThrough();
  const work = () => {
    using outlet = outletTo(stream);
    void outlet.print("done so far");
    throw new Error("and then it broke");
  };
  expect(work).toThrow("it broke");
  expect(String(stream.read())).toBe("done so far");
});

test("a reader that is slow is waited for", async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  const outlet = outletTo(stream);
  let isPrinted = false;
  const printing = outlet.print("x".repeat(40_000)).then(() => {
    isPrinted = true;
  });
  await nextTurn();
  expect(isPrinted).toBe(false);
  stream.resume();
  await printing;
});
