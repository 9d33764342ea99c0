/** Mail hosts that point to private addresses: never connected to, unless the operator allows the range. */
import { createServer, type Server } from "node:net";
import { type MailWorld, mailDomain } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEgressGuard } from "../../src/egress/guard.ts";
import { type Connect, createConnect } from "../../src/smtp/client/connect.ts";
import { engineIn, identityOf, openStory } from "./story.ts";

/** Real listeners, and the connections each has received. */
const calls = { "127.0.0.1": 0, "127.1.0.1": 0 };
const listeners: Server[] = [];
let port = 0;

beforeAll(async () => {
  for (const address of ["127.0.0.1", "127.1.0.1"] as const) {
    const listener = createServer((socket) => {
      calls[address]++;
      socket.on("error", () => {});
      socket.end("554 5.3.2 nobody here\r\n");
    });
    await new Promise<void>((resolve, reject) => {
      listener.once("error", reject);
      listener.listen({ host: address, port }, resolve);
    });
    const bound = listener.address();
    port = typeof bound === "object" && bound ? bound.port : 0;
    listeners.push(listener);
  }
});
afterAll(() => {
  for (const listener of listeners) listener.close();
});

const PRIVATE: readonly (readonly [address: string, type: "A" | "AAAA"])[] = [
  ["127.0.0.1", "A"],
  ["10.0.0.1", "A"],
  ["169.254.169.254", "A"],
  ["192.168.1.1", "A"],
  ["100.64.0.1", "A"],
  ["0.0.0.0", "A"],
  ["::1", "AAAA"],
  ["fd00::1", "AAAA"],
  ["fe80::1", "AAAA"],
  ["::ffff:127.0.0.1", "AAAA"],
  ["64:ff9b::7f00:1", "AAAA"],
];

const worldWith = (records: MailWorld[string]): MailWorld => ({
  "shop.test": { MX: [{ preference: 10, exchange: "mx.shop.test" }] },
  "bare.test": records, // no MX: the domain itself is the mail host
  "mx.shop.test": records,
});

test.concurrent.each(PRIVATE)("a mail host at %s is never connected to", async (address, type) => {
  const dialled: string[] = [];
  await using story = await openStory(worldWith({ [type]: [address] }), { allow: [], smtpPort: port });
  const dial = createConnect({ guard: createEgressGuard(), port, egress: {} });
  const watched: Connect = (to, timeoutMs) => {
    dialled.push(to);
    return dial(to, timeoutMs);
  };
  const engine = engineIn(story.lab, { allow: [], dial: watched });
  expect(await engine.verdictsOn(["ann@shop.test", "ann@bare.test"])).toEqual([
    "invalid domain_not_found",
    "invalid domain_not_found",
  ]);
  expect(dialled).toEqual([]);
  expect(await dial(address, 200)).toEqual({ kind: "forbidden" }); // and connecting directly would be refused too
  await engine.end();
});

test("of a name with public and private addresses, only the public ones are connected to", async () => {
  const before = { ...calls };
  await using story = await openStory(
    worldWith({ A: ["127.0.0.1", "127.1.0.1"], AAAA: ["::1", "::ffff:127.0.0.1"] }),
    { allow: ["127.1.0.0/16"], smtpPort: port },
  );
  const { mailbox, route } = await story.evidenceFor("ann@shop.test");
  expect(route).toMatchObject({ hosts: [{ addresses: ["127.1.0.1"] }] });
  expect(mailbox?.reply?.text).toContain("nobody here");
  expect(calls["127.1.0.1"]).toBe(before["127.1.0.1"] + 1);
  expect(calls["127.0.0.1"]).toBe(before["127.0.0.1"]);
});

test("a range allowed by the operator is connected to", async () => {
  const before = calls["127.0.0.1"];
  await using story = await openStory(worldWith({ A: ["127.0.0.1"] }), {
    allow: ["127.0.0.0/8"],
    smtpPort: port,
  });
  await story.verdictOn("ann@shop.test");
  expect(calls["127.0.0.1"]).toBe(before + 1);
});

test("with an IPv4 source address, AAAA is not looked up", async () => {
  const identity = identityOf("default", { sourceAddress: "127.0.0.1" });
  await using story = await openStory(
    { "shop.test": mailDomain({ users: ["ann"] }) },
    { egress: [identity] },
  );
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(story.lab.questions().map(({ type }) => type)).not.toContain("AAAA");
});

test("in all these tests the private address was connected to once, when it was allowed", () => {
  expect(calls["127.0.0.1"]).toBe(1);
});

test("a proxy that is down is egress_blocked, and no mail host is reported unreachable for it", async () => {
  const guard = createEgressGuard({ allow: ["127.0.0.0/8"] });
  const proxy = { host: "127.0.0.1", port: 1 }; // no listener
  await using story = await openStory(
    { "shop.test": mailDomain({ users: ["ann"] }) },
    { dial: createConnect({ guard, port: 25, egress: { proxy } }) },
  );
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown egress_blocked");
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown egress_blocked"); // and not "unreachable" from the cache
});

test("a mail host without a route to it is egress_blocked, and the identity goes on elsewhere", async () => {
  const identity = identityOf("default", { sourceAddress: "127.0.0.1" });
  await using story = await openStory(
    { ...worldWith({ AAAA: ["2620:fe::9"] }), "other.test": mailDomain({ users: ["ann"] }) },
    { egress: [identity, identityOf("behind-a-broken-proxy", { proxy: { host: "127.0.0.1", port: 1 } })] },
  );
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown egress_blocked");
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown egress_blocked"); // and not "unreachable" from the cache
  expect(await story.verdictOn("ann@other.test")).toBe("valid");
});

test("a mail host that refuses over IPv4 is unreachable, also without a route over IPv6", async () => {
  const dial: Connect = async (address) =>
    address.includes(":")
      ? { kind: "no_route", why: "ENETUNREACH" }
      : { kind: "unreachable", why: "ECONNREFUSED" };
  await using story = await openStory(worldWith({ A: ["9.9.9.9"], AAAA: ["2620:fe::9"] }), { dial });
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown smtp_unreachable");
});
