/** Questions that share UDP sockets: matched to their askers, safe from forged answers, asked in order of priority. */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { mailDomain, openLab, silent, type World } from "@mailvet/lab";
import { type DecodedPacket, decode, encode } from "dns-packet";
import { expect, test } from "vitest";
import { createResolver, type ResolverOptions } from "../src/dns/resolver.ts";
import { createDomainFacts } from "../src/domain-facts.ts";
import { createEgressGuard } from "../src/egress/guard.ts";
import { domainLookups } from "../src/network-stages.ts";
import { loadDisposables } from "../src/reference/disposable.ts";
import { openStory } from "./stories/story.ts";
import { until } from "./until.ts";

/** With a very long timeout: nothing here waits for one. */
function openResolver(options: ResolverOptions) {
  const resolver = createResolver({ timeoutMs: 600_000, ...options });
  return { ...resolver, [Symbol.dispose]: () => resolver.close() };
}

/** Of a port that the kernel assigns to no one. */
const UNUSED_ADDRESS = "127.0.0.1:1";

type Received = { packet: DecodedPacket; bytes: Buffer; from: RemoteInfo };

/** A name server whose answers the test sends itself. */
async function openByHand() {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const received: Received[] = [];
  socket.on("message", (bytes, from) => received.push({ packet: decode(bytes), bytes, from }));
  return {
    socket,
    received,
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.dispose]: () => socket.close(),
  };
}

type Forgery = { id?: number; name?: string; type?: "A" | "AAAA" };

function answerTo({ packet }: Received, data: string, { id = packet.id, name, type }: Forgery = {}): Buffer {
  const [question] = packet.questions ?? [];
  const asked = { name: name ?? question!.name, type: type ?? question!.type };
  return encode({
    type: "response",
    ...(id !== undefined && { id }),
    questions: [asked],
    answers: [{ name: asked.name, type: "A", ttl: 60, data }],
  });
}

const sendTo = (by: Socket, { from }: Received, message: Buffer) =>
  new Promise((sent) => by.send(message, from.port, from.address, sent));

const nameOf = ({ packet }: Received) => packet.questions?.[0]?.name ?? "";
const idOf = ({ packet }: Received) => packet.id ?? -1;

test("many questions over few sockets are matched to their askers, in whatever order the answers come", async () => {
  using server = await openByHand();
  using resolver = openResolver({ servers: [server.address] });
  const names = Array.from({ length: 100 }, (_, i) => `n${i}.test`);
  const answers = Promise.all(names.map((name) => resolver.query(name, "A")));
  await until(() => server.received.length === 100);
  for (const one of server.received.toReversed()) {
    await sendTo(server.socket, one, answerTo(one, `192.0.2.${nameOf(one).slice(1, -5)}`));
  }
  const found = (await answers).map((answer) => answer.status === "answer" && answer.records);
  expect(found).toEqual(names.map((_, i) => [`192.0.2.${i}`]));

  const ports = new Set(server.received.map(({ from }) => from.port));
  expect(ports.size).toBe(4); // 32 questions each
  for (const port of ports) {
    const ids = server.received.filter(({ from }) => from.port === port).map(idOf);
    expect(new Set(ids).size).toBe(ids.length);
  }
});

test("an answer with the wrong id, question or sender is ignored", async () => {
  using server = await openByHand();
  using other = await openByHand();
  using resolver = openResolver({ servers: [server.address] });
  const answer = resolver.query("bank.test", "A");
  await until(() => server.received.length === 1);
  const [asked] = server.received as [Received];
  const forged = "192.0.2.66";
  await sendTo(other.socket, asked, answerTo(asked, forged)); // all right, but from another port
  await sendTo(server.socket, asked, answerTo(asked, forged, { id: idOf(asked) ^ 1 }));
  await sendTo(server.socket, asked, answerTo(asked, forged, { name: "evil.test" }));
  await sendTo(server.socket, asked, answerTo(asked, forged, { type: "AAAA" }));
  await sendTo(server.socket, asked, asked.bytes); // the query itself
  await sendTo(server.socket, asked, Buffer.from([1]));
  await sendTo(server.socket, asked, answerTo(asked, "192.0.2.1"));
  expect(await answer).toMatchObject({ status: "answer", records: ["192.0.2.1"] });
});

test("the answer to one question is not taken for another on the same socket", async () => {
  using server = await openByHand();
  using resolver = openResolver({ servers: [server.address] });
  const [a, b] = [resolver.query("a.test", "A"), resolver.query("b.test", "A")];
  await until(() => server.received.length === 2);
  const [first, second] = server.received as [Received, Received];
  expect(first.from.port).toBe(second.from.port);
  await sendTo(server.socket, first, answerTo(first, "192.0.2.66", { id: idOf(second) }));
  await sendTo(server.socket, second, answerTo(second, "192.0.2.2"));
  await sendTo(server.socket, first, answerTo(first, "192.0.2.1"));
  expect(await a).toMatchObject({ records: ["192.0.2.1"] });
  expect(await b).toMatchObject({ records: ["192.0.2.2"] });
});

test("late answers to questions that have ended are not taken for forged ones", async () => {
  using server = await openByHand();
  using resolver = openResolver({ servers: [server.address] });
  const asked = ["a.test", "b.test"].map((name) => resolver.query(name, "A"));
  await until(() => server.received.length === 2);
  const [first, second] = server.received as [Received, Received];
  for (let i = 0; i < 40; i++) await sendTo(server.socket, first, answerTo(first, "192.0.2.1"));
  await asked[0];
  await sendTo(server.socket, second, answerTo(second, "192.0.2.2"));
  expect(await asked[1]).toMatchObject({ records: ["192.0.2.2"] }); // still over UDP: there is no TCP here
});

test("when a port is flooded with forged answers, its questions are asked over TCP", async () => {
  const forge = (message: Buffer) => {
    const forged = Buffer.from(message);
    forged.writeUInt16BE(message.readUInt16BE(0) ^ 0x5555, 0);
    return forged;
  };
  await using lab = await openLab({
    "flooded.test": {
      A: ["192.0.2.1"],
      answers: ({ transport }) => (transport === "udp" ? { rewrite: forge } : {}),
    },
    "*.test": {
      A: ["192.0.2.2"],
      answers: ({ transport }) => (transport === "udp" ? { rewrite: forge } : {}),
    },
  });
  using resolver = openResolver({ servers: [lab.nameServer] });
  const names = ["flooded.test", ...Array.from({ length: 16 }, (_, i) => `n${i}.test`)];
  const answers = await Promise.all(names.map((name) => resolver.query(name, "A")));
  expect(answers[0]).toMatchObject({ status: "answer", records: ["192.0.2.1"] });
  expect(answers.filter(({ status }) => status === "answer")).toHaveLength(17);
  expect(lab.questions("flooded.test").map(({ transport }) => transport)).toEqual(["udp", "tcp"]);
});

test("sockets are replaced: their ports differ, and none is used for more than 32 questions", async () => {
  using server = await openByHand();
  server.socket.on("message", () => {
    const asked = server.received.at(-1)!;
    server.socket.send(answerTo(asked, "192.0.2.1"), asked.from.port, asked.from.address);
  });
  using resolver = openResolver({ servers: [server.address] });
  for (let i = 0; i < 100; i++) await resolver.query(`n${i}.test`, "A");
  const counts = new Map<number, number>();
  for (const { from } of server.received) counts.set(from.port, (counts.get(from.port) ?? 0) + 1);
  expect(counts.size).toBeGreaterThanOrEqual(4);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(32);
  for (const port of counts.keys()) expect(port).toBeGreaterThanOrEqual(32_768);
});

test("a question that is repeated keeps its id and port, so that only one answer can match", async () => {
  using server = await openByHand();
  using resolver = openResolver({ servers: [server.address], timeoutMs: 2400 });
  expect(await resolver.query("mute.test", "A")).toEqual({ status: "timeout" });
  expect(server.received).toHaveLength(3);
  const seen = server.received.map((one) => `${one.from.port} ${idOf(one)}`);
  expect(new Set(seen).size).toBe(1);
});

test("when a server is unreachable, every question on its socket goes to the next one", async () => {
  await using lab = await openLab({ "*.test": { A: ["192.0.2.1"] } });
  using resolver = openResolver({ servers: [UNUSED_ADDRESS, lab.nameServer] });
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => resolver.query(`n${i}.test`, "A")));
  expect(answers.filter(({ status }) => status === "answer")).toHaveLength(50);
});

test("closing with questions on several sockets leaves no socket and no timer", async () => {
  await using lab = await openLab({ "*.test": { answers: silent } });
  await expect.poll(() => handles("UDPWrap")).toBe(1); // the lab's; those of other tests are closed
  const resolver = createResolver({ servers: [lab.nameServer], maxInFlight: 100, timeoutMs: 600_000 });
  const asked = Array.from({ length: 5000 }, (_, i) => resolver.query(`n${i}.test`, "A", "address"));
  await until(() => lab.questions().length >= 100);
  expect(handles("UDPWrap")).toBe(1 + 4);
  const timers = handles("Timeout");
  resolver.close();
  expect(handles("Timeout")).toBe(timers - 1); // one for all
  const statuses = new Set((await Promise.all(asked)).map(({ status }) => status));
  expect(statuses).toEqual(new Set(["closed"]));
  await expect.poll(() => handles("UDPWrap")).toBe(1);
});

function handles(kind: "UDPWrap" | "Timeout"): number {
  return process.getActiveResourcesInfo().filter((one) => one === kind).length;
}

/** Domains with a mail host, SPF and DMARC each. */
function manyDomains(count: number): World {
  const world: World = {};
  for (let i = 0; i < count; i++) {
    world[`d${i}.test`] = { MX: [{ preference: 10, exchange: `mx.d${i}.test` }], TXT: ["v=spf1 -all"] };
    world[`mx.d${i}.test`] = { A: ["127.0.0.1"] };
    world[`_dmarc.d${i}.test`] = { TXT: ["v=DMARC1; p=none"] };
  }
  return world;
}

function openFacts(resolver: ReturnType<typeof openResolver>) {
  const guard = createEgressGuard({ allow: ["127.0.0.0/8"] });
  return createDomainFacts({ lookups: domainLookups({ resolver, guard }), disposables: loadDisposables() });
}

test("addresses, then policies, are queried before the mail exchangers of other domains", async () => {
  await using lab = await openLab(manyDomains(40));
  using resolver = openResolver({ servers: [lab.nameServer], maxInFlight: 2 });
  const facts = openFacts(resolver);
  await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      await facts.routeOf(`d${i}.test`);
      await facts.policiesOf(`d${i}.test`);
    }),
  );
  const types = lab.questions().map(({ type }) => type);
  expect(types).toHaveLength(40 * 6);
  const positionOf = (type: string, nth: number) =>
    types.flatMap((one, at) => (one === type ? [at] : [])).at(nth) ?? -1;
  expect(positionOf("A", 0)).toBeLessThan(10); // the first domain's, with 38 mail exchangers still waiting
  expect(positionOf("A", 19)).toBeLessThan(positionOf("MX", 25));
  expect(positionOf("A", 19)).toBeLessThan(positionOf("TXT", 3 * 20));
  expect(positionOf("TXT", 3 * 10)).toBeLessThan(positionOf("MX", 25)); // the first results come early
});

test("an interactive query overtakes those that wait, even one that a list has asked for already", async () => {
  await using lab = await openLab(manyDomains(40));
  using resolver = openResolver({ servers: [lab.nameServer], maxInFlight: 1 });
  const facts = openFacts(resolver);
  const list = Array.from({ length: 40 }, (_, i) => facts.routeOf(`d${i}.test`));
  const joined = facts.routeOf("d39.test", { isUrgent: true });
  expect(joined).not.toBe(list[39]);
  expect(await joined).toMatchObject({ route: { kind: "mail_hosts" } });
  expect(lab.questions().length).toBeLessThan(12);
  expect(await list[39]).toEqual(await joined);
  await Promise.all(list);
  expect(lab.questions()).toHaveLength(40 * 3); // nothing is asked twice
});

test("a check that becomes urgent takes its lookups with it", async () => {
  const world = Object.fromEntries(
    Array.from({ length: 1000 }, (_, i) => [`d${i}.test`, { TXT: ["no mail here"] }]),
  );
  await using story = await openStory({ ...world, "shop.test": mailDomain({ users: ["ann"] }) });
  const list = Array.from({ length: 1000 }, (_, i) => story.begin(`ann@d${i}.test`, "dns"));
  const check = story.begin("ann@shop.test", "dns");
  check.raisePriority();
  await check.done;
  const before = story.lab.questions().length;
  expect(before).toBeLessThan(2000); // of 6,000
  await Promise.all(list.map(({ done }) => done));
  expect(story.lab.questions().length).toBeGreaterThan(5000);
});
