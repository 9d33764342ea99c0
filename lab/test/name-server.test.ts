/** The lab's name server, tested with the resolver of Node as an independent implementation. */
import { Resolver } from "node:dns/promises";
import { expect, test } from "vitest";
import {
  dropsFirst,
  openLab,
  refused,
  servfail,
  silent,
  slow,
  spoofedFirst,
  truncated,
} from "../src/index.ts";
import { watchWaits } from "./waits.ts";

/** For queries without a response. */
const BRIEF = { timeout: 500, tries: 1 };

function nodeResolver(nameServer: string, options = { timeout: 5000, tries: 5 }): Resolver {
  const resolver = new Resolver(options);
  resolver.setServers([nameServer]);
  return resolver;
}

test("node's resolver reads every record type of a world", async () => {
  await using lab = await openLab({
    "shop.test": {
      MX: [{ preference: 5, exchange: "mx.shop.test" }],
      A: ["192.0.2.1", "192.0.2.2"],
      AAAA: ["2001:db8::1"],
      TXT: ["v=spf1 -all", ["two ", "parts"]],
      SOA: { minimum: 90 },
    },
    "www.shop.test": { CNAME: "shop.test" },
    "1.2.0.192.in-addr.arpa": { PTR: ["shop.test"] },
  });
  const dns = nodeResolver(lab.nameServer);

  expect(await dns.resolveMx("shop.test")).toMatchObject([{ priority: 5, exchange: "mx.shop.test" }]);
  expect(await dns.resolve4("www.shop.test")).toEqual(["192.0.2.1", "192.0.2.2"]);
  expect(await dns.resolve6("shop.test")).toEqual(["2001:db8::1"]);
  expect(await dns.resolveTxt("shop.test")).toEqual([["v=spf1 -all"], ["two ", "parts"]]);
  expect(await dns.resolveSoa("shop.test")).toMatchObject({ minttl: 90 });
  expect(await dns.reverse("192.0.2.1")).toEqual(["shop.test"]);
});

test("node's resolver distinguishes NODATA, NXDOMAIN, SERVFAIL, REFUSED and a timeout", async () => {
  await using lab = await openLab({
    "empty.test": { A: ["192.0.2.1"] },
    "broken.test": { answers: servfail },
    "closed.test": { answers: refused },
    "mute.test": { answers: silent },
  });
  const dns = nodeResolver(lab.nameServer);

  await expect(dns.resolveMx("empty.test")).rejects.toMatchObject({ code: "ENODATA" });
  await expect(dns.resolveMx("absent.test")).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(dns.resolveMx("broken.test")).rejects.toMatchObject({ code: "ESERVFAIL" });
  await expect(dns.resolveMx("closed.test")).rejects.toMatchObject({ code: "EREFUSED" });
  await expect(nodeResolver(lab.nameServer, BRIEF).resolveMx("mute.test")).rejects.toMatchObject({
    code: "ETIMEOUT",
  });
});

test("a response too large for a datagram is fetched over TCP", async () => {
  const many = Array.from({ length: 100 }, (_, i) => ({ preference: i, exchange: `mx${i}.large.test` }));
  await using lab = await openLab({
    "large.test": { MX: many },
    "small.test": { A: ["192.0.2.1"], answers: truncated },
  });
  const dns = nodeResolver(lab.nameServer);

  expect(await dns.resolveMx("large.test")).toHaveLength(100);
  expect(await dns.resolve4("small.test")).toEqual(["192.0.2.1"]);
  const transports = lab.questions("small.test", "A").map(({ transport }) => transport);
  expect(new Set(transports)).toEqual(new Set(["udp", "tcp"]));
});

test("delays, dropped queries and spoofed responses are simulated, and every query is recorded", async () => {
  await using lab = await openLab({
    "slow.test": { A: ["192.0.2.1"], answers: slow(150) },
    "lossy.test": { A: ["192.0.2.2"], answers: dropsFirst(1) },
    "forged.test": { A: ["192.0.2.3"], answers: spoofedFirst },
  });
  const dns = nodeResolver(lab.nameServer);
  const retrying = nodeResolver(lab.nameServer, { timeout: 1000, tries: 6 }); // repeats what was dropped

  const waits = watchWaits();
  expect(await dns.resolve4("slow.test")).toEqual(["192.0.2.1"]);
  expect(new Set(waits)).toEqual(new Set([150]));
  expect(await retrying.resolve4("lossy.test")).toEqual(["192.0.2.2"]);
  expect(await dns.resolve4("forged.test")).toEqual(["192.0.2.3"]);
  expect(lab.questions("LOSSY.test").length).toBeGreaterThanOrEqual(2);
  const asked = new Set(lab.questions().map(({ name }) => name));
  expect(asked).toEqual(new Set(["slow.test", "lossy.test", "forged.test"]));
});

test("a temperament can apply to one type, and closing cancels delayed responses", async () => {
  const lab = await openLab({
    "half.test": { A: ["192.0.2.1"], answers: { AAAA: servfail, TXT: slow(60_000) } },
  });
  const dns = nodeResolver(lab.nameServer);

  expect(await dns.resolve4("half.test")).toEqual(["192.0.2.1"]);
  await expect(dns.resolve6("half.test")).rejects.toMatchObject({ code: "ESERVFAIL" });
  await expect(nodeResolver(lab.nameServer, BRIEF).resolveTxt("half.test")).rejects.toMatchObject({
    code: "ETIMEOUT",
  });
  await lab[Symbol.asyncDispose]();
});

test("the port of the name server can be chosen, and a port in use is an error", async () => {
  await using lab = await openLab({});
  const dnsPort = Number(lab.nameServer.split(":")[1]);
  await expect(openLab({}, { dnsPort })).rejects.toThrow("EADDRINUSE");
});
