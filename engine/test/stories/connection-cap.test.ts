/** A host that refuses a further connection while it serves others: its cap is learned, and nothing pauses. */
import { type MailWorld, mailDomain, mailHost, type Temperament } from "@mailvet/lab";
import { expect, test, vi } from "vitest";
import { type HostLimiterFor, LocalHostLimiter } from "../../src/smtp/throttle/host-limiter.ts";
import type { ThrottleEvent } from "../../src/smtp/throttle/throttle-state.ts";
import { until } from "../until.ts";
import { manyAt, openStory } from "./story.ts";

const isNumbered = ({ localPart }: { localPart: string }) => localPart.startsWith("anna");

/** An idle session gives up its slot at once only to those that wait for it already; others wait until it is over. */
const SOON_OVER = { idleSessionMs: 250 };

/** Limiters as usual, which note every event and the delay that it leads to. */
function noting() {
  const events: ThrottleEvent["kind"][] = [];
  const delays: number[] = [];
  const limiters: LocalHostLimiter[] = [];
  const limiterFor: HostLimiterFor = (_key, profile) => {
    const limiter = new LocalHostLimiter(profile);
    const record = limiter.record.bind(limiter);
    limiter.record = (event) => {
      record(event);
      events.push(event.kind);
      delays.push(limiter.delayLeftMs);
    };
    limiters.push(limiter);
    return limiter;
  };
  return { limiterFor, events, delays, limiters };
}

/** One host, with 200 mailboxes to probe. */
async function probeAll(world: MailWorld, connectionsPerHost: number) {
  const { limiterFor, events, delays, limiters } = noting();
  await using story = await openStory(world, { connectionsPerHost, limiterFor });
  expect(new Set(await story.verdictsOn(manyAt("shop.test", 200)))).toEqual(new Set(["valid"]));
  await story.end();
  const counts = { ...story.lab.counts("mx.shop.test") };
  return { counts, events, delays, limits: limiters.map(({ limit }) => limit) };
}

test.concurrent.each([
  [2, 1],
  [24, 2],
])(
  "%d connections at a host with a cap of %d: learned at once, no pause, no probe lost",
  async (assumed, connectionCap) => {
    const world = { "shop.test": mailDomain({ users: isNumbered, latencyMs: 5, connectionCap }) };
    const { counts, events, delays, limits } = await probeAll(world, assumed);
    expect(events).not.toContain("rate_limited");
    expect(new Set(delays)).toEqual(new Set([0]));
    expect(limits).toEqual([connectionCap]);
    // Sessions are opened before the first refusal is received, and hardly any afterwards. How many of them are served
    // depends on the order in which they arrive and end.
    const openedAtOnce = Math.min(assumed, Math.ceil(200 / 12));
    expect(counts.connections).toBeLessThanOrEqual(openedAtOnce + connectionCap);
  },
);

/** The second session is refused at this stage; the connection stays open unless the reply is a 421. */
const refusesSecond = (at: "banner" | "ehlo" | "mail", reply: string): Temperament => ({
  on: {
    [at]: ({ number }: { number: number }) =>
      number === 2 ? { reply, ...(reply.startsWith("421") && { close: "politely" }) } : undefined,
  },
});

test.concurrent.each([
  ["banner", "421 4.7.0 mx Error: too many connections from 192.0.2.1"],
  ["banner", "450 4.7.1 Too many concurrent connections"],
  ["banner", "451 Too many simultaneous connections, try later"],
  ["banner", "554 5.7.1 Too many connections from your IP"],
  ["ehlo", "421 4.7.0 mx Error: too many connections from 192.0.2.1"],
  ["mail", "421 4.7.0 mx Error: too many connections from 192.0.2.1"],
  ["mail", "451 4.7.1 Too many concurrent sessions"],
] as const)("a second connection refused at %s with %s is the host's cap", async (stage, reply) => {
  const world = {
    "shop.test": mailDomain({ users: isNumbered, latencyMs: 5, temper: refusesSecond(stage, reply) }),
  };
  const { counts, events, limits } = await probeAll(world, 2);
  expect(events).toContain("too_many_connections");
  expect(events).not.toContain("rate_limited");
  expect(limits).toEqual([1]);
  expect(counts.maxConcurrentConnections).toBe(2);
});

test.concurrent("a refusal that counts connections per time, or without another session, is a rate limit", async () => {
  for (const [assumed, reply] of [
    [2, "421 4.3.2 Connection rate limit exceeded."],
    [1, "421 4.7.0 mx Error: too many connections from 192.0.2.1"],
  ] as const) {
    const world = {
      "shop.test": mailDomain({ users: isNumbered, latencyMs: 5, temper: refusesSecond("banner", reply) }),
    };
    const { events, limits } = await probeAll(world, assumed);
    if (assumed === 2) expect(events).toContain("rate_limited");
    expect(events).not.toContain("too_many_connections");
    expect(limits).toEqual([1]);
  }
});

test.concurrent("a pool whose only connection is refused waits for the sessions of other pools at the host", async () => {
  const { limiterFor, events } = noting();
  await using story = await openStory(
    {
      "mx.host.test": mailHost({ latencyMs: 5, connectionCap: 1 }),
      "backup.host.test": mailHost(),
      "one.test": mailDomain({ mx: ["mx.host.test"], users: isNumbered }),
      "two.test": mailDomain({ mx: ["mx.host.test", "backup.host.test"], users: isNumbered }),
    },
    { connectionsPerHost: 2, limiterFor, ...SOON_OVER },
  );
  const emails = [...manyAt("one.test", 10), ...manyAt("two.test", 10)];
  // On a busy machine one session may be over before the other begins.
  while (!events.includes("too_many_connections"))
    expect(new Set(await story.verdictsOn(emails))).toEqual(new Set(["valid"]));
  await story.end();
  expect(events).not.toContain("rate_limited");
  expect(story.lab.counts("backup.host.test").connections).toBe(0);
});

/** The first session of a host stays open, without an answer to MAIL, until `answer` is called. */
function staysOpen() {
  let answer = () => {};
  const isOver = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const temper: Temperament = {
    on: {
      mail: (session) => (session.number === 1 ? { until: isOver, reply: session.reply("mail") } : undefined),
    },
  };
  return { temper, answer };
}

/** The second of two sessions is refused while the first is open, and both mailboxes are checked. */
async function expectCap(events: readonly string[], answer: () => void, verdicts: Promise<string>[]) {
  await until(() => events.length > 0);
  answer();
  expect(await Promise.all(verdicts)).toEqual(["valid", "valid"]);
  expect(events[0]).toBe("too_many_connections");
  expect(events).not.toContain("rate_limited");
}

test.concurrent("at a large provider, sessions at its other hosts count as well", async () => {
  const { limiterFor, events } = noting();
  const { temper, answer } = staysOpen();
  const [one, two] = ["one.mail.protection.outlook.com", "two.mail.protection.outlook.com"];
  const refusesFirst: Temperament = {
    on: {
      banner: (session) =>
        session.number === 1
          ? { reply: session.reply("too_many_connections"), close: "politely" }
          : undefined,
    },
  };
  await using story = await openStory(
    {
      [one]: mailHost({ temper }),
      [two]: mailHost({ temper: refusesFirst }),
      "one.test": mailDomain({ mx: [one], users: isNumbered }),
      "two.test": mailDomain({ mx: [two], users: isNumbered }),
    },
    { limiterFor, ...SOON_OVER },
  );
  const first = story.verdictOn("anna1@one.test");
  await until(() => story.lab.counts(one).commands.MAIL === 1);
  await expectCap(events, answer, [first, story.verdictOn("anna1@two.test")]);
});

// Not concurrent: the clock is that of all tests.
test("sessions that are open count when what was learned about their host is forgotten, after an hour", async () => {
  const anHourMs = 3_600_000;
  const { limiterFor, events } = noting();
  const { temper, answer } = staysOpen();
  const refuses = refusesSecond("banner", "421 4.7.0 mx Error: too many connections from 192.0.2.1");
  await using story = await openStory(
    {
      "mx.host.test": mailHost({ temper: [refuses, temper] }),
      "backup.host.test": mailHost(),
      "one.test": mailDomain({ mx: ["mx.host.test"], users: isNumbered }),
      "two.test": mailDomain({ mx: ["mx.host.test", "backup.host.test"], users: isNumbered }),
    },
    { connectionsPerHost: 2, limiterFor, probeTimeoutMs: 3 * anHourMs, ...SOON_OVER },
  );
  const first = story.verdictOn("anna1@one.test");
  await until(() => story.lab.counts("mx.host.test").commands.MAIL === 1);
  const now = performance.now.bind(performance);
  using _clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 1.5 * anHourMs);
  await expectCap(events, answer, [first, story.verdictOn("anna1@two.test")]);
});
