import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openServerLog } from "./server-log.ts";

const folder = mkdtempSync(join(tmpdir(), "embedded-pg-log-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("the log is appended to across starts, and returns what this start added", () => {
  const path = join(folder, "short.log");
  writeFileSync(path, "yesterday\n");
  using log = openServerLog(path);
  expect(log.sinceOpened()).toBe("");
  writeSync(log.descriptor, "today\n");
  expect(log.sinceOpened()).toBe("today\n");
  writeSync(log.descriptor, `${"x".repeat(10_000)}end\n`);
  expect(log.sinceOpened()).toMatch(/^x{4092}end\n$/);
});

test("a large log is rotated, and one old log is kept", () => {
  const path = join(folder, "long.log");
  for (const sizeBytes of [9_000_000, 10_000_000]) {
    writeFileSync(path, "");
    truncateSync(path, sizeBytes);
    openServerLog(path)[Symbol.dispose]();
    expect(statSync(path).size).toBe(0);
    expect(statSync(`${path}.1`).size).toBe(sizeBytes);
  }
});
