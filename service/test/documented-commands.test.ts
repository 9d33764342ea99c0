/**
 * The shell commands of README.md and of the quick starts, run as a reader pastes them: all blocks of a section or page, one after the
 * other in one shell, in a copy of the parts of the repository that they use. `<!-- not run: reason -->` above a block leaves it
 * out.
 */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATOR, openService, type TestService } from "./service.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

let shared: TestService;
let folder: string;
beforeAll(async () => {
  shared = await openService();
  folder = mkdtempSync(join(tmpdir(), "mailvet-documented-"));
  for (const name of ["docs", "cli", "package.json", "node_modules"])
    symlinkSync(join(ROOT, name), join(folder, name));
});
afterAll(async () => {
  await shared[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** What the commands print. A command that fails ends the script. */
async function follow(markdown: string, service: TestService = shared): Promise<string> {
  const { key } = await service.openAccount({ credits: 100, plan: "payg" });
  const blocks = [...markdown.matchAll(/(<!-- not run: [^\n]+ -->\n)?```sh\n(.*?)```/gs)]
    .filter(([, notRun]) => notRun === undefined)
    .map(([, , script = ""]) => script);
  expect(blocks).not.toEqual([]);
  const script = blocks
    .join("\n")
    // A busy database answers too late for one check.
    .replaceAll(/curl (?=.*\/health\/ready)/g, "curl --retry 60 ")
    .replaceAll("http://127.0.0.1:8080", service.url)
    .replaceAll("mv_live_…", key)
    .replaceAll(
      '{"email":"admin@localhost","password":"…"}',
      JSON.stringify(OPERATOR).replaceAll("'", "'\\''"),
    );
  expect(script).toContain(service.url);
  expect(script, "a placeholder that no one fills in").not.toContain("…");
  const env = { ...process.env, MAILVET_API_KEY: key };
  return (await promisify(execFile)("sh", ["-e", "-c", script], { cwd: folder, env })).stdout;
}

const inFolder = (name: string) => readFileSync(join(folder, name), "utf8");

test.skipIf(!hasCurl)("the list of the README goes from file to results", async () => {
  const [, section = ""] = read("README.md").split("### A list, from file to results");
  await follow(section.slice(0, section.indexOf("\n## ")));
  const [header, ...rows] = inFolder("results.csv").trim().split("\r\n");
  expect(header).toMatch(/^name,email,city,mailvet_status,/);
  expect(rows.map((row) => row.split(",")[3])).toEqual(["valid", "invalid", "risky", "unknown"]);
  rmSync(join(folder, "results.csv"));
});

test.skipIf(!hasCurl)("the quick start for developers", async () => {
  const said = await follow(read("docs/start-developer.md"));
  expect(said.match(/"status":"\w+"/g)).toEqual([
    '"status":"valid"',
    '"status":"invalid"',
    '"status":"valid"',
    '"status":"valid"',
    '"status":"risky"',
  ]);
  expect(said).toContain('"duplicate_count":1');
});

test.skipIf(!hasCurl)("the quick start for list owners", async () => {
  const said = await follow(read("docs/start-list-owner.md"));
  expect(said).toContain("Ann,valid@mailvet.test,Rome,valid");
  expect(said).toContain("Bo,mailbox-not-found@mailvet.test,Oslo,invalid,mailbox_not_found");
});

test.skipIf(!hasCurl)("the quick start for operators", async () => {
  const env = { PUBLIC_URL: "https://mailvet.example.com", METRICS_TOKEN: "token-of-the-operator" };
  await using service = await openService({ env });
  const page = read("docs/start-operator.md").replace(/(?<=^METRICS_TOKEN=).+$/m, env.METRICS_TOKEN);
  const said = await follow(page, service);
  expect(inFolder(".env").trim().split("\n")).toEqual([
    "EHLO_NAME=probe.example.com",
    "MAIL_FROM=probe@example.com",
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  ]);
  expect(said).toContain("ready");
  expect(Number(/(\d+)\s*$/.exec(said)?.[1])).toBeGreaterThan(10); // metrics
});

test.skipIf(!hasCurl)("the examples of the API page", async () => {
  const setting = "```sh\nexport MAILVET_API_KEY=mv_live_…\napi=http://127.0.0.1:8080/api/v1\n```\n";
  const said = await follow(setting + read("docs/api.md"));
  expect(said).toContain('"status":"valid"');
  expect(said).toMatch(/x-total-count: \d+/i);
});

test("every block that is not run says why, and no quick start is left out", () => {
  const pages = ["start-developer", "start-list-owner", "start-operator"].map((name) =>
    read(`docs/${name}.md`),
  );
  const reasons = pages.flatMap((page) => page.match(/^<!-- not run: .*$/gm) ?? []);
  expect(reasons.length).toBeLessThan(6);
  for (const reason of reasons) expect(reason).toMatch(/^<!-- not run: .{20,} -->$/);
});
