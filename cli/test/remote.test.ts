/** Commands with a service, which is a scripted HTTP server. */
import type { Account, BulkItem, ValidationResult } from "@mailvet/contract";
import { reportOf } from "@mailvet/engine";
import { expect, test } from "vitest";
import {
  emailsIn,
  type Handler,
  json,
  openScriptedService,
  problem,
  validatesAll,
} from "../../sdk/test/scripted-service.ts";
import { jsonLines, mailvet, startMailvet } from "./command.ts";

const KEY = "mv_live_secret";

const OTHER_SERVICE = { MAILVET_SERVICE: "http://127.0.0.1:1", MAILVET_API_KEY: "mv_live_other" };
const envOf = ({ url }: { url: string }) => ({ MAILVET_SERVICE: url, MAILVET_API_KEY: KEY });

const resultOf = (email: string): ValidationResult =>
  reportOf({ email }, { requestId: "1", planTier: "payg", responseTimeMs: 1, checkedAtMs: 0, cached: false });

test("one address gets the full result and the remaining credits; flags override the environment", async () => {
  const result = resultOf("ann@shop.io");
  await using service = await openScriptedService(json(result, { "x-credits-remaining": "12345" }));
  const [card, line] = await Promise.all([
    mailvet(["check", "ann@shop.io", "--service", `${service.url}/`, "--api-key", KEY], {
      env: OTHER_SERVICE,
    }),
    mailvet(["check", "--json", "ann@shop.io"], { env: envOf(service) }),
  ]);
  expect(card).toMatchObject({ code: 0, stderr: "12,345 credits remaining\n" });
  expect(card.stdout).toMatch(/^. .* ann@shop\.io\n {2}reason/);
  expect(jsonLines(line.stdout)).toEqual([result]);
  expect(service.requests.map(({ url, headers }) => [url, headers["x-api-key"]])).toEqual(
    Array(2).fill(["/api/v1/validation/single", KEY]),
  );
});

test("a list is sent in requests of 1,000 and keeps its order and duplicates", async () => {
  await using service = await openScriptedService(validatesAll({ "x-credits-remaining": "7" }));
  const emails = Array.from({ length: 2_500 }, (_, i) => `ann${i % 2_400}@shop.io`);
  const input = `${emails.join("\n")}\n`;
  const [items, lines] = await Promise.all([
    mailvet(["check", "--json", "--file", "-"], { env: envOf(service), input }),
    mailvet(["check", "--file", "-"], { env: envOf(service), input }),
  ]);
  expect(jsonLines<BulkItem>(items.stdout).map(({ email }) => email)).toEqual(emails);
  expect(items).toMatchObject({ code: 0, stderr: "7 credits remaining\n" });
  expect(lines.stdout.trimEnd().split("\n")).toHaveLength(2_500);
  expect(lines.stderr).toMatch(
    /^2,500 checked in [\d.]+ s: 2,500 valid, 0 invalid, 0 risky, 0 unknown\n7 credits remaining\n$/,
  );
  const sizes = service.requests.map((request) => emailsIn(request).length);
  expect(Math.max(...sizes)).toBe(1000);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(2 * 2_400);
});

test("level, timeout and fresh are sent to the service, for one address and for a list", async () => {
  await using one = await openScriptedService(json(resultOf("ann@shop.io")));
  await using many = await openScriptedService(validatesAll());
  const options = ["--level", "dns", "--timeout", "5", "--fresh", "0"];
  await mailvet(["check", "ann@shop.io", ...options], { env: envOf(one) });
  await mailvet(["check", "ann@shop.io", "bob@shop.io", ...options], { env: envOf(many) });
  for (const { requests } of [one, many])
    expect(JSON.parse(requests[0]!.body)).toMatchObject({ level: "dns", timeout_seconds: 5, fresh: 0 });
});

test("when credits run out, paid results are printed and the rest is counted", async () => {
  const enoughForOne: Handler = (response, request) => {
    const isFirst = emailsIn(request)[0] === "ann0@shop.io";
    const handler = isFirst
      ? validatesAll()
      : problem(402, "insufficient_credits", { required: 1000, available: 3 });
    handler(response, request);
  };
  await using service = await openScriptedService(enoughForOne);
  const emails = Array.from({ length: 30_000 }, (_, i) => `ann${i}@shop.io`);
  const { code, stdout, stderr } = await mailvet(["check", "--json", "--file", "-"], {
    env: envOf(service),
    input: emails.join("\n"),
  });
  expect(code).toBe(1);
  // A thousand, or fewer where the input came slowly.
  const paid = service.requests.map(emailsIn).find(([first]) => first === "ann0@shop.io")!.length;
  const formatted = (count: number) => count.toLocaleString("en");
  expect(jsonLines<BulkItem>(stdout).map(({ email }) => email)).toEqual(emails.slice(0, paid));
  expect(stderr).toContain("1,000 credits are needed and 3 are available");
  // The rest of the input is counted, "at least" if it does not end within two seconds.
  expect(stderr).toMatch(
    new RegExp(
      `${formatted(paid)} addresses have a result, (${formatted(emails.length - paid)}|at least [0-9,]+) do not`,
    ),
  );
  expect(service.requests.length).toBeLessThan(10);
});

test("an open input pipe does not delay the exit after a rejected request", async () => {
  await using service = await openScriptedService(problem(401, "invalid_api_key"));
  const child = startMailvet(["check", "--file", "-"], envOf(service));
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.write("ann@shop.io\nbob@shop.io\n");
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code).toBe(1);
  expect(stderr).toContain("0 addresses have a result, at least 2 do not");
});

test("a rejected request ends with exit code 1, and control characters in it are escaped", async () => {
  await using service = await openScriptedService(
    problem(500, "internal_error", { detail: "\u001b[2Jgone" }),
  );
  const { code, stdout, stderr } = await mailvet(["check", "ann@shop.io"], { env: envOf(service) });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    /^mailvet: the service rejected the request: .*gone \(internal_error\)\n {2}→ .* r-1\n$/,
  );
  expect(stderr).not.toContain("\u001b");
});

test.for([
  [["check", "--timeout", "5", "a@b.io"], "--timeout needs a service"],
  [["check", "--fresh", "0", "a@b.io"], "--fresh needs a service"],
  [["check", "--timeout", "61", "a@b.io"], "whole seconds, 1 to 60"],
  [["check", "--api-key", KEY, "a@b.io"], "set it with --service"],
  [["account"], "set --service URL or MAILVET_SERVICE"],
] as const)("invalid usage ends with exit code 2 and a message: %j", async ([args, why]) => {
  const { code, stdout, stderr } = await mailvet(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(why);
});

test("account shows plan, credits and limits", async () => {
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
      stored_bytes: 100_000_000_000,
      concurrent_bulk_requests: 4,
      concurrent_uploads: 2,
      concurrent_feedback_files: 2,
      concurrent_downloads: 4,
      concurrent_event_streams: 20,
      emails_per_request: 1_000,
      outcomes_per_request: 1_000,
      file_bytes: 100_000_000,
      unconfirmed_uploads: 20,
      api_keys: 100,
      webhook_endpoints: 10,
      idempotency_keys: 1_000_000,
    },
  };
  await using service = await openScriptedService(json(account));
  const [card, line] = await Promise.all([
    mailvet(["account"], { env: envOf(service) }),
    mailvet(["account", "--json"], { env: envOf(service) }),
  ]);
  expect(card).toMatchObject({ code: 0, stderr: "" });
  for (const text of ["ann@shop.io", "growth", "12,345", "6,000 per minute", "100,000 emails"])
    expect(card.stdout).toContain(text);
  expect(jsonLines(line.stdout)).toEqual([account]);
});

test("the help warns about keys on the command line and names the variables", async () => {
  const { stdout } = await mailvet(["check", "--help"]);
  const text = stdout.replace(/\s+/g, " ");
  expect(text).toContain("other users of this machine can see a key given here");
  expect(text).toContain("(env: MAILVET_API_KEY)");
  expect(text).toContain("(env: MAILVET_SERVICE)");
});
