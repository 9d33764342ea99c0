import type { ValidationResult } from "@mailvet/contract";
import { expect, test } from "vitest";
import { stagesOf } from "./stages.ts";

type Changes = Partial<Omit<ValidationResult, "details">> & {
  details?: Partial<ValidationResult["details"]>;
};

test("an accepted mailbox is told with the server's own words", () => {
  expect(stageOf("server", {})).toMatchObject({
    outcome: "good",
    quote: { who: "mx.shop.example", line: "250 2.1.5 Recipient ok" },
  });
  expect(stageOf("made-up", {})).toMatchObject({ outcome: "good", word: "refused" });
});

test("where the reply was to the made-up name, it is not told as the answer about the mailbox", () => {
  const told = {
    status: "unknown",
    sub_status: "greylisted",
    details: { smtp_code: 451, smtp_enhanced_code: "4.7.1", smtp_message: "Come back later" },
  } as const;
  expect(stageOf("server", told)).toMatchObject({ outcome: "good", word: "accepted" });
  expect(stageOf("server", told).quote).toBeUndefined();
  expect(stageOf("made-up", told).quote?.line).toBe("451 4.7.1 Come back later");
});

test("a catch-all's yes is told, and that it proves nothing", () => {
  const told = {
    status: "risky",
    sub_status: "catch_all",
    catchall: { is_catchall: true, confidence: 0.9 },
  } as const;
  expect(stageOf("made-up", told)).toMatchObject({
    outcome: "warn",
    facts: [["How sure we are of it", "90%"]],
  });
});

test("after a malformed text nobody was asked anything", () => {
  const told = {
    status: "invalid",
    sub_status: "syntax_error",
    details: { syntax_valid: false, dns_valid: false, smtp_valid: false },
  } as const;
  expect(outcomes(told)).toEqual(["bad", "skipped", "skipped", "skipped", "skipped"]);
});

test("name servers that fail leave it open, a domain that does not exist does not", () => {
  const details = { dns_valid: false, smtp_valid: false };
  expect(stageOf("names", { status: "unknown", sub_status: "dns_error", details }).outcome).toBe("open");
  expect(stageOf("names", { status: "invalid", sub_status: "domain_not_found", details }).outcome).toBe(
    "bad",
  );
});

test("the model's part is told only where it had one", () => {
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

/** A valid address, but for the changes. */
function result({ details, ...changes }: Changes): ValidationResult {
  return {
    email: "ann@shop.example",
    status: "valid",
    sub_status: "",
    confidence: 0.95,
    safe_to_send: true,
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
