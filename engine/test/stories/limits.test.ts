/** Servers with limits per session: every probe is answered, in several sessions. */
import {
  answersSlowly,
  badRecipientLimit,
  breaksWhenPipelined,
  closesAfterRecipients,
  errorLimit,
  hangsUp,
  idleTimeout,
  mailDomain,
  mailHost,
  noEhlo,
  noPipelining,
  oneDomainPerTransaction,
  pausesMidBanner,
  recipientLimit,
  rejectsAfterLimit,
  splitsReplies,
  type Temper,
  type Temperament,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { type HostLimiterFor, LocalHostLimiter } from "../../src/smtp/throttle/host-limiter.ts";
import { manyAt, NO_VIOLATIONS, openStory, type Story, tellStories, violationsAt } from "./story.ts";

const at = (temper: Temper) => mailDomain({ users: ["ann", "bob", "cid", "dan"], temper });
const asUsual = { ann: "valid", bob: "valid", cid: "valid", dan: "valid", eve: "invalid mailbox_not_found" };

tellStories([
  ["one recipient per transaction", at(recipientLimit(1)), asUsual],
  ["two recipients per transaction", at(recipientLimit(2)), asUsual],
  ["one recipient per transaction, without pipelining", at([noPipelining, recipientLimit(1)]), asUsual],
  ["three recipients per session, then 421", at(closesAfterRecipients(3)), asUsual],
  ["two recipients per session, then no reply", at(hangsUp({ after: { recipients: 2 } })), asUsual],
  [
    "two recipients per session, then a reset",
    at(hangsUp({ after: { recipients: 2 }, mode: "abruptly" })),
    asUsual,
  ],
  ["no EHLO", at(noEhlo), asUsual],
  ["no pipelining", at(noPipelining), asUsual],
  [
    "pipelining offered, then the connection closes on it",
    at(breaksWhenPipelined({ by: "leaving" })),
    asUsual,
  ],
  ["replies byte by byte", at(splitsReplies), asUsual],
  ["a slow server", at(answersSlowly({ delayMs: 60 })), asUsual],
  ["a banner in two halves with a pause between", at(pausesMidBanner({ pauseMs: 400 })), asUsual],
  ["a short idle timeout", at(idleTimeout({ idleMs: 5000 })), asUsual],
]);

test.concurrent("a server that loses pipelined commands is probed again, one command at a time", async () => {
  const temper = breaksWhenPipelined({ by: "losing" });
  await using story = await openStory({ "shop.test": at(temper) }, { probeTimeoutMs: 8000 });
  expect(await story.verdictsOn(["ann@shop.test", "eve@shop.test"])).toEqual([
    "valid",
    "invalid mailbox_not_found",
  ]);
  expect(story.lab.counts("mx.shop.test").connections).toBe(2);
});

test.concurrent("a server that stops responding after the first recipient gets one per session", async () => {
  const temper: Temperament = {
    on: { rcpt: (session) => (session.recipientsAsked > 1 ? { silent: true } : undefined) },
  };
  await using story = await openStory({ "shop.test": at(temper) }, { probeTimeoutMs: 8000 });
  const verdicts = await story.verdictsOn(
    ["ann", "bob", "cid", "dan", "eve"].map((name) => `${name}@shop.test`),
  );
  expect(verdicts).toEqual(["valid", "valid", "valid", "valid", "invalid mailbox_not_found"]);
  // Five and a decoy, one per session, and two sessions in which the limit was learned.
  expect(story.lab.counts("mx.shop.test").connections).toBeLessThanOrEqual(8);
});

test.concurrent("a host that accepts one domain per transaction is learned after one batch", async () => {
  const domains = ["one.test", "two.test", "six.test"];
  await using story = await openStory({
    "mx.host.test": mailHost({ temper: oneDomainPerTransaction }),
    ...Object.fromEntries(
      domains.map((name) => [name, mailDomain({ mx: ["mx.host.test"], users: ["ann"] })]),
    ),
  });
  const verdicts = await story.verdictsOn(domains.flatMap((name) => [`ann@${name}`, `eve@${name}`]));
  expect(verdicts).toEqual(domains.flatMap(() => ["valid", "invalid mailbox_not_found"]));
  await story.end();
  expect(story.lab.counts("mx.host.test").connections).toBeLessThanOrEqual(2); // learned once
});

test.concurrent("a session ends before the server's error limit, and every probe is answered", async () => {
  await using story = await openStory({
    "shop.test": mailDomain({
      users: ({ localPart }) => Number(localPart.slice(4)) % 2 === 0,
      temper: errorLimit({ sleepMs: 30 }),
    }),
  });
  const emails = manyAt("shop.test", 120);
  const verdicts = await story.verdictsOn(emails);
  expect(verdicts).toEqual(emails.map((_, i) => (i % 2 === 1 ? "valid" : "invalid mailbox_not_found")));
  await story.end();

  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
  const { connections } = story.lab.counts("mx.shop.test");
  expect(connections).toBeGreaterThanOrEqual(60 / 19); // the 20th rejection in a session is one too many
  expect(connections).toBeLessThanOrEqual(12);
});

test.concurrent("a learned session limit is kept: after the first 421 there is no second", async () => {
  await using story = await openStory({
    "shop.test": mailDomain({
      users: ({ localPart }) => localPart.startsWith("anna"),
      temper: closesAfterRecipients(30),
    }),
  });
  const emails = manyAt("shop.test", 100);
  expect(new Set(await story.verdictsOn(emails))).toEqual(new Set(["valid"]));
  await story.end();

  const { connections, commands } = story.lab.counts("mx.shop.test");
  expect(connections).toBeLessThanOrEqual(5);
  // The session that hit the limit proves nothing and is asked again, its last batch in vain; and controls.
  expect(commands.RCPT).toBeLessThanOrEqual(101 + 30 + 40 + 10);
});

/** One address in five does not exist, in no regular order. */
const isFifthMissing = ({ localPart }: { localPart: string }) =>
  (Number(localPart.slice(4)) * 7919) % 97 >= 20;
const notPostfix: Temperament = { replies: { banner: "220 {host} ESMTP ready" } };

/** 600 addresses at one host, of which one in five is refused. */
async function probeSixHundred(temper: Temper) {
  const events: string[] = [];
  const limiterFor: HostLimiterFor = (_key, profile) => {
    const limiter = new LocalHostLimiter(profile);
    const record = limiter.record.bind(limiter);
    limiter.record = (event) => {
      events.push(event.kind);
      record(event);
    };
    return limiter;
  };
  const world = { "shop.test": mailDomain({ users: isFifthMissing, temper }) };
  await using story = await openStory(world, { limiterFor });
  const emails = manyAt("shop.test", 600);
  const verdicts = await story.verdictsOn(emails);
  await story.end();
  const isRight = emails.map((email, i) =>
    isFifthMissing({ localPart: email.split("@", 1)[0]! })
      ? verdicts[i] === "valid"
      : verdicts[i] === "invalid mailbox_not_found",
  );
  expect(isRight).toEqual(emails.map(() => true));
  return { ...effortAt(story, "mx.shop.test"), events };
}

/** Connecting and the banner are two round trips of each connection. */
function effortAt(story: Story, host: string) {
  const { connections, commands, earlyCommands, endedWithoutQuit } = story.lab.counts(host);
  const sent = Object.values(commands).reduce((sum, count) => sum + count, 0);
  return { connections, roundTrips: 2 * connections + sent - earlyCommands, endedWithoutQuit };
}

test.concurrent.each<[string, string[]]>([
  ["one accepted first", ["anna1", "anna2", "anna5"]],
  ["all refused", ["anna5", "anna8", "anna11"]],
])("three addresses of a new domain and its decoy are one batch: %s", async (_, mailboxes) => {
  await using story = await openStory({ "shop.test": mailDomain({ users: isFifthMissing }) });
  const emails = mailboxes.map((mailbox) => `${mailbox}@shop.test`);
  const verdicts = await story.verdictsOn(emails);
  await story.end();
  expect(verdicts).toEqual(
    mailboxes.map((localPart) => (isFifthMissing({ localPart }) ? "valid" : "invalid mailbox_not_found")),
  );
  // Connecting, banner, EHLO, the batch and QUIT.
  expect(effortAt(story, "mx.shop.test")).toEqual({ connections: 1, roundTrips: 5, endedWithoutQuit: 0 });
});

test.concurrent("a known mailbox that is refused in the open transaction is asked for in a new one before anything is doubted", async () => {
  let refused = 0;
  const oncePerTransaction: Temperament = {
    on: {
      rcpt({ recipients, address }) {
        if (!recipients.includes(address)) return undefined;
        refused++;
        return { reply: "550 5.5.1 Duplicate recipient" };
      },
    },
  };
  const users = ({ localPart }: { localPart: string }) => localPart.startsWith("anna");
  await using story = await openStory({ "shop.test": mailDomain({ users, temper: oncePerTransaction }) });
  const verdicts = await story.verdictsOn([...manyAt("shop.test", 11), "eve@shop.test"]);
  expect(verdicts.at(-1)).toBe("invalid mailbox_not_found");
  expect(new Set(verdicts.slice(0, -1))).toEqual(new Set(["valid"]));
  expect(refused).toBeGreaterThan(0);
  expect(story.lab.counts("mx.shop.test").connections).toBe(1);
});

test.concurrent("a host with Postfix's limit of errors takes few sessions and round trips, and no session meets the limit", async () => {
  let slept = 0;
  const counts: Temperament = {
    on: {
      command(session) {
        if (session.refusals >= 10) slept++;
        return undefined;
      },
    },
  };
  const { connections, roundTrips, endedWithoutQuit } = await probeSixHundred(counts);
  expect(endedWithoutQuit).toBe(0);
  expect(connections).toBeGreaterThanOrEqual(13);
  expect(connections).toBeLessThanOrEqual(24); // 124 refusals, at most nine in each
  expect(roundTrips).toBeLessThanOrEqual(225); // connecting, banner and EHLO are three of each connection
  expect(slept).toBe(0); // commands that Postfix would have delayed
});

test.concurrent("a host that shows no limit of errors is sent more in a session, up to a limit of our own", async () => {
  const { connections, endedWithoutQuit, events } = await probeSixHundred(notPostfix);
  expect(endedWithoutQuit).toBe(0);
  expect(connections).toBeLessThanOrEqual(12);
  expect(connections).toBeGreaterThanOrEqual(124 / 20);
  expect(new Set(events)).toEqual(new Set(["ok"]));
});

test.concurrent.each([5, 12])(
  "a host that closes with 421 after %d errors is learned, without a pause and without a lost probe",
  async (leaveAt) => {
    const temper = [notPostfix, errorLimit({ leaveAt, sleepAfter: 100 })];
    const { connections, endedWithoutQuit, events } = await probeSixHundred(temper);
    expect(events).not.toContain("rate_limited");
    expect(endedWithoutQuit).toBeLessThanOrEqual(4);
    expect(connections).toBeLessThanOrEqual(leaveAt === 5 ? 60 : 22);
  },
);

test.concurrent.each([
  "421 4.7.0 mx Error: rate limit exceeded, slow down",
  "421 4.7.0 mx Error: too much mail from 192.0.2.1",
])("a 421 about our rate is no limit of errors, after few refusals or many: %s", async (reply) => {
  for (const recipients of [30, 70]) {
    let isFirst = true;
    const temper: Temperament = {
      on: {
        rcpt({ number, recipientsAsked }) {
          if (!isFirst || number < 3 || recipientsAsked <= recipients) return undefined;
          isFirst = false;
          return { reply, close: "politely" };
        },
      },
    };
    const { events } = await probeSixHundred([notPostfix, temper]);
    expect(events.filter((kind) => kind === "rate_limited")).toHaveLength(1);
  }
});

test.concurrent("a host that hangs up without a word after some errors is learned from two hang-ups", async () => {
  const temper: Temperament = {
    on: { answered: ({ refusals }) => (refusals >= 6 ? { close: "politely" } : undefined) },
  };
  const { endedWithoutQuit, connections } = await probeSixHundred([notPostfix, temper]);
  expect(endedWithoutQuit).toBeLessThanOrEqual(8);
  expect(connections).toBeLessThanOrEqual(60);
});

test.concurrent("a known mailbox that gets a temporary error when it is sent again refutes nothing", async () => {
  const sent = new Set<string>();
  const temper: Temperament = {
    replies: { full: "451 4.3.0 Temporary lookup failure" },
    mailbox({ localPart }) {
      if (!isFifthMissing({ localPart })) return undefined;
      if (sent.has(localPart)) return "full";
      sent.add(localPart);
      return undefined;
    },
  };
  const { connections } = await probeSixHundred([notPostfix, temper]);
  expect(sent.size).toBeGreaterThan(0);
  expect(connections).toBeLessThanOrEqual(60);
});

test.concurrent("a QUIT with the last recipients that gets no reply costs no answer", async () => {
  const temper: Temperament = {
    on: { quit: ({ number }) => (number <= 3 ? { silent: true } : undefined) },
  };
  const { connections } = await probeSixHundred([notPostfix, temper]); // three probe timeouts are longer than a test may take
  expect(connections).toBeLessThanOrEqual(12);
});

test.concurrent("after another reply than 221 to that QUIT, every recipient is sent on its own", async () => {
  const temper: Temperament = { on: { quit: () => ({ reply: "250 2.1.5 Ok" }) } };
  const { connections } = await probeSixHundred([notPostfix, temper]);
  expect(connections).toBeLessThanOrEqual(40);
});

test.concurrent("a host that refuses everybody after fourteen errors makes no mailbox invalid", async () => {
  const temper = [notPostfix, rejectsAfterLimit({ refusals: 14, reply: "550 5.1.1 User unknown" })];
  const { endedWithoutQuit, connections } = await probeSixHundred(temper);
  expect(endedWithoutQuit).toBe(0);
  expect(connections).toBeLessThanOrEqual(40);
});

/** Where the engine meets the limit of bad recipients, by session, and how many connections it needs. */
async function probeAtExim(count: number, users: (number: number) => boolean, connectionsPerHost = 1) {
  const met: number[] = [];
  const exists = ({ localPart }: { localPart: string }) => users(Number(localPart.slice(4)));
  const temper = [notPostfix, badRecipientLimit((session) => met.push(session))];
  const world = { "shop.test": mailDomain({ users: exists, temper }) };
  await using story = await openStory(world, { connectionsPerHost });
  const emails = manyAt("shop.test", count);
  const verdicts = await story.verdictsOn(emails);
  expect(verdicts).toEqual(emails.map((_, i) => (users(i + 1) ? "valid" : "invalid mailbox_not_found")));
  await story.end();
  const { connections, endedWithoutQuit } = story.lab.counts("mx.shop.test");
  expect(endedWithoutQuit).toBe(0);
  return { sessionsAtLimit: new Set(met).size, connections };
}

const inNoOrder = (number: number) => (number * 7919) % 97;

test.concurrent("where many are missing, Exim's limit of bad recipients is never met", async () => {
  const half = await probeAtExim(200, (number) => inNoOrder(number) % 2 === 0);
  expect(half.sessionsAtLimit).toBe(0);
  expect(half.connections).toBeLessThanOrEqual(12);
  const nineTenths = await probeAtExim(100, (number) => inNoOrder(number) % 10 === 0);
  expect(nineTenths.sessionsAtLimit).toBe(0);
  expect(nineTenths.connections).toBeLessThanOrEqual(12);
});

test.concurrent.each([1, 4])(
  "where suddenly all are missing, none but the sessions open at that moment meet it: %d at once",
  async (connectionsPerHost) => {
    const isFirst = (number: number) => number <= 60;
    const { sessionsAtLimit, connections } = await probeAtExim(200, isFirst, connectionsPerHost);
    expect(sessionsAtLimit).toBeLessThanOrEqual(connectionsPerHost);
    expect(connections).toBeLessThanOrEqual(24);
  },
);

test.concurrent("150 catch-all domains at one host need few connections, because it refuses no decoy", async () => {
  const domains = Array.from({ length: 150 }, (_, i) => `shop${i}.test`);
  const catchAll = mailDomain({ mx: ["mx.host.test"], users: () => true });
  await using story = await openStory(
    { "mx.host.test": mailHost(), ...Object.fromEntries(domains.map((domain) => [domain, catchAll])) },
    { connectionsPerHost: 1 },
  );
  const verdicts = await story.verdictsOn(domains.map((domain) => `ann@${domain}`));
  expect(new Set(verdicts)).toEqual(new Set(["risky catch_all"]));
  expect(story.lab.counts("mx.host.test").connections).toBeLessThanOrEqual(3);
});
