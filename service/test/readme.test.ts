/** The README's commands for a list, run as the script that a reader pastes. */
import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openService } from "./service.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test.skipIf(!hasCurl)("the list of the README goes from file to results", async () => {
  const [, section = ""] = readFileSync(join(ROOT, "README.md"), "utf8").split(
    "### A list, from file to results",
  );
  const [, script = ""] = /```sh\n(.*?)```/s.exec(section) ?? [];
  await using service = await openService();
  const { key } = await service.openAccount({ credits: 10 });
  const folder = mkdtempSync(join(tmpdir(), "mailvet-readme-"));
  try {
    mkdirSync(join(folder, "docs"));
    cpSync(join(ROOT, "docs/sample-list.csv"), join(folder, "docs/sample-list.csv"));
    const here = script.replace("http://127.0.0.1:8080", service.url);
    expect(here).toContain(service.url);
    await promisify(execFile)("sh", ["-e", "-c", here], { cwd: folder, env: { ...process.env, KEY: key } });
    const [header, ...rows] = readFileSync(join(folder, "results.csv"), "utf8").trim().split("\r\n");
    expect(header).toMatch(/^name,email,city,mailvet_status,/);
    expect(rows.map((row) => row.split(",")[3])).toEqual(["valid", "invalid", "risky", "unknown"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
