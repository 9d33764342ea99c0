/** Every story once more, with DNS and SMTP in three threads: the verdicts do not depend on it. */
import { readdirSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { useThreads } from "../stories/story.ts";

const STORIES = new URL("../stories/", import.meta.url);

beforeAll(() => useThreads(3));
afterAll(() => useThreads(0));

for (const file of readdirSync(STORIES).filter((name) => name.endsWith(".test.ts"))) {
  // The query makes it a module of its own, whose tests are registered here.
  await import(/* @vite-ignore */ `${new URL(file, STORIES).href}?in-threads`);
}
