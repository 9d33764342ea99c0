import { expect, test } from "vitest";
import type { DnsRecord, DnsResponse } from "./dns-message.ts";
import { readResponse } from "./response-to-answer.ts";

const NOTHING: DnsResponse = {
  kind: "reply",
  rcode: 0,
  records: [],
  negativeTtlSeconds: undefined,
  isReferral: false,
};
const alias = (owner: string, data: string, ttlSeconds = 300): DnsRecord => ({
  owner,
  type: "CNAME",
  ttlSeconds,
  data,
});
const address = (owner: string, data: string, ttlSeconds = 300): DnsRecord => ({
  owner,
  type: "A",
  ttlSeconds,
  data,
});

test.each([
  [0, "nodata"],
  [1, "malformed"],
  [2, "servfail"],
  [3, "nxdomain"],
  [4, "refused"],
  [5, "refused"],
  [9, "servfail"],
  [16, "servfail"],
])("RCODE %i without records is %s", (rcode, status) => {
  expect(readResponse({ ...NOTHING, rcode }, "a.test", "A").status).toBe(status);
});

test("records of other names and types are not an answer, and without an SOA record not a negative one", () => {
  const records = [address("evil.test", "192.0.2.66"), alias("b.test", "evil.test")];
  expect(readResponse({ ...NOTHING, records }, "a.test", "A")).toEqual({ status: "malformed" });
  const negative = { ...NOTHING, records, negativeTtlSeconds: 30 };
  expect(readResponse(negative, "a.test", "A")).toMatchObject({ status: "nodata" });
});

test("a CNAME is followed inside the response, and the shortest TTL on the way applies", () => {
  const records = [
    address("c.test", "192.0.2.1", 500),
    alias("b.test", "c.test", 20),
    alias("a.test", "b.test"),
    address("c.test", "192.0.2.2", 400),
  ];
  expect(readResponse({ ...NOTHING, records }, "a.test", "A")).toEqual({
    status: "answer",
    records: ["192.0.2.1", "192.0.2.2"],
    ttlSeconds: 20,
  });
});

test("when the CNAME itself is queried, it is the answer", () => {
  const records = [alias("a.test", "b.test")];
  expect(readResponse({ ...NOTHING, records }, "a.test", "CNAME")).toMatchObject({ records: ["b.test"] });
});

test("a CNAME that leads out of the response must be queried, unless the response is negative", () => {
  const dangling = { ...NOTHING, records: [alias("a.test", "b.test", 40)] };
  expect(readResponse(dangling, "a.test", "A")).toEqual({
    status: "alias",
    target: "b.test",
    ttlSeconds: 40,
  });
  expect(readResponse({ ...dangling, rcode: 3 }, "a.test", "A")).toEqual({
    status: "nxdomain",
    ttlSeconds: 40,
  });
  expect(readResponse({ ...dangling, negativeTtlSeconds: 30 }, "a.test", "A")).toEqual({
    status: "nodata",
    ttlSeconds: 30,
  });
});

test("a CNAME loop is a failure", () => {
  const records = [alias("a.test", "b.test"), alias("b.test", "a.test")];
  expect(readResponse({ ...NOTHING, records }, "a.test", "A")).toEqual({ status: "alias_loop" });
});

test("a referral is a refusal, never an empty answer", () => {
  expect(readResponse({ ...NOTHING, isReferral: true }, "a.test", "MX")).toEqual({ status: "refused" });
});
