import { expect, test } from "vitest";
import { createBatcher } from "./batcher.ts";

/** A batcher whose batches take some milliseconds, and the batches it ran. */
function recorder(
  options: { maxItems?: number; keysOf?: (item: string) => string[]; gate?: Promise<void> } = {},
) {
  const batches: string[][] = [];
  const batcher = createBatcher<string, string>({
    maxItems: options.maxItems ?? 100,
    keysOf: options.keysOf ?? (() => []),
    async run(items) {
      batches.push([...items]);
      await new Promise((resolve) => setTimeout(resolve, 5)); // timing: a batch takes some time
      await options.gate;
      if (items.includes("database gone")) throw new Error("gone");
      return items.map((item) => `${item} done`);
    },
  });
  return { batcher, batches };
}

const letters = (text: string) => text.split("");

test("items that arrive during a batch go together into the next, and each gets its own result", async () => {
  let open = () => {};
  const { batcher, batches } = recorder({ gate: new Promise((resolve) => (open = resolve)) });
  const first = batcher.submit("a");
  await expect.poll(() => batches, { interval: 1 }).toEqual([["a"]]);
  const rest = letters("bcd").map((item) => batcher.submit(item));
  open();
  expect(await Promise.all([first, ...rest])).toEqual(["a done", "b done", "c done", "d done"]);
  expect(batches).toEqual([["a"], ["b", "c", "d"]]);
});

test("a batch has at most maxItems", async () => {
  const { batcher, batches } = recorder({ maxItems: 2 });
  await Promise.all(letters("abcde").map((item) => batcher.submit(item)));
  expect(batches).toEqual([["a", "b"], ["c", "d"], ["e"]]);
});

test("items that share a key go into successive batches without delaying others", async () => {
  const { batcher, batches } = recorder({ keysOf: (item) => [item.toLowerCase()] });
  await Promise.all(letters("aAbBac").map((item) => batcher.submit(item)));
  expect(batches).toEqual([["a", "b", "c"], ["A", "B"], ["a"]]);
});

test("when a batch fails so do all its items, and the next batch is not affected", async () => {
  const { batcher, batches } = recorder();
  const outcomes = await Promise.allSettled(["a", "database gone", "b"].map((item) => batcher.submit(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(batches).toHaveLength(1);
  expect(await batcher.submit("c")).toBe("c done");
});

test("flush waits for everything that was submitted", async () => {
  const { batcher } = recorder({ maxItems: 1 });
  let done = 0;
  for (const item of letters("abc")) void batcher.submit(item).then(() => done++);
  await batcher.flush();
  expect(done).toBe(3);
  await batcher.flush(); // nothing is left
});
