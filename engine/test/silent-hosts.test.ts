/** Mail hosts and name servers that never say anything: a list with many of them holds up nothing else. */
import { type MailWorld, mailDomain, saysNothing, silent } from "@mailvet/lab";
import { expect, test } from "vitest";
import type { SessionLimits } from "../src/smtp/session-limits.ts";
import type { Check } from "../src/verifier.ts";
import { openStory, type Story } from "./stories/story.ts";
import { until } from "./until.ts";

/** Beside shop.test, whose host replies. */
async function openWorld(silentHosts: number, sessionLimits: SessionLimits): Promise<Story> {
  const world: MailWorld = { "shop.test": mailDomain({ users: ["ann"] }) };
  for (let i = 0; i < silentHosts; i++)
    world[`mute${i}.test`] = mailDomain({ users: ["ann"], temper: saysNothing({ at: "banner" }) });
  return openStory(world, { probeTimeoutMs: 600_000, sessionLimits });
}

/** Starts a list of addresses at silent hosts, and waits until so many sessions are open. */
async function startList(story: Story, silentHosts: number, open: number) {
  const connectionsTo = (i: number) => story.lab.counts(`mx.mute${i}.test`).connections;
  const hosts = Array.from({ length: silentHosts }, (_, i) => i);
  const list: Check[] = hosts.map((i) => story.begin(`ann@mute${i}.test`, "smtp"));
  const connections = () => hosts.filter((i) => connectionsTo(i) > 0).length;
  await until(() => connections() >= open);
  return { connections, settled: () => list.filter(({ evidence }) => evidence.mailbox !== undefined).length };
}

test("the silent hosts of a list do not hold up other addresses", async () => {
  await using story = await openWorld(12, { working: 4, open: 100 });
  const list = await startList(story, 12, 4);
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(list.settled()).toBe(0);
  expect(list.connections()).toBe(12); // they came before it
});

test("a single check does not wait for the silent hosts of a list", async () => {
  await using story = await openWorld(12, { working: 4, open: 5 });
  const list = await startList(story, 12, 4);
  const { mailbox } = await story.verify("ann@shop.test", "smtp", { isUrgent: true });
  expect(mailbox?.answer).toBe("accepted");
  expect(list.settled()).toBe(0);
  expect(list.connections()).toBe(4);
});

test("a check that becomes interactive no longer waits for the silent hosts of a list", async () => {
  await using story = await openWorld(12, { working: 4, open: 5 });
  await startList(story, 12, 4);
  const check = story.begin("ann@shop.test", "smtp");
  await until(() => check.evidence.route !== undefined);
  check.raisePriority();
  expect((await check.done).mailbox?.answer).toBe("accepted");
});

test.each([0, 1])(
  "silent name servers of one tenant do not hold up the list of another; %d threads",
  async (threads) => {
    const mutes = Array.from({ length: 40 }, (_, i) => `mute${i}.test`);
    await using story = await openStory(
      {
        "shop.test": mailDomain({ users: ["ann"] }),
        ...Object.fromEntries(mutes.map((mute) => [mute, { answers: silent }])),
      },
      { maxLookups: 2, dnsTimeoutMs: 3000, threads },
    );
    for (const mute of mutes) story.begin(`ann@${mute}`, "smtp", { tenant: "a" });
    const { mailbox } = await story.verify("ann@shop.test", "smtp", { tenant: "b" });
    expect(mailbox?.answer).toBe("accepted");
    expect(story.lab.questions(mutes.at(-1))).toEqual([]);
  },
);

test.each([0, 1])(
  "a domain that two tenants ask for does not wait behind silent name servers of one of them; %d threads",
  async (threads) => {
    const mutes = Array.from({ length: 40 }, (_, i) => `mute${i}.test`);
    await using story = await openStory(
      {
        "shop.test": mailDomain({ users: ["ann", "bob"] }),
        ...Object.fromEntries(mutes.map((mute) => [mute, { answers: silent }])),
      },
      { maxLookups: 2, dnsTimeoutMs: 3000, threads },
    );
    for (const mute of mutes) story.begin(`ann@${mute}`, "smtp", { tenant: "a" });
    story.begin("bob@shop.test", "smtp", { tenant: "a" });
    const { mailbox } = await story.verify("ann@shop.test", "smtp", { tenant: "b" });
    expect(mailbox?.answer).toBe("accepted");
    expect(story.lab.questions(mutes.at(-1))).toEqual([]);
  },
);

test("where name servers are silent, nothing but the mail exchangers is asked for", async () => {
  await using story = await openStory({ "mute.test": { answers: silent } }, { dnsTimeoutMs: 1200 });
  expect(await story.verdictOn("ann@mute.test")).toBe("unknown dns_error");
  expect(new Set(story.lab.questions().map(({ type }) => type))).toEqual(new Set(["MX"]));
});
