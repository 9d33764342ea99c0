import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LOG_EVENTS } from "./log-events.ts";

const manual = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8");

test("docs/operating.md lists every log event with its level and message", () => {
  const rows = Object.entries(LOG_EVENTS).map(
    ([name, { level, message }]) => `| \`${name}\` | ${level} | ${message} |`,
  );
  const section = manual.slice(manual.indexOf("### Log events"));
  const documented = section.slice(0, section.indexOf("\n## ")).match(/^\| `.*$/gm);
  expect(documented).toEqual(rows);
});
