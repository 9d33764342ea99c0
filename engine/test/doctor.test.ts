/** Stories of the doctor at the door: name servers, port 25, and how large providers receive us. */
import { createServer } from "node:net";
import {
  blocksClient,
  failsTemporarily,
  google,
  icloud,
  type MailWorld,
  mailDomain,
  mailHost,
  openLab,
  saysNothing,
  silent,
  slow,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import {
  BLOCKLISTS,
  examineChanged,
  examineIn,
  GOOD_WORLD,
  OURS,
  PROVIDERS,
  REVERSED,
  troublesIn,
} from "./doctor-world.ts";
import { openSilentHost } from "./silent-host.ts";

/** For a round in which something has to be waited for in vain, and everything else has to be done in time. */
const ROUND_MS = 20_000;

test("where all is well all is good, and every provider is greeted once and asked for nobody", async () => {
  await using lab = await openLab(GOOD_WORLD);
  const findings = await examineIn(lab);
  expect(troublesIn(findings)).toEqual({});
  expect(Object.keys(findings)).toEqual([
    ...["name servers", "port 25", "welcome", "our address", "EHLO name", "reverse DNS"],
    ...["sender domain", "SPF", "DMARC", ...BLOCKLISTS, "reference lists"],
  ]);
  expect(findings["our address"]?.found).toBe(`${OURS}, as big.test sees us.`);
  for (const provider of PROVIDERS) {
    expect(lab.received(`mx.${provider}`)).toEqual(["EHLO probe.firm.test", "QUIT"]);
    expect(lab.counts(`mx.${provider}`).connections).toBe(1);
  }
});

test("whatever is wrong comes with what to do", async () => {
  const findings = await examineChanged({
    "big.test": mailDomain({ temper: [blocksClient({ at: "banner" }), google] }),
    "fruit.test": mailDomain({ down: true }),
    [`${REVERSED}.in-addr.arpa`]: {},
    "firm.test": mailDomain({ records: { TXT: ["v=spf1 -all"] } }),
    "_dmarc.firm.test": {},
    [`${REVERSED}.bl.spamcop.net`]: { A: ["127.0.0.2"] },
  });
  expect(troublesIn(findings)).toEqual({
    "port 25": "warning",
    welcome: "warning", // Google's refusal is a 421
    "reverse DNS": "bad",
    SPF: "bad",
    DMARC: "warning",
    "bl.spamcop.net": "bad",
  });
  const wrong = Object.values(findings).filter(({ outcome }) => outcome !== "good");
  expect(wrong.filter(({ advice }) => !advice)).toEqual([]);
});

test("a name server that invents addresses is found out", async () => {
  const findings = await examineChanged({ "*.com": { A: ["127.0.0.9"] } });
  expect(troublesIn(findings)).toEqual({ "name servers": "bad" });
  expect(findings["name servers"]?.advice).toContain("DNS_SERVERS");
});

test.concurrent("a second name server that is dead is a warning that names it", async () => {
  await using dead = await openLab({ "*.test": { answers: silent }, "*.com": { answers: silent } });
  await using lab = await openLab(GOOD_WORLD);
  const findings = await examineIn(lab, {
    nameServers: [lab.nameServer, dead.nameServer],
    roundMs: 3 * ROUND_MS, // of which a name server has a third
  });
  expect(troublesIn(findings)).toEqual({ "name servers": "warning" });
  expect(findings["name servers"]?.advice).toContain(dead.nameServer);
});

test.concurrent("a name server that knows its own network alone is told from a dead one", async () => {
  await using inside = await openLab({ "printer.test": { A: ["10.0.0.9"] }, "mx.test": mailHost() });
  const findings = await examineIn(inside);
  expect(findings["name servers"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("does not know of big.test"),
  });
});

test.concurrent("a slow name server is called slow", async () => {
  const findings = await examineChanged(
    {
      "big.test": { MX: [{ preference: 1, exchange: "mx.big.test" }], answers: slow(1200) },
      "mx.big.test": mailHost({ temper: google }),
    },
    { slowNameServerMs: 1000 },
  );
  expect(troublesIn(findings)).toEqual({ "name servers": "warning" });
  expect(findings["name servers"]?.found).toContain("slow");
});

test.concurrent("when no name server speaks, only the name servers are blamed", async () => {
  const everyName = ["test", "com", "arpa", "org", "net"].map((name) => [`*.${name}`, { answers: silent }]);
  await using mute = await openLab(Object.fromEntries(everyName));
  const findings = await examineIn(mute, { roundMs: 2500, dnsTimeoutMs: 2000 });
  const bad = Object.values(findings).filter(({ outcome }) => outcome === "bad");
  expect(bad.map(({ name }) => name)).toEqual(["name servers"]);
  expect(findings["port 25"]?.advice).toContain("name servers");
});

/** Every provider's mail host at this address. */
const allAt = (address: string): MailWorld =>
  Object.fromEntries(
    PROVIDERS.flatMap((provider) => [
      [provider, { MX: [{ preference: 1, exchange: `mx.${provider}` }] }],
      [`mx.${provider}`, { A: [address] }],
    ]),
  );

test.concurrent("a port 25 from which nothing comes back is blocked", async () => {
  await using host = await openSilentHost("127.0.0.88");
  const findings = await examineChanged(allAt("127.0.0.88"), { dialledPort: host.port, roundMs: ROUND_MS });
  expect(findings["port 25"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("Blocked"),
    advice: expect.stringContaining("SOCKS_PROXY"),
  });
  expect(findings.welcome).toMatchObject({ outcome: "unknown" });
});

test.concurrent("a proxy that takes our wish and stays silent is named as the suspect", async () => {
  const proxy = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(Buffer.from([5, 0]))); // no password needed; then nothing more
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as { port: number };
  try {
    const findings = await examineChanged(
      {},
      { egress: { proxy: { host: "127.0.0.1", port } }, roundMs: ROUND_MS },
    );
    expect(findings["port 25"]).toMatchObject({
      outcome: "bad",
      advice: expect.stringContaining("proxy in SOCKS_PROXY"),
    });
    // SOURCE_ADDRESS is not where a proxy's connections come from.
    expect(findings["our address"]).toMatchObject({ outcome: "unknown" });
  } finally {
    proxy.close();
  }
});

test.concurrent("connections that are refused everywhere point to the firewall", async () => {
  const findings = await examineChanged(allAt("127.0.0.89"));
  expect(findings["port 25"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("ECONNREFUSED"),
    advice: expect.stringContaining("firewall"),
  });
});

test.concurrent("calls that are taken and not answered point to something in between", async () => {
  const mute = mailDomain({ temper: saysNothing({ at: "banner" }) });
  const world = Object.fromEntries(PROVIDERS.map((provider) => [provider, mute]));
  const findings = await examineChanged(world, { roundMs: ROUND_MS });
  expect(findings["port 25"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("nobody speaks"),
  });
});

test("something that answers for everybody is found out by its name", async () => {
  const impostor = mailDomain({ mx: ["filter.isp.test"] });
  const findings = await examineChanged({
    ...Object.fromEntries(PROVIDERS.map((provider) => [provider, impostor])),
    "filter.isp.test": mailHost(),
  });
  expect(findings["port 25"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("filter.isp.test"),
  });
});

test("a provider that has blocked us is quoted", async () => {
  const findings = await examineChanged({
    "fruit.test": mailDomain({ temper: [blocksClient({ at: "banner" }), icloud] }),
  });
  expect(troublesIn(findings)).toEqual({ welcome: "bad" });
  expect(findings.welcome?.found).toContain('fruit.test: "554 [HM08] Message rejected');
});

test("a provider that puts us off is a warning", async () => {
  const findings = await examineChanged({
    "big.test": mailDomain({ temper: failsTemporarily({ at: "banner" }) }),
  });
  expect(troublesIn(findings)).toEqual({ welcome: "warning" });
});
