/** Stories of the command line with a service elsewhere, which a scripted stranger plays. */
import type { Account, BulkItem, ValidationResult } from "@mailvet/contract";
import { reportOf } from "@mailvet/engine";
import { expect, test } from "vitest";
import {
  emailsIn,
  json,
  type Line,
  openScriptedService,
  problem,
  validatesAll,
} from "../../sdk/test/scripted-service.ts";
import { jsonLines, mailvet, startMailvet } from "./command.ts";

const KEY = "mv_live_visible_to_nobody";

const ELSEWHERE = { MAILVET_SERVICE: "http://127.0.0.1:1", MAILVET_API_KEY: "mv_live_of_another" };
const envOf = ({ url }: { url: string }) => ({ MAILVET_SERVICE: url, MAILVET_API_KEY: KEY });

const resultOf = (email: string): ValidationResult =>
  reportOf({ email }, { requestId: "1", planTier: "payg", responseTimeMs: 1, checkedAtMs: 0, cached: false });

test("one address is asked for in full, with the credits that are left; flags win over the environment", async () => {
  const result = resultOf("ann@shop.io");
  await using service = await openScriptedService(json(result, { "x-credits-remaining": "12345" }));
  const [card, line] = await Promise.all([
    mailvet(["check", "ann@shop.io", "--service", `${service.url}/`, "--api-key", KEY], { env: ELSEWHERE }),
    mailvet(["check", "--json", "ann@shop.io"], { env: envOf(service) }),
  ]);
  expect(card).toMatchObject({ code: 0, stderr: "12,345 credits left\n" });
  expect(card.stdout).toMatch(/^. .* ann@shop\.io\n {2}reason/);
  expect(jsonLines(line.stdout)).toEqual([result]);
  expect(service.heard.map(({ url, headers }) => [url, headers["x-api-key"]])).toEqual(
    Array(2).fill(["/api/v1/validation/single", KEY]),
  );
});

test("a list goes in requests of a thousand and keeps its order and its repetitions", async () => {
  await using service = await openScriptedService(validatesAll({ "x-credits-remaining": "7" }));
  const emails = Array.from({ length: 2_500 }, (_, i) => `ann${i % 2_400}@shop.io`);
  const input = `${emails.join("\n")}\n`;
  const [items, lines] = await Promise.all([
    mailvet(["check", "--json", "--file", "-"], { env: envOf(service), input }),
    mailvet(["check", "--file", "-"], { env: envOf(service), input }),
  ]);
  expect(jsonLines<BulkItem>(items.stdout).map(({ email }) => email)).toEqual(emails);
  expect(items).toMatchObject({ code: 0, stderr: "7 credits left\n" });
  expect(lines.stdout.trimEnd().split("\n")).toHaveLength(2_500);
  expect(lines.stderr).toMatch(
    /^2,500 checked in [\d.]+ s: 2,500 valid, 0 invalid, 0 risky, 0 unknown\n7 credits left\n$/,
  );
  const sizes = service.heard.map((request) => emailsIn(request).length);
  expect(Math.max(...sizes)).toBe(1000);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(2 * 2_400);
});

test("level, timeout and fresh go to the service, for one address and for a list", async () => {
  await using one = await openScriptedService(json(resultOf("ann@shop.io")));
  await using many = await openScriptedService(validatesAll());
  const options = ["--level", "dns", "--timeout", "5", "--fresh", "0"];
  await mailvet(["check", "ann@shop.io", ...options], { env: envOf(one) });
  await mailvet(["check", "ann@shop.io", "bob@shop.io", ...options], { env: envOf(many) });
  for (const { heard } of [one, many])
    expect(JSON.parse(heard[0]!.body)).toMatchObject({ level: "dns", timeout_seconds: 5, fresh: 0 });
});

test("when the credits run out, what was paid for is printed and the rest is counted", async () => {
  const enoughForOne: Line = (response, heard) => {
    const isFirst = emailsIn(heard)[0] === "ann0@shop.io";
    const line = isFirst
      ? validatesAll()
      : problem(402, "insufficient_credits", { required: 1000, available: 3 });
    line(response, heard);
  };
  await using service = await openScriptedService(enoughForOne);
  const emails = Array.from({ length: 30_000 }, (_, i) => `ann${i}@shop.io`);
  const { code, stdout, stderr } = await mailvet(["check", "--json", "--file", "-"], {
    env: envOf(service),
    input: emails.join("\n"),
  });
  expect(code).toBe(1);
  // A thousand, or fewer where the input came slowly.
  const paid = service.heard.map(emailsIn).find(([first]) => first === "ann0@shop.io")!.length;
  const inWords = (count: number) => count.toLocaleString("en");
  expect(jsonLines<BulkItem>(stdout).map(({ email }) => email)).toEqual(emails.slice(0, paid));
  expect(stderr).toContain("1,000 credits were needed and 3 are there");
  expect(stderr).toContain(
    `${inWords(paid)} addresses have their result, ${inWords(emails.length - paid)} have none`,
  );
  expect(service.heard.length).toBeLessThan(10);
});

test("a list that is still being written does not keep a refused command waiting", async () => {
  await using service = await openScriptedService(problem(401, "invalid_api_key"));
  const child = startMailvet(["check", "--file", "-"], envOf(service));
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.write("ann@shop.io\nbob@shop.io\n");
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code).toBe(1);
  expect(stderr).toContain("0 addresses have their result, at least 2 have none");
});

test("a refusal ends with exit code 1, and its words cannot steer the terminal", async () => {
  await using service = await openScriptedService(
    problem(500, "internal_error", { detail: "\u001b[2Jgone" }),
  );
  const { code, stdout, stderr } = await mailvet(["check", "ann@shop.io"], { env: envOf(service) });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^mailvet: the service says: .*gone \(internal_error\)\n {2}→ .* r-1\n$/);
  expect(stderr).not.toContain("\u001b");
});

test.for([
  [["check", "--timeout", "5", "a@b.io"], "--timeout is for a service"],
  [["check", "--fresh", "0", "a@b.io"], "--fresh is for a service"],
  [["check", "--timeout", "61", "a@b.io"], "whole seconds, 1 to 60"],
  [["check", "--api-key", KEY, "a@b.io"], "name it with --service"],
  [["account"], "name the service with --service URL or MAILVET_SERVICE"],
] as const)("bad usage ends with exit code 2 and says why: %j", async ([args, why]) => {
  const { code, stdout, stderr } = await mailvet(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(why);
});

test("the account has its plan, its credits and its limits shown", async () => {
  const account: Account = {
    id: "0f8b7c1e-0000-4000-8000-000000000001",
    email: "ann@shop.io",
    plan: "growth",
    is_operator: false,
    created_at: "2026-01-01T00:00:00.000Z",
    credits: { balance: 12_345, reserved: 100 },
    limits: {
      api_access: true,
      requests_per_minute: 6_000,
      concurrent_requests: 300,
      emails_per_file: 100_000,
      active_jobs: 20,
    },
  };
  await using service = await openScriptedService(json(account));
  const [card, line] = await Promise.all([
    mailvet(["account"], { env: envOf(service) }),
    mailvet(["account", "--json"], { env: envOf(service) }),
  ]);
  expect(card).toMatchObject({ code: 0, stderr: "" });
  for (const words of ["ann@shop.io", "growth", "12,345", "6,000 a minute", "100,000 emails"])
    expect(card.stdout).toContain(words);
  expect(jsonLines(line.stdout)).toEqual([account]);
});

test("the help says that a key on the command line is seen by others, and names the variables", async () => {
  const { stdout } = await mailvet(["check", "--help"]);
  const words = stdout.replace(/\s+/g, " ");
  expect(words).toContain("others on this machine can see a key given here");
  expect(words).toContain("(env: MAILVET_API_KEY)");
  expect(words).toContain("(env: MAILVET_SERVICE)");
});
