import { expect, test } from "vitest";
import { createGroupCommit } from "./group-commit.ts";

/** Commits that end when the test says so, or at once when it says nothing. */
function recorder(
  options: { maxItems?: number; namesOf?: (item: string) => string[]; poison?: string } = {},
) {
  const batches: string[][] = [];
  const group = createGroupCommit<string, string>({
    maxItems: options.maxItems ?? 100,
    namesOf: options.namesOf ?? (() => []),
    isFaultOfOne: (error) => error instanceof RangeError,
    async commit(items) {
      batches.push([...items]);
      await new Promise((resolve) => setTimeout(resolve, 5)); // timing: a commit takes a while
      if (items.includes("database gone")) throw new Error("gone");
      if (options.poison && items.includes(options.poison)) throw new RangeError("poison");
      return items.map((item) => `${item} done`);
    },
  });
  return { group, batches };
}

const letters = (text: string) => text.split("");

test("what arrives during a commit goes together into the next, and each gets its own outcome", async () => {
  const { group, batches } = recorder();
  const first = group.submit("a");
  await new Promise((resolve) => setTimeout(resolve, 3)); // timing: by now a is under way
  const rest = letters("bcd").map((item) => group.submit(item));
  expect(await Promise.all([first, ...rest])).toEqual(["a done", "b done", "c done", "d done"]);
  expect(batches).toEqual([["a"], ["b", "c", "d"]]);
});

test("a commit carries no more than it may", async () => {
  const { group, batches } = recorder({ maxItems: 2 });
  await Promise.all(letters("abcde").map((item) => group.submit(item)));
  expect(batches).toEqual([["a", "b"], ["c", "d"], ["e"]]);
});

test("items that share a name follow one another, and hold up nobody else", async () => {
  const { group, batches } = recorder({ namesOf: (item) => [item.toLowerCase()] });
  await Promise.all(letters("aAbBac").map((item) => group.submit(item)));
  expect(batches).toEqual([["a", "b", "c"], ["A", "B"], ["a"]]);
});

test("one bad item is found and fails alone", async () => {
  const { group, batches } = recorder({ poison: "f" });
  const outcomes = await Promise.allSettled(letters("abcdefgh").map((item) => group.submit(item)));
  const failed = outcomes.map(({ status }) => status === "rejected");
  expect(failed).toEqual(letters("abcdefgh").map((item) => item === "f"));
  expect(batches.length).toBeLessThanOrEqual(7); // by halves, not one by one
});

test("when the whole commit fails, so does everything in it, and the next one is a new start", async () => {
  const { group, batches } = recorder();
  const outcomes = await Promise.allSettled(["a", "database gone", "b"].map((item) => group.submit(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(batches).toHaveLength(1);
  expect(await group.submit("c")).toBe("c done");
});

test("draining waits for everything that was submitted", async () => {
  const { group } = recorder({ maxItems: 1 });
  let done = 0;
  for (const item of letters("abc")) void group.submit(item).then(() => done++);
  await group.drain();
  expect(done).toBe(3);
  await group.drain(); // with nothing to wait for
});
