/**
 * The shell commands of all pages, run as a reader pastes them: all blocks of a page, one after the other in one shell, in a copy of
 * the parts of the repository that they use. `<!-- not run: reason -->` above a block leaves it out.
 */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksIn } from "../../scripts/docs-blocks.ts";
import { makeOperatorKey } from "./endpoint-requests.ts";
import { OPERATOR, openService, type TestService } from "./service.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

let shared: TestService;
let folder: string;
beforeAll(async () => {
  shared = await openService({ env: { REACHER_COMPATIBLE: "yes" } });
  folder = mkdtempSync(join(tmpdir(), "mailvet-documented-"));
  for (const name of ["docs", "cli", "package.json", "node_modules"])
    symlinkSync(join(ROOT, name), join(folder, name));
});
afterAll(async () => {
  await shared[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const scripts = blocksIn("sh", "bash").filter(({ notRun }) => notRun === undefined);
const followed = new Set<string>();

/** What the commands of a page print. A command that fails ends the script. `change`: what a reader fills in. */
async function follow(
  page: string,
  { service = shared, change = (script: string) => script } = {},
): Promise<string> {
  followed.add(page);
  const { key, accountId } = await service.openAccount({ credits: 100, plan: "payg" });
  const blocks = scripts.filter((block) => block.page === page).map(({ code }) => code);
  expect(blocks).not.toEqual([]);
  const script = change(blocks.join("\n"))
    // A busy database answers too late for one check.
    .replaceAll(/curl (?=.*\/health\/ready)/g, "curl --retry 60 ")
    .replaceAll(/http:\/\/127\.0\.0\.1:8080|https:\/\/mailvet\.example\.com(?=\/api)/g, service.url)
    .replaceAll("https://example.com/hooks", "http://127.0.0.1:9/hooks")
    .replaceAll("mv_live_…", key)
    .replaceAll(
      '{"email":"admin@localhost","password":"…"}',
      JSON.stringify(OPERATOR).replaceAll("'", "'\\''"),
    );
  expect(script, "a placeholder that no one fills in").not.toContain("…");
  const env = {
    ...process.env,
    api: `${service.url}/api/v1`, // as the quick start sets it
    MAILVET_API_KEY: key,
    MAILVET_OPERATOR_KEY: (await makeOperatorKey(service)).key,
    ACCOUNT: accountId,
  };
  return (await promisify(execFile)("sh", ["-e", "-c", script], { cwd: folder, env })).stdout;
}

const inFolder = (name: string) => readFileSync(join(folder, name), "utf8");

test.skipIf(!hasCurl)("the README goes from a key to the results of a list", async () => {
  expect(await follow("README.md")).toContain('"status":"valid"');
  const [header, ...rows] = inFolder("results.csv").trim().split("\r\n");
  expect(header).toMatch(/^name,email,city,mailvet_status,/);
  expect(rows.map((row) => row.split(",")[3])).toEqual(["valid", "invalid", "risky", "unknown"]);
  rmSync(join(folder, "results.csv"));
});

test.skipIf(!hasCurl)("the quick start for developers", async () => {
  const said = await follow("docs/start-developer.md");
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
  const said = await follow("docs/start-list-owner.md");
  expect(said).toContain("Ann,valid@mailvet.test,Rome,valid");
  expect(said).toContain("Bo,mailbox-not-found@mailvet.test,Oslo,invalid,mailbox_not_found");
});

test.skipIf(!hasCurl)("the quick start for operators", async () => {
  const env = { PUBLIC_URL: "https://mailvet.example.com", METRICS_TOKEN: "token-of-the-operator" };
  await using service = await openService({ env });
  const change = (script: string) => script.replace(/(?<=^METRICS_TOKEN=).+$/m, env.METRICS_TOKEN);
  const said = await follow("docs/start-operator.md", { service, change });
  expect(inFolder(".env").trim().split("\n")).toEqual([
    "EHLO_NAME=probe.example.com",
    "MAIL_FROM=probe@example.com",
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  ]);
  expect(said).toContain("ready");
  expect(Number(/(\d+)\s*$/.exec(said)?.[1])).toBeGreaterThan(10); // metrics
});

test.skipIf(!hasCurl)("the examples of the API page", async () => {
  const said = await follow("docs/api.md");
  expect(said).toContain('"status":"valid"');
  expect(said).toMatch(/x-total-count: \d+/i);
});

test.skipIf(!hasCurl).each([
  ["docs/bulk.md", '"webhook_secret":"'],
  ["docs/mcp.md", '"result":{'],
  ["docs/migrating-from-reacher.md", '"is_reachable":"risky"'],
  ["docs/operating.md", '"key":"mv_test_'],
  ["docs/operator-keys.md", '"amount":10000'],
])("the examples of %s", async (page, expected) => {
  expect(await follow(page)).toContain(expected);
});

test.skipIf(!hasCurl)("every block is run here, or says why not", () => {
  expect(new Set(scripts.map(({ page }) => page))).toEqual(followed);
});
