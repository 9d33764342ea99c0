/** Catch-all domains, and how few commands it takes to recognise them. */
import { setTimeout as delay } from "node:timers/promises";
import {
  acceptsEveryone,
  answersWith,
  greylists,
  mailDomain,
  mailHost,
  microsoft365,
  neverRefusesAtRcpt,
  noPipelining,
  recipientLimit,
  type Temper,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { engineIn, manyAt, openStory, tellStories } from "./story.ts";

const at = (temper: Temper) => mailDomain({ users: ["ann"], temper });
const anyone = { ann: "risky catch_all", eve: "risky catch_all" };

tellStories([
  ["a server that accepts every recipient is risky", at(acceptsEveryone), anyone],
  ["also without pipelining", at([noPipelining, acceptsEveryone]), anyone],
  ["also one recipient at a time", at([recipientLimit(1), acceptsEveryone]), anyone],
  ["so is one that accepts now and bounces later", at(neverRefusesAtRcpt), anyone],
  [
    "so is a large provider without recipient checks at its edge",
    at([acceptsEveryone, microsoft365]),
    anyone,
  ],
  [
    "accepted, while the decoy is deferred: nothing is proven yet",
    at(
      answersWith({
        at: "rcpt",
        reply: "451 4.3.0 Temporary lookup failure",
        users: ({ localPart }) => localPart !== "ann",
      }),
    ),
    { ann: "unknown temporary_error" },
  ],
  [
    "accepted, while the decoy is rejected because of the client: nothing is proven either",
    at(
      answersWith({
        at: "rcpt",
        reply: "554 5.7.1 Service unavailable; Client host [127.0.0.1] blocked using bl.example.org",
        users: ({ localPart }) => localPart !== "ann",
      }),
    ),
    { ann: "unknown probe_blocked" },
  ],
]);

test.concurrent("the decoy is probed once, however many addresses there are", async () => {
  await using story = await openStory({
    "shop.test": mailDomain({ users: ({ localPart }) => localPart.startsWith("anna") }),
  });
  const emails = manyAt("shop.test", 200);
  expect(new Set(await story.verdictsOn(emails.slice(0, 150)))).toEqual(new Set(["valid"]));
  expect(new Set(await story.verdictsOn(emails.slice(150)))).toEqual(new Set(["valid"]));
  await story.end();

  const recipients = story.lab.received("mx.shop.test").filter((line) => line.startsWith("RCPT"));
  expect(recipients.filter((line) => !line.includes("<anna"))).toHaveLength(3); // one more at the end of each list
  expect(new Set(recipients).size).toBe(203);
  expect(recipients.length).toBeLessThanOrEqual(203 + 4); // a known mailbox once more when the queue is empty
});

test.concurrent("no decoy is probed where the mailbox is rejected and the decoy would cost a round trip", async () => {
  await using story = await openStory({ "shop.test": at(noPipelining) });
  expect(await story.verdictOn("eve@shop.test")).toBe("invalid mailbox_not_found");
  await story.end();
  expect(story.lab.counts("mx.shop.test").commands.RCPT).toBe(1);
});

test.concurrent("of a catch-all domain twenty mailboxes are asked, and further ones cost nothing", async () => {
  await using story = await openStory({ "open.test": at(acceptsEveryone) });
  await story.verdictOn("first@open.test");
  expect(new Set(await story.verdictsOn(manyAt("open.test", 150)))).toEqual(new Set(["risky catch_all"]));
  const { connections, commands } = structuredClone(story.lab.counts("mx.open.test"));
  expect(commands.RCPT).toBe(20 + 2);
  expect(new Set(await story.verdictsOn(manyAt("open.test", 300)))).toEqual(new Set(["risky catch_all"]));
  await story.end();

  const after = story.lab.counts("mx.open.test");
  expect(after.connections).toBe(connections);
  expect(after.commands.RCPT).toBe(commands.RCPT);
});

test.concurrent("a catch-all domain that refuses a mailbox proves that it is gone, and the others are all asked", async () => {
  const isClosed = ({ localPart }: { localPart: string }) => /^anna(?:1[01]|33)$/.test(localPart);
  const acceptsOthers: Temper = { mailbox: (one) => (isClosed(one) ? undefined : "catch_all") };
  await using story = await openStory({ "open.test": mailDomain({ users: [], temper: acceptsOthers }) });
  const verdicts = await story.verdictsOn(manyAt("open.test", 40));
  expect(verdicts).toEqual(
    manyAt("open.test", 40).map((email) =>
      isClosed({ localPart: email.split("@")[0]! }) ? "invalid mailbox_not_found" : "risky catch_all",
    ),
  );
});

test.concurrent("many concurrent checks at such a domain cost one session", async () => {
  await using story = await openStory({ "open.test": at(acceptsEveryone) });
  const emails = manyAt("open.test", 400);
  expect(new Set(await story.verdictsOn(emails))).toEqual(new Set(["risky catch_all"]));
  await story.end();

  const { connections, commands } = story.lab.counts("mx.open.test");
  expect(connections).toBe(1);
  expect(commands.RCPT).toBeLessThanOrEqual(40); // the batch that included the decoy
});

test.concurrent("a catch-all domain and an ordinary one on the same host get their own verdicts", async () => {
  await using story = await openStory({
    "mx.host.test": mailHost(),
    "open.test": mailDomain({ mx: ["mx.host.test"], temper: acceptsEveryone }),
    "honest.test": mailDomain({ mx: ["mx.host.test"], users: ["ann"] }),
  });
  const emails = ["ann@open.test", "ann@honest.test", "eve@open.test", "eve@honest.test"];
  expect(await story.verdictsOn(emails)).toEqual([
    "risky catch_all",
    "valid",
    "risky catch_all",
    "invalid mailbox_not_found",
  ]);
});

test.concurrent("after the greylisting delay both names are accepted, because the decoy is still the same", async () => {
  await using story = await openStory({ "grey.test": at(greylists({ delayMs: 200 })) });
  const { mailbox } = await story.evidenceFor("ann@grey.test");
  expect(mailbox).toMatchObject({ answer: "greylisted", retryAfterSeconds: 360 });
  await story.end();

  await delay(220); // timing: the greylisting delay of the lab has to pass
  const later = engineIn(story.lab);
  expect(await later.verdictOn("ann@grey.test")).toBe("valid");
  await later.end();
});

test.concurrent("a major provider that suddenly accepts every name is not trusted", async () => {
  const host = "gmail-smtp-in.l.google.com";
  await using story = await openStory({
    [host]: mailHost({ temper: neverRefusesAtRcpt }),
    "gmail.com": mailDomain({ mx: [host], users: ["ann.longname"] }),
  });
  expect(await story.verdictOn("ann.longname@gmail.com")).toBe("unknown probe_blocked");
  expect(await story.verdictOn("nobody.at.all@gmail.com")).toBe("unknown probe_blocked");
});
