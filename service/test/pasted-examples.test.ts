/**
 * The examples of the Keys page, and the JavaScript and TypeScript of all pages, run as a reader pastes them. Python: scripts/try-python.ts.
 */
import { execFile, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Lab, mailDomain, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { moduleOf, pagesWithModules } from "../../scripts/docs-blocks.ts";
import { stageLibrary } from "../../scripts/pack.mjs";
import { type Snippet, snippetsFor } from "../../web/src/pages/keys/snippets.ts";
import { makeOperatorKey } from "./endpoint-requests.ts";
import { openService, type TestService } from "./service.ts";

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

let lab: Lab;
let service: TestService;
beforeAll(async () => {
  lab = await openLab({ "example.com": mailDomain({ users: ["ann", "bob"] }) });
  service = await openService({ lab });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

test.each(pagesWithModules().filter((page) => page !== "README.md"))(
  "the JavaScript and TypeScript of %s runs",
  async (page) => {
    using folder = openFolder();
    chmodSync(folder.path, 0o755); // as root, PostgreSQL runs as another user, who needs access
    symlinkSync(join(ROOT, "node_modules"), join(folder.path, "node_modules"));
    writeFileSync(join(folder.path, "package.json"), '{"type":"module"}');
    cpSync(join(ROOT, "docs/sample-list.csv"), join(folder.path, "people.csv"));
    writeFileSync(join(folder.path, "page.ts"), `${onThisMachine(moduleOf(page))}process.exit(0);\n`);
    const env = {
      MAILVET_API_KEY: (await service.openAccount()).key,
      MAILVET_OPERATOR_KEY: (await makeOperatorKey(service)).key,
    };
    await run(folder.path, [process.execPath, "--import", "tsx", "page.ts"], env);
  },
);

/** With the service, the name servers and the mail servers that are there. */
function onThisMachine(code: string): string {
  return code
    .replaceAll(/http:\/\/127\.0\.0\.1:8080|https:\/\/mailvet\.example\.com/g, service.url)
    .replaceAll(
      'mailFrom: "probe@example.com",',
      `$& dnsServers: ["${lab.nameServer}"], smtpPort: ${lab.smtpPort}, egressAllow: ["127.0.0.0/8"],`,
    )
    .replace(/^await mailvet\.close\(\); \/\/ at the end of the program.*$/m, "") // the next block uses it
    .replace(".listen(3000)", ".listen(0)");
}

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
