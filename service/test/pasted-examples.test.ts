/** The examples of the Keys page and the TypeScript of the README, run as a reader pastes them. README's Python: scripts/try-python.ts. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { stageLibrary } from "../../scripts/pack.mjs";
import { type Snippet, snippetsFor } from "../../web/src/pages/keys/snippets.ts";
import { openService } from "./service.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test("the examples of the Keys page run with nothing installed", async () => {
  await using service = await openService();
  const { key } = await service.openAccount({ credits: 3 });
  using folder = openFolder();
  const { curl, JavaScript, Python } = snippetsFor(key, service.url);
  const shell = (snippet: Snippet, command: string) =>
    run(folder.path, ["sh", "-e", "-c", `${snippet.shell}\n${command}`]);
  if (hasCurl)
    expect(JSON.parse(await shell(curl, `${curl.code} --silent`))).toMatchObject({ status: "valid" });
  writeFileSync(join(folder.path, "check.mjs"), JavaScript.code);
  expect(await shell(JavaScript, "node check.mjs")).toBe("valid true\n");
  if (spawnSync("python3", ["--version"]).status !== 0) return;
  writeFileSync(join(folder.path, "check.py"), Python.code);
  expect(await shell(Python, "python3 check.py")).toBe("valid True\n");
});

test("the TypeScript of the README runs with the packed SDK", async () => {
  await using service = await openService();
  const { key } = await service.openAccount({ credits: 10 });
  using folder = openFolder();
  for (const workspace of ["sdk", "contract"])
    stageLibrary(workspace, join(folder.path, "node_modules/@mailvet"));
  const [, example = ""] = /```ts\n(.*?)```/s.exec(README) ?? [];
  writeFileSync(join(folder.path, "check.mjs"), at(service.url, example));
  const env = { MAILVET_API_KEY: key };
  expect(await run(folder.path, [process.execPath, "check.mjs"], env)).toMatch(/^valid true\n/);
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
