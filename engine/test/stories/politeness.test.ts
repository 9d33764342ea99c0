/** Stories of manners, told by the servers' own counts: what we say, how often we call, when we leave. */
import {
  answersSlowly,
  answersWith,
  blocksClient,
  closesAfterRecipients,
  type MailWorld,
  mailDomain,
  mailHost,
  noPipelining,
  saysNothing,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { createEgressGuard } from "../../src/egress/guard.ts";
import { type Connect, createConnect } from "../../src/smtp/connect.ts";
import { until } from "../until.ts";
import { engineIn, manyAt, NO_RUDENESS, openStory, rudenessAt } from "./story.ts";

/** So much time that rests of one and two seconds are taken and one of four is not. */
const RESTS_TWICE_MS = 8000;
const isNumbered = ({ localPart }: { localPart: string }) => localPart.startsWith("anna");

test.concurrent("a whole visit: greet, ask, take it back, say goodbye", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"] }) });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  await story.end();

  const heard = story.lab.received("mx.shop.test");
  expect(heard.slice(0, 3)).toEqual([
    "EHLO probe.mailvet-lab.example",
    "MAIL FROM:<probe@mailvet-lab.example>",
    "RCPT TO:<ann@shop.test>",
  ]);
  expect(heard[3]).toMatch(/^RCPT TO:<[a-z]+\.[a-z]+@shop\.test>$/); // the made-up name
  expect(heard.slice(4)).toEqual(["RSET", "QUIT"]);
  expect(await rudenessAt(story, "mx.shop.test")).toEqual(NO_RUDENESS);
});

test.concurrent("without pipelining every command waits for the answer to the last", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"], temper: noPipelining }) });
  await story.verdictsOn(["ann@shop.test", "eve@shop.test"]);
  await story.end();
  expect(story.lab.counts("mx.shop.test").earlyCommands).toBe(0);
  expect(await rudenessAt(story, "mx.shop.test")).toEqual(NO_RUDENESS);
});

test.concurrent("a banner that takes its time is waited for", async () => {
  const temper = answersSlowly({ delayMs: 500, at: "banner" });
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"], temper }) });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  await story.end();
  expect(await rudenessAt(story, "mx.shop.test")).toEqual(NO_RUDENESS);
});

test.concurrent.each(["banner", "ehlo", "mail", "rcpt"] as const)(
  "refused at %s, we still say goodbye, and after three refusals do not call again",
  async (stage) => {
    await using story = await openStory({
      "shop.test": mailDomain({ users: ["ann"], temper: blocksClient({ at: stage }) }),
    });
    for (let i = 0; i < 12; i++) {
      expect(await story.verdictOn(`anna${i}@shop.test`)).toBe("unknown probe_blocked");
      await until(() => story.lab.counts("mx.shop.test").openConnections === 0); // so that nobody lingers
    }
    await story.end();
    expect(await rudenessAt(story, "mx.shop.test")).toEqual(NO_RUDENESS);
    expect(story.lab.counts("mx.shop.test").connections).toBeLessThanOrEqual(3);
  },
);

test.concurrent("a server that has fallen silent is told goodbye all the same", async () => {
  const temper = saysNothing({ at: "rcpt" });
  await using story = await openStory(
    { "shop.test": mailDomain({ users: ["ann"], temper }) },
    { probeTimeoutMs: 4000 },
  );
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown smtp_timeout");
  await story.end();
  expect(await rudenessAt(story, "mx.shop.test")).toEqual(NO_RUDENESS);
});

test.concurrent("one mailbox refused by policy is no reason to stay away from the others", async () => {
  const reply = "550 5.7.1 <boss@shop.test>: Recipient address rejected: not for you";
  await using story = await openStory({
    "shop.test": mailDomain({
      users: isNumbered,
      temper: answersWith({ at: "rcpt", reply, users: ({ localPart }) => localPart.startsWith("boss") }),
    }),
  });
  const bosses = Array.from({ length: 5 }, (_, i) => `boss${i}@shop.test`);
  for (const verdict of await story.verdictsOn(bosses)) expect(verdict).toMatch(/^unknown/);
  expect(new Set(await story.verdictsOn(manyAt("shop.test", 20)))).toEqual(new Set(["valid"]));
});

test.concurrent("a list of domains behind one house that refuses us costs three calls, not thirty", async () => {
  const hosts = Array.from({ length: 30 }, (_, i) => `firm${i}.mail.protection.outlook.com`);
  const world: MailWorld = {};
  for (const [i, host] of hosts.entries()) {
    world[host] = mailHost({ temper: blocksClient({ at: "banner" }) });
    world[`firm${i}.test`] = mailDomain({ mx: [host], users: ["ann"] });
  }
  await using story = await openStory(world);
  const verdicts = await story.verdictsOn(hosts.map((_, i) => `ann@firm${i}.test`));
  expect(new Set(verdicts)).toEqual(new Set(["unknown probe_blocked"]));
  const calls = hosts.reduce((sum, host) => sum + story.lab.counts(host).connections, 0);
  expect(calls).toBeLessThanOrEqual(4); // two may be at the door at once
});

test.concurrent("after 421 at the door we wait, try a little later, and give up after three", async () => {
  const temper = answersWith({ at: "banner", reply: "421 4.7.0 Too many connections from your address" });
  const world = { "shop.test": mailDomain({ users: ["ann"], temper }) };
  await using story = await openStory(world, { probeTimeoutMs: RESTS_TWICE_MS });
  const verdicts = await story.verdictsOn(manyAt("shop.test", 100));
  expect(new Set(verdicts)).toEqual(new Set(["unknown rate_limited"]));
  expect(story.lab.counts("mx.shop.test").connections).toBe(3);
});

test.concurrent("dismissed with 421 in every visit, we call a handful of times and then say so", async () => {
  const world = { "shop.test": mailDomain({ users: isNumbered, temper: closesAfterRecipients(0) }) };
  await using story = await openStory(world, { probeTimeoutMs: RESTS_TWICE_MS });
  const verdicts = await story.verdictsOn(manyAt("shop.test", 50));
  expect(new Set(verdicts)).toEqual(new Set(["unknown rate_limited"]));
  expect(story.lab.counts("mx.shop.test").connections).toBeLessThanOrEqual(4);
});

test.concurrent("connections at once stay within the cap, however much there is to ask", async () => {
  await using story = await openStory(
    { "shop.test": mailDomain({ users: isNumbered, latencyMs: 5, connectionCap: 3 }) },
    { connectionsPerHost: 3 },
  );
  expect(new Set(await story.verdictsOn(manyAt("shop.test", 400)))).toEqual(new Set(["valid"]));
  await story.end();
  const counts = story.lab.counts("mx.shop.test");
  expect(counts.maxConcurrentConnections).toBe(3);
  expect(counts.refusedConnections).toBe(0);
  expect(await rudenessAt(story, "mx.shop.test")).toEqual(NO_RUDENESS);
});

test.concurrent("a host that takes fewer at once than we thought teaches us, and answers everybody", async () => {
  await using story = await openStory(
    { "shop.test": mailDomain({ users: isNumbered, latencyMs: 5, connectionCap: 1 }) },
    { connectionsPerHost: 4 },
  );
  expect(new Set(await story.verdictsOn(manyAt("shop.test", 300)))).toEqual(new Set(["valid"]));
  expect(story.lab.counts("mx.shop.test").refusedConnections).toBeLessThanOrEqual(4);
});

test.concurrent("a house with many hosts counts our connections to all of them, and so do we", async () => {
  const world: MailWorld = {};
  for (let i = 0; i < 8; i++) {
    world[`firm${i}.mail.protection.outlook.com`] = mailHost({ latencyMs: 80 });
    world[`firm${i}.test`] = mailDomain({ mx: [`firm${i}.mail.protection.outlook.com`], users: ["ann"] });
  }
  expect(
    await mostAtOnce(
      world,
      Array.from({ length: 8 }, (_, i) => `ann@firm${i}.test`),
    ),
  ).toBe(2);
});

test.concurrent("to all hosts together there is a limit as well", async () => {
  const world: MailWorld = {};
  for (let i = 0; i < 20; i++) world[`shop${i}.test`] = mailDomain({ users: ["ann"], latencyMs: 10 });
  const emails = Array.from({ length: 20 }, (_, i) => `ann@shop${i}.test`);
  expect(await mostAtOnce(world, emails, 4)).toBe(4);
});

/** How many connections of ours were open at the same time. */
async function mostAtOnce(world: MailWorld, emails: string[], maxSessions = 400): Promise<number> {
  let open = 0;
  let most = 0;
  await using story = await openStory(world);
  const guard = createEgressGuard({ allow: ["127.0.0.0/8"] });
  const dial = createConnect({ guard, port: story.lab.smtpPort, egress: {} });
  const counting: Connect = async (address, timeoutMs) => {
    const dialled = await dial(address, timeoutMs);
    if (dialled.kind === "connected") {
      most = Math.max(most, ++open);
      dialled.socket.once("close", () => open--);
    }
    return dialled;
  };
  const engine = engineIn(story.lab, { dial: counting, maxSessions });
  expect(new Set(await engine.verdictsOn(emails))).toEqual(new Set(["valid"]));
  await engine.end();
  return most;
}

test.concurrent("who asks a moment later is served in the same visit", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: isNumbered }) });
  for (const email of manyAt("shop.test", 10)) expect(await story.verdictOn(email)).toBe("valid");
  await story.end();
  expect(story.lab.counts("mx.shop.test").connections).toBe(1);
});

test.concurrent("closing in the middle of a rest is not held up by it, and leaves nobody waiting", async () => {
  const temper = answersWith({ at: "banner", reply: "421 4.7.0 Too many connections from your address" });
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"], temper }) });
  const asked = story.verdictsOn(manyAt("shop.test", 30));
  const counts = story.lab.counts("mx.shop.test");
  await until(() => counts.connections > 0 && counts.openConnections === 0);
  const { connections } = counts;
  await story.end();
  expect(new Set(await asked)).toEqual(new Set(["unknown smtp_timeout"]));
  expect(counts.connections).toBe(connections); // the rest would have ended with another call
});

test.concurrent("who asks after closing is told at once", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"] }) });
  await story.verdictOn("ann@shop.test");
  await story.end();
  const { connections } = story.lab.counts("mx.shop.test");
  expect(await story.verdictOn("bob@shop.test")).toMatch(/^unknown/);
  expect(story.lab.counts("mx.shop.test").connections).toBe(connections);
});

test.concurrent("closing in the middle of a visit says goodbye and leaves nobody waiting", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: isNumbered, latencyMs: 30 }) });
  const asked = story.verdictsOn(manyAt("shop.test", 200));
  await until(() => (story.lab.counts("mx.shop.test").commands.RCPT ?? 0) > 0);
  await story.end();
  const verdicts = await asked;
  expect(verdicts).toHaveLength(200);
  for (const verdict of new Set(verdicts))
    expect(["valid", "unknown smtp_timeout", "unknown temporary_error"]).toContain(verdict);
  expect(await rudenessAt(story, "mx.shop.test")).toEqual(NO_RUDENESS);
});

test.concurrent("told again and again to come later, we say so at once instead of waiting for minutes", async () => {
  await using story = await openStory(
    {
      "busy.test": mailDomain({
        users: ["ann"],
        temper: answersWith({
          at: "banner",
          reply: "421 4.7.0 Too many connections from your host, try again later",
        }),
      }),
    },
    { probeTimeoutMs: RESTS_TWICE_MS },
  );
  for (let i = 0; i < 6; i++) expect(await story.verdictOn("ann@busy.test")).toBe("unknown rate_limited");
  expect(story.lab.counts("mx.busy.test").connections).toBe(3);
});
