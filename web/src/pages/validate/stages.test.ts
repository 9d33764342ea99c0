import type { ValidationResult } from "@mailvet/contract";
import { expect, test } from "vitest";
import { stagesOf } from "./stages.ts";

type Changes = Partial<Omit<ValidationResult, "details">> & {
  details?: Partial<ValidationResult["details"]>;
};

test("an accepted mailbox quotes the server's reply", () => {
  expect(stageOf("smtp", {})).toMatchObject({
    outcome: "good",
    quote: { who: "mx.shop.example", line: "250 2.1.5 Recipient ok" },
  });
  expect(stageOf("catch-all", {})).toMatchObject({ outcome: "good", word: "rejected" });
});

test("a reply to the decoy is not shown as the answer about the mailbox", () => {
  const changes = {
    status: "unknown",
    sub_status: "greylisted",
    details: { smtp_code: 451, smtp_enhanced_code: "4.7.1", smtp_message: "Come back later" },
  } as const;
  expect(stageOf("smtp", changes)).toMatchObject({ outcome: "good", word: "accepted" });
  expect(stageOf("smtp", changes).quote).toBeUndefined();
  expect(stageOf("catch-all", changes).quote?.line).toBe("451 4.7.1 Come back later");
});

test("a catch-all is a warning with its confidence", () => {
  const changes = {
    status: "risky",
    sub_status: "catch_all",
    catchall: { is_catchall: true, confidence: 0.9 },
  } as const;
  expect(stageOf("catch-all", changes)).toMatchObject({
    outcome: "warn",
    facts: [["Confidence", "90%"]],
  });
});

test("a syntax error skips all later stages", () => {
  const changes = {
    status: "invalid",
    sub_status: "syntax_error",
    details: { syntax_valid: false, dns_valid: false, smtp_valid: false },
  } as const;
  expect(outcomes(changes)).toEqual(["bad", "skipped", "skipped", "skipped", "skipped"]);
});

test("a DNS failure leaves the outcome open, a missing domain is bad", () => {
  const details = { dns_valid: false, smtp_valid: false };
  expect(stageOf("dns", { status: "unknown", sub_status: "dns_error", details }).outcome).toBe("open");
  expect(stageOf("dns", { status: "invalid", sub_status: "domain_not_found", details }).outcome).toBe("bad");
});

test("the AI stage is shown only where the model was used", () => {
  expect(stagesOf(result({})).map(({ id }) => id)).not.toContain("ai");
  const ai_enhancement = { used: true, method: "names", score: 0.1, reasons: ["looks random"] };
  expect(stageOf("ai", { sub_status: "low_quality", ai_enhancement }).outcome).toBe("warn");
});

function stageOf(id: string, changes: Changes) {
  return stagesOf(result(changes)).find((stage) => stage.id === id)!;
}

function outcomes(changes: Changes) {
  return stagesOf(result(changes)).map(({ outcome }) => outcome);
}

/** A valid result with the given changes. */
function result({ details, ...changes }: Changes): ValidationResult {
  return {
    email: "ann@shop.example",
    status: "valid",
    sub_status: "",
    confidence: 0.95,
    safe_to_send: true,
    recommendation: "send",
    is_valid: true,
    reason: "mx.shop.example accepts this mailbox and rejects made-up ones.",
    suggestion: null,
    score: 98,
    flags: [],
    request_id: "5b0c5e0e-3f55-4a55-9d0e-0d9c4d6e0b11",
    details: {
      syntax_valid: true,
      dns_valid: true,
      smtp_valid: true,
      smtp_code: 250,
      domain: "shop.example",
      provider: "other",
      is_disposable: false,
      is_role_based: false,
      has_spf: true,
      has_dmarc: true,
      normalized_email: "ann@shop.example",
      canonical_email: "ann@shop.example",
      is_free: false,
      is_subaddressed: false,
      mx_host: "mx.shop.example",
      smtp_enhanced_code: "2.1.5",
      smtp_message: "Recipient ok",
      has_mta_sts: false,
      syntax_error: null,
      ...details,
    },
    catchall: { is_catchall: false, confidence: 0.95 },
    ai_enhancement: { used: false, method: null, score: null, reasons: [] },
    performance: { response_time_ms: 12 },
    metadata: {
      timestamp: 1_794_700_000,
      plan_tier: "payg",
      features_used: { catchall_detection: changes.sub_status !== "syntax_error", ai_enhancement: false },
      cached: false,
      checked_at: 1_794_700_000,
      retry_after: null,
    },
    ...changes,
  };
}
