import { readFileSync } from "node:fs";
import { AUDIT_ACTIONS } from "@mailvet/contract";
import { expect, test } from "vitest";

test("docs/audit-log.md has every action with its text", () => {
  const page = readFileSync(new URL("../../../docs/audit-log.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([\w.]+)` \| ([^|]+) \|/gm)].map(([, action, text]) => [action, text]);
  expect(rows).toEqual(Object.entries(AUDIT_ACTIONS));
});
