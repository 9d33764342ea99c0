/** Priorities: interactive checks do not wait for lists, and lists are not starved by interactive checks. */
import { answersSlowly, type MailWorld, mailDomain, noPipelining } from "@mailvet/lab";
import { expect, test } from "vitest";
import { timeoutEvidence } from "../src/timeout-evidence.ts";
import { decide } from "../src/verdict.ts";
import { manyAt, NO_VIOLATIONS, openStory, type Story, violationsAt } from "./stories/story.ts";
import { until } from "./until.ts";

const isUser = ({ localPart }: { localPart: string }) => /^(anna|single|batch)\d/.test(localPart);

/** Recipients that the host of shop.test has received so far: the progress of a list. */
const recipientsIn = (story: Story) => story.lab.counts("mx.shop.test").commands.RCPT ?? 0;

/** Recipients that the host received during a check. */
async function recipientsDuring(story: Story, check: Promise<unknown>): Promise<number> {
  const before = recipientsIn(story);
  await check;
  return recipientsIn(story) - before;
}

/** Checks a list, and returns the status of each address. */
async function checkList(story: Story, emails: readonly string[]): Promise<Map<string, string>> {
  const verdicts = new Map<string, string>();
  for await (const evidence of story.verifyMany(emails, "smtp")) {
    expect(verdicts.has(evidence.email), evidence.email).toBe(false);
    verdicts.set(evidence.email, decide(evidence).status);
  }
  return verdicts;
}

test("interactive checks at a host busy with 2,000 addresses take a few batches, not the list's time", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: isUser, latencyMs: 40 }) });
  const emails = manyAt("shop.test", 2000);
  const list = checkList(story, emails);
  await until(() => recipientsIn(story) > 0); // it is running
  const batch = recipientsDuring(story, story.verify("batch1@shop.test", "smtp"));
  const interactive: number[] = [];
  for (let i = 1; i <= 8; i++) {
    interactive.push(
      await recipientsDuring(story, story.verify(`single${i}@shop.test`, "smtp", { isUrgent: true })),
    );
  }
  const verdicts = await list;
  await story.end();

  expect(Math.max(...interactive)).toBeLessThan(200); // a few batches of forty
  expect(await batch).toBeGreaterThan(1000);
  expect([...verdicts.keys()].sort()).toEqual([...emails].sort());
  expect(new Set(verdicts.values())).toEqual(new Set(["valid"]));
  const { commands } = story.lab.counts("mx.shop.test");
  expect(commands.RCPT).toBe(2000 + 9 + 1); // each once, and one decoy
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
});

test("an address of a long list takes a few batches once its priority is raised", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: isUser, latencyMs: 40 }) });
  const checks = manyAt("shop.test", 2000).map((email) => story.begin(email, "smtp"));
  const last = checks.at(-1)!;
  const raised = checks.at(-2)!;
  await until(() => recipientsIn(story) > 0); // the list is running
  const [raisedIn, lastIn] = [recipientsDuring(story, raised.done), recipientsDuring(story, last.done)];
  raised.hurry();
  raised.hurry();
  expect(await raisedIn).toBeLessThan(200); // a few batches of forty
  expect(await lastIn).toBeGreaterThan(1000);

  const verdicts = await Promise.all(checks.map(async ({ done }) => decide(await done).status));
  expect(new Set(verdicts)).toEqual(new Set(["valid"]));
  raised.hurry(); // no effect on a finished check
  await story.end();
  expect(story.lab.counts("mx.shop.test").commands.RCPT).toBe(2000 + 1); // each once, and one decoy
});

test("a list finishes under a constant stream of interactive checks, each address probed once", async () => {
  // Batches of four, and always more than four interactive requests: without its turn the list would starve.
  await using story = await openStory({
    "shop.test": mailDomain({ users: isUser, latencyMs: 1, temper: noPipelining }),
  });
  let isListDone = false;
  let singles = 0;
  const keepChecking = async () => {
    while (!isListDone) {
      const { mailbox } = await story.verify(`single${singles++}@shop.test`, "smtp", { isUrgent: true });
      expect(mailbox?.answer).toBe("accepted");
    }
  };
  const stream = Array.from({ length: 12 }, keepChecking);
  await until(() => singles > 24);
  const emails = manyAt("shop.test", 60);
  const verdicts = await checkList(story, emails);
  isListDone = true;
  await Promise.all(stream);
  await story.end();

  expect([...verdicts.keys()].sort()).toEqual([...emails].sort());
  expect(new Set(verdicts.values())).toEqual(new Set(["valid"]));
  expect(singles).toBeGreaterThan(60); // most of them came before the list
  const { commands } = story.lab.counts("mx.shop.test");
  expect(commands.RCPT).toBe(60 + singles + 1);
});

test("with few connections, the host of an interactive check comes before the hosts of a list", async () => {
  const world: MailWorld = {};
  for (let i = 0; i < 12; i++) world[`shop${i}.test`] = mailDomain({ users: isUser, latencyMs: 50 });
  world["single.test"] = mailDomain({ users: isUser, latencyMs: 50 });
  await using story = await openStory(world, { maxSessions: 1 });
  const order: string[] = [];
  const begin = (email: string, isUrgent: boolean) => {
    const check = story.begin(email, "smtp", { isUrgent });
    return { ...check, done: check.done.then((evidence) => order.push(evidence.email)) };
  };
  const list = Array.from({ length: 12 }, (_, i) => begin(`anna1@shop${i}.test`, false));
  const isConnected = (_: unknown, i: number) => story.lab.counts(`mx.shop${i}.test`).connections > 0;
  await until(() => list.some(isConnected)); // the others wait for a slot
  list.at(-1)!.hurry();
  await Promise.all([...list, begin("single1@single.test", true)].map(({ done }) => done));
  expect(order).toHaveLength(13);
  expect(order.indexOf("single1@single.test")).toBeLessThanOrEqual(4);
  expect(order.indexOf("anna1@shop11.test")).toBeLessThanOrEqual(4); // raised meanwhile
});

test("raising the priority of a check also raises the decoy that it waits for", async () => {
  // Without pipelining the decoy is sent by itself, once needed: behind the list of the other domains.
  const slow = { users: isUser, temper: [noPipelining, answersSlowly({ delayMs: 20, at: "rcpt" })] };
  const world: MailWorld = { "shop.test": mailDomain({ ...slow }) };
  for (let i = 0; i < 40; i++)
    world[`other${i}.test`] = { MX: [{ preference: 10, exchange: "mx.shop.test" }] };
  await using story = await openStory(world, { connectionsPerHost: 1 });
  const check = story.begin("anna1@shop.test", "smtp");
  const list = Array.from({ length: 40 }, (_, i) => story.begin(`anna1@other${i}.test`, "smtp"));
  let isDone = false;
  void check.done.then(() => {
    isDone = true;
  });
  await until(() => check.evidence.mailbox !== undefined);
  expect(isDone).toBe(false);
  check.hurry();
  await check.done;
  const { length: open } = list.filter(({ evidence }) => evidence.mailbox === undefined);
  expect(open).toBeGreaterThan(20);
});

test("a caller that cannot wait gets the evidence so far, and the check continues to its end", async () => {
  const temper = [noPipelining, answersSlowly({ delayMs: 150, at: "rcpt" })];
  await using story = await openStory({ "shop.test": mailDomain({ users: isUser, temper }) });
  const check = story.begin("single1@shop.test", "smtp", { isUrgent: true });
  const known = () => {
    const { status, subStatus } = decide(timeoutEvidence(check.evidence, 20));
    return `${status} ${subStatus}`;
  };
  expect(check.evidence.address?.domain).toBe("shop.test"); // parsed before any I/O
  expect(known()).toBe("unknown dns_error");
  await until(() => check.evidence.route !== undefined);
  expect(known()).toBe("unknown smtp_timeout");
  await until(() => check.evidence.mailbox !== undefined);
  expect(check.evidence).toMatchObject({ mailbox: { answer: "accepted" } });
  expect(check.evidence.decoy).toBeUndefined();
  expect(known()).toBe("unknown smtp_timeout"); // the domain may be catch-all
  expect(decide(await check.done)).toMatchObject({ status: "valid", subStatus: "" });
  expect(await check.done).toBe(check.evidence);
});
