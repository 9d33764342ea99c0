/** The examples of the README and of the Keys page, run as a reader pastes them. Those in Python: scripts/try-python.ts. */
import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { stageLibrary } from "../../scripts/pack.mjs";
import { snippetsFor } from "../../web/src/pages/keys/snippets.ts";
import { openService } from "./service.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test.skipIf(!hasCurl)("the list of the README goes from file to results", async () => {
  const [, section = ""] = README.split("### A list, from file to results");
  const [, script = ""] = /```sh\n(.*?)```/s.exec(section) ?? [];
  await using service = await openService();
  const { key } = await service.openAccount({ credits: 10 });
  using folder = openFolder();
  mkdirSync(join(folder.path, "docs"));
  cpSync(join(ROOT, "docs/sample-list.csv"), join(folder.path, "docs/sample-list.csv"));
  await run(folder.path, ["sh", "-e", "-c", at(service.url, script)], { MAILVET_API_KEY: key });
  const [header, ...rows] = readFileSync(join(folder.path, "results.csv"), "utf8").trim().split("\r\n");
  expect(header).toMatch(/^name,email,city,mailvet_status,/);
  expect(rows.map((row) => row.split(",")[3])).toEqual(["valid", "invalid", "risky", "unknown"]);
});

test.skipIf(!hasCurl)("the curl command of the Keys page runs after its set-up", async () => {
  await using service = await openService();
  const { key } = await service.openAccount({ credits: 1 });
  using folder = openFolder();
  const { shell, code } = snippetsFor(key, service.url).curl;
  const output = await run(folder.path, ["sh", "-e", "-c", `${shell}\n${code} --silent`]);
  expect(JSON.parse(output)).toMatchObject({ status: "valid" });
});

test("the TypeScript of the Keys page and of the README runs with the packed SDK", async () => {
  await using service = await openService();
  const { key } = await service.openAccount({ credits: 10 });
  using folder = openFolder();
  for (const workspace of ["sdk", "contract"])
    stageLibrary(workspace, join(folder.path, "node_modules/@mailvet"));
  const { shell, code } = snippetsFor(key, service.url).TypeScript;
  const [install, setKey] = shell.split("\n");
  expect(install).toBe("npm install @mailvet/sdk"); // from a registry; here it is already in place
  const [, example = ""] = /```ts\n(.*?)```/s.exec(README) ?? [];
  for (const text of [code, at(service.url, example)]) {
    writeFileSync(join(folder.path, "check.mjs"), text);
    expect(await run(folder.path, ["sh", "-e", "-c", `${setKey}\nnode check.mjs`])).toMatch(/^valid true\n/);
  }
});

/** The example with the URL of the service that is there. */
function at(url: string, example: string): string {
  expect(example).toContain("http://127.0.0.1:8080");
  return example.replace("http://127.0.0.1:8080", url);
}

async function run(cwd: string, [program = "", ...args]: string[], env: Record<string, string> = {}) {
  const { MAILVET_API_KEY: _, ...inherited } = process.env;
  const { stdout } = await promisify(execFile)(program, args, { cwd, env: { ...inherited, ...env } });
  return stdout;
}

function openFolder() {
  const path = mkdtempSync(join(tmpdir(), "mailvet-readme-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}
