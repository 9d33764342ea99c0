/** The tests that the security documents name for their promises exist. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

test.each(["SECURITY.md", "docs/threat-model.md"])("every test named in %s exists", (document) => {
  const text = readFileSync(join(ROOT, document), "utf8");
  const tests = [...text.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path]) => path!);
  expect(tests.length).toBeGreaterThan(10);
  expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("every promise in SECURITY.md names a test", () => {
  const [, promises = ""] = readFileSync(join(ROOT, "SECURITY.md"), "utf8").split("## What we promise");
  const items = promises.split(/^- /m).slice(1);
  expect(items.length).toBeGreaterThan(10);
  expect(items.filter((item) => !item.includes(".test.ts`"))).toEqual([]);
});
