/** Interactive checks during long lists: they are answered quickly, and the list still completes. */
import { answersSlowly, type MailWorld, mailDomain, noPipelining } from "@mailvet/lab";
import { expect, test } from "vitest";
import { timeoutEvidence } from "../src/timeout-evidence.ts";
import { decide } from "../src/verdict.ts";
import type { Check } from "../src/verifier.ts";
import { manyAt, NO_VIOLATIONS, openStory, type Story, violationsAt } from "./stories/story.ts";
import { until } from "./until.ts";

const isUser = ({ localPart }: { localPart: string }) => /^(anna|single|patient)\d/.test(localPart);

/** Recipients sent to the host of shop.test so far: the measure of a list's progress. */
const askedIn = (story: Story) => story.lab.counts("mx.shop.test").commands.RCPT ?? 0;

/** Recipients sent to the host during a check. */
async function askedDuring(story: Story, check: Promise<unknown>): Promise<number> {
  const before = askedIn(story);
  await check;
  return askedIn(story) - before;
}

/** Verifies all addresses at once and returns the verdict of each. */
async function sendList(story: Story, emails: readonly string[]): Promise<Map<string, string>> {
  const all = await Promise.all(emails.map((email) => story.verify(email, "smtp")));
  return new Map(all.map((evidence) => [evidence.email, decide(evidence).status]));
}

test("interactive checks at a host busy with 2,000 addresses take a few round trips", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: isUser, latencyMs: 40 }) });
  const emails = manyAt("shop.test", 2000);
  const list = sendList(story, emails);
  await until(() => askedIn(story) > 0); // it is running
  const patient = askedDuring(story, story.verify("patient1@shop.test", "smtp"));
  const urgent: number[] = [];
  for (let i = 1; i <= 8; i++) {
    urgent.push(await askedDuring(story, story.verify(`single${i}@shop.test`, "smtp", { isUrgent: true })));
  }
  const verdicts = await list;
  await story.end();

  expect(Math.max(...urgent)).toBeLessThan(200); // a few batches of forty
  expect(await patient).toBeGreaterThan(1000);
  expect([...verdicts.keys()].sort()).toEqual([...emails].sort());
  expect(new Set(verdicts.values())).toEqual(new Set(["valid"]));
  const { commands } = story.lab.counts("mx.shop.test");
  const again = commands.RCPT! - (2000 + 9 + 1); // each once, and one decoy
  expect(again).toBeGreaterThanOrEqual(0);
  expect(again).toBeLessThanOrEqual(45); // controls: a few for each urgent check, and at the end
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
});

test("an address of a long list that becomes urgent takes a few round trips from then on", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: isUser, latencyMs: 40 }) });
  const checks = manyAt("shop.test", 2000).map((email) => story.begin(email, "smtp"));
  const last = checks.at(-1)!;
  const hurried = checks.at(-2)!;
  await until(() => askedIn(story) > 0); // the list is running
  const [hurriedIn, lastIn] = [askedDuring(story, hurried.done), askedDuring(story, last.done)];
  hurried.raisePriority();
  hurried.raisePriority();
  expect(await hurriedIn).toBeLessThan(200); // a few batches of forty
  expect(await lastIn).toBeGreaterThan(1000);

  const verdicts = await Promise.all(checks.map(async ({ done }) => decide(await done).status));
  expect(new Set(verdicts)).toEqual(new Set(["valid"]));
  hurried.raisePriority(); // no effect any more
  await story.end();
  const again = story.lab.counts("mx.shop.test").commands.RCPT! - (2000 + 1); // each once, and one decoy
  expect(again).toBeGreaterThanOrEqual(0);
  expect(again).toBeLessThanOrEqual(20); // controls
});

test("a list completes under continuous interactive checks", async () => {
  // Four recipients per batch, and always more than four urgent ones: without fairness the list would starve.
  await using story = await openStory({
    "shop.test": mailDomain({ users: isUser, latencyMs: 1, temper: noPipelining }),
  });
  let isListDone = false;
  let singles = 0;
  const askOnAndOn = async () => {
    while (!isListDone) {
      const { mailbox } = await story.verify(`single${singles++}@shop.test`, "smtp", { isUrgent: true });
      expect(mailbox?.answer).toBe("accepted");
    }
  };
  const stream = Array.from({ length: 12 }, askOnAndOn);
  await until(() => singles > 24);
  const emails = manyAt("shop.test", 60);
  const verdicts = await sendList(story, emails);
  isListDone = true;
  await Promise.all(stream);
  await story.end();

  expect([...verdicts.keys()].sort()).toEqual([...emails].sort());
  expect(new Set(verdicts.values())).toEqual(new Set(["valid"]));
  expect(singles).toBeGreaterThan(60); // the list waited for most of them
  const asked = story.lab.received("mx.shop.test").filter((line) => line.startsWith("RCPT TO:<single"));
  expect(new Set(asked).size).toBe(singles);
});

test("when connections are scarce, the host of an interactive check is contacted before the hosts of a list", async () => {
  const world: MailWorld = {};
  for (let i = 0; i < 12; i++) world[`shop${i}.test`] = mailDomain({ users: isUser, latencyMs: 50 });
  world["single.test"] = mailDomain({ users: isUser, latencyMs: 50 });
  await using story = await openStory(world, { sessionLimits: { working: 1, open: 1 } });
  const order: string[] = [];
  const ask = (email: string, isUrgent: boolean) => {
    const check = story.begin(email, "smtp", { isUrgent });
    return { ...check, done: check.done.then((evidence) => order.push(evidence.email)) };
  };
  const list = Array.from({ length: 12 }, (_, i) => ask(`anna1@shop${i}.test`, false));
  const isCalled = (_: unknown, i: number) => story.lab.counts(`mx.shop${i}.test`).connections > 0;
  await until(() => list.some(isCalled)); // the others wait for a connection slot
  list.at(-1)!.raisePriority();
  await Promise.all([...list, ask("single1@single.test", true)].map(({ done }) => done));
  expect(order).toHaveLength(13);
  expect(order.indexOf("single1@single.test")).toBeLessThanOrEqual(4);
  expect(order.indexOf("anna1@shop11.test")).toBeLessThanOrEqual(4); // became urgent since
});

test("the decoy that a check waits for can become urgent too", async () => {
  // Without pipelining it is probed by itself, and only when needed: behind the list of the other domains.
  const slow = { users: isUser, temper: [noPipelining, answersSlowly({ delayMs: 20, at: "rcpt" })] };
  const world: MailWorld = { "shop.test": mailDomain({ ...slow }) };
  for (let i = 0; i < 200; i++)
    world[`other${i}.test`] = { MX: [{ preference: 10, exchange: "mx.shop.test" }] };
  await using story = await openStory(world, { connectionsPerHost: 1 });
  const emails = ["shop", ...Array.from({ length: 200 }, (_, i) => `other${i}`)].map(
    (name) => `anna1@${name}.test`,
  );
  await Promise.all(emails.map((email) => story.verify(email, "dns"))); // cached routes: probes start in this order
  const [check, ...list] = emails.map((email) => story.begin(email, "smtp")) as [Check, ...Check[]];
  await until(() => askedIn(story) > 0);
  check.raisePriority();
  await check.done;
  const { length: open } = list.filter(({ evidence }) => evidence.mailbox === undefined);
  expect(open).toBeGreaterThan(100);
});

test("a timeout reports what is known, and the check completes correctly", async () => {
  const temper = [noPipelining, answersSlowly({ delayMs: 1500, at: "rcpt" })];
  await using story = await openStory({ "shop.test": mailDomain({ users: isUser, temper }) });
  const check = story.begin("single1@shop.test", "smtp", { isUrgent: true });
  const known = () => {
    const { status, subStatus } = decide(timeoutEvidence(check.evidence, 20));
    return `${status} ${subStatus}`;
  };
  expect(check.evidence.address?.domain).toBe("shop.test"); // known before any query
  expect(known()).toBe("unknown dns_error");
  await until(() => check.evidence.route !== undefined);
  expect(known()).toBe("unknown smtp_timeout");
  await until(() => askedIn(story) > 1);
  expect(known()).toBe("unknown smtp_timeout"); // accepted, but the host may be a catch-all
  expect(decide(await check.done)).toMatchObject({ status: "valid", subStatus: "" });
  expect(check.evidence).toMatchObject({ mailbox: { answer: "accepted" } });
  expect(await check.done).toBe(check.evidence);
});
