import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { METRICS } from "./metric-table.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

/** The names of a histogram's series, the name of any other metric. */
const seriesNames = new Set(
  Object.entries(METRICS).flatMap(([name, { type }]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);

test.each(["ops/prometheus/alerts.yml", "ops/grafana/mailvet.json"])(
  "%s uses existing metrics only",
  (path) => {
    const used = new Set(read(path).match(/mailvet_\w+/g));
    expect(used.size).toBeGreaterThan(4);
    expect([...used].filter((name) => !seriesNames.has(name))).toEqual([]);
  },
);

const RULE_TESTS = fileURLToPath(new URL("../../../ops/prometheus/alerts.test.yml", import.meta.url));
const promtool = spawnSync("promtool", ["test", "rules", RULE_TESTS], { encoding: "utf8" });

test.skipIf(promtool.error)(
  "alerts fire within 15 minutes of a block, and are silent in ordinary operation (skipped without promtool)",
  () => {
    expect(`${promtool.stdout}${promtool.stderr}`).toContain("SUCCESS");
    expect(promtool.status).toBe(0);
  },
);

test("the dashboard shows every metric", () => {
  const dashboard = read("ops/grafana/mailvet.json");
  expect(Object.keys(METRICS).filter((name) => !dashboard.includes(name))).toEqual([]);
});

test("labels in expressions of ops/ are labels of their metric", () => {
  const expressions = `${read("ops/prometheus/alerts.yml")} ${read("ops/grafana/mailvet.json")}`;
  const selectors = [...expressions.matchAll(/(mailvet_\w+)\{(\w+)/g)];
  expect(selectors).not.toEqual([]);
  for (const [, name, label] of selectors) expect(labelsOf(name!), name).toContain(label);
  const groupings = [...expressions.matchAll(/by \(([\w, ]+)\) \([^)]*?(mailvet_\w+)/g)];
  expect(groupings).not.toEqual([]);
  for (const [, grouped, name] of groupings)
    for (const label of grouped!.split(", ")) expect([...labelsOf(name!), "le"], name).toContain(label);
});

function labelsOf(series: string): readonly string[] {
  return METRICS[series.replace(/_(bucket|sum|count)$/, "") as keyof typeof METRICS].labels;
}
