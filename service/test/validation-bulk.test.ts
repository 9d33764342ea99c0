/** Lists: shared sessions, time budget and cost. */
import { BulkSummary } from "@mailvet/contract";
import { answersSlowly, type MailWorld, mailDomain, mailHost, noPipelining, saysNothing } from "@mailvet/lab";
import { Check } from "typebox/value";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { checkContextOf } from "../src/validations/check-options.ts";
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

const HOSTS = 20;
const DOMAINS = 40;

/** Every fourth mailbox does not exist. */
const isKnown = (email: string) => Number(/\d+/.exec(email)?.[0]) % 4 !== 0;

function hosting(): MailWorld {
  const all: MailWorld = {};
  const isUser = ({ localPart }: { localPart: string }) => /^anna\d+$/.test(localPart) && isKnown(localPart);
  for (let i = 0; i < HOSTS; i++) all[`mx${i}.host.test`] = mailHost();
  for (let i = 0; i < DOMAINS; i++) {
    all[`shop${i}.test`] = mailDomain({ mx: [`mx${i % HOSTS}.host.test`], users: isUser });
  }
  return all;
}

/** `anna0@shop0.test`, `anna0@shop1.test` … `anna1@shop0.test` … */
const customers = (count: number) =>
  Array.from({ length: count }, (_, i) => `anna${Math.floor(i / DOMAINS)}@shop${i % DOMAINS}.test`);

/** Of the list at queue.test, a few are answered before the single check is urgent, and half before it is answered. */
const isUrgent = createGate();
const isAnswered = createGate();
const inStages = repliesAfter(async (nth) => {
  if (nth > 8) await isUrgent.opened;
  if (nth > 50) await isAnswered.opened;
});

let world: ValidationWorld;
beforeAll(async () => {
  world = await openValidationWorld({
    ...hosting(),
    "shop.test": mailDomain({ users: ["ann", "bob"] }),
    "slow.test": mailDomain({ users: ["ann"], temper: answersSlowly({ delayMs: 500, at: "rcpt" }) }),
    "queue.test": mailDomain({
      users: ({ localPart }) => localPart.startsWith("anna"),
      temper: [noPipelining, inStages],
    }),
    "mute.test": mailDomain({ temper: saysNothing({ at: "banner" }) }),
  });
});
afterAll(async () => {
  await expectBooksToAddUp(world.database);
  await world[Symbol.asyncDispose]();
});

test("1,000 addresses at 20 hosts share sessions; the second request is answered from the cache", async () => {
  const caller = await world.caller(2_000);
  const { validateMany } = world.open();
  const emails = customers(1_000);
  const { summary, creditsRemaining } = await validateMany(caller, emails, asking());

  expect(Check(BulkSummary, summary)).toBe(true);
  expect(summary).toMatchObject({ total: 1_000, valid_count: 720, invalid_count: 280, credits_used: 1_000 });
  expect(summary.results.map((item) => item.email)).toEqual(emails);
  for (const { email, sub_status } of summary.results) {
    expect(sub_status, email).toBe(isKnown(email) ? "" : "mailbox_not_found");
  }
  expect(creditsRemaining).toBe(1_000);
  const { entries } = await world.ledger.page(caller.accountId, { skip: 0, limit: 100 });
  expect(entries.map((entry) => entry.kind)).toEqual(["settle", "grant"]);

  const counts = () => Array.from({ length: HOSTS }, (_, i) => world.lab.counts(`mx${i}.host.test`));
  const connections = counts().reduce((sum, host) => sum + host.connections, 0);
  const recipients = () => counts().reduce((sum, host) => sum + (host.commands.RCPT ?? 0), 0);
  expect(connections).toBeLessThan(100);
  // Each once, a decoy or two per domain, and an accepted one again after a batch: a server may have started to reject us.
  const asked = recipients();
  expect(asked).toBeGreaterThanOrEqual(1_000 + DOMAINS);
  expect(asked).toBeLessThanOrEqual(1_000 + 6 * DOMAINS);

  const again = await validateMany(caller, emails, asking());
  expect(again.summary).toEqual(summary);
  expect(again.creditsRemaining).toBe(0);
  expect(recipients()).toBe(asked);
});

test("a mixed list of known, unknown, sandbox and malformed addresses keeps its order, each charged once", async () => {
  const caller = await world.caller(10);
  const { validate, validateMany } = world.open();
  await validate(caller, "bob@shop.test", asking());
  const { summary, creditsRemaining } = await validateMany(
    caller,
    ["nobody@shop.test", "catch-all@mailvet.test", "BOB@shop.test", "ann@", "bob@shop.test", "ann@shop.test"],
    asking(),
  );
  expect(summary).toMatchObject({
    total: 6,
    valid_count: 2,
    invalid_count: 2,
    risky_count: 1,
    unknown_count: 0,
    duplicate_count: 1,
    credits_used: 5,
  });
  expect(summary.results.map(({ email, sub_status }) => [email, sub_status])).toEqual([
    ["nobody@shop.test", "mailbox_not_found"],
    ["catch-all@mailvet.test", "catch_all"],
    ["BOB@shop.test", ""],
    ["ann@", "syntax_error"],
    ["ann@shop.test", ""],
  ]);
  expect(creditsRemaining).toBe(4);
  expect(world.verdicts.slice(-4)).toEqual([
    "invalid mailbox_not_found false",
    "valid  true",
    "invalid syntax_error false",
    "valid  false",
  ]);
});

test("an unfinished check is unknown with retry_after, and known later", async () => {
  const caller = await world.caller(10);
  const { validate, validateMany } = world.open({ bulkBudgetMs: 250 });
  await validate(caller, "bob@shop.test", asking()); // within the time of a single check
  const list = ["ann@slow.test", "bob@shop.test", "not an address"];
  const { summary, creditsRemaining } = await validateMany(caller, list, asking());
  expect(summary.results).toMatchObject([
    { status: "unknown", sub_status: TIMED_OUT, is_valid: false, retry_after: 30 },
    { status: "valid", retry_after: null },
    { status: "invalid" },
  ]);
  expect(summary).toMatchObject({ unknown_count: 1, credits_used: 3 });
  expect(creditsRemaining).toBe(6);

  const stored = "select from cached_verdicts where account_id = $1";
  const landed = async () =>
    expect((await world.database.pool.query(stored, [caller.accountId])).rowCount).toBe(2);
  await vi.waitFor(landed, PATIENCE);
  const later = await validateMany(caller, list, asking());
  expect(later.summary).toMatchObject({ valid_count: 2, unknown_count: 0 });
});

test("an interactive check of an address in a running list does not wait for the list", async () => {
  const caller = await world.caller(1_000);
  const { validate, validateMany } = world.open({
    verifier: {
      inspect: world.verifier.inspect,
      begin(...asked) {
        const check = world.verifier.begin(...asked);
        const raisePriority = () => {
          check.raisePriority();
          isUrgent.open();
        };
        return { ...check, raisePriority };
      },
    },
  });
  const emails = Array.from({ length: 100 }, (_, i) => `anna${i}@queue.test`);
  const asked = () => world.lab.counts("mx.queue.test").commands.RCPT ?? 0;
  const list = validateMany(caller, emails, asking());
  await vi.waitFor(() => expect(asked()).toBeGreaterThan(8), PATIENCE);
  const { result } = await validate(caller, emails.at(-1)!, asking());
  isAnswered.open();
  expect((await list).summary).toMatchObject({ valid_count: 100 });
  expect(result).toMatchObject({ status: "valid", metadata: { cached: false } });
  expect(world.lab.received("mx.queue.test").filter((line) => line.includes("<anna99@"))).toHaveLength(1);
});

test("on shutdown waiting requests are answered with the evidence so far, and new ones wait briefly", async () => {
  const caller = await world.caller(10);
  const { validate, validateMany, wrapUp } = world.open();
  await validate(caller, "bob@shop.test", asking());
  const list = validateMany(caller, ["ann@mute.test", "bob@shop.test"], asking());
  await vi.waitFor(() => expect(world.lab.counts("mx.mute.test").connections).toBe(1), PATIENCE);
  wrapUp(300);
  const late = validate(caller, "bob@mute.test", asking());
  const { summary } = await list;
  expect(summary.results).toMatchObject([
    { status: "unknown", sub_status: "smtp_timeout", retry_after: 30 },
    { status: "valid" },
  ]);
  expect((await late).result).toMatchObject({ status: "unknown", sub_status: TIMED_OUT });
  expect(await world.ledger.balanceOf(caller.accountId)).toEqual({ balance: 6, reserved: 0 });
});

test("a check that ends while a list reserves its credits is not repeated", async () => {
  const caller = await world.caller(5);
  const { validateMany, answers } = world.open();
  const email = "bob@shop.test";
  const askedFor = () =>
    world.lab.received("mx.shop.test").filter((line) => line.includes(`<${email}>`)).length;
  await using holder = await beginHolder(world.database.pool);
  await holder.query("select from balances where account_id = $1 for update", [caller.accountId]);
  const list = validateMany(caller, ["ann@shop.test", email, "cy@shop.test"], asking());
  await holder.untilBlocked(1);
  const ofJob = { withinMs: 60_000, isUrgent: false };
  await answers.ask(checkContextOf(caller), [answers.inspect(email)], ofJob);
  const before = askedFor();
  await holder.commit();
  const { summary, creditsRemaining } = await list;
  expect(summary.results.map(({ status }) => status)).toEqual(["valid", "valid", "invalid"]);
  expect(askedFor() - before).toBeLessThanOrEqual(2); // as a control for others
  expect([summary.credits_used, creditsRemaining]).toEqual([3, 2]);
});

test("a list beyond the balance contacts no server and is not charged", async () => {
  const caller = await world.caller(2);
  const { validateMany } = world.open();
  const recipients = world.lab.counts("mx.shop.test").commands.RCPT;
  const list = ["ann@shop.test", "bob@shop.test", "ann@SHOP.test", "cy@shop.test"];
  await expect(validateMany(caller, list, asking())).rejects.toMatchObject({
    code: "insufficient_credits",
    extras: { required: 3, available: 2 },
  });
  expect(world.lab.counts("mx.shop.test").commands.RCPT).toBe(recipients);
  expect(await world.ledger.balanceOf(caller.accountId)).toEqual({ balance: 2, reserved: 0 });
});

test("a list beyond the limit of checks in flight is refused, and its credits are released", async () => {
  const caller = await world.caller(100);
  const { validateMany } = world.open({ maxInFlight: 40 });
  await expect(validateMany(caller, customers(50), asking())).rejects.toMatchObject({ code: "rate_limited" });
  expect(await world.ledger.balanceOf(caller.accountId)).toEqual({ balance: 100, reserved: 0 });
});

test("a list of a test key costs nothing and reports what it would have cost", async () => {
  const caller = await world.caller(1);
  const { validateMany } = world.open();
  const list = ["valid@shop.test", "disposable@shop.test", "greylisted@shop.test", "valid@shop.test"];
  const { summary, creditsRemaining } = await validateMany(testKeyOf(caller), list, asking());
  expect(summary).toMatchObject({
    total: 4,
    valid_count: 1,
    risky_count: 1,
    unknown_count: 1,
    credits_used: 3,
  });
  expect(creditsRemaining).toBeUndefined();
  expect((await world.ledger.balanceOf(caller.accountId)).balance).toBe(1);
});
