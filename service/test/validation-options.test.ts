/** Options of one request: how far to go, how long to wait, how old a cached verdict may be. */
import type { BulkSummary, ValidationResult } from "@mailvet/contract";
import { answersSlowly, mailDomain } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { expectBooksToAddUp } from "./credits-books.ts";
import { PATIENCE } from "./patience.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";
import { asking, openValidationWorld, type ValidationWorld } from "./validation-world.ts";

let world: ValidationWorld;
let service: TestService;
beforeAll(async () => {
  world = await openValidationWorld({
    "shop.test": mailDomain({ users: ["ann", "bob"], records: { TXT: ["v=spf1 -all"] } }),
    "text.test": mailDomain({ users: ["ann"] }),
    "later.test": mailDomain({ users: ["ann"] }),
    "again.test": mailDomain({ users: ["ann", "bob"] }),
    "slow.test": mailDomain({ users: ["ann"], temper: answersSlowly({ delayMs: 3_000, at: "rcpt" }) }),
    "nomail.test": { MX: [{ preference: 0, exchange: "." }] },
  });
  service = await openService({ lab: world.lab });
});
afterAll(async () => {
  await expectBooksToAddUp(service.database);
  await service[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const connectionsTo = (domain: string) => world.lab.counts(`mx.${domain}`).connections;
const askedFor = (email: string) =>
  world.lab.received(`mx.${email.split("@")[1]}`).filter((line) => line.includes(`<${email}>`)).length;

async function single(ann: TestAccount, body: Record<string, unknown>): Promise<ValidationResult> {
  const posted = await service.ask("/validation/single", { key: ann.key, body });
  expect(posted.status).toBe(200);
  return posted.body;
}

const WRONG = [
  ["timeout_seconds", 0.5],
  ["timeout_seconds", 61],
  ["timeout_seconds", "soon"],
  ["level", "psychic"],
  ["fresh", -1],
  ["fresh", 1.5],
] as const;

test.for(WRONG)("%s=%s is refused with a pointer and costs nothing", async ([option, value]) => {
  const ann = await service.openAccount({ credits: 1 });
  const { key } = ann;
  const answers = [
    await service.ask("/validation/single", { key, body: { email: "ann@shop.test", [option]: value } }),
    await service.ask(`/validation/single?email=ann@shop.test&${option}=${value}`, { key }),
    await service.ask("/validation/bulk", { key, body: { emails: ["ann@shop.test"], [option]: value } }),
  ];
  for (const { status, body } of answers) {
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    expect(body.errors).toEqual([{ pointer: `/${option}`, message: expect.stringMatching(/\w/) }]);
  }
  expect((await service.ask("/credits", { key })).body).toMatchObject({ balance: 1, reserved: 0 });
});

test("level=syntax contacts neither name servers nor mail servers", async () => {
  const ann = await service.openAccount();
  expect(await single(ann, { email: "ann@text.test", level: "syntax" })).toMatchObject({
    status: "unknown",
    sub_status: "smtp_skipped",
    details: { syntax_valid: true, dns_valid: false, mx_host: "" },
    metadata: { cached: false },
  });
  expect(await single(ann, { email: "ann@text", level: "syntax" })).toMatchObject({
    sub_status: "syntax_error",
  });
  expect(world.lab.questions("text.test")).toEqual([]);
  expect(connectionsTo("text.test")).toBe(0);
});

test("level=dns opens no SMTP connection, and its results are not used for SMTP checks or vice versa", async () => {
  const ann = await service.openAccount();
  const byDns = {
    status: "unknown",
    sub_status: "smtp_skipped",
    details: { dns_valid: true, smtp_valid: false, has_spf: true, mx_host: "mx.shop.test" },
    metadata: { cached: false },
  };
  expect(await single(ann, { email: "ann@shop.test", level: "dns" })).toMatchObject(byDns);
  expect(connectionsTo("shop.test")).toBe(0);
  expect(await single(ann, { email: "ann@shop.test" })).toMatchObject({
    status: "valid",
    metadata: { cached: false },
  });
  expect(await single(ann, { email: "ann@shop.test", level: "dns" })).toMatchObject(byDns);
  expect(await single(ann, { email: "ann@shop.test", level: "smtp" })).toMatchObject({
    status: "valid",
    metadata: { cached: true },
  });
});

test("a verdict decided by DNS is the same at every level, and cached for all", async () => {
  const ann = await service.openAccount();
  const verdict = { status: "invalid", sub_status: "null_mx" };
  const email = "ann@nomail.test";
  expect(await single(ann, { email, level: "dns" })).toMatchObject({
    ...verdict,
    metadata: { cached: false },
  });
  for (const level of ["dns", "smtp"])
    expect(await single(ann, { email, level })).toMatchObject({ ...verdict, metadata: { cached: true } });
});

test("GET and bulk accept the same options", async () => {
  const ann = await service.openAccount();
  const { body } = await service.ask(
    "/validation/single?email=bob@again.test&level=dns&timeout_seconds=59.5",
    ann,
  );
  expect(body).toMatchObject({ sub_status: "smtp_skipped" });
  const bulk = await service.ask("/validation/bulk", {
    key: ann.key,
    body: { emails: ["bob@again.test", "ann@nomail.test", "x"], level: "dns", fresh: 0, timeout_seconds: 60 },
  });
  const summary: BulkSummary = bulk.body;
  expect(summary.results.map(({ sub_status }) => sub_status)).toEqual([
    "smtp_skipped",
    "null_mx",
    "syntax_error",
  ]);
  expect(connectionsTo("again.test")).toBe(0);
});

test("a DNS check does not join an SMTP check of the same address", async () => {
  const caller = await world.caller(2);
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { validate } = world.open({
    verifier: {
      inspect: world.verifier.inspect,
      begin(email, level, haste) {
        const check = world.verifier.begin(email, level, haste);
        if (level !== "smtp") return check;
        begin();
        return { ...check, done: finished.then(() => check.done) };
      },
    },
  });
  const bySmtp = validate(caller, "ann@later.test", asking());
  await begun;
  const byDns = await validate(caller, "ann@later.test", { ...asking(), options: { level: "dns" } });
  expect(byDns.result).toMatchObject({ sub_status: "smtp_skipped" });
  finish();
  expect((await bySmtp).result).toMatchObject({ status: "valid" });
});

test("timeout_seconds ends the wait, not the check, whose result is cached", async () => {
  const ann = await service.openAccount();
  const early = await single(ann, { email: "ann@slow.test", timeout_seconds: 1 });
  expect(early.status).toBe("unknown");
  expect(["smtp_timeout", "dns_error"]).toContain(early.sub_status); // a slow machine may not even know the route yet
  expect(early.metadata.retry_after).toBeGreaterThan(0);
  const landed = async () => {
    const stored = "select from cached_verdicts where account_id = $1";
    expect((await service.database.pool.query(stored, [ann.accountId])).rowCount).toBe(1);
  };
  await vi.waitFor(landed, PATIENCE);
  expect(await single(ann, { email: "ann@slow.test", timeout_seconds: 1 })).toMatchObject({
    status: "valid",
    metadata: { cached: true },
  });
  expect(askedFor("ann@slow.test")).toBe(1);
});

test("fresh: older cached verdicts are checked again, and 0 uses none", async () => {
  const caller = await world.caller(5);
  const ask = async (maxAgeMs?: number) => {
    const validations = world.open(); // its in-memory cache is empty, unlike the database
    const { result } = await validations.validate(caller, "ann@again.test", {
      ...asking(),
      options: { maxAgeMs },
    });
    await validations.close();
    return result.metadata.cached;
  };
  expect(await ask()).toBe(false);
  expect(await ask(60_000 * 60)).toBe(true);
  await world.database.pool.query("update cached_verdicts set checked_at = checked_at - interval '2 hours'");
  expect(await ask(3 * 60_000 * 60)).toBe(true);
  expect(await ask(60_000 * 60)).toBe(false);
  expect(await ask(0)).toBe(false);
  expect(askedFor("ann@again.test")).toBeGreaterThanOrEqual(3); // more when it is named again to check the host
});

test("fresh=0 also ignores the memory of the process", async () => {
  const ann = await service.openAccount();
  const email = "bob@shop.test";
  for (const [fresh, cached] of [
    [undefined, false],
    [600, true],
    [0, false],
  ])
    expect(await single(ann, { email, fresh })).toMatchObject({ status: "valid", metadata: { cached } });
  expect(askedFor(email)).toBeGreaterThanOrEqual(2);
});

test("the sandbox has levels and timeouts too", async () => {
  const ann = await service.openAccount();
  const ask = async (name: string, options: object) =>
    (await single(ann, { email: `${name}@mailvet.test`, ...options })).sub_status;
  expect(await ask("catch-all", { level: "dns" })).toBe("smtp_skipped");
  expect(await ask("null-mx", { level: "dns" })).toBe("null_mx");
  expect(await ask("null-mx", { level: "syntax" })).toBe("smtp_skipped");
  expect(await ask("slow-3s", { level: "dns" })).toBe("smtp_skipped");
  expect(await ask("slow-3s", { timeout_seconds: 1 })).toBe("smtp_timeout");
  expect(await ask("slow-3s", { timeout_seconds: 5 })).toBe("");
});
