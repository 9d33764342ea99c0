/** Several egress identities: each has its own limits at a host, and one that is refused is replaced by the next. */
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type MailWorld, mailDomain, mailHost, type Temperament } from "@mailvet/lab";
import { expect, onTestFinished, test } from "vitest";
import type { EgressIdentity } from "../../src/egress/identity.ts";
import { LocalSessionGate } from "../../src/smtp/throttle/session-gate.ts";
import { until } from "../until.ts";
import { identityOf, manyAt, openStory, type StoryOptions } from "./story.ts";

const ONE = "127.0.0.2";
const TWO = "127.0.0.3";
const [one, two] = [identityOf("one", { sourceAddress: ONE }), identityOf("two", { sourceAddress: TWO })];
const BOTH: StoryOptions = { egress: [one, two] };

const isNumbered = ({ localPart }: { localPart: string }) => localPart.startsWith("anna");

/** Refuses a client with this reply at a stage of the session. */
const refuses = (client: string, stage: "banner" | "mail" | "rcpt", reply: string): Temperament => ({
  on: { [stage]: (session: { client: string }) => (session.client === client ? { reply } : undefined) },
});

const BLOCKED = "554 5.7.1 Service unavailable; client host blocked using zen.spamhaus.org";

test("two identities at a host with a cap of 2 for each source: both are used, and neither is above it", async () => {
  await using story = await openStory(
    { "shop.test": mailDomain({ users: isNumbered, latencyMs: 5, connectionCap: 2 }) },
    { ...BOTH, connectionsPerHost: 2 },
  );
  expect(new Set(await story.verdictsOn(manyAt("shop.test", 300)))).toEqual(new Set(["valid"]));
  await story.end();
  const { clients, refusedConnections } = story.lab.counts("mx.shop.test");
  expect(clients[ONE]?.maxConcurrentConnections).toBe(2);
  expect(clients[TWO]?.maxConcurrentConnections).toBe(2);
  expect(Object.keys(clients).sort()).toEqual([ONE, TWO]);
  expect(refusedConnections).toBe(0);
});

test.each([
  ["banner", BLOCKED],
  ["mail", "550 5.7.1 Your IP address is blacklisted"],
  ["rcpt", BLOCKED],
] as const)("an identity that is refused at %s is replaced by the next", async (stage, reply) => {
  const temper = [refuses(ONE, stage, reply)];
  const world: MailWorld = Object.fromEntries(
    ["a", "b", "c", "d"].map((name) => [`${name}.test`, mailDomain({ users: ["ann"], temper })]),
  );
  await using story = await openStory(world, BOTH);
  const emails = Object.keys(world).flatMap((domain) => [`ann@${domain}`, `bob@${domain}`]);
  const expected = emails.map((email) => (email.startsWith("ann") ? "valid" : "invalid mailbox_not_found"));
  expect(await story.verdictsOn(emails)).toEqual(expected);
});

test("when every identity is refused, the refusal is the answer, and each was tried once", async () => {
  const temper = [refuses(ONE, "rcpt", BLOCKED), refuses(TWO, "rcpt", BLOCKED)];
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"], temper }) }, BOTH);
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown probe_blocked");
  await story.end();
  const { clients } = story.lab.counts("mx.shop.test");
  expect(clients).toMatchObject({ [ONE]: { connections: 1 }, [TWO]: { connections: 1 } });
});

test("of many identities at most three are tried for an address", async () => {
  const addresses = [2, 3, 4, 5, 6].map((number) => `127.0.0.${number}`);
  const temper: Temperament = { on: { banner: () => ({ reply: BLOCKED }) } };
  await using story = await openStory(
    { "shop.test": mailDomain({ users: ["ann"], temper }) },
    { egress: addresses.map((sourceAddress, i) => identityOf(`number-${i}`, { sourceAddress })) },
  );
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown probe_blocked");
  await story.end();
  expect(Object.keys(story.lab.counts("mx.shop.test").clients)).toHaveLength(3);
});

test("an identity whose breaker is open is not tried again", async () => {
  const temper = [refuses(ONE, "banner", BLOCKED)];
  await using story = await openStory({ "shop.test": mailDomain({ users: isNumbered, temper }) }, BOTH);
  for (const email of manyAt("shop.test", 12)) expect(await story.verdictOn(email)).toBe("valid");
  await story.end();
  // Three refusals open it; and the first choice at this host may be the other one.
  expect(story.lab.counts("mx.shop.test").clients[ONE]?.connections ?? 0).toBeLessThanOrEqual(3);
});

test("a proxy that is down is replaced by the next identity, and no mail host is reported unreachable for it", async () => {
  const down = identityOf("down", { proxy: { host: "127.0.0.1", port: 1 } });
  const names = Array.from({ length: 12 }, (_, i) => `shop${i}.test`);
  const world = Object.fromEntries(names.map((name) => [name, mailDomain({ users: ["ann"] })]));
  await using story = await openStory(world, { egress: [down, two] });
  const verdicts = await story.verdictsOn(names.map((name) => `ann@${name}`));
  expect(new Set(verdicts)).toEqual(new Set(["valid"]));
});

test.each<[string, (socket: Socket) => void]>([
  ["accepts connections and says nothing", () => {}],
  [
    "never says whether the password is right",
    (socket) => socket.once("data", () => socket.write(Buffer.from([5, 2]))),
  ],
  [
    "names its address in a way that does not exist",
    (socket) =>
      socket.once("data", () => {
        socket.write(Buffer.from([5, 2]));
        socket.once("data", () => {
          socket.write(Buffer.from([1, 0]));
          socket.once("data", () => socket.write(Buffer.from([5, 0, 0, 0, 0, 0, 0, 0, 0, 0])));
        });
      }),
  ],
])("a proxy that %s is replaced by the next identity", async (_, onSocket) => {
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  const broken = identityOf("broken", {
    proxy: { host: "127.0.0.1", port, username: "ann", password: "open sesame" },
  });
  const names = Array.from({ length: 6 }, (_, i) => `shop${i}.test`);
  const world = Object.fromEntries(names.map((name) => [name, mailDomain({ users: ["ann"] })]));
  await using story = await openStory(world, { egress: [broken, two], probeTimeoutMs: 16_000 });
  const verdicts = await story.verdictsOn(names.map((name) => `ann@${name}`));
  expect(new Set(verdicts)).toEqual(new Set(["valid"]));
  expect(sockets.size).toBeGreaterThan(0);
});

test("a source address that is not of this machine is replaced by the next identity", async () => {
  const foreign = identityOf("foreign", { sourceAddress: "192.0.2.1" });
  const names = Array.from({ length: 6 }, (_, i) => `shop${i}.test`);
  const world = Object.fromEntries(names.map((name) => [name, mailDomain({ users: ["ann"] })]));
  await using story = await openStory(world, { egress: [foreign, two] });
  const verdicts = await story.verdictsOn(names.map((name) => `ann@${name}`));
  expect(new Set(verdicts)).toEqual(new Set(["valid"]));
});

/** However long the test takes, no day begins. */
const gateAtElevenPm = (identity: EgressIdentity) =>
  new LocalSessionGate(identity, () => Date.UTC(2026, 0, 1, 23, 0, 0));

test("beyond its daily cap an identity opens no session, and the other takes over", async () => {
  const names = Array.from({ length: 40 }, (_, i) => `shop${i}.test`);
  const world = Object.fromEntries(names.map((name) => [name, mailDomain({ users: ["ann"] })]));
  const capped = { ...one, sessionsPerDay: 5 };
  await using story = await openStory(world, { egress: [capped, two], gateFor: gateAtElevenPm });
  const verdicts = await story.verdictsOn(names.map((name) => `ann@${name}`));
  expect(new Set(verdicts)).toEqual(new Set(["valid"]));
  await story.end();
  const clients = names.map((name) => story.lab.counts(`mx.${name}`).clients);
  const from = (client: string) => clients.reduce((sum, one) => sum + (one[client]?.connections ?? 0), 0);
  expect(from(ONE)).toBe(5);
  expect(from(TWO)).toBe(35);
});

test("when the cap of every identity is used up, probes are told to wait for the next day", async () => {
  await using story = await openStory(
    { "a.test": mailDomain({ users: ["ann"] }), "b.test": mailDomain({ users: ["ann"] }) },
    {
      egress: [{ ...one, sessionsPerDay: 1 }],
      gateFor: gateAtElevenPm,
    },
  );
  expect(await story.verdictOn("ann@a.test")).toBe("valid");
  const { mailbox } = await story.evidenceFor("ann@b.test");
  expect(mailbox).toMatchObject({ answer: "rate_limited", retryAfterSeconds: 3600 });
});

test("an identity with a list of providers connects to no other", async () => {
  await using story = await openStory(
    {
      "shop.test": mailDomain({ users: isNumbered, latencyMs: 5 }),
      "aspmx.l.google.com": mailHost({}),
      "firm.test": mailDomain({ users: ["ann"], mx: ["aspmx.l.google.com"] }),
    },
    { egress: [{ ...one, providers: ["google_workspace"] }, two], connectionsPerHost: 2 },
  );
  expect(new Set(await story.verdictsOn(manyAt("shop.test", 100)))).toEqual(new Set(["valid"]));
  expect(await story.verdictOn("ann@firm.test")).toBe("valid");
  await story.end();
  expect(Object.keys(story.lab.counts("mx.shop.test").clients)).toEqual([TWO]);
});

test("hosts are divided by share", async () => {
  const names = Array.from({ length: 120 }, (_, i) => `shop${i}.test`);
  const world = Object.fromEntries(names.map((name) => [name, mailDomain({ users: ["ann"] })]));
  await using story = await openStory(world, { egress: [{ ...one, share: 3 }, two] });
  await story.verdictsOn(names.map((name) => `ann@${name}`));
  await story.end();
  const ofOne = names.filter((name) => story.lab.counts(`mx.${name}`).clients[ONE]).length;
  expect(ofOne).toBeGreaterThan(75);
  expect(ofOne).toBeLessThan(105);
  expect(names.filter((name) => story.lab.counts(`mx.${name}`).clients[TWO])).toHaveLength(120 - ofOne);
});

test("a host that greylists is asked by the same identity again", async () => {
  const temper: Temperament = {
    on: {
      rcpt: ({ client }) => {
        const isKnown = seen.has(client);
        seen.add(client);
        return isKnown ? undefined : { reply: "450 4.2.0 Greylisted, please try again in 5 minutes" };
      },
    },
  };
  const seen = new Set<string>();
  await using story = await openStory(
    { "shop.test": mailDomain({ users: isNumbered, temper, latencyMs: 5 }) },
    BOTH,
  );
  const [first] = manyAt("shop.test", 1);
  expect(await story.verdictOn(first!)).toBe("unknown greylisted");
  expect(new Set(await story.verdictsOn(manyAt("shop.test", 100)))).toEqual(new Set(["valid"]));
  expect(seen.size).toBe(1);
});

test("an address that one identity may not ask for is asked by another, however busy the first one is", async () => {
  let refused: string | undefined;
  const strict: Temperament = {
    on: {
      rcpt({ client }) {
        refused ??= client;
        return client === refused ? { reply: BLOCKED } : undefined;
      },
    },
  };
  await using story = await openStory(
    {
      "mx.hosting.test": mailHost({ latencyMs: 5 }),
      "busy.test": mailDomain({ users: isNumbered, mx: ["mx.hosting.test"] }),
      "strict.test": mailDomain({ users: ["ann"], mx: ["mx.hosting.test"], temper: strict }),
    },
    BOTH,
  );
  let isAnswered = false;
  let next = 0;
  /** Two of these always leave the pool a request. */
  const keepBusy = async () => {
    while (!isAnswered) await story.verdictOn(`anna${next++}@busy.test`);
  };
  const busy = Promise.all([keepBusy(), keepBusy(), keepBusy()]);
  await until(() => (story.lab.counts("mx.hosting.test").commands.RCPT ?? 0) > 5);
  expect(await story.verdictOn("ann@strict.test")).toBe("valid");
  isAnswered = true;
  await busy;
  expect(Object.keys(story.lab.counts("mx.hosting.test").clients).sort()).toEqual([ONE, TWO]);
});
