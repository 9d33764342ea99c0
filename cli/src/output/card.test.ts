import { STATUSES, SUB_STATUSES, type ValidationResult } from "@mailvet/contract";
import { reportOf } from "@mailvet/engine";
import { expect, test } from "vitest";
import { cardOf, lineOf } from "./card.ts";

const plain = (_style: unknown, text: string) => text;

function resultWith(changes: Partial<ValidationResult>): ValidationResult {
  const context = { requestId: "1", planTier: "local", responseTimeMs: 1, checkedAtMs: 0, cached: false };
  return { ...reportOf({ email: "ann@shop.io" }, context), ...changes };
}

test("emails are aligned for every verdict and trimmed", () => {
  const email = " ann@shop.io\t";
  const columns = STATUSES.flatMap((status) =>
    SUB_STATUSES[status].map((sub_status) => {
      const line = lineOf(resultWith({ email, status, sub_status, suggestion: null }), plain);
      expect(line.endsWith(" ann@shop.io")).toBe(true);
      return line.indexOf("ann@");
    }),
  );
  expect(new Set(columns).size).toBe(1);
});

test.for([
  [45, "in 45 s"],
  [301, "in 6 min"],
  [3600, "in 60 min"],
  [4 * 3600, "in 4 h"],
] as const)("a retry after %i seconds is shown as %s", ([retry_after, text]) => {
  const { metadata } = resultWith({});
  const card = cardOf(resultWith({ metadata: { ...metadata, retry_after } }), plain);
  expect(card).toMatch(new RegExp(`^  try again +${text}$`, "m"));
});

test("a result without a retry time has no such row", () => {
  expect(cardOf(resultWith({}), plain)).not.toContain("try again");
});

test("policies are shown only for a domain with a mail server", () => {
  const { details } = resultWith({});
  const cardWhen = (dns_valid: boolean) =>
    cardOf(resultWith({ flags: [], details: { ...details, syntax_valid: true, dns_valid } }), plain);
  expect(cardWhen(true)).toContain("no SPF, no DMARC, no MTA-STS");
  expect(cardWhen(false)).not.toContain("policies");
});

test("the plausibility of the mailbox name is shown with its reasons", () => {
  const reasons = ["follows first.last, like 14 of 16 confirmed mailboxes at this domain"];
  const ai_enhancement = { used: true, method: "m", score: 0.874, reasons };
  expect(cardOf(resultWith({ ai_enhancement }), plain)).toMatch(
    /^ {2}mailbox name +87 % plausible: follows first\.last, like 14 of 16/m,
  );
  expect(cardOf(resultWith({ ai_enhancement: { ...ai_enhancement, reasons: [] } }), plain)).toMatch(
    /^ {2}mailbox name +87 % plausible$/m,
  );
  expect(cardOf(resultWith({}), plain)).not.toContain("mailbox name");
});

test("advice comes from the recommendation, and an undecided result has no confidence", () => {
  const undecided = cardOf(resultWith({ status: "unknown", recommendation: "retry" }), plain);
  expect(undecided).toMatch(/^ {2}advice +undecided, check again later$/m);
  expect(undecided).not.toContain("confidence");
  const unasked = { status: "unknown", sub_status: "smtp_skipped", recommendation: "retry" } as const;
  expect(cardOf(resultWith(unasked), plain)).toMatch(/^ {2}advice +undecided, check it at level smtp$/m);
  const risky = cardOf(resultWith({ status: "risky", recommendation: "caution", confidence: 0.9 }), plain);
  expect(risky).toMatch(/^ {2}advice +send with caution$/m);
  expect(risky).toMatch(/^ {2}score .* confidence 90 %$/m);
});
