/** Checks of one address: probes, caching and cost. */
import { ValidationResult } from "@mailvet/contract";
import { acceptsEveryone, answersSlowly, greylists, mailDomain } from "@mailvet/lab";
import { Check } from "typebox/value";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Caller } from "../src/base/caller.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { beginHolder } from "./lock-waits.ts";
import { PATIENCE } from "./patience.ts";
import {
  asking,
  createGate,
  openValidationWorld,
  repliesAfter,
  TIMED_OUT,
  testKeyOf,
  type ValidationWorld,
} from "./validation-world.ts";

const mayReply = createGate();
let world: ValidationWorld;
beforeAll(async () => {
  world = await openValidationWorld({
    "shop.test": mailDomain({ users: ["ann", "bob", "cy", "dee"] }),
    "flock.test": mailDomain({ users: ["ann"], temper: answersSlowly({ delayMs: 40 }) }),
    "held.test": mailDomain({ users: ["ann"], temper: repliesAfter(() => mayReply.opened) }),
    "open.test": mailDomain({ temper: acceptsEveryone }),
    "grey.test": mailDomain({ users: ["ann"], temper: greylists({ delayMs: 60_000 }) }),
    "slow.test": mailDomain({ users: ["ann"], temper: answersSlowly({ delayMs: 500, at: "rcpt" }) }),
    "broke.test": mailDomain({ users: ["ann"] }),
  });
});
afterAll(async () => {
  await expectBooksToAddUp(world.database);
  await world[Symbol.asyncDispose]();
});

const recipientsAt = (domain: string) => world.lab.counts(`mx.${domain}`).commands.RCPT ?? 0;
const isCached = (accountId: string) =>
  vi.waitFor(async () => {
    const stored = "select from cached_verdicts where account_id = $1";
    expect((await world.database.pool.query(stored, [accountId])).rowCount).toBe(1);
  }, PATIENCE);
const balanceOf = async (accountId: string) => (await world.ledger.balanceOf(accountId)).balance;

test("an answer has every field of the contract and costs one credit, whatever the verdict", async () => {
  const caller = await world.caller(10);
  const { validate } = world.open();
  const verdicts = [
    [" Ann@shop.test", "valid", ""],
    ["nobody@shop.test", "invalid", "mailbox_not_found"],
    ["anyone@open.test", "risky", "catch_all"],
    ["ann@grey.test", "unknown", "greylisted"],
    ["not an address", "invalid", "syntax_error"],
    ["x".repeat(20_000), "invalid", "syntax_error"],
  ] as const;
  const startedAt = Date.now() / 1000 - 1; // it is rounded
  for (const [i, [email, status, sub_status]] of verdicts.entries()) {
    const ask = asking();
    const { result, creditsRemaining } = await validate(caller, email, ask);
    expect(result).toMatchObject({
      email,
      status,
      sub_status,
      request_id: ask.requestId,
      metadata: { plan_tier: "payg", cached: false },
    });
    expect(Check(ValidationResult, result)).toBe(true);
    expect(result.metadata.checked_at).toBeGreaterThanOrEqual(startedAt);
    expect(result.metadata).not.toHaveProperty("sandbox");
    expect(creditsRemaining).toBe(9 - i);
  }
  expect(await world.ledger.balanceOf(caller.accountId)).toEqual({ balance: 4, reserved: 0 });
});

test("fresh verdicts are answered from the cache, also by another process", async () => {
  const caller = await world.caller(3);
  const here = world.open();
  const first = await here.validate(caller, "bob@shop.test", asking());
  const asked = recipientsAt("shop.test");
  const second = await here.validate(caller, " BOB@shop.test ", asking());
  await here.close();
  const third = await world.open().validate(caller, "bob@Shop.test", asking());

  expect(recipientsAt("shop.test")).toBe(asked);
  const { checked_at } = first.result.metadata;
  for (const [{ result }, email] of [
    [second, " BOB@shop.test "],
    [third, "bob@Shop.test"],
  ] as const) {
    expect(result).toMatchObject({ email, status: "valid", metadata: { cached: true, checked_at } });
    const { canonical_email: _, ...details } = first.result.details; // as spelled
    expect(result.details).toMatchObject(details);
    expect(result.reason).toBe(first.result.reason);
  }
  expect(third.creditsRemaining).toBe(0);
});

test("an answer does not reveal requests of other accounts", async () => {
  const [ann, bob] = [await world.caller(1), await world.caller(1)];
  const { validate } = world.open();
  await validate(ann, "cy@shop.test", asking());
  const asked = recipientsAt("shop.test");
  const { result } = await validate(bob, "cy@shop.test", asking());
  expect(result).toMatchObject({ status: "valid", metadata: { cached: false } });
  expect(recipientsAt("shop.test")).toBeGreaterThan(asked);
});

test("a greylisted address is checked again each time", async () => {
  const caller = await world.caller(2);
  const { validate } = world.open();
  const asked = recipientsAt("grey.test");
  for (const _ of [1, 2]) {
    const { result } = await validate(caller, "ann@grey.test", asking());
    expect(result).toMatchObject({ sub_status: "greylisted", metadata: { cached: false } });
    expect(result.metadata.retry_after).toBeGreaterThan(0);
  }
  expect(recipientsAt("grey.test") - asked).toBeGreaterThanOrEqual(2);
});

test("twenty concurrent requests for one address share one check, and each is charged", async () => {
  const caller = await world.caller(25);
  const { validate } = world.open();
  const validated = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      validate(caller, i % 2 ? "ann@flock.test" : "ANN@flock.test", asking()),
    ),
  );
  const forAnn = world.lab
    .received("mx.flock.test")
    .filter((line) => /^RCPT TO:<ann@flock\.test>/i.test(line));
  expect(forAnn).toHaveLength(1);
  for (const [i, { result }] of validated.entries()) {
    expect(result).toMatchObject({ email: i % 2 ? "ann@flock.test" : "ANN@flock.test", status: "valid" });
  }
  expect(await balanceOf(caller.accountId)).toBe(5);
});

test("a check that ends while another request reserves its credit is not repeated", async () => {
  const caller = await world.caller(2);
  const { validate } = world.open();
  const first = validate(caller, "ann@held.test", asking());
  await vi.waitFor(() => expect(recipientsAt("held.test")).toBeGreaterThan(0), PATIENCE);
  await using holder = await beginHolder(world.database.pool);
  await holder.query("select from balances where account_id = $1 for update", [caller.accountId]);
  const second = validate(caller, "ann@held.test", asking());
  await holder.untilBlocked(1);
  mayReply.open();
  await isCached(caller.accountId);
  await holder.commit();
  expect((await first).result).toMatchObject({ status: "valid", metadata: { cached: false } });
  expect((await second).result).toMatchObject({ status: "valid", metadata: { cached: true } });
  expect(world.lab.received("mx.held.test").filter((line) => line.includes("<ann@"))).toHaveLength(1);
  expect(await world.ledger.balanceOf(caller.accountId)).toEqual({ balance: 0, reserved: 0 });
});

test("after the time limit the answer is unknown, and a later request has the verdict", async () => {
  const caller = await world.caller(2);
  const { validate } = world.open({ singleBudgetMs: 150 });
  const early = await validate(caller, "ann@slow.test", asking());
  expect(early.result).toMatchObject({
    status: "unknown",
    sub_status: TIMED_OUT,
    is_valid: false,
    metadata: { cached: false, retry_after: 30 },
  });
  expect(early.result.performance.response_time_ms).toBeGreaterThanOrEqual(150); // timing: no less on any machine
  await isCached(caller.accountId);
  const late = await validate(caller, "ann@slow.test", asking());
  expect(late.result).toMatchObject({ status: "valid", metadata: { cached: true, retry_after: null } });
  expect(world.lab.received("mx.slow.test").filter((line) => line.includes("<ann@"))).toHaveLength(1);
});

test("without credits no server is contacted, and the required amount is returned", async () => {
  const caller = await world.caller(0);
  const { validate } = world.open();
  const refusal = { code: "insufficient_credits", extras: { required: 1, available: 0 } };
  await expect(validate(caller, "ann@broke.test", asking())).rejects.toMatchObject(refusal);
  await expect(validate(caller, "not an address", asking())).rejects.toMatchObject(refusal);
  expect(recipientsAt("broke.test")).toBe(0);
});

test("an internal error is refunded and logged with the request id, without the address", async () => {
  const caller = await world.caller(1);
  const { validate } = world.open({
    verifier: {
      inspect: world.verifier.inspect,
      begin(email, level) {
        const check = world.verifier.begin(email, "syntax");
        if (level === "syntax") return check;
        const done = check.done.then((evidence) => Object.assign(evidence, { failure: "Error: a bug" }));
        return { ...check, done };
      },
    },
  });
  const ask = asking();
  const { result, creditsRemaining } = await validate(caller, "dee@shop.test", ask);
  expect(result).toMatchObject({ status: "unknown", sub_status: "internal_error" });
  expect(creditsRemaining).toBe(1);
  expect(world.failures).toMatchObject([
    { event: "check_failed", request_id: ask.requestId, failure: "Error: a bug" },
  ]);
  expect(await world.ledger.balanceOf(caller.accountId)).toEqual({ balance: 1, reserved: 0 });
});

test("the same request under one idempotency key is charged once", async () => {
  const caller = await world.caller(5);
  const { validate } = world.open();
  for (const _ of [1, 2, 3]) {
    const { creditsRemaining } = await validate(caller, "dee@shop.test", asking("one purchase"));
    expect(creditsRemaining).toBe(4);
  }
});

test("a test key contacts no server and is not charged; a live key at mailvet.test is charged", async () => {
  const caller = await world.caller(2);
  const { validate } = world.open();
  const free = await validate(testKeyOf(caller), "mailbox-full@shop.test", asking());
  expect(free).toMatchObject({
    result: { sub_status: "mailbox_full", metadata: { sandbox: true, cached: false } },
    creditsRemaining: undefined,
  });
  const paid = await validate(caller, "mailbox-full@mailvet.test", asking());
  expect(paid).toMatchObject({
    result: { sub_status: "mailbox_full", metadata: { sandbox: true } },
    creditsRemaining: 1,
  });
  await validate(caller, "internal-error@mailvet.test", asking());
  expect(await balanceOf(caller.accountId)).toBe(1);
});

test("lists leave room for single checks and for other accounts, and beyond the limit all are refused", async () => {
  const callers = await Promise.all(Array.from({ length: 6 }, () => world.caller(9)));
  const [ann, bob, cy, dee, eve, fay] = callers as [Caller, Caller, Caller, Caller, Caller, Caller];
  let begun = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { validate, validateMany } = world.open({
    maxInFlight: 4,
    verifier: {
      inspect: world.verifier.inspect,
      begin(email, level) {
        const check = world.verifier.begin(email, "syntax");
        if (level === "syntax") return check;
        begun++;
        return { ...check, done: finished.then(() => check.done) };
      },
    },
  });
  const list = (caller: Caller, ...emails: string[]) => validateMany(caller, emails, asking());
  const single = (caller: Caller) => validate(caller, "eve@shop.test", asking());
  const isBegun = (count: number) => vi.waitFor(() => expect(begun).toBe(count), PATIENCE);

  const waiting: Promise<unknown>[] = [list(ann, "ann@shop.test")];
  await isBegun(1);
  const tooManyOfHers = { code: "rate_limited", extras: { retryAfterSeconds: 5 } };
  await expect(list(ann, "bob@shop.test")).rejects.toMatchObject(tooManyOfHers);
  waiting.push(list(bob, "ann@shop.test"), list(cy, "ann@shop.test"));
  await isBegun(3);
  await expect(list(dee, "ann@shop.test")).rejects.toMatchObject({ code: "overloaded" });
  waiting.push(single(eve));
  await isBegun(4);
  await expect(single(fay)).rejects.toMatchObject({ code: "overloaded", extras: { retryAfterSeconds: 5 } });
  for (const { accountId } of [dee, fay]) expect(await balanceOf(accountId)).toBe(9);

  finish();
  await Promise.all(waiting);
  await Promise.all([list(dee, "ann@shop.test"), single(fay)]);
  expect(begun).toBe(6);
});
