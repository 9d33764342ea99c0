/** Stories of what the world knows of us: our address, its name, the sender's domain, the blocklists. */
import { type DnsEntry, type MailWorld, mailDomain, servfail, silent } from "@mailvet/lab";
import { expect, test } from "vitest";
import { examineChanged, OURS, PROVIDERS, REVERSED, troublesIn } from "./doctor-world.ts";

const PTR = `${REVERSED}.in-addr.arpa`;

/** Mail servers that do not tell whom they see. */
const DISCREET: MailWorld = Object.fromEntries(PROVIDERS.map((provider) => [provider, mailDomain()]));

test("where no server tells, SOURCE_ADDRESS stands in", async () => {
  const findings = await examineChanged(DISCREET);
  expect(troublesIn(findings)).toEqual({});
  expect(findings["our address"]?.found).toContain("SOURCE_ADDRESS");
});

test("a private SOURCE_ADDRESS is not the one the world sees, so what hangs on it stays unknown", async () => {
  // Connecting from a foreign address is impossible, so nobody answers either.
  const findings = await examineChanged(DISCREET, { egress: { sourceAddress: "10.0.0.7" } });
  expect(troublesIn(findings)).toEqual({
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
  ["probe", "has no domain"],
  ["localhost", "has no domain"],
  ["probe.localdomain", "private networks"],
  ["mail.google.com", "belongs to a large provider"],
  ["-.firm.test", "is not a host name"],
  ["nowhere.firm.test", "has no address"],
  ["elsewhere.firm.test", `but we come from ${OURS}`],
])("greeting as %s is bad, because it %s", async (ehloName, complaint) => {
  const findings = await examineChanged(
    { "elsewhere.firm.test": { A: ["127.0.0.99"] } },
    { egress: { ehloName } },
  );
  expect(findings["EHLO name"]).toMatchObject({
    outcome: "bad",
    found: expect.stringContaining(complaint),
    advice: expect.stringContaining(OURS),
  });
});

test.each<[string, DnsEntry, outcome: string, found: string, advice: string]>([
  ["has no name", {}, "bad", "no name", "PTR record to probe.firm.test"],
  ["bears a name that leads elsewhere", { PTR: ["fake.test"] }, "bad", "does not lead back", "each other"],
  [
    "bears another name of ours",
    { PTR: ["web.firm.test"] },
    "warning",
    "we greet as",
    "EHLO_NAME=web.firm.test",
  ],
  ["has an ill name server", { answers: servfail }, "unknown", "servfail", "name servers"],
])("an address that %s", async (_, entry, outcome, found, advice) => {
  const findings = await examineChanged({
    [PTR]: entry,
    "web.firm.test": { A: [OURS] },
    "fake.test": { A: ["127.0.0.99"] },
  });
  expect(troublesIn(findings)).toEqual({ "reverse DNS": outcome });
  expect(findings["reverse DNS"]?.found).toContain(found);
  expect(findings["reverse DNS"]?.advice).toContain(advice);
});

test("a name made of the address's numbers is a warning, even where it is right", async () => {
  const ehloName = "host-127-0-0-77.dsl.test";
  const findings = await examineChanged(
    { [ehloName]: { A: [OURS] }, [PTR]: { PTR: [ehloName] } },
    { egress: { ehloName } },
  );
  expect(troublesIn(findings)).toEqual({ "reverse DNS": "warning" });
});

const POLICY = `v=spf1 ip4:${OURS} -all`;

test.each<[string, MailWorld[string], outcome: string]>([
  ["takes no mail", { MX: [{ preference: 0, exchange: "." }], TXT: [POLICY] }, "bad"],
  ["has no mail server", { TXT: [POLICY] }, "bad"],
  ["has its mail server inside", { MX: [{ preference: 1, exchange: "in.test" }], TXT: [POLICY] }, "bad"],
  [
    "has an address alone",
    mailDomain({ implicitMx: true, records: { A: [OURS], TXT: [POLICY] } }),
    "warning",
  ],
  ["cannot be looked up", { TXT: [POLICY], answers: { MX: servfail } }, "unknown"],
])("a sender domain that %s", async (_, entry, outcome) => {
  const findings = await examineChanged({ "firm.test": entry, "in.test": { A: ["10.0.0.1"] } });
  expect(troublesIn(findings)).toEqual({ "sender domain": outcome });
});

test("a sender domain that does not exist, or that nobody can look up, is bad", async () => {
  for (const mailFrom of ["ask@nowhere.test", "ask@host.internal"]) {
    const findings = await examineChanged({}, { egress: { mailFrom } });
    expect(troublesIn(findings)).toEqual({ "sender domain": "bad", SPF: "unknown", DMARC: "unknown" });
  }
});

test.each<[string, DnsEntry, outcome: string, advice: string]>([
  ["forbids us", { TXT: ["v=spf1 ip4:192.0.2.1 -all"] }, "bad", `Add ip4:${OURS}`],
  ["is lukewarm about us", { TXT: ["v=spf1 ip4:192.0.2.1 ~all"] }, "warning", `Add ip4:${OURS}`],
  ["is there twice", { TXT: ["v=spf1 -all", "v=spf1 +all"] }, "bad", "exactly one"],
  ["is missing", { TXT: [] }, "warning", `v=spf1 mx ip4:${OURS} -all`],
])("a sender policy that %s", async (_, records, outcome, advice) => {
  const findings = await examineChanged({ "firm.test": mailDomain({ records }) });
  expect(troublesIn(findings)).toEqual({ SPF: outcome });
  expect(findings.SPF?.advice).toContain(advice);
});

test("a sender policy that covers us by an include of its provider's is good", async () => {
  const findings = await examineChanged({
    "firm.test": mailDomain({ records: { TXT: ["v=spf1 include:_spf.host.test -all"] } }),
    "_spf.host.test": { TXT: ["v=spf1 ip4:127.0.0.64/27 ?all"] },
  });
  expect(troublesIn(findings)).toEqual({});
});

const ZEN = "zen.spamhaus.org";

test.each<[string, MailWorld, outcome: string, found: string]>([
  ["lists us", { [`${REVERSED}.zen.spamhaus.org`]: { A: ["127.0.0.4"] } }, "bad", "XBL: an infected machine"],
  [
    "turns our name servers away",
    {
      [`${REVERSED}.zen.spamhaus.org`]: { A: ["127.255.255.254"] },
      "2.0.0.127.zen.spamhaus.org": { A: ["127.255.255.254"] },
    },
    "unknown",
    "does not answer your name servers",
  ],
  ["knows nothing, not even its test entry", { "2.0.0.127.zen.spamhaus.org": {} }, "unknown", "test entries"],
  [
    "lists the whole world",
    { "1.0.0.127.zen.spamhaus.org": { A: ["127.0.0.2"] } },
    "unknown",
    "test entries",
  ],
  ["is silent", { [`${REVERSED}.zen.spamhaus.org`]: { answers: silent } }, "unknown", "timeout"],
])("a blocklist that %s", async (what, world, outcome, found) => {
  const findings = await examineChanged(world, what === "is silent" ? { dnsTimeoutMs: 5000 } : {});
  expect(troublesIn(findings)).toEqual({ [ZEN]: outcome });
  expect(findings[ZEN]?.found).toContain(found);
  expect(findings[ZEN]?.advice).toBeTruthy();
});
