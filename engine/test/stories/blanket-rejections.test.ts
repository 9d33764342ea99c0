/**
 * Servers that start to answer every recipient alike after some rejections: from then on their replies prove nothing.
 */
import {
  type Action,
  acceptsEveryone,
  mailDomain,
  noPipelining,
  rejectsAfterLimit,
  type Temper,
  type Temperament,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { NO_VIOLATIONS, openStory, violationsAt } from "./story.ts";

/** Of forty names, every second one exists, or all but the first. */
const NAMES = Array.from({ length: 40 }, (_, i) => `anna${i}`);
const numberOf = (localPart: string) => Number(localPart.slice(4));
const everySecond = ({ localPart }: { localPart: string }) => numberOf(localPart) % 2 === 0;

async function verdictsAt(temper: Temper, users: (mailbox: { localPart: string }) => boolean) {
  await using story = await openStory({ "shop.test": mailDomain({ users, temper }) });
  const verdicts = await story.verdictsOn(NAMES.map((name) => `${name}@shop.test`));
  await story.end();
  const { leftWithoutQuit, ...violations } = await violationsAt(story, "mx.shop.test");
  const { leftWithoutQuit: _, ...none } = NO_VIOLATIONS;
  expect(violations).toEqual(none);
  const { connections, commands } = story.lab.counts("mx.shop.test");
  return {
    verdicts,
    leftWithoutQuit,
    right: NAMES.map((localPart) => (users({ localPart }) ? "valid" : "invalid mailbox_not_found")),
    connections,
    recipients: commands.RCPT ?? 0,
  };
}

test.concurrent.each([
  ["user unknown, after five unknown users", { refusals: 5, reply: "550 5.1.1 User unknown" }],
  ["a bare 550, after five unknown users", { refusals: 5, reply: "550 Rejected" }],
  ["a refused relay, after five unknown users", { refusals: 5, reply: "554 5.7.1 Relay access denied" }],
  ["a refused domain, after twelve recipients", { recipients: 12, reply: "550 No such domain here" }],
  ["user unknown, after twelve recipients", { recipients: 12, reply: "550 5.1.1 User unknown" }],
  ["a temporary error, after twelve recipients", { recipients: 12, reply: "450 4.2.1 Mailbox unavailable" }],
])("every recipient gets %s: no live mailbox is invalid, and every probe is answered", async (_, turn) => {
  for (const manner of [[], noPipelining]) {
    const { verdicts, right, connections, leftWithoutQuit } = await verdictsAt(
      [manner, rejectsAfterLimit(turn)],
      everySecond,
    );
    expect(verdicts).toEqual(right);
    expect(leftWithoutQuit).toBe(0);
    expect(connections).toBeLessThanOrEqual(40);
  }
});

test.concurrent.each([
  [3, 3],
  [3, 10],
  [5, 3],
  [5, 5],
  [5, 12],
])(
  "blanket rejections after %d unknown users, with %d missing mailboxes first",
  async (refusals, missing) => {
    const temper = rejectsAfterLimit({ refusals, reply: "550 5.1.1 User unknown" });
    const { verdicts, right, leftWithoutQuit } = await verdictsAt(
      temper,
      ({ localPart }) => numberOf(localPart) >= missing,
    );
    expect(verdicts).toEqual(right);
    expect(leftWithoutQuit).toBe(0);
  },
);

const USER_UNKNOWN = "550 5.1.1 User unknown";

/** After some unknown users every recipient is refused, and with the last of `more` such refusals the connection ends. */
const rejectsAndHangsUp = (refusals: number, more: number, next?: Action): Temperament => ({
  on: {
    rcpt: (session) => {
      if (session.refusals < refusals) return undefined;
      const isLast = session.refusals >= refusals + more - 1;
      return { reply: USER_UNKNOWN, ...(isLast && (next ? { next } : { close: "politely" })) };
    },
  },
});

test.concurrent.each([
  [1, 1],
  [2, 2],
  [2, 3],
])(
  "after %d unknown users all are unknown, and the server hangs up %d replies later: no live mailbox is invalid",
  async (refusals, more) => {
    const closing: Action = { reply: "421 4.7.0 Too many errors", close: "politely" };
    for (const next of [undefined, closing])
      for (const manner of [[], noPipelining]) {
        const { verdicts } = await verdictsAt([manner, rejectsAndHangsUp(refusals, more, next)], everySecond);
        // One that changes at the first is not seen to tell mailboxes apart.
        if (refusals > 1)
          expect(verdicts.filter((verdict) => verdict === "valid").length).toBeGreaterThan(15);
      }
  },
);

test.concurrent("a server that hangs up after two unknown users is believed", async () => {
  const hangsUp: Temperament = {
    on: { answered: ({ refusals }) => (refusals < 2 ? undefined : { close: "politely" }) },
  };
  for (const manner of [[], noPipelining]) {
    const { verdicts, right } = await verdictsAt(
      [manner, hangsUp],
      (one) => numberOf(one.localPart) % 8 === 0,
    );
    expect(verdicts).toEqual(right);
  }
});

test.concurrent("a catch-all that turns is still a catch-all", async () => {
  await using story = await openStory({
    "open.test": mailDomain({
      temper: [rejectsAfterLimit({ recipients: 20, reply: "550 5.1.1 User unknown" }), acceptsEveryone],
    }),
  });
  const verdicts = await story.verdictsOn(NAMES.map((name) => `${name}@open.test`));
  expect(new Set(verdicts)).toEqual(new Set(["risky catch_all"]));
});
