/** Doctor: public IP, PTR record, sender domain and blocklists. */
import { type DnsEntry, type MailWorld, mailDomain, servfail, silent } from "@mailvet/lab";
import { expect, test } from "vitest";
import { examineChanged, PROVIDERS, PUBLIC_IP, problemsIn, REVERSED } from "./doctor-setup.ts";

const PTR = `${REVERSED}.in-addr.arpa`;

/** Mail servers that do not state the client's address. */
const WITHOUT_CLIENT_ADDRESS: MailWorld = Object.fromEntries(
  PROVIDERS.map((provider) => [provider, mailDomain()]),
);

test("without a report by a server, SOURCE_ADDRESS is used", async () => {
  const findings = await examineChanged(WITHOUT_CLIENT_ADDRESS);
  expect(problemsIn(findings)).toEqual({});
  expect(findings["our address"]?.found).toContain("SOURCE_ADDRESS");
});

test("a private SOURCE_ADDRESS is not the public IP, so the checks that depend on it are unknown", async () => {
  // Connecting from a foreign address is impossible, so no server answers either.
  const findings = await examineChanged(WITHOUT_CLIENT_ADDRESS, { egress: { sourceAddress: "10.0.0.7" } });
  expect(problemsIn(findings)).toEqual({
    "port 25": "bad",
    welcome: "unknown",
    "our address": "unknown",
    "EHLO name": "unknown",
    "reverse DNS": "unknown",
    SPF: "unknown",
    blocklists: "unknown",
  });
});

test.each([
  ["127.0.0.77", "is an IP address"],
  ["probe", "is not a fully qualified"],
  ["localhost", "is not a fully qualified"],
  ["probe.localdomain", "private networks"],
  ["mail.google.com", "belongs to a large provider"],
  ["-.firm.test", "is not a host name"],
  ["nowhere.firm.test", "has no address record"],
  ["elsewhere.firm.test", `but our public IP is ${PUBLIC_IP}`],
])("EHLO name %s is bad, because it %s", async (ehloName, problem) => {
  const findings = await examineChanged(
    { "elsewhere.firm.test": { A: ["127.0.0.99"] } },
    { egress: { ehloName } },
  );
  expect(findings["EHLO name"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining(problem),
    advice: expect.stringContaining(PUBLIC_IP),
  });
});

test.each<[string, DnsEntry, outcome: string, found: string, advice: string]>([
  ["has no PTR record", {}, "bad", "no PTR record", "to probe.firm.test"],
  [
    "has a PTR name that resolves elsewhere",
    { PTR: ["fake.test"] },
    "bad",
    "does not resolve back",
    "must match",
  ],
  [
    "has another PTR name of ours",
    { PTR: ["web.firm.test"] },
    "warning",
    "but the EHLO name is",
    "EHLO_NAME=web.firm.test",
  ],
  ["cannot be looked up", { answers: servfail }, "unknown", "servfail", "DNS servers"],
])("an address that %s", async (_, entry, outcome, found, advice) => {
  const findings = await examineChanged({
    [PTR]: entry,
    "web.firm.test": { A: [PUBLIC_IP] },
    "fake.test": { A: ["127.0.0.99"] },
  });
  expect(problemsIn(findings)).toEqual({ "reverse DNS": outcome });
  expect(findings["reverse DNS"]?.found).toContain(found);
  expect(findings["reverse DNS"]?.advice).toContain(advice);
});

test("a name that contains the octets of the address is a warning, even where it is correct", async () => {
  const ehloName = "host-127-0-0-77.dsl.test";
  const findings = await examineChanged(
    { [ehloName]: { A: [PUBLIC_IP] }, [PTR]: { PTR: [ehloName] } },
    { egress: { ehloName } },
  );
  expect(problemsIn(findings)).toEqual({ "reverse DNS": "warning" });
});

const POLICY = `v=spf1 ip4:${PUBLIC_IP} -all`;

test.each<[string, MailWorld[string], outcome: string]>([
  ["has a null MX", { MX: [{ preference: 0, exchange: "." }], TXT: [POLICY] }, "bad"],
  ["has no mail server", { TXT: [POLICY] }, "bad"],
  ["has a private mail server", { MX: [{ preference: 1, exchange: "in.test" }], TXT: [POLICY] }, "bad"],
  [
    "has only an address record",
    mailDomain({ implicitMx: true, records: { A: [PUBLIC_IP], TXT: [POLICY] } }),
    "warning",
  ],
  ["cannot be looked up", { TXT: [POLICY], answers: { MX: servfail } }, "unknown"],
])("a sender domain that %s", async (_, entry, outcome) => {
  const findings = await examineChanged({ "firm.test": entry, "in.test": { A: ["10.0.0.1"] } });
  expect(problemsIn(findings)).toEqual({ "sender domain": outcome });
});

test("a sender domain that does not exist, or cannot be resolved publicly, is bad", async () => {
  for (const mailFrom of ["ask@nowhere.test", "ask@host.internal"]) {
    const findings = await examineChanged({}, { egress: { mailFrom } });
    expect(problemsIn(findings)).toEqual({ "sender domain": "bad", SPF: "unknown", DMARC: "unknown" });
  }
});

test.each<[string, DnsEntry, outcome: string, advice: string]>([
  ["fails us", { TXT: ["v=spf1 ip4:192.0.2.1 -all"] }, "bad", `Add ip4:${PUBLIC_IP}`],
  ["softfails us", { TXT: ["v=spf1 ip4:192.0.2.1 ~all"] }, "warning", `Add ip4:${PUBLIC_IP}`],
  ["exists twice", { TXT: ["v=spf1 -all", "v=spf1 +all"] }, "bad", "exactly one"],
  ["is missing", { TXT: [] }, "warning", `v=spf1 mx ip4:${PUBLIC_IP} -all`],
])("an SPF record that %s", async (_, records, outcome, advice) => {
  const findings = await examineChanged({ "firm.test": mailDomain({ records }) });
  expect(problemsIn(findings)).toEqual({ SPF: outcome });
  expect(findings.SPF?.advice).toContain(advice);
});

test("an SPF record that covers us by an include is good", async () => {
  const findings = await examineChanged({
    "firm.test": mailDomain({ records: { TXT: ["v=spf1 include:_spf.host.test -all"] } }),
    "_spf.host.test": { TXT: ["v=spf1 ip4:127.0.0.64/27 ?all"] },
  });
  expect(problemsIn(findings)).toEqual({});
});

const ZEN = "zen.spamhaus.org";

test.each<[string, MailWorld, outcome: string, found: string]>([
  ["lists us", { [`${REVERSED}.zen.spamhaus.org`]: { A: ["127.0.0.4"] } }, "bad", "XBL: an infected machine"],
  [
    "refuses our name servers",
    {
      [`${REVERSED}.zen.spamhaus.org`]: { A: ["127.255.255.254"] },
      "2.0.0.127.zen.spamhaus.org": { A: ["127.255.255.254"] },
    },
    "unknown",
    "refuses queries from your DNS servers",
  ],
  ["lacks its test entry", { "2.0.0.127.zen.spamhaus.org": {} }, "unknown", "failed our test query"],
  [
    "lists every address",
    { "1.0.0.127.zen.spamhaus.org": { A: ["127.0.0.2"] } },
    "unknown",
    "failed our test query",
  ],
  ["does not respond", { [`${REVERSED}.zen.spamhaus.org`]: { answers: silent } }, "unknown", "timeout"],
])("a blocklist that %s", async (what, world, outcome, found) => {
  const findings = await examineChanged(world, what === "does not respond" ? { dnsTimeoutMs: 5000 } : {});
  expect(problemsIn(findings)).toEqual({ [ZEN]: outcome });
  expect(findings[ZEN]?.found).toContain(found);
  expect(findings[ZEN]?.advice).toBeTruthy();
});

test("of several identities, each is examined from its own address with its own names", async () => {
  const identity = { mailFrom: "ask@firm.test", share: 1, isCounted: true as const };
  const good = { ...identity, name: "good", ehloName: "probe.firm.test", sourceAddress: PUBLIC_IP };
  const bad = { ...identity, name: "bad", ehloName: "other.firm.test", sourceAddress: "127.0.0.78" };
  const findings = await examineChanged(
    { "other.firm.test": { A: ["127.0.0.78"] } },
    { identities: [good, bad] },
  );
  expect(findings["good: identity"]?.found).toBe(
    `${PUBLIC_IP} as probe.firm.test, MAIL FROM ask@firm.test; share 1.`,
  );
  expect(findings["good: reverse DNS"]?.outcome).toBe("good");
  expect(findings["good: SPF"]?.outcome).toBe("good");
  expect(findings["bad: reverse DNS"]).toMatchObject({ outcome: "bad", identity: "bad" });
  expect(findings["bad: reverse DNS"]?.found).toContain("127.0.0.78 has no PTR record");
  expect(findings["bad: SPF"]?.outcome).not.toBe("good");
  expect(Object.keys(findings).filter((name) => name.startsWith("name server"))).toHaveLength(1); // once for all
});
