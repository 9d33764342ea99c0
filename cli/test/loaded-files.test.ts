/** What a command loads: a syntax check is short, and loading the rest would take most of its time. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mailvet } from "./command.ts";

/** Names of the files that ran, from V8's coverage. */
async function filesLoadedBy(args: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "mailvet-coverage-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { code, stderr } = await mailvet(args, { env: { ...env, NODE_V8_COVERAGE: folder } });
  expect(code, stderr).toBe(0);
  return readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { result: { url: string }[] };
    return result.map(({ url }) => url.replace(/.*\/node_modules\/|.*\//, ""));
  });
}

const HEAVY =
  /^(?:chunk-(?:network-stages|engine-threads|meaning|mail-policies|clean|job|doctor|mcp|cli-progress)-|tr46\/|tldts\/)/;

test("a syntax check loads neither DNS and SMTP nor the tables for international domains and suffixes", async () => {
  const files = await filesLoadedBy(["check", "john.smith@acme.com", "--level", "syntax"]);
  expect(files).toContain("main.js");
  expect(files.filter((file) => HEAVY.test(file))).toEqual([]);
});

test("a check that needs more loads it", async () => {
  const international = await filesLoadedBy(["check", "ann@bücher.example", "--level", "syntax"]);
  expect(international.some((file) => file.startsWith("tr46/"))).toBe(true);
  const env = { DNS_SERVERS: "127.0.0.1:9", PROBE_TIMEOUT_SECONDS: "1" };
  const network = await filesLoadedBy(["check", "ann@acme.com", "--level", "dns"], env);
  expect(network.some((file) => file.startsWith("chunk-network-stages-"))).toBe(true);
});
