/** SPF evaluation against a real name server. */
import { openLab, servfail, type World } from "@mailvet/lab";
import { expect, test } from "vitest";
import { createResolver } from "../src/dns/resolver.ts";
import { evaluateSpf } from "../src/doctor/spf.ts";

const PUBLIC_IP = "192.0.2.7";
const PUBLIC_IP_V6 = "2001:db8::7";

/** The names used by the policies below. */
const OTHER_NAMES: World = {
  "mail.shop.test": { A: [PUBLIC_IP], AAAA: [PUBLIC_IP_V6] },
  "near.shop.test": { A: ["192.0.2.200"] },
  "mx.shop.test": { A: ["198.51.100.9"] },
  "hosted.test": { MX: [{ preference: 1, exchange: "mail.shop.test" }] },
  "covers.test": { TXT: [`v=spf1 ip4:${PUBLIC_IP} -all`] },
  "forbids.test": { TXT: ["v=spf1 -all"] },
  "broken.test": { TXT: ["v=spf1 ip4:300.1.1.1 -all"] },
  "loop.test": { TXT: ["v=spf1 include:loop.test -all"] },
  "macro.test": { TXT: ["v=spf1 exists:%{i}.covers.test -all"] },
  "ill.test": { answers: servfail },
  "deep.test": { TXT: ["v=spf1 a:n1.test a:n2.test a:n3.test a:n4.test a:n5.test a:n6.test -all"] },
};

async function resultOf(records: (string | string[])[], address = PUBLIC_IP) {
  await using lab = await openLab({
    ...OTHER_NAMES,
    "shop.test": { TXT: records, A: [PUBLIC_IP], MX: [{ preference: 10, exchange: "mx.shop.test" }] },
  });
  const resolver = createResolver({ servers: [lab.nameServer], timeoutMs: 120_000 });
  try {
    const result = await evaluateSpf(resolver, "shop.test", address);
    return { result, questions: lab.questions().length };
  } finally {
    resolver.close();
  }
}

test.each([
  [`v=spf1 ip4:${PUBLIC_IP} -all`, "pass"],
  ["v=spf1 ip4:192.0.2.0/24 -all", "pass"],
  ["v=spf1 ip4:192.0.2.99/24 -all", "pass"], // bits beyond the prefix are allowed here
  ["v=spf1 ip4:192.0.2.64/26 -all", "fail"],
  ["v=spf1 ip4:192.0.2.64/26 ~all", "softfail"],
  ["v=spf1 ip4:192.0.2.64/26 ?all", "neutral"],
  ["v=spf1 ip4:192.0.2.64/26", "neutral"],
  [`v=spf1 -ip4:${PUBLIC_IP} +all`, "fail"],
  ["V=SPF1 A -ALL", "pass"],
  ["v=spf1 mx -all", "fail"],
  ["v=spf1 mx:hosted.test -all", "pass"],
  ["v=spf1 a:near.shop.test -all", "fail"],
  ["v=spf1 a:near.shop.test/24//64 -all", "pass"],
  ["v=spf1 a:nowhere.test -all", "fail"],
  ["v=spf1 include:covers.test -all", "pass"],
  ["v=spf1 include:forbids.test ~all", "softfail"], // a fail of the included policy is no match
  ["v=spf1 redirect=covers.test", "pass"],
  ["v=spf1 redirect=covers.test -all", "fail"], // "all" comes first
  ["v=spf1 redirect=nowhere.test", "permerror"],
  ["v=spf1 include:nowhere.test -all", "permerror"],
  ["v=spf1 include:broken.test -all", "permerror"],
  ["v=spf1 include:loop.test -all", "permerror"],
  ["v=spf1 include:deep.test a:n7.test a:n8.test a:n9.test a:n10.test -all", "permerror"],
  ["v=spf1 include:deep.test a:n7.test a:n8.test a:n9.test -all", "fail"],
  ["v=spf1 ip4:192.0.2.7//24 -all", "permerror"],
  ["v=spf1 ipv4:192.0.2.7 -all", "permerror"],
  ["v=spf1 include:ill.test -all", "temperror"],
  ["v=spf1 exists:%{i}.list.test -all", "undecided"],
  ["v=spf1 include:macro.test -all", "undecided"],
  ["v=spf1 ptr ip4:192.0.2.7 -all", "pass"],
  ["v=spf1 exp=why.%{d} a -all", "pass"],
  ["no policy at all", "none"],
])("%s → %s", async (record, expected) => {
  expect((await resultOf([record])).result).toBe(expected);
});

test.each([
  ["v=spf1 ip6:2001:db8::/32 -all", "pass"],
  ["v=spf1 ip6:2001:db8::/125 -all", "pass"],
  ["v=spf1 ip6:2001:db8::/126 -all", "fail"],
  ["v=spf1 a:mail.shop.test -all", "pass"],
  ["v=spf1 ip4:0.0.0.0/0 -all", "fail"],
])("an IPv6 address and %s → %s", async (record, expected) => {
  expect((await resultOf([record], PUBLIC_IP_V6)).result).toBe(expected);
});

test("two SPF records are a permerror", async () => {
  expect((await resultOf(["v=spf1 +all", "v=spf1 -all"])).result).toBe("permerror");
});

test("a policy of hundreds of names causes no more queries than the RFC allows", async () => {
  const names = Array.from({ length: 500 }, (_, index) => ` a:host${index}.test`);
  const { result, questions } = await resultOf([["v=spf1", ...names, " -all"]]);
  expect(result).toBe("permerror");
  expect(questions).toBeLessThanOrEqual(12);
});
