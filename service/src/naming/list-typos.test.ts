import { decide, type Evidence } from "@mailvet/engine";
import { expect, test } from "vitest";
import { listSlipsOf } from "./list-typos.ts";

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
  listSlipsOf(() => list)(one, decide(one)).suggestion?.email;

const slip = found("Bob@acmecrop.com", GONE);

test("a domain that is not there was meant to be the one where many of the list are", () => {
  expect(suggested(slip, [...people("acmecorp.com", 5), slip])).toBe("Bob@acmecorp.com");
  expect(slip.suggestion).toBeUndefined(); // others share this evidence
});

test("nothing is suggested by few, by domains that take no mail, by two at once, or for a domain that is fine", () => {
  expect(suggested(slip, people("acmecorp.com", 4))).toBeUndefined();
  expect(suggested(slip, people("acmecorp.com", 9, GONE))).toBeUndefined();
  expect(suggested(slip, [...people("acmecorp.com", 5), ...people("acmecrops.com", 5)])).toBeUndefined();
  expect(suggested(found("bob@acmecrop.com", TAKES_MAIL), people("acmecorp.com", 5))).toBeUndefined();
});

test("a suggestion that stands already stays, and none is made with AI enhancement off", () => {
  const known = { ...slip, suggestion: { email: "bob@elsewhere.com", lookAlike: true } };
  expect(suggested(known, people("acmecorp.com", 5))).toBe("bob@elsewhere.com");
  expect(suggested({ ...slip, ignoresName: true }, people("acmecorp.com", 5))).toBeUndefined();
});
