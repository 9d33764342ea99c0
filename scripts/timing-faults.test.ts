import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { timingFaults } from "./timing-faults.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TREES = ["contract", "engine", "lab", "service", "sdk", "cli", "web", "scripts"];
/** Programs that are run by hand, not tests. */
const PROGRAMS = /^(engine\/test\/real-servers|web\/test\/screenshots)\//;

const SLEEP = 'import { setTimeout as pause } from "node:timers/promises";\n';

test.for([
  ["elapsed", "expect(performance.now() - startedAt).toBeLessThan(500);"],
  ["elapsed", "expect(Date.now() - startedAt).toBeGreaterThanOrEqual(950);"],
  ["elapsed", 'expect(tookMs, "all of it").toBeLessThan(3_000);'],
  ["elapsed", "expect(answer.elapsedMs).toBeLessThan(3_000);"],
  ["elapsed", "const single = performance.now() - startedAt;\nexpect(single * 2).toBeLessThan(list);"],
  ["elapsed", "expect(process.cpuUsage(before).user).toBeLessThan(50_000);"],
  ["elapsed", "expect(count).toBeLessThanOrEqual(\n  (performance.now() - startedAt) / 19 + 1,\n);"],
  ["gives up", "await expect.poll(() => rows(), { timeout: 5_000 }).toEqual([]);"],
  ["gives up", "await expect\n  .poll(() => rows(), { interval: 5, timeout: 59_999 })\n  .toEqual([]);"],
  ["gives up", "await vi.waitFor(() => expect(begun).toBe(1));"],
  ["gives up", "await vi.waitFor(() => expect(begun).toBe(1), 5_000);"],
  ["gives up", "await vi.waitUntil(isBegun, { timeout: 8_000, interval: 5 });"],
  ["gives up", "const soon = { timeout: 10_000, interval: 50 };"],
  ["gives up", 'test("a name", async () => {\n}, 30_000);'],
  ["sleeps", `${SLEEP}await pause(100);`],
  ["sleeps", `${SLEEP}await Promise.race([starting, pause(400, "waiting")]);`],
  ["sleeps", "await new Promise((resolve) => setTimeout(resolve, 500));"],
  ["sleeps", "const later = (ms: number) => new Promise((go) => setTimeout(go, ms));\nawait later(300);"],
  ["sleeps", "await page.waitForTimeout(400);"],
])("a test that %s is refused: %s", ([what, text]) => {
  expect(timingFaults(text!).map((fault) => fault.what)).toEqual([expect.stringContaining(what!)]);
});

test.for([
  "expect(Date.parse(preview.expires_at) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);",
  "expect(connections).toBeLessThanOrEqual(4);",
  "await expect.poll(() => rows()).toEqual([]);",
  "await expect.poll(() => rows(), { interval: 20, timeout: 120_000 }).toEqual([]);",
  "await vi.waitFor(() => expect(begun).toBe(1), PATIENCE);",
  'test("a name", async () => {\n}, 600_000);',
  `${SLEEP}await pause(100); // timing: for an event that must not occur`,
  "// timing: no less on any machine\nexpect(performance.now() - startedAt).toBeGreaterThan(950);",
  "setTimeout(() => controller.abort(), 50);",
  "const { elapsedMs } = outcome;",
])("a test that waits for events is fine: %s", (text) => {
  expect(timingFaults(text)).toEqual([]);
});

test("no test depends on the speed of the machine", () => {
  const files = TREES.flatMap((tree) =>
    readdirSync(join(ROOT, tree), { recursive: true, encoding: "utf8" }).map((name) => join(tree, name)),
  ).filter((path) => /\.test\.ts$|^\w+\/test\/.*\.ts$/.test(path) && !/node_modules|\/dist\//.test(path));
  expect(files.length).toBeGreaterThan(250);
  const faults = files
    .filter((path) => !PROGRAMS.test(path) && path !== "scripts/timing-faults.test.ts")
    .flatMap((path) =>
      timingFaults(readFileSync(join(ROOT, path), "utf8")).map(({ line, what }) => `${path}:${line} ${what}`),
    );
  expect(faults).toEqual([]);
});
