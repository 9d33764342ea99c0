/** The resolver against the lab's name servers: slow, silent, failing, forged. */
import {
  aliasOnly,
  combineTemperaments,
  type DnsTemperament,
  dropsFirst,
  garbage,
  noEdns,
  openLab,
  RCODE,
  refused,
  servfail,
  silent,
  slow,
  spoofedFirst,
  truncated,
  type World,
} from "@mailvet/lab";
import { expect, onTestFinished, test, vi } from "vitest";
import { createResolver, type QueryPriority, type ResolverOptions } from "../src/dns/resolver.ts";

/** Of a port that the kernel assigns to no one. */
const UNUSED_ADDRESS = "127.0.0.1:1";

/** Closed at the end of the test; with a very long timeout unless given. */
function openResolver(options: ResolverOptions) {
  const resolver = createResolver({ timeoutMs: 600_000, ...options });
  return { ...resolver, [Symbol.dispose]: () => resolver.close() };
}

test("each record type is returned as plain values with its TTL", async () => {
  await using lab = await openLab({
    "shop.test": {
      MX: [{ preference: 10, exchange: "MX.Shop.Test" }],
      A: ["192.0.2.1"],
      AAAA: ["2001:db8::1"],
      TXT: [["v=spf1 ", "-all"], "second"],
      ttl: 120,
    },
    "1.2.0.192.in-addr.arpa": { PTR: ["shop.test"] },
  });
  using resolver = openResolver({ servers: [lab.nameServer] });

  const found = { status: "answer", ttlSeconds: 120 };
  expect(await resolver.query("Shop.Test.", "MX")).toEqual({
    ...found,
    records: [{ preference: 10, exchange: "mx.shop.test" }],
  });
  expect(await resolver.query("shop.test", "A")).toEqual({ ...found, records: ["192.0.2.1"] });
  expect(await resolver.query("shop.test", "AAAA")).toEqual({ ...found, records: ["2001:db8::1"] });
  expect(await resolver.query("shop.test", "TXT")).toEqual({ ...found, records: ["v=spf1 -all", "second"] });
  expect(await resolver.query("1.2.0.192.in-addr.arpa", "PTR")).toMatchObject({ records: ["shop.test"] });
});

test("nxdomain, nodata, servfail, refused, malformed, timeout and unreachable are distinguished", async () => {
  await using lab = await openLab({
    "empty.test": { A: ["192.0.2.1"] },
    "below.only.test": { A: ["192.0.2.1"] },
    "broken.test": { answers: servfail },
    "closed.test": { answers: refused },
    "garbage.test": { answers: garbage },
    "mute.test": { answers: silent },
  });
  using resolver = openResolver({ servers: [lab.nameServer] });
  using brief = openResolver({ servers: [lab.nameServer], timeoutMs: 500 });
  using unreachable = openResolver({ servers: [UNUSED_ADDRESS] });

  expect(await resolver.query("absent.test", "MX")).toEqual({ status: "nxdomain", ttlSeconds: 60 });
  expect(await resolver.query("empty.test", "MX")).toEqual({ status: "nodata", ttlSeconds: 60 });
  expect(await resolver.query("only.test", "MX")).toEqual({ status: "nodata", ttlSeconds: 60 });
  expect(await resolver.query("broken.test", "MX")).toEqual({ status: "servfail" });
  expect(await resolver.query("closed.test", "MX")).toEqual({ status: "refused" });
  expect(await resolver.query("garbage.test", "MX")).toEqual({ status: "malformed" });
  expect(await brief.query("mute.test", "MX")).toEqual({ status: "timeout" });
  expect(await unreachable.query("shop.test", "MX")).toEqual({ status: "unreachable" });
  expect(await resolver.query(`${"a".repeat(64)}.test`, "MX")).toEqual({ status: "unaskable" });
});

test("a name server that takes five seconds is waited for, even after 500 fast answers", async () => {
  await using lab = await openLab({
    "*.fast.test": { A: ["192.0.2.1"] },
    "slow.test": { A: ["192.0.2.2"], answers: slow(5000) },
  });
  using resolver = openResolver({ servers: [lab.nameServer], timeoutMs: 12_000, maxInFlight: 20 });

  const fast = await Promise.all(
    Array.from({ length: 500 }, (_, i) => resolver.query(`n${i}.fast.test`, "A")),
  );
  expect(fast.filter(({ status }) => status === "answer")).toHaveLength(500);
  expect(await resolver.query("slow.test", "A")).toMatchObject({ status: "answer", records: ["192.0.2.2"] });
  expect(lab.questions("slow.test").length).toBeGreaterThan(1); // retried after three seconds without a response
});

test("a server that does not respond gets three packets, and the failure is cached for a while", async () => {
  await using lab = await openLab({ "mute.test": { answers: silent } });
  using resolver = openResolver({ servers: [lab.nameServer], timeoutMs: 2400 });

  expect(await resolver.query("mute.test", "MX")).toEqual({ status: "timeout" });
  await resolver.query("mute.test", "MX");
  expect(lab.questions("mute.test")).toHaveLength(3);
});

test("with many silent servers there are three packets as well, one each", async () => {
  await using labs = await openLabs(5, { "mute.test": { answers: silent } });
  using resolver = openResolver({ servers: labs.nameServers, timeoutMs: 2400 });
  expect(await resolver.query("mute.test", "MX")).toEqual({ status: "timeout" });
  expect(labs.questionCounts()).toEqual([1, 1, 1, 0, 0]);
});

test("many refusing servers are queried once each", async () => {
  await using labs = await openLabs(5, { "closed.test": { answers: refused } });
  using resolver = openResolver({ servers: labs.nameServers });
  expect(await resolver.query("closed.test", "MX")).toEqual({ status: "refused" });
  expect(labs.questionCounts()).toEqual([1, 1, 1, 1, 1]);
});

test("a server that fails is queried once", async () => {
  await using lab = await openLab({ "broken.test": { answers: servfail } });
  using resolver = openResolver({ servers: [lab.nameServer] });
  await resolver.query("broken.test", "MX");
  expect(lab.questions("broken.test")).toHaveLength(1);
});

test("lost queries are repeated until one gets through", async () => {
  await using lab = await openLab({ "lossy.test": { A: ["192.0.2.1"], answers: dropsFirst(2) } });
  using resolver = openResolver({ servers: [lab.nameServer], timeoutMs: 4800 });
  expect(await resolver.query("lossy.test", "A")).toMatchObject({ status: "answer" });
  expect(lab.questions("lossy.test")).toHaveLength(3);
});

test.each([
  ["failing", servfail],
  ["unwilling", refused],
  ["talking nonsense", garbage],
])("when the first server is %s, the second is queried at once", async (_, temper) => {
  await using first = await openLab({ "shop.test": { answers: temper } });
  await using second = await openLab({ "shop.test": { A: ["192.0.2.1"] } });
  using resolver = openResolver({ servers: [first.nameServer, second.nameServer] });

  // Without a response, the second server would be queried only after a quarter of the ten minutes.
  expect(await resolver.query("shop.test", "A")).toMatchObject({ status: "answer", records: ["192.0.2.1"] });
});

test("a silent first server slows down the first lookup, not those after it", async () => {
  const askedFirst: string[] = [];
  let isAsked = false;
  const answersAs = (server: string, faults: ReturnType<DnsTemperament>) => () => {
    if (!isAsked) askedFirst.push(server);
    isAsked = true;
    return faults;
  };
  await using first = await openLab({ "*.test": { answers: answersAs("first", { drop: true }) } });
  await using second = await openLab({ "*.test": { A: ["192.0.2.1"], answers: answersAs("second", {}) } });
  using resolver = openResolver({ servers: [first.nameServer, second.nameServer], timeoutMs: 4800 });

  for (const name of ["a.test", "b.test", "c.test"]) {
    isAsked = false;
    expect(await resolver.query(name, "A")).toMatchObject({ status: "answer" });
  }
  expect(askedFirst).toEqual(["first", "second", "second"]);
});

test("when every server fails, the most specific failure is reported", async () => {
  await using mute = await openLab({ "shop.test": { answers: silent } });
  await using broken = await openLab({ "shop.test": { answers: servfail } });
  using resolver = openResolver({ servers: [mute.nameServer, broken.nameServer], timeoutMs: 2400 });
  expect(await resolver.query("shop.test", "A")).toEqual({ status: "servfail" });
});

test("an answer too large for UDP is fetched completely over TCP", async () => {
  const MX = Array.from({ length: 120 }, (_, i) => ({ preference: i, exchange: `mx${i}.large.test` }));
  await using lab = await openLab({
    "large.test": { MX },
    "small.test": { A: ["192.0.2.1"], answers: truncated },
    "slow.test": { A: ["192.0.2.2"], answers: combineTemperaments(truncated, slow(50)) },
  });
  using resolver = openResolver({ servers: [lab.nameServer] });

  expect(await resolver.query("large.test", "MX")).toMatchObject({ status: "answer", records: MX });
  expect(await resolver.query("small.test", "A")).toMatchObject({ records: ["192.0.2.1"] });
  expect(await resolver.query("slow.test", "A")).toMatchObject({ records: ["192.0.2.2"] });
  expect(lab.questions("small.test").map(({ transport }) => transport)).toEqual(["udp", "tcp"]);
});

test("a server without EDNS0 support is queried again without it", async () => {
  await using lab = await openLab({ "old.test": { A: ["192.0.2.1"], answers: noEdns } });
  using resolver = openResolver({ servers: [lab.nameServer] });
  expect(await resolver.query("old.test", "A")).toMatchObject({ status: "answer", records: ["192.0.2.1"] });
});

test("a forged response that arrives first is ignored", async () => {
  await using lab = await openLab({ "bank.test": { A: ["192.0.2.1"], answers: spoofedFirst } });
  using resolver = openResolver({ servers: [lab.nameServer] });
  expect(await resolver.query("bank.test", "A")).toMatchObject({ records: ["192.0.2.1"] });
});

test("CNAMEs are followed, whether the server does it or leaves it to us", async () => {
  await using lab = await openLab({
    "www.shop.test": { CNAME: "shop.test" },
    "shop.test": { A: ["192.0.2.1"] },
    "far.test": { CNAME: "farther.test", answers: aliasOnly, ttl: 50 },
    "farther.test": { CNAME: "shop.test", answers: aliasOnly },
    "gone.test": { CNAME: "nowhere.test", answers: aliasOnly },
    "broken.test": { CNAME: "dead.test", answers: aliasOnly },
    "dead.test": { answers: servfail },
  });
  using resolver = openResolver({ servers: [lab.nameServer] });

  expect(await resolver.query("www.shop.test", "A")).toMatchObject({ records: ["192.0.2.1"] });
  expect(lab.questions()).toHaveLength(1);
  expect(await resolver.query("far.test", "A")).toMatchObject({ records: ["192.0.2.1"], ttlSeconds: 50 });
  expect(await resolver.query("gone.test", "A")).toMatchObject({ status: "nxdomain" });
  expect(await resolver.query("broken.test", "A")).toEqual({ status: "servfail" });
});

test("CNAME loops and endless chains are a failure after a few queries", async () => {
  await using lab = await openLab({
    "round.test": { CNAME: "about.test", answers: aliasOnly },
    "about.test": { CNAME: "round.test", answers: aliasOnly },
    "circle.test": { CNAME: "circle.test" },
    ...Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`n${i}.test`, { CNAME: `n${i + 1}.test`, answers: aliasOnly }]),
    ),
  });
  using resolver = openResolver({ servers: [lab.nameServer] });

  expect(await resolver.query("round.test", "A")).toEqual({ status: "alias_loop" });
  expect(await resolver.query("circle.test", "A")).toEqual({ status: "alias_loop" });
  expect(await resolver.query("n0.test", "A")).toEqual({ status: "alias_loop" });
  expect(lab.questions().length).toBeLessThan(30);
});

test("a hundred concurrent lookups of one name cost one packet, and so do later ones", async () => {
  await using lab = await openLab({ "shop.test": { A: ["192.0.2.1"], answers: slow(50) } });
  using resolver = openResolver({ servers: [lab.nameServer] });

  const names = ["shop.test", "SHOP.test", "shop.test."];
  await Promise.all(Array.from({ length: 100 }, (_, i) => resolver.query(names[i % 3] ?? "", "A")));
  await resolver.query("shop.test", "A");
  expect(lab.questions()).toHaveLength(1);
  await resolver.query("shop.test", "MX");
  expect(lab.questions()).toHaveLength(2);
});

test("the number of lookups in flight is limited, and a quarter more may be interactive", async () => {
  let open = 0;
  let most = 0;
  const temper: DnsTemperament = () => {
    most = Math.max(most, ++open);
    const rewrite = (message: Buffer) => {
      open--;
      return message;
    };
    return { delayMs: 300, rewrite };
  };
  await using lab = await openLab({ "*.test": { A: ["192.0.2.1"], answers: temper } });
  using resolver = openResolver({ servers: [lab.nameServer], maxInFlight: 10 });

  const ask = (name: string, priority: QueryPriority) =>
    Promise.all(Array.from({ length: 20 }, (_, i) => resolver.query(`${name}${i}.test`, "A", priority)));
  const answers = await ask("list", "address");
  expect(most).toBe(10);
  answers.push(...(await ask("single", "interactive")));
  expect(most).toBe(13);
  expect(answers.filter(({ status }) => status === "answer")).toHaveLength(40);
});

test("lookups that are not answered hold up no others", async () => {
  await using lab = await openLab({ "*.test": { answers: silent }, "shop.test": { A: ["192.0.2.1"] } });
  // Slow after three seconds, and over after 36.
  using resolver = openResolver({ servers: [lab.nameServer], maxInFlight: 4, timeoutMs: 36_000 });
  let ended = 0;
  for (let i = 0; i < 7; i++) void resolver.query(`mute${i}.test`, "A", "address").then(() => ended++);
  expect(await resolver.query("shop.test", "A", "address")).toMatchObject({ status: "answer" });
  expect(ended).toBe(0);
  expect(lab.questions("mute6.test")).not.toHaveLength(0);
});

test("no more than four times as many lookups are slow, and others become slow as these end", async () => {
  await using lab = await openLab({ "*.test": { answers: silent } });
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  using resolver = openResolver({ servers: [lab.nameServer], maxInFlight: 2, timeoutMs: 12_000 });
  const names = Array.from({ length: 20 }, (_, i) => `mute${i}.test`);
  const asked = () => names.filter((name) => lab.questions(name).length > 0).length;
  const untilAsked = async (count: number) => {
    while (asked() < count) await new Promise(setImmediate);
    expect(asked()).toBe(count);
  };
  for (const name of names) void resolver.query(name, "A", "address");
  for (const count of [2, 4, 6, 8, 10]) {
    await untilAsked(count);
    vi.advanceTimersByTime(1100); // deadlines may be up to 94 ms late
  }
  vi.advanceTimersByTime(6400);
  await new Promise(setImmediate); // what was sent arrives
  expect(asked()).toBe(10);
  vi.advanceTimersByTime(250); // the first two end
  await untilAsked(12);
});

test("lookups of one tenant that are not answered do not hold up those of another", async () => {
  await using lab = await openLab({ "*.test": { answers: silent }, "shop.test": { A: ["192.0.2.1"] } });
  using resolver = openResolver({ servers: [lab.nameServer], maxInFlight: 2, timeoutMs: 12_000 });
  for (let i = 0; i < 40; i++) void resolver.query(`mute${i}.test`, "MX", "mail_exchanger", "a");
  expect(await resolver.query("shop.test", "A", "policy", "b")).toMatchObject({ status: "answer" });
  expect(lab.questions("mute39.test")).toEqual([]);
});

test("an interactive lookup does not wait for those that are not answered", async () => {
  await using lab = await openLab({ "*.test": { answers: silent }, "shop.test": { A: ["192.0.2.1"] } });
  using resolver = openResolver({ servers: [lab.nameServer], maxInFlight: 4 });
  for (let i = 0; i < 8; i++) void resolver.query(`mute${i}.test`, "A", "address");
  expect(await resolver.query("shop.test", "A")).toMatchObject({ status: "answer" });
  expect(lab.questions("mute7.test")).toEqual([]); // those before it are still waited for
});

test("what a server refuses because of too many open queries is asked again, and fewer from then on", async () => {
  const server = refusesBeyond(40);
  await using lab = await openLab({ "*.test": { A: ["192.0.2.1"], answers: server.temper } });
  using resolver = openResolver({ servers: [lab.nameServer], timeoutMs: 24_000 });
  const ask = (name: string) =>
    Promise.all(Array.from({ length: 200 }, (_, i) => resolver.query(`${name}${i}.test`, "A", "address")));

  expect((await ask("a")).filter(({ status }) => status === "answer")).toHaveLength(200);
  const refusals = server.refusals();
  expect(refusals).toBeGreaterThan(0);
  expect((await ask("b")).filter(({ status }) => status === "answer")).toHaveLength(200);
  expect(server.refusals() - refusals).toBeLessThan(refusals / 3);
});

test("names without an answer do not use up what a server takes at once", async () => {
  const server = refusesBeyond(40);
  await using lab = await openLab({
    "*.test": { A: ["192.0.2.1"], answers: server.temper },
    "*.mute.test": { answers: server.muteTemper },
  });
  using resolver = openResolver({ servers: [lab.nameServer], timeoutMs: 36_000 });
  await Promise.all(Array.from({ length: 100 }, (_, i) => resolver.query(`a${i}.test`, "A", "address")));
  for (let i = 0; i < 200; i++) void resolver.query(`n${i}.mute.test`, "A", "address", "other");
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => resolver.query(`b${i}.test`, "A", "address")),
  );
  expect(answers.filter(({ status }) => status === "answer")).toHaveLength(100);
});

test("a server that refuses everything is not asked for long", async () => {
  await using lab = await openLab({ "*.test": { answers: refused } });
  using resolver = openResolver({ servers: [lab.nameServer], maxInFlight: 100, timeoutMs: 12_000 });
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, i) => resolver.query(`n${i}.test`, "A")),
  );
  expect(answers.filter(({ status }) => status === "refused")).toHaveLength(1000);
  expect(lab.questions().length).toBeLessThan(1300);
});

test("a name that a busy server refuses is given up after a few tries", async () => {
  await using lab = await openLab({ "*.test": { answers: silent }, "closed.test": { answers: refused } });
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  using resolver = openResolver({ servers: [lab.nameServer], timeoutMs: 12_000 });
  for (let i = 0; i < 40; i++) void resolver.query(`mute${i}.test`, "A", "address");
  let status: string | undefined;
  void resolver.query("closed.test", "A").then((answer) => {
    status = answer.status;
  });
  while (status === undefined) {
    await new Promise(setImmediate);
    vi.advanceTimersByTime(10);
  }
  expect(status).toBe("refused");
  expect(lab.questions("closed.test")).toHaveLength(2);
});

test("answers are evicted when there are too many", async () => {
  await using lab = await openLab({ "*.test": { A: ["192.0.2.1"] } });
  using resolver = openResolver({ servers: [lab.nameServer], maxCached: 5 });
  for (let i = 0; i < 10; i++) await resolver.query(`n${i}.test`, "A");
  await resolver.query("n0.test", "A");
  expect(lab.questions("n0.test")).toHaveLength(2);
  await resolver.query("n9.test", "A");
  expect(lab.questions("n9.test")).toHaveLength(1);
});

test("an idle resolver holds no socket, and closing ends running lookups at once", async () => {
  await using lab = await openLab({ "mute.test": { answers: silent }, "*.test": { A: ["192.0.2.1"] } });
  const resolver = createResolver({ servers: [lab.nameServer] });
  await resolver.query("a.test", "A");
  await expect.poll(udpSockets).toBe(1); // the lab's

  const asking = resolver.query("mute.test", "A");
  await expect.poll(udpSockets).toBe(2);
  resolver.close();
  expect(await asking).toEqual({ status: "closed" });
  expect(await resolver.query("b.test", "A")).toEqual({ status: "closed" });
  await expect.poll(udpSockets).toBe(1);
});

/** A server that refuses further queries while `limit` are open; a silent name is open for ten seconds. */
function refusesBeyond(limit: number) {
  let open = 0;
  let refusals = 0;
  const admit = (faults: ReturnType<DnsTemperament>) => {
    if (open >= limit) {
      refusals++;
      return { rcode: RCODE.refused };
    }
    open++;
    return faults;
  };
  const temper: DnsTemperament = () => {
    const rewrite = (message: Buffer) => {
      open--;
      return message;
    };
    return admit({ delayMs: 150, rewrite });
  };
  const muteTemper: DnsTemperament = () => {
    const faults = admit({ drop: true });
    if (faults.drop) setTimeout(() => open--, 10_000).unref();
    return faults;
  };
  return { temper, muteTemper, refusals: () => refusals };
}

function udpSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "UDPWrap").length;
}

/** Several name servers for the same world. */
async function openLabs(count: number, world: World) {
  const labs = await Promise.all(Array.from({ length: count }, () => openLab(world)));
  return {
    nameServers: labs.map((lab) => lab.nameServer),
    questionCounts: () => labs.map((lab) => lab.questions().length),
    async [Symbol.asyncDispose]() {
      await Promise.all(labs.map((lab) => lab[Symbol.asyncDispose]()));
    },
  };
}
