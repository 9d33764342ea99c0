/** GET /domains/{domain} against the lab: every part of the report, its evidence, and its cost. */
import { DomainReport } from "@mailvet/contract";
import { acceptsEveryone, greylists, type Lab, mailDomain, openLab, servfail } from "@mailvet/lab";
import { Check } from "typebox/value";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectBooksToAddUp } from "./credits-books.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";

let lab: Lab;
let service: TestService;
beforeAll(async () => {
  lab = await openLab({
    "shop.test": mailDomain({
      users: ["ann", "postmaster"],
      hosts: { mx1: {}, mx2: {} },
      records: { TXT: ["hello", "v=spf1 mx -all"] },
    }),
    "_dmarc.shop.test": { TXT: ["v=DMARC1; p=reject"] },
    "_mta-sts.shop.test": { TXT: ["v=STSv1; id=20261115"] },
    "strict.test": mailDomain({ users: ["ann"], records: { TXT: ["v=spf1 -all", "v=spf1 mx -all"] } }),
    "open.test": mailDomain({ temper: acceptsEveryone }),
    "grey.test": mailDomain({ users: ["postmaster"], temper: greylists({ delayMs: 60_000 }) }),
    "own.test": mailDomain({ users: ["postmaster"], implicitMx: true }),
    "nomail.test": { MX: [{ preference: 0, exchange: "." }] },
    "empty.test": { TXT: ["hello"] },
    "dead.test": { MX: [{ preference: 5, exchange: "mx.nowhere.test" }], A: ["9.9.9.9"] },
    "inside.test": { MX: [{ preference: 5, exchange: "db.office.test" }], A: ["9.9.9.9"] },
    // Split-horizon DNS: names in the operator's network.
    "db.office.test": { A: ["10.0.0.5"], TXT: ["v=spf1 -all"] },
    "db6.office.test": { AAAA: ["fd00::5"] },
    "mail.office.test": { MX: [{ preference: 5, exchange: "db.office.test" }], TXT: ["v=spf1 mx -all"] },
    "_dmarc.mail.office.test": { TXT: ["v=DMARC1; p=reject"] },
    "alias.test": { CNAME: "db.office.test" },
    "aimed.test": { MX: [{ preference: 5, exchange: "db.office.test" }] },
    "missed.test": { MX: [{ preference: 5, exchange: "nothing.office.test" }] },
    "broken.test": { answers: servfail },
    "xn--bcher-kva.test": mailDomain({ users: ["postmaster"] }),
    "mailinator.com": mailDomain({ temper: acceptsEveryone }),
  });
  service = await openService({ lab });
});
afterAll(async () => {
  await expectBooksToAddUp(service.database);
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

async function reportOn(domain: string, account?: TestAccount): Promise<DomainReport> {
  const { key } = account ?? (await service.openAccount());
  const { status, body } = await service.ask(`/domains/${encodeURIComponent(domain)}`, { key });
  expect(status).toBe(200);
  expect(Check(DomainReport, body)).toBe(true);
  return body;
}

test("a domain that rejects decoys, with all its records", async () => {
  const report = await reportOn("Shop.TEST");
  expect(report).toMatchObject({
    domain: "shop.test",
    unicode_domain: "shop.test",
    mail_route: {
      kind: "mx",
      hosts: [
        { host: "mx1.shop.test", priority: 10, addresses: [expect.stringMatching(/^127\./)] },
        { host: "mx2.shop.test", priority: 20, addresses: [expect.stringMatching(/^127\./)] },
      ],
      is_partial: false,
      reason: null,
    },
    provider: "other",
    disposable: { is_disposable: false, matched_by: null },
    catchall: {
      is_catchall: false,
      confidence: 0.95,
      asked_for: "decoy",
      outcome: "not_found",
      mx_host: "mx1.shop.test",
      smtp_code: 550,
      smtp_message: expect.stringMatching(/\w/),
    },
    spf: { found: true, name: "shop.test", records: ["v=spf1 mx -all"] },
    dmarc: { found: true, name: "_dmarc.shop.test", records: ["v=DMARC1; p=reject"] },
    mta_sts: { found: true, name: "_mta-sts.shop.test", records: ["v=STSv1; id=20261115"] },
    suggestion: null,
  });
  expect(report.metadata).not.toHaveProperty("sandbox");
});

test("a domain without a postmaster is no catch-all either, and two SPF records are none", async () => {
  expect(await reportOn("strict.test")).toMatchObject({
    catchall: { is_catchall: false, asked_for: "postmaster", outcome: "not_found", smtp_code: 550 },
    spf: { found: false, records: ["v=spf1 -all", "v=spf1 mx -all"] },
    dmarc: { found: false, name: "_dmarc.strict.test", records: [] },
  });
});

test("a catch-all domain: the reply to the decoy is the evidence", async () => {
  const { catchall } = await reportOn("open.test");
  expect(catchall).toMatchObject({
    is_catchall: true,
    asked_for: "decoy",
    outcome: "accepted",
    smtp_code: 250,
  });
  expect(catchall.confidence).toBeGreaterThan(0.8);
});

test("a server that defers leaves the result open, with its reply", async () => {
  expect((await reportOn("grey.test")).catchall).toMatchObject({
    is_catchall: null,
    confidence: null,
    outcome: "greylisted",
    mx_host: "mx.grey.test",
  });
});

test.for([
  ["own.test", "implicit", ["own.test"], null],
  ["nomail.test", "null_mx", [], null],
  ["empty.test", "none", [], null],
  ["nowhere.test", "domain_not_found", [], null],
  ["dead.test", "unroutable", [], null],
  ["inside.test", "unroutable", [], null],
  ["broken.test", "dns_error", [], "servfail"],
] as const)("the mail route of %s is %s", async ([domain, kind, hosts, reason]) => {
  const { mail_route, catchall, spf } = await reportOn(domain);
  expect(mail_route).toMatchObject({ kind, reason });
  expect(mail_route.hosts.map(({ host }) => host)).toEqual(hosts);
  if (kind !== "implicit")
    expect(catchall).toMatchObject({ is_catchall: null, asked_for: null, smtp_code: 0 });
  expect(spf.found).toBe(kind === "dns_error" ? null : false);
});

test("a name in the operator's network, or one that leads there, is answered like a missing one", async () => {
  const { key } = await service.openAccount();
  const answersFor = async (name: string) => {
    const checks = ["dns", "smtp"].map((level) => ({ email: `ann@${name}`, level }));
    const answers = [await service.ask(`/domains/${name}`, { key })];
    for (const body of checks) answers.push(await service.ask("/validation/single", { key, body }));
    return answers.map(({ status, body }) =>
      JSON.parse(
        JSON.stringify([status, { ...body, request_id: "", performance: {}, metadata: {} }]).replaceAll(
          name,
          "name",
        ),
      ),
    );
  };
  const missing = await answersFor("nowhere.test");
  expect(missing[1]).toMatchObject([200, { status: "invalid", sub_status: "domain_not_found" }]);
  const names = ["db.office.test", "db6.office.test", "mail.office.test"];
  for (const name of [...names, "alias.test", "aimed.test", "missed.test"])
    expect([name, await answersFor(name)]).toEqual([name, missing]);
  // A public domain is named as such, and its mail hosts are not.
  const aimed = await answersFor("inside.test");
  expect(aimed[1]).toMatchObject([
    200,
    { sub_status: "unroutable_mail_server", details: { mx_host: "", has_spf: false } },
  ]);
  expect(await answersFor("dead.test")).toEqual(aimed);
});

test("a name in Unicode is the same domain as its A-labels", async () => {
  for (const name of ["bücher.test", "XN--BCHER-KVA.test"])
    expect(await reportOn(name)).toMatchObject({
      domain: "xn--bcher-kva.test",
      unicode_domain: "bücher.test",
      mail_route: { kind: "mx" },
    });
});

test("a disposable domain is listed, and a typo gets a suggestion", async () => {
  expect(await reportOn("mailinator.com")).toMatchObject({
    disposable: { is_disposable: true, matched_by: "domain" },
  });
  expect(await reportOn("gmial.com")).toMatchObject({ suggestion: "gmail.com" });
});

test("a report costs one credit and counts as no verdict", async () => {
  const ann = await service.openAccount({ credits: 2 });
  await reportOn("shop.test", ann);
  await reportOn("shop.test", ann);
  const { status, body } = await service.ask("/domains/shop.test", { key: ann.key });
  expect([status, body.code]).toEqual([402, "insufficient_credits"]);
  const { body: usage } = await service.ask("/usage", { key: ann.key });
  const sumOf = (field: string) =>
    usage.days.reduce((sum: number, day: Record<string, number>) => sum + day[field]!, 0);
  expect(sumOf("credits_used")).toBe(2); // on one day, or two around midnight
  expect(["valid", "invalid", "risky", "unknown"].map(sumOf)).toEqual([0, 0, 0, 0]);
});

test.for([
  "shop",
  "shop..test",
  "-shop.test",
  "ann@shop.test",
  "shop test",
  "[192.0.2.1]",
  "shop.invalid",
  "a".repeat(300),
])("%s is no public domain: 422, and it costs nothing", async (domain) => {
  const { key } = await service.openAccount({ credits: 1 });
  const { status, body } = await service.ask(`/domains/${encodeURIComponent(domain)}`, { key });
  expect([status, body.code]).toEqual([422, "validation_failed"]);
  expect(body.errors).toEqual([{ pointer: "/domain", message: expect.stringMatching(/\w/) }]);
  expect((await service.ask("/credits", { key })).body).toMatchObject({ balance: 1, reserved: 0 });
});

test("an address is refused as an address", async () => {
  const { key } = await service.openAccount({ credits: 1 });
  const { body } = await service.ask("/domains/ann%40shop.test", { key });
  expect(body.errors).toEqual([
    { pointer: "/domain", message: "This is an address; enter only its domain." },
  ]);
});

test("in the sandbox the first label names the outcome; a test key is not charged and contacts no server", async () => {
  const ann = await service.openAccount({ credits: 2 });
  const { key: testKey } = await ann.makeKey({ mode: "test" });
  const questions = lab.questions().length;
  const free = await service.ask("/domains/null-mx.example.com", { key: testKey });
  expect(free.body).toMatchObject({
    domain: "null-mx.example.com",
    mail_route: { kind: "null_mx" },
    metadata: { sandbox: true },
  });
  expect(free.headers.get("x-credits-remaining")).toBe("1000000"); // of test mode
  const paid = await service.ask("/domains/catch-all.mailvet.test", { key: ann.key });
  expect(paid.body).toMatchObject({ catchall: { is_catchall: true }, metadata: { sandbox: true } });
  expect(paid.headers.get("x-credits-remaining")).toBe("1");
  const refused = await service.ask("/domains/reserved-domain.mailvet.test", { key: ann.key });
  expect([refused.status, refused.headers.get("x-credits-remaining")]).toEqual([422, "1"]);
  expect(lab.questions().length).toBe(questions);
});
