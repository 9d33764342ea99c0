import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

test("without namespaces the benchmark says so and measures ours", async () => {
  const onlyShell = mkdtempSync(join(tmpdir(), "mailvet-path-"));
  onTestFinished(() => rmSync(onlyShell, { recursive: true }));
  symlinkSync(realpathSync("/bin/sh"), join(onlyShell, "sh"));

  const script = fileURLToPath(new URL("../../bench/peers.ts", import.meta.url));
  const args = ["--import", "tsx", script, "--shape", "strict", "--scale", "0.02", "--markdown"];
  const child = spawn(process.execPath, args, { env: { PATH: onlyShell, HOME: onlyShell } });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await once(child, "close");

  expect(stderr).toContain("without peers: no network namespace here");
  expect(stdout).toContain("### one strict host, one connection: 6 addresses");
  for (const name of ["raw client", "mailvet library", "mailvet service", "mailvet CLI"])
    expect(stdout).toContain(`| ${name} |`);
  expect(child.exitCode).toBe(0);
});
