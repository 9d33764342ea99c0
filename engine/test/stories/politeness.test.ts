/** Politeness, by the servers' own counts: commands, connections, session ends. */
import type { Socket } from "node:net";
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
  type Temperament,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { createEgressGuard } from "../../src/egress/guard.ts";
import { type Connect, createConnect } from "../../src/smtp/client/connect.ts";
import { type SessionLimits, sessionLimits } from "../../src/smtp/session-limits.ts";
import { until } from "../until.ts";
import { engineIn, manyAt, NO_VIOLATIONS, openStory, violationsAt } from "./story.ts";

/** Enough for pauses of one and two seconds, but not for one of four. */
const RESTS_TWICE_MS = 8000;
const isNumbered = ({ localPart }: { localPart: string }) => localPart.startsWith("anna");

test.concurrent("a whole session: EHLO, MAIL, RCPT, RSET, QUIT", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"] }) });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  await story.end();
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);

  const heard = story.lab.received("mx.shop.test");
  expect(heard.slice(0, 3)).toEqual([
    "EHLO probe.mailvet-lab.example",
    "MAIL FROM:<probe@mailvet-lab.example>",
    "RCPT TO:<ann@shop.test>",
  ]);
  expect(heard[3]).toMatch(/^RCPT TO:<[a-z]+\.[a-z]+@shop\.test>$/); // the decoy
  expect(heard.slice(4)).toEqual(["RSET", "QUIT"]);
});

test.concurrent("without pipelining every command waits for the previous reply", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"], temper: noPipelining }) });
  await story.verdictsOn(["ann@shop.test", "eve@shop.test"]);
  await story.end();
  expect(story.lab.counts("mx.shop.test").earlyCommands).toBe(0);
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
});

test.concurrent("a slow banner is waited for", async () => {
  const temper = answersSlowly({ delayMs: 500, at: "banner" });
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"], temper }) });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  await story.end();
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
});

test.concurrent.each(["banner", "ehlo", "mail", "rcpt"] as const)(
  "rejected at %s, a session still sends QUIT, and after three rejections there is no further connection",
  async (stage) => {
    await using story = await openStory(
      { "shop.test": mailDomain({ users: ["ann"], temper: blocksClient({ at: stage }) }) },
      { idleSessionMs: 1 },
    );
    for (let i = 0; i < 12; i++) {
      expect(await story.verdictOn(`anna${i}@shop.test`)).toBe("unknown probe_blocked");
      await until(() => story.lab.counts("mx.shop.test").openConnections === 0); // so that no connection lingers
    }
    await story.end();
    expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
    expect(story.lab.counts("mx.shop.test").connections).toBeLessThanOrEqual(3);
  },
);

test.concurrent("QUIT is sent even to a server that stopped responding", async () => {
  const temper = saysNothing({ at: "rcpt" });
  await using story = await openStory(
    { "shop.test": mailDomain({ users: ["ann"], temper }) },
    { probeTimeoutMs: 8000, closeGraceMs: 60_000 },
  );
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown smtp_timeout");
  await story.end();
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
});

test.concurrent("a policy rejection of one mailbox does not affect the others", async () => {
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

test.concurrent("rejections of us between mailboxes that are answered do not give up the host, and are shown for their own address only", async () => {
  const isBoss = ({ localPart }: { localPart: string }) => localPart.startsWith("boss");
  const temper: Temperament = {
    on: {
      rcpt: ({ address }) =>
        address.startsWith("boss") ? { reply: `550 5.7.25 <${address}>: no PTR record` } : undefined,
    },
  };
  await using story = await openStory({
    "shop.test": mailDomain({ users: (mailbox) => isBoss(mailbox) || isNumbered(mailbox), temper }),
  });
  const emails = manyAt("shop.test", 40).flatMap((email, i) => [email, `boss${i}@shop.test`]);
  const found = await Promise.all(emails.map((email) => story.evidenceFor(email)));
  for (const [i, { mailbox }] of found.entries()) {
    const { answer, reply } = mailbox!;
    expect(answer).toBe(emails[i]!.startsWith("boss") ? "probe_blocked" : "accepted");
    if (answer === "probe_blocked") expect(reply?.text).toContain(`<${emails[i]}>`);
  }
});

test.concurrent("a list of domains at one provider that rejects us costs three connections, not thirty", async () => {
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
  expect(calls).toBeLessThanOrEqual(4); // two may connect at once
});

test.concurrent("after a 421 banner the host is retried after a pause, three times at most", async () => {
  const temper = answersWith({ at: "banner", reply: "421 4.7.0 Too many connections from your address" });
  const world = { "shop.test": mailDomain({ users: ["ann"], temper }) };
  await using story = await openStory(world, { probeTimeoutMs: RESTS_TWICE_MS });
  const verdicts = await story.verdictsOn(manyAt("shop.test", 100));
  expect(new Set(verdicts)).toEqual(new Set(["unknown rate_limited"]));
  expect(story.lab.counts("mx.shop.test").connections).toBe(3);
});

test.concurrent("after 421 in every session there are a handful of connections, then rate_limited", async () => {
  const world = { "shop.test": mailDomain({ users: isNumbered, temper: closesAfterRecipients(0) }) };
  await using story = await openStory(world, { probeTimeoutMs: RESTS_TWICE_MS });
  const verdicts = await story.verdictsOn(manyAt("shop.test", 50));
  expect(new Set(verdicts)).toEqual(new Set(["unknown rate_limited"]));
  expect(story.lab.counts("mx.shop.test").connections).toBeLessThanOrEqual(4);
});

test.concurrent("concurrent connections stay within the limit, however many probes there are", async () => {
  await using story = await openStory(
    { "shop.test": mailDomain({ users: isNumbered, latencyMs: 5, connectionCap: 3 }) },
    { connectionsPerHost: 3 },
  );
  expect(new Set(await story.verdictsOn(manyAt("shop.test", 400)))).toEqual(new Set(["valid"]));
  await story.end();
  const counts = story.lab.counts("mx.shop.test");
  expect(counts.maxConcurrentConnections).toBe(3);
  expect(counts.refusedConnections).toBe(0);
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
});

test.concurrent("a host that accepts fewer connections than assumed is learned, and every probe is answered", async () => {
  await using story = await openStory(
    { "shop.test": mailDomain({ users: isNumbered, latencyMs: 5, connectionCap: 1 }) },
    { connectionsPerHost: 4 },
  );
  expect(new Set(await story.verdictsOn(manyAt("shop.test", 300)))).toEqual(new Set(["valid"]));
  expect(story.lab.counts("mx.shop.test").refusedConnections).toBeLessThanOrEqual(4);
});

test.concurrent("the limit of a provider applies to all its hosts together", async () => {
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

test.concurrent("there is a limit for all hosts together as well", async () => {
  const world: MailWorld = {};
  for (let i = 0; i < 20; i++) world[`shop${i}.test`] = mailDomain({ users: ["ann"], latencyMs: 10 });
  const emails = Array.from({ length: 20 }, (_, i) => `ann@shop${i}.test`);
  expect(await mostAtOnce(world, emails, { working: 4, open: 20 })).toBe(4);
});

/** Maximum number of concurrent connections. */
async function mostAtOnce(world: MailWorld, emails: string[], limits?: SessionLimits): Promise<number> {
  const sockets = new Set<Socket>();
  let most = 0;
  await using story = await openStory(world);
  const guard = createEgressGuard({ allow: ["127.0.0.0/8"] });
  const dial = createConnect({ guard, port: story.lab.smtpPort, egress: {} });
  const counting: Connect = async (address, timeoutMs) => {
    const dialled = await dial(address, timeoutMs);
    if (dialled.kind === "connected") {
      sockets.add(dialled.socket);
      const open = [...sockets].filter(({ destroyed }) => !destroyed); // "close" comes later
      most = Math.max(most, open.length);
    }
    return dialled;
  };
  const engine = engineIn(story.lab, { dial: counting, sessionLimits: limits ?? sessionLimits() });
  expect(new Set(await engine.verdictsOn(emails))).toEqual(new Set(["valid"]));
  await engine.end();
  return most;
}

test.concurrent("a probe that arrives a moment later uses the same session", async () => {
  await using story = await openStory(
    { "shop.test": mailDomain({ users: isNumbered }) },
    { idleSessionMs: 60_000 },
  );
  for (const email of manyAt("shop.test", 7)) expect(await story.verdictOn(email)).toBe("valid");
  await story.end();
  expect(story.lab.counts("mx.shop.test").connections).toBe(1);
});

test.concurrent("closing during a pause is immediate and leaves no probe pending", async () => {
  const temper = answersWith({ at: "banner", reply: "421 4.7.0 Too many connections from your address" });
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"], temper }) });
  const asked = story.verdictsOn(manyAt("shop.test", 30));
  const counts = story.lab.counts("mx.shop.test");
  await until(() => counts.connections > 0 && counts.openConnections === 0);
  const { connections } = counts;
  await story.end();
  expect(new Set(await asked)).toEqual(new Set(["unknown smtp_timeout"]));
  expect(counts.connections).toBe(connections); // the pause would have ended with another connection
});

test.concurrent("a check after closing ends at once", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"] }) });
  await story.verdictOn("ann@shop.test");
  await story.end();
  const { connections } = story.lab.counts("mx.shop.test");
  expect(await story.verdictOn("bob@shop.test")).toMatch(/^unknown/);
  expect(story.lab.counts("mx.shop.test").connections).toBe(connections);
});

test.concurrent("closing during a session sends QUIT and leaves no probe pending", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: isNumbered, latencyMs: 30 }) });
  const asked = story.verdictsOn(manyAt("shop.test", 200));
  await until(() => (story.lab.counts("mx.shop.test").commands.RCPT ?? 0) > 0);
  await story.end();
  const verdicts = await asked;
  expect(verdicts).toHaveLength(200);
  for (const verdict of new Set(verdicts))
    expect(["valid", "unknown smtp_timeout", "unknown temporary_error"]).toContain(verdict);
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
});

test.concurrent("after repeated rate limits the result is immediate instead of a wait of minutes", async () => {
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
  const checks = 6;
  for (let i = 0; i < checks; i++)
    expect(await story.verdictOn("ann@busy.test")).toBe("unknown rate_limited");
  // The first one connects three times. Had the others waited for the pause, each would have connected too; on a slow machine
  // a pause may end between two of them.
  expect(story.lab.counts("mx.busy.test").connections).toBeLessThan(3 + checks - 1);
});
