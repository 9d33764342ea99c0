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
const probed = (answer: MailboxAnswer): Evidence => ({ ...routed, mailbox: { answer } });
const request = { requestId: "r", planTier: "free", responseTimeMs: 1, checkedAtMs: 0, cached: false };

/** Verdict and retry_after reported for partial evidence. */
function presented(evidence: Evidence): string {
  const { status, sub_status, metadata } = reportOf(timeoutEvidence(evidence, 20), request);
  return `${status} ${sub_status || "-"}${metadata.retry_after === null ? "" : ` after ${metadata.retry_after} s`}`;
}

test.each([
  ["DNS has not answered yet", inspected, "unknown dns_error after 300 s"],
  ["the mail host has not replied yet", routed, "unknown smtp_timeout after 20 s"],
  ["accepted, but the decoy is pending", probed("accepted"), "unknown smtp_timeout after 20 s"],
] as const)("an unfinished stage gives unknown with a retry time: %s", (_, evidence, verdict) => {
  expect(presented(evidence)).toBe(verdict);
});

test.each([
  ["a malformed address", { email: "ann" }, "invalid syntax_error"],
  ["a reserved name", { ...inspected, specialUse: "is reserved" }, "invalid reserved_domain"],
  ["no such domain", { ...inspected, route: { kind: "domain_not_found" } }, "invalid domain_not_found"],
  ["a disposable domain", { ...routed, disposable: "domain" }, "risky disposable"],
  ["a rejected mailbox", probed("not_found"), "invalid mailbox_not_found"],
  [
    "a catch-all domain, known before",
    { ...probed("accepted"), decoy: { answer: "accepted", confidence: 0.9 } },
    "risky catch_all",
  ],
  [
    "proven, and only SPF is pending",
    { ...probed("accepted"), decoy: { answer: "not_found", confidence: 0.95 } },
    "valid -",
  ],
  [
    "greylisted, with its own retry time",
    { ...routed, mailbox: { answer: "greylisted", retryAfterSeconds: 360 } },
    "unknown greylisted after 360 s",
  ],
  ["an internal error", { ...inspected, failure: "Error: failed" }, "unknown internal_error"],
] as const satisfies [string, Evidence, string][])(
  "a verdict that is settled already is kept: %s",
  (_, evidence, verdict) => {
    expect(presented(evidence)).toBe(verdict);
  },
);

test("unfinished evidence is never valid or invalid", () => {
  for (const open of [inspected, routed, probed("accepted")]) {
    for (const fact of [{ role: "department" }, { isPrivacyRelay: true }, { isFree: true }] as const) {
      const { status, is_valid, sub_status } = reportOf(timeoutEvidence({ ...open, ...fact }, 20), request);
      expect([status, is_valid]).toEqual(["unknown", false]);
      expect(ALL_SUB_STATUSES).toContain(sub_status);
    }
  }
});

test("the copy is independent of the running check", () => {
  const live = structuredClone(probed("accepted"));
  const shown = timeoutEvidence(live, 20);
  const before = structuredClone(shown);
  live.decoy = { answer: "not_found", confidence: 0.95 };
  live.mailbox!.retryAfterSeconds = 7;
  if (live.route?.kind === "mail_hosts") live.route.hosts[0]!.addresses.push("192.0.2.2");
  expect(shown).toEqual(before);
  expect(live.decoy.answer).toBe("not_found");
});
