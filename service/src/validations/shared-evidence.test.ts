import { ALL_SUB_STATUSES } from "@mailvet/contract";
import { readEngineSettings, settingsFrom, verifierFrom } from "@mailvet/engine";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CachedEvidence, cachedPartOf } from "./cached-evidence.ts";
import { SANDBOX_OUTCOMES } from "./sandbox-outcomes.ts";
import {
  addressKey,
  contentId,
  joinEvidence,
  splitEvidence,
  withDomain,
  withoutDomain,
} from "./shared-evidence.ts";

const inspect = (email: string) => verifierFrom(readEngineSettings(settingsFrom({}))).inspect(email);
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** As with a result, and as in the verdict cache. */
function stored(address: string, evidence: CachedEvidence): CachedEvidence[] {
  const split = splitEvidence(address, evidence);
  const cached = withDomain(address, throughJson(withoutDomain(address, split)));
  return [throughJson(split), cached].map(({ facts, finding, own }) =>
    joinEvidence(address, facts, finding ?? null, own),
  );
}

test.for(ALL_SUB_STATUSES)("evidence of %o comes back field by field", (subStatus) => {
  const evidence = throughJson(cachedPartOf(SANDBOX_OUTCOMES[subStatus](inspect("ann@shop.io"))));
  expect(stored("ann@shop.io", evidence)).toEqual([evidence, evidence]);
});

/** Replies as servers write them: with the address in some spelling, identifiers, and anything else. */
const replies = (address: string) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          address,
          `<${address}>:`,
          `<${address.toUpperCase()}>`,
          address.split("@")[0]!,
          address.split("@")[1]!,
          "5.1.1",
          "d9443c01a7336-1234567",
          "$&",
          "$1",
          "User",
          "unknown",
          "",
        ),
        fc.string({ unit: "grapheme" }),
      ),
    )
    .map((words) => words.join(" "));

const cached = (address: string): fc.Arbitrary<CachedEvidence> =>
  fc
    .record(
      {
        mailbox: fc.record(
          {
            answer: fc.constantFrom("accepted" as const, "not_found" as const),
            reply: fc.record({ code: fc.nat(599), text: replies(address) }),
            mxHost: fc.oneof(
              fc.string(),
              fc.constantFrom(
                "mx1.shop.io",
                "shop-io.mail.protection.outlook.com",
                "mx17.hosting.example",
                "$&.hosting.example", // has a meaning in replaceAll
              ),
            ),
            isInferred: fc.constant(true as const),
          },
          { requiredKeys: ["answer"] },
        ),
        decoy: fc.record(
          {
            answer: fc.constant("accepted" as const),
            reply: fc.record({ code: fc.nat(599), text: replies(address) }),
            confidence: fc.double({ noNaN: true, noDefaultInfinity: true }),
          },
          { requiredKeys: ["answer", "confidence"] },
        ),
        provider: fc.string(),
        isPrivacyRelay: fc.constant(true as const),
        disposable: fc.constant("mail_host" as const),
        adjudication: fc.record({
          plausible: fc.constant(0.5),
          reasonCode: fc.constant("unsure" as const),
          method: fc.string(),
        }),
      },
      { requiredKeys: [] },
    )
    .map((found) => throughJson(cachedPartOf({ email: address, ...found })));

const addresses = fc.constantFrom(
  "ann@shop.io",
  "a@b.co",
  "user@company1234567.test",
  "o'neil.+x@münchen.de",
  '"a b"@shop.io',
);

test("whatever was cached comes back field by field", () => {
  const pairs = addresses.chain((address) => fc.tuple(fc.constant(address), cached(address)));
  fc.assert(
    fc.property(pairs, ([address, evidence]) => {
      expect(stored(address, evidence)).toEqual([evidence, evidence]);
    }),
    { numRuns: 2_000 },
  );
});

test("replies that differ by the address and by identifiers are one finding", () => {
  const refusal = (address: string, id: string): CachedEvidence => ({
    mailbox: {
      answer: "not_found",
      reply: { code: 550, enhanced: "5.1.1", text: `<${address}>: User unknown ${id} - gsmtp` },
      mxHost: "mx.shop.io",
    },
  });
  const ann = splitEvidence("ann@shop.io", refusal("ann@shop.io", "d9443c01a7336-7ab12"));
  const bob = splitEvidence("bob@shop.io", refusal("bob@shop.io", "a640c23a62f3a-8cc98"));
  expect(ann.finding).toEqual(bob.finding);
  expect(ann.facts).toEqual(bob.facts);
  expect(ann.own).toEqual({ words: ["d9443c01a7336-7ab12"] });
});

test.for([
  ["mx1.shop.io", "mx1.firm.example"],
  ["shop-io.mail.protection.outlook.com", "firm-example.mail.protection.outlook.com"],
  ["aspmx.l.google.com", "aspmx.l.google.com"],
  ["mx17.hosting.example", "mx4.provider.example"],
])("domains that are set up alike have one row of facts: %s", ([ofShop, ofFirm]) => {
  const evidence = (domain: string, mxHost: string, decoy: string): CachedEvidence => ({
    route: {
      kind: "mail_hosts",
      implicit: false,
      hosts: [{ name: mxHost, preference: 10, addresses: [] }],
      isPartial: false,
    },
    mailbox: { answer: "accepted", reply: { code: 250, text: `Ok, ${domain}` }, mxHost },
    decoy: {
      answer: "not_found",
      reply: { code: 550, text: `<${decoy}@${domain}>: User unknown, see ${mxHost}` },
      mxHost,
      confidence: 0.9,
    },
  });
  const cachedPart = (address: string, found: CachedEvidence) =>
    withoutDomain(address, splitEvidence(address, found));
  const shop = cachedPart("ann@shop.io", evidence("shop.io", ofShop!, "eva.dobansen"));
  const firm = cachedPart("bob@firm.example", evidence("firm.example", ofFirm!, "leo.kamitti"));
  expect(shop.facts).toEqual(firm.facts);
  expect(shop.finding).toEqual(firm.finding);
  expect(shop.own?.decoyWords?.[0]).toContain("eva.dobansen");
});

test("shared parts do not contain the address in any spelling", () => {
  for (const spelling of ["Ann.Lee@Shop.io", "ANN.LEE@shop.io", "ann.lee@shop.io", "ann.lee"]) {
    const reply = { code: 550, text: `no mailbox for <${spelling}>, sorry` };
    const { facts, finding } = splitEvidence("ann.lee@shop.io", { mailbox: { answer: "not_found", reply } });
    expect(JSON.stringify([facts, finding]).toLowerCase()).not.toContain("ann.lee");
  }
});

test("keys of an account's and of a domain's addresses are neighbours, and differ between accounts", () => {
  const [one, other] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];
  const ann = addressKey(one, "ann@shop.io");
  expect(ann).toMatch(/^[0-9a-f]{32}$/);
  const bob = addressKey(one, "bob@shop.io");
  expect([bob.slice(0, 12), bob === ann]).toEqual([ann.slice(0, 12), false]);
  const elsewhere = addressKey(one, "ann@other.io");
  expect([elsewhere.slice(0, 6), elsewhere.slice(6, 12) === ann.slice(6, 12)]).toEqual([
    ann.slice(0, 6),
    false,
  ]);
  expect(addressKey(other, "ann@shop.io").slice(0, 6)).not.toBe(ann.slice(0, 6));
  const ofEarlierRelease = addressKey(one, "ann@shop.io", 1);
  expect([ofEarlierRelease.slice(0, 12), ofEarlierRelease === ann]).toEqual([ann.slice(0, 12), false]);
  expect(contentId("{}")).toMatch(/^[0-9a-f]{32}$/);
});
