/** Stories of servers that turn on a visitor: what they say to everybody from then on proves nothing of anybody. */
import { acceptsEveryone, mailDomain, noPipelining, rejectsAfterLimit, type Temper } from "@mailvet/lab";
import { expect, test } from "vitest";
import { NO_RUDENESS, openStory, rudenessAt } from "./story.ts";

/** Of forty names, every second one exists, or all but the first. */
const NAMES = Array.from({ length: 40 }, (_, i) => `anna${i}`);
const numberOf = (localPart: string) => Number(localPart.slice(4));
const everySecond = ({ localPart }: { localPart: string }) => numberOf(localPart) % 2 === 0;

async function verdictsAt(temper: Temper, users: (mailbox: { localPart: string }) => boolean) {
  await using story = await openStory({ "shop.test": mailDomain({ users, temper }) });
  const told = await story.verdictsOn(NAMES.map((name) => `${name}@shop.test`));
  await story.end();
  expect(await rudenessAt(story, "mx.shop.test")).toEqual(NO_RUDENESS);
  const { connections, commands } = story.lab.counts("mx.shop.test");
  return {
    told,
    right: NAMES.map((localPart) => (users({ localPart }) ? "valid" : "invalid mailbox_not_found")),
    connections,
    recipients: commands.RCPT ?? 0,
  };
}

test.concurrent.each([
  ["user unknown, after five unknown users", { refusals: 5, reply: "550 5.1.1 User unknown" }],
  ["a bare 550, after five unknown users", { refusals: 5, reply: "550 Rejected" }],
  ["user unknown, after twelve recipients", { recipients: 12, reply: "550 5.1.1 User unknown" }],
  ["come back later, after twelve recipients", { recipients: 12, reply: "450 4.2.1 Mailbox unavailable" }],
])("to everybody %s: nobody alive is called dead, and everybody gets an answer", async (_, turn) => {
  for (const manner of [[], noPipelining]) {
    const { told, right, connections } = await verdictsAt([manner, rejectsAfterLimit(turn)], everySecond);
    expect(told).toEqual(right);
    expect(connections).toBeLessThanOrEqual(40);
  }
});

test.concurrent.each([
  [3, 3],
  [3, 10],
  [5, 3],
  [5, 5],
  [5, 12],
])("turned after %d unknown users, of whom there are %d before anybody else", async (refusals, missing) => {
  const temper = rejectsAfterLimit({ refusals, reply: "550 5.1.1 User unknown" });
  const { told, right } = await verdictsAt(temper, ({ localPart }) => numberOf(localPart) >= missing);
  expect(told).toEqual(right);
});

test.concurrent("a catch-all that turns is a catch-all all the same", async () => {
  await using story = await openStory({
    "open.test": mailDomain({
      temper: [rejectsAfterLimit({ recipients: 20, reply: "550 5.1.1 User unknown" }), acceptsEveryone],
    }),
  });
  const told = await story.verdictsOn(NAMES.map((name) => `${name}@open.test`));
  expect(new Set(told)).toEqual(new Set(["risky catch_all"]));
});
