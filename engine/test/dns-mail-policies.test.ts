/** SPF, DMARC and MTA-STS records, and what does not count as one. */
import { type DnsEntry, type DnsTemperament, openLab, servfail, type World } from "@mailvet/lab";
import { expect, test } from "vitest";
import { findMailPolicies } from "../src/dns/mail-policies.ts";
import { createResolver } from "../src/dns/resolver.ts";

async function policiesIn(world: World, domain = "shop.test") {
  await using lab = await openLab(world);
  const resolver = createResolver({ servers: [lab.nameServer], timeoutMs: 120_000 });
  try {
    const { records: _, ...policies } = await findMailPolicies(resolver, domain);
    return policies;
  } finally {
    resolver.close();
  }
}

async function recordsIn(world: World, domain: string) {
  await using lab = await openLab(world);
  const resolver = createResolver({ servers: [lab.nameServer], timeoutMs: 120_000 });
  try {
    return (await findMailPolicies(resolver, domain)).records;
  } finally {
    resolver.close();
  }
}

const txt = (...TXT: (string | string[])[]): DnsEntry => ({ TXT });

test("a domain with all three policies, queried concurrently", async () => {
  const events: string[] = [];
  const answers: DnsTemperament = () => {
    events.push("question");
    const rewrite = (message: Buffer) => {
      events.push("answer");
      return message;
    };
    return { delayMs: 400, rewrite };
  };
  const policies = await policiesIn({
    "shop.test": { ...txt("google-site-verification=x", "v=spf1 mx -all"), answers },
    "_dmarc.shop.test": { ...txt("v=DMARC1; p=reject"), answers },
    "_mta-sts.shop.test": { ...txt("v=STSv1; id=20261115"), answers },
  });
  expect(policies).toEqual({ spf: true, dmarc: true, mtaSts: true });
  expect(events).toEqual([...Array(3).fill("question"), ...Array(3).fill("answer")]);
});

test("a domain without records has no policies, and neither has one that does not exist", async () => {
  const none = { spf: false, dmarc: false, mtaSts: false };
  expect(await policiesIn({ "shop.test": txt("hello") })).toEqual(none);
  expect(await policiesIn({})).toEqual(none);
});

test("after a DNS failure the policy is unknown", async () => {
  const policies = await policiesIn({
    "shop.test": { answers: servfail },
    "_dmarc.shop.test": txt("v=DMARC1; p=none"),
    "_mta-sts.shop.test": { answers: servfail },
  });
  expect(policies).toEqual({ spf: undefined, dmarc: true, mtaSts: undefined });
});

test.each<[boolean, string, (string | string[])[]]>([
  [true, "one record", ["v=spf1 -all"]],
  [true, "any case", ["V=SPF1 -ALL"]],
  [true, "the version alone", ["v=spf1"]],
  [true, "a record in pieces, joined without spaces", [["v=sp", "f1 include:a.test", " -all"]]],
  [false, "two records", ["v=spf1 -all", "v=spf1 mx -all"]],
  [false, "another version", ["v=spf10 -all"]],
  [false, "a version that is not first", ["x v=spf1 -all"]],
  [false, "a space before it", [" v=spf1 -all"]],
])("SPF is %s with %s", async (expected, _, records) => {
  expect((await policiesIn({ "shop.test": txt(...records) })).spf).toBe(expected);
});

test.each<[boolean, string, string[]]>([
  [true, "one record", ["v=DMARC1; p=none"]],
  [true, "spaces around the signs", ["v = DMARC1 ; p=none"]],
  [true, "others beside it", ["verification=1", "v=DMARC1;p=none"]],
  [false, "two records", ["v=DMARC1; p=none", "v=DMARC1; p=reject"]],
  [false, "a version that is not first", ["p=none; v=DMARC1"]],
  [false, "another version", ["v=DMARC10; p=none"]],
  [false, "another case", ["v=dmarc1; p=none"]],
])("DMARC is %s with %s", async (expected, _, records) => {
  expect((await policiesIn({ "_dmarc.shop.test": txt(...records) })).dmarc).toBe(expected);
});

test.each<[boolean, string, string[]]>([
  [true, "one record", ["v=STSv1; id=1;"]],
  [false, "two records", ["v=STSv1; id=1", "v=STSv1; id=2"]],
  [false, "another version", ["v=STSv2; id=1"]],
])("MTA-STS is %s with %s", async (expected, _, records) => {
  expect((await policiesIn({ "_mta-sts.shop.test": txt(...records) })).mtaSts).toBe(expected);
});

test("a subdomain is under the DMARC record of its organisational domain", async () => {
  const world = { "_dmarc.shop.co.uk": txt("v=DMARC1; p=reject") };
  expect((await policiesIn(world, "mail.eu.shop.co.uk")).dmarc).toBe(true);
  expect((await policiesIn({ "_dmarc.co.uk": txt("v=DMARC1; p=reject") }, "shop.co.uk")).dmarc).toBe(false);
});

test("a customer of a hosting platform is an organisation of its own", async () => {
  const world = { "_dmarc.github.io": txt("v=DMARC1; p=reject") };
  expect((await policiesIn(world, "someone.github.io")).dmarc).toBe(false);
});

test("a subdomain with two DMARC records has none, and the organisation's does not apply", async () => {
  const policies = await policiesIn(
    {
      "_dmarc.mail.shop.test": txt("v=DMARC1; p=none", "v=DMARC1; p=reject"),
      "_dmarc.shop.test": txt("v=DMARC1; p=reject"),
    },
    "mail.shop.test",
  );
  expect(policies.dmarc).toBe(false);
});

test("a failure of the organisational DMARC lookup is not an answer", async () => {
  expect(
    (await policiesIn({ "_dmarc.shop.test": { answers: servfail } }, "mail.shop.test")).dmarc,
  ).toBeUndefined();
  const ownFails = {
    "_dmarc.mail.shop.test": { answers: servfail },
    "_dmarc.shop.test": txt("v=DMARC1; p=none"),
  };
  expect((await policiesIn(ownFails, "mail.shop.test")).dmarc).toBeUndefined();
});

test("records are reported with their name, also where several count as none", async () => {
  const world = {
    "mail.shop.test": txt("hello", "v=spf1 mx -all", "v=spf1 -all"),
    "_dmarc.shop.test": txt(["v=DMARC1; ", "p=reject"]),
  };
  expect(await recordsIn(world, "mail.shop.test")).toEqual({
    spf: { name: "mail.shop.test", texts: ["v=spf1 mx -all", "v=spf1 -all"] },
    dmarc: { name: "_dmarc.shop.test", texts: ["v=DMARC1; p=reject"] },
    mtaSts: { name: "_mta-sts.mail.shop.test", texts: [] },
  });
});
