/**
 * Stories once more, with DNS and SMTP in two threads: neither verdicts nor what hosts see depend on it.
 *
 * Those about sessions, limits and knowledge shared between checks, and the whole sample world; all of them with
 * ALL_STORIES=1, which takes minutes.
 */
import { readdirSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { useThreads } from "../stories/story.ts";

const TESTS = new URL("../", import.meta.url);
const SHARED = ["politeness", "connection-cap", "failover", "egress", "identities", "catch-all", "verdicts"];
/** `many` measures the memory of a process with one thread. */
const isChosen = (name: string) => (process.env.ALL_STORIES ? name !== "many" : SHARED.includes(name));
const STORIES = readdirSync(new URL("stories/", TESTS)).filter(
  (file) => file.endsWith(".test.ts") && isChosen(file.slice(0, -".test.ts".length)),
);
const MORE = ["priority.test.ts", "shared-limiter.test.ts", "close-while-waiting.test.ts"];

beforeAll(() => useThreads(2));
afterAll(() => useThreads(0));

for (const file of [...STORIES.map((name) => `stories/${name}`), ...MORE]) {
  // The query makes it a module of its own, whose tests are registered here.
  await import(/* @vite-ignore */ `${new URL(file, TESTS).href}?in-threads`);
}
