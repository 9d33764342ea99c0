/** Every story once more, with DNS and SMTP in three threads: neither verdicts nor what hosts see depend on it. */
import { readdirSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { useThreads } from "../stories/story.ts";

const TESTS = new URL("../", import.meta.url);
/** Measures the memory of a process with one thread. */
const NOT_THESE = ["many.test.ts"];
const STORIES = readdirSync(new URL("stories/", TESTS)).filter(
  (name) => name.endsWith(".test.ts") && !NOT_THESE.includes(name),
);
const MORE = ["priority.test.ts", "shared-limiter.test.ts", "close-while-waiting.test.ts"];

beforeAll(() => useThreads(3));
afterAll(() => useThreads(0));

for (const file of [...STORIES.map((name) => `stories/${name}`), ...MORE]) {
  // The query makes it a module of its own, whose tests are registered here.
  await import(/* @vite-ignore */ `${new URL(file, TESTS).href}?in-threads`);
}
