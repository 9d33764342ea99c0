/** Doctor: name servers, port 25, and acceptance by large providers. */
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
  CORRECT_SETUP,
  examineChanged,
  examineIn,
  PROVIDERS,
  PUBLIC_IP,
  problemsIn,
  REVERSED,
} from "./doctor-setup.ts";
import { openSilentHost } from "./silent-host.ts";

/** For rounds in which one check must time out and all others must finish. */
const ROUND_MS = 20_000;

test("with a correct setup everything is good, and every provider is probed once without RCPT", async () => {
  await using lab = await openLab(CORRECT_SETUP);
  const findings = await examineIn(lab);
  expect(problemsIn(findings)).toEqual({});
  expect(Object.keys(findings)).toEqual([
    ...["name servers", "port 25", "welcome", "our address", "EHLO name", "reverse DNS"],
    ...["sender domain", "SPF", "DMARC", ...BLOCKLISTS, "reference lists"],
  ]);
  expect(findings["our address"]?.found).toBe(`${PUBLIC_IP}, as seen by big.test.`);
  for (const provider of PROVIDERS) {
    expect(lab.received(`mx.${provider}`)).toEqual(["EHLO probe.firm.test", "QUIT"]);
    expect(lab.counts(`mx.${provider}`).connections).toBe(1);
  }
});

test("every problem comes with advice", async () => {
  const findings = await examineChanged({
    "big.test": mailDomain({ temper: [blocksClient({ at: "banner" }), google] }),
    "fruit.test": mailDomain({ down: true }),
    [`${REVERSED}.in-addr.arpa`]: {},
    "firm.test": mailDomain({ records: { TXT: ["v=spf1 -all"] } }),
    "_dmarc.firm.test": {},
    [`${REVERSED}.bl.spamcop.net`]: { A: ["127.0.0.2"] },
  });
  expect(problemsIn(findings)).toEqual({
    "port 25": "warning",
    welcome: "warning", // Google's rejection is a 421
    "reverse DNS": "bad",
    SPF: "bad",
    DMARC: "warning",
    "bl.spamcop.net": "bad",
  });
  const wrong = Object.values(findings).filter(({ outcome }) => outcome !== "good");
  expect(wrong.filter(({ advice }) => !advice)).toEqual([]);
});

test("a name server that invents addresses is detected", async () => {
  const findings = await examineChanged({ "*.com": { A: ["127.0.0.9"] } });
  expect(problemsIn(findings)).toEqual({ "name servers": "bad" });
  expect(findings["name servers"]?.advice).toContain("DNS_SERVERS");
});

test.concurrent("a dead second name server is a warning that names it", async () => {
  await using dead = await openLab({ "*.test": { answers: silent }, "*.com": { answers: silent } });
  await using lab = await openLab(CORRECT_SETUP);
  const findings = await examineIn(lab, {
    nameServers: [lab.nameServer, dead.nameServer],
    roundMs: 3 * ROUND_MS, // a name server gets a third of it
  });
  expect(problemsIn(findings)).toEqual({ "name servers": "warning" });
  expect(findings["name servers"]?.advice).toContain(dead.nameServer);
});

test.concurrent("a name server for local names only is distinguished from a dead one", async () => {
  await using inside = await openLab({ "printer.test": { A: ["10.0.0.9"] }, "mx.test": mailHost() });
  const findings = await examineIn(inside);
  expect(findings["name servers"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("cannot resolve big.test"),
  });
});

test.concurrent("a slow name server is reported as slow", async () => {
  const findings = await examineChanged(
    {
      "big.test": { MX: [{ preference: 1, exchange: "mx.big.test" }], answers: slow(1200) },
      "mx.big.test": mailHost({ temper: google }),
    },
    { slowNameServerMs: 1000 },
  );
  expect(problemsIn(findings)).toEqual({ "name servers": "warning" });
  expect(findings["name servers"]?.found).toContain("slow");
});

test.concurrent("when no name server answers, only the name servers are bad", async () => {
  const everyName = ["test", "com", "arpa", "org", "net"].map((name) => [`*.${name}`, { answers: silent }]);
  await using mute = await openLab(Object.fromEntries(everyName));
  const findings = await examineIn(mute, { roundMs: ROUND_MS, dnsTimeoutMs: 2000 });
  const bad = Object.values(findings).filter(({ outcome }) => outcome === "bad");
  expect(bad.map(({ name }) => name)).toEqual(["name servers"]);
  expect(findings["port 25"]?.advice).toContain("DNS servers");
});

/** Every provider's mail host at this address. */
const allAt = (address: string): MailWorld =>
  Object.fromEntries(
    PROVIDERS.flatMap((provider) => [
      [provider, { MX: [{ preference: 1, exchange: `mx.${provider}` }] }],
      [`mx.${provider}`, { A: [address] }],
    ]),
  );

test.concurrent("a port 25 that does not respond is blocked", async () => {
  await using host = await openSilentHost("127.0.0.88");
  const findings = await examineChanged(allAt("127.0.0.88"), { connectPort: host.port, roundMs: ROUND_MS });
  expect(findings["port 25"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("Blocked"),
    advice: expect.stringContaining("SOCKS_PROXY"),
  });
  expect(findings.welcome).toMatchObject({ outcome: "unknown" });
});

test.concurrent("a proxy that accepts the request and then stays silent is named as the cause", async () => {
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
    // A proxy's connections do not come from SOURCE_ADDRESS.
    expect(findings["our address"]).toMatchObject({ outcome: "unknown" });
  } finally {
    proxy.close();
  }
});

test.concurrent("connections refused everywhere point to the firewall", async () => {
  const findings = await examineChanged(allAt("127.0.0.89"));
  expect(findings["port 25"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("ECONNREFUSED"),
    advice: expect.stringContaining("firewall"),
  });
});

test.concurrent("connections without a banner point to interception", async () => {
  const mute = mailDomain({ temper: saysNothing({ at: "banner" }) });
  const world = Object.fromEntries(PROVIDERS.map((provider) => [provider, mute]));
  const findings = await examineChanged(world, { roundMs: ROUND_MS });
  expect(findings["port 25"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("no SMTP banner follows"),
  });
});

test("interception of all connections is detected by the shared banner", async () => {
  const interceptor = mailDomain({ mx: ["filter.isp.test"] });
  const findings = await examineChanged({
    ...Object.fromEntries(PROVIDERS.map((provider) => [provider, interceptor])),
    "filter.isp.test": mailHost(),
  });
  expect(findings["port 25"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining("filter.isp.test"),
  });
});

test("a provider that blocks us is quoted", async () => {
  const findings = await examineChanged({
    "fruit.test": mailDomain({ temper: [blocksClient({ at: "banner" }), icloud] }),
  });
  expect(problemsIn(findings)).toEqual({ welcome: "bad" });
  expect(findings.welcome?.found).toContain('fruit.test: "554 [HM08] Message rejected');
});

test("a temporary rejection by a provider is a warning", async () => {
  const findings = await examineChanged({
    "big.test": mailDomain({ temper: failsTemporarily({ at: "banner" }) }),
  });
  expect(problemsIn(findings)).toEqual({ welcome: "warning" });
});
