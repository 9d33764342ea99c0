import { ALL_SUB_STATUSES } from "@mailvet/contract";
import { expect, test } from "vitest";
import { parseAddress } from "./address/address.ts";
import type { Evidence, MailboxAnswer } from "./evidence.ts";
import { reportOf } from "./report.ts";
import { timeoutEvidence } from "./timeout-evidence.ts";

const parsed = parseAddress("ann@shop.example");
if (!parsed.ok) throw new Error("the sample address is malformed");

const inspected: Evidence = { email: "ann@shop.example", address: parsed.address };
const hosts = [{ name: "mx.shop.example", preference: 10, addresses: ["192.0.2.1"] }];
const routed: Evidence = {
  ...inspected,
  route: { kind: "mail_hosts", implicit: false, hosts, isPartial: false },
};
const heard = (answer: MailboxAnswer): Evidence => ({ ...routed, mailbox: { answer } });
const asking = { requestId: "r", planTier: "free", responseTimeMs: 1, checkedAtMs: 0, cached: false };

/** Verdict and retry_after of what is presented for half-done evidence. */
function presented(evidence: Evidence): string {
  const { status, sub_status, metadata } = reportOf(timeoutEvidence(evidence, 20), asking);
  return `${status} ${sub_status || "-"}${metadata.retry_after === null ? "" : ` after ${metadata.retry_after} s`}`;
}

test.each([
  ["no name server has answered yet", inspected, "unknown dns_error after 300 s"],
  ["the mail host has not been heard", routed, "unknown smtp_timeout after 20 s"],
  ["accepted, but the made-up name is still open", heard("accepted"), "unknown smtp_timeout after 20 s"],
] as const)("what is still open is unknown, and worth asking for again: %s", (_, evidence, verdict) => {
  expect(presented(evidence)).toBe(verdict);
});

test.each([
  ["a text that is no address", { email: "ann" }, "invalid syntax_error"],
  ["a reserved name", { ...inspected, specialUse: "is reserved" }, "invalid reserved_domain"],
  ["no such domain", { ...inspected, route: { kind: "domain_not_found" } }, "invalid domain_not_found"],
  ["a throw-away service", { ...routed, disposable: "domain" }, "risky disposable"],
  ["a refused mailbox", heard("not_found"), "invalid mailbox_not_found"],
  [
    "a catch-all domain, known before",
    { ...heard("accepted"), decoy: { answer: "accepted", confidence: 0.9 } },
    "risky catch_all",
  ],
  [
    "proven, and only SPF is still open",
    { ...heard("accepted"), decoy: { answer: "not_found", confidence: 0.95 } },
    "valid -",
  ],
  [
    "greylisted, with a time of its own",
    { ...routed, mailbox: { answer: "greylisted", retryAfterSeconds: 360 } },
    "unknown greylisted after 360 s",
  ],
  ["a bug of ours", { ...inspected, failure: "Error: oh" }, "unknown internal_error"],
] as const satisfies [string, Evidence, string][])(
  "what has settled the verdict already stays: %s",
  (_, evidence, verdict) => {
    expect(presented(evidence)).toBe(verdict);
  },
);

test("nothing that is still open is called valid or invalid", () => {
  for (const open of [inspected, routed, heard("accepted")]) {
    for (const trait of [{ role: "department" }, { isPrivacyRelay: true }, { isFree: true }] as const) {
      const { status, is_valid, sub_status } = reportOf(timeoutEvidence({ ...open, ...trait }, 20), asking);
      expect([status, is_valid]).toEqual(["unknown", false]);
      expect(ALL_SUB_STATUSES).toContain(sub_status);
    }
  }
});

test("what is presented does not change when the check goes on, nor the other way round", () => {
  const live = structuredClone(heard("accepted"));
  const shown = timeoutEvidence(live, 20);
  const before = structuredClone(shown);
  live.decoy = { answer: "not_found", confidence: 0.95 };
  live.mailbox!.retryAfterSeconds = 7;
  if (live.route?.kind === "mail_hosts") live.route.hosts[0]!.addresses.push("192.0.2.2");
  expect(shown).toEqual(before);
  expect(live.decoy.answer).toBe("not_found");
});
