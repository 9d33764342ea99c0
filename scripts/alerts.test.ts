/** The alerts of ops/prometheus. They need promtool of the package `prometheus`: without it the test is skipped, and says so. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const TESTS = fileURLToPath(new URL("../ops/prometheus/alerts.test.yml", import.meta.url));

const { error: missing } = spawnSync("promtool", ["--version"]);
if (missing) console.warn(`alerts.test.ts: no promtool here: ${missing.message}`);

test.skipIf(missing)("alerts fire within 15 minutes of a block, and are silent in ordinary operation", () => {
  const { status, stderr } = spawnSync("promtool", ["test", "rules", TESTS], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
