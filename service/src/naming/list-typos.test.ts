import { decide, type Evidence } from "@mailvet/engine";
import { expect, test } from "vitest";
import { listTyposOf } from "./list-typos.ts";

type Found = Pick<Evidence, "route">;
const TAKES_MAIL: Found = { route: { kind: "mail_hosts", hosts: [], implicit: false, isPartial: false } };
const GONE: Found = { route: { kind: "domain_not_found" } };

const found = (email: string, more: Partial<Evidence>): Evidence => {
  const [local = "", domain = ""] = email.split("@");
  const address = {
    local,
    domain,
    normalized: email,
    unicodeDomain: domain,
    quoted: false,
    isIpLiteral: false,
  };
  return { email, address: address as NonNullable<Evidence["address"]>, isFree: false, ...more };
};
const people = (domain: string, count: number, more: Partial<Evidence> = TAKES_MAIL) =>
  Array.from({ length: count }, (_, i) => found(`ann${i}@${domain}`, more));

const suggested = (one: Evidence, list: readonly Evidence[]) =>
  listTyposOf(() => list)(one, decide(one)).suggestion?.email;

const typo = found("Bob@acmecrop.com", GONE);

test("for a missing domain the one with many addresses of the list is suggested", () => {
  expect(suggested(typo, [...people("acmecorp.com", 5), typo])).toBe("Bob@acmecorp.com");
  expect(typo.suggestion).toBeUndefined(); // others share this evidence
});

test("nothing is suggested by few addresses, by domains without mail, by two candidates, or for a working domain", () => {
  expect(suggested(typo, people("acmecorp.com", 4))).toBeUndefined();
  expect(suggested(typo, people("acmecorp.com", 9, GONE))).toBeUndefined();
  expect(suggested(typo, [...people("acmecorp.com", 5), ...people("acmecrops.com", 5)])).toBeUndefined();
  expect(suggested(found("bob@acmecrop.com", TAKES_MAIL), people("acmecorp.com", 5))).toBeUndefined();
});

test("an existing suggestion stays, and none is added with AI enhancement off", () => {
  const known = { ...typo, suggestion: { email: "bob@elsewhere.com", lookAlike: true } };
  expect(suggested(known, people("acmecorp.com", 5))).toBe("bob@elsewhere.com");
  expect(suggested({ ...typo, ignoresName: true }, people("acmecorp.com", 5))).toBeUndefined();
});
