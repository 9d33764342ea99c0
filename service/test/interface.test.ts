/**
 * The validation endpoints against the published interface: every field, its type and its values, over HTTP.
 *
 * The tables of interface.ts are written by hand and checked in addition to the contract's schemas.
 */
import {
  ALL_SUB_STATUSES,
  type BulkItem,
  BulkSummary,
  PLANS,
  type Plan,
  recommendationOf,
  type SubStatus,
  ValidationResult,
} from "@mailvet/contract";
import { type Lab, openLab, SAMPLE_WORLD, SAMPLES, type Sample } from "@mailvet/lab";
import { Compile } from "typebox/compile";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectShape, ITEM, RESULT, SUMMARY, VERDICTS } from "./interface.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";

const resultSchema = Compile(ValidationResult);
const summarySchema = Compile(BulkSummary);

let lab: Lab;
const STARTED_AT_MS = Date.now();
let service: TestService;
let ann: TestAccount;
beforeAll(async () => {
  lab = await openLab(SAMPLE_WORLD);
  service = await openService({ lab, env: { SINGLE_BUDGET_SECONDS: "60", BULK_BUDGET_SECONDS: "60" } });
  ann = await service.openAccount({ plan: "growth", credits: 1_000 });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

for (const subStatus of ALL_SUB_STATUSES) {
  const email = sandboxAddress(subStatus);

  test(`${email}: POST, GET and bulk agree, field by field`, async () => {
    const posted = await post(email);
    const got = await get(email);
    const [item] = (await bulk([email])).results;

    for (const result of [posted, got]) {
      expectResult(result, email, "growth");
      expectVerdict(result, subStatus);
      expect(result.metadata.sandbox).toBe(true);
    }
    const { email: _, status, is_valid, confidence } = posted;
    expect(item).toMatchObject({ email, status, is_valid, confidence, sub_status: subStatus });
  });
}

describe("with lab mail servers", () => {
  for (const { email, status, subStatus, because } of realSamples())
    test(`${email} is ${status} ${subStatus}: ${because}`, async () => {
      const posted = await post(email);
      const got = await get(email);
      const { results } = await bulk([email]);

      for (const result of [posted, got]) {
        expectResult(result, email, "growth");
        expect([result.status, result.sub_status]).toEqual([status, subStatus]);
        expect(result.metadata).not.toHaveProperty("sandbox");
      }
      expect(results).toMatchObject([{ email, status, sub_status: subStatus }]);
    });

  test("an existing mailbox is reported with all details", async () => {
    const { details, catchall, ai_enhancement, metadata } = await post("bob@polite.example-lab.com");
    expect(details).toMatchObject({
      syntax_valid: true,
      dns_valid: true,
      smtp_valid: true,
      smtp_code: 250,
      domain: "polite.example-lab.com",
      provider: "other",
      is_disposable: false,
      is_role_based: false,
      has_spf: true,
      has_dmarc: true,
    });
    expect(catchall.is_catchall).toBe(false);
    expect(ai_enhancement).toMatchObject({ used: false, method: null });
    expect(metadata.features_used).toEqual({ catchall_detection: true, ai_enhancement: false });
  });

  test("a missing mailbox is reported with the SMTP code", async () => {
    const { details } = await post("eve@polite.example-lab.com");
    expect(details).toMatchObject({ dns_valid: true, smtp_valid: false, smtp_code: 550 });
  });

  test("a domain that accepts every recipient is a catch-all with a confidence", async () => {
    const { catchall, confidence, ai_enhancement, metadata } = await post("anna.weber@open.example-lab.com");
    expect(catchall).toEqual({ is_catchall: true, confidence: expect.any(Number) });
    // The plausibility of the name adjusts the score, and is reported.
    expect(Math.abs(confidence - (catchall.confidence ?? 0))).toBeLessThanOrEqual(0.05);
    expect(ai_enhancement).toMatchObject({ used: true, method: expect.stringMatching(/^mailvet-names-/) });
    expect(metadata.features_used.ai_enhancement).toBe(true);
  });

  test("without a mail server there is no SMTP code, no provider and no catch-all result", async () => {
    const { details, catchall, metadata } = await post("ann@null.example-lab.com");
    expect(details).toMatchObject({ dns_valid: false, smtp_valid: false, smtp_code: 0, provider: "" });
    expect(catchall).toEqual({ is_catchall: false, confidence: null });
    expect(metadata.features_used.catchall_detection).toBe(false);
  });

  test("a repeated check is answered from the cache with the same fields", async () => {
    const first = await post("carla.meyer@polite.example-lab.com");
    const second = await get("carla.meyer@polite.example-lab.com");
    expect([first.metadata.cached, second.metadata.cached]).toEqual([false, true]);
    expectResult(second, "carla.meyer@polite.example-lab.com", "growth");
    expect(second.details).toEqual(first.details);
    expect(second.metadata.timestamp).toBeGreaterThan(first.metadata.timestamp);
    expect(second.metadata.checked_at).toBe(first.metadata.checked_at);
  });
});

test.each(PLANS)("plan_tier is the plan of the caller: %s", async (plan) => {
  const account = await service.openAccount({ plan, credits: 2 });
  // The free plan has no API access; a session is used.
  const ownPage = { cookie: account.cookie, headers: { "sec-fetch-site": "same-origin" } };
  const by = plan === "free" ? ownPage : { key: account.key };
  const { status, body } = await service.ask("/validation/single?email=valid@mailvet.test", by);
  expect(status).toBe(200);
  expectResult(body, "valid@mailvet.test", plan);
});

test("the address is returned as it was sent, with whitespace and capitals", async () => {
  const typed = "  Valid+Tag@MAILVET.test ";
  for (const result of [await post(typed), await get(typed)]) {
    expect(result.email).toBe(typed);
    expect(result.details.normalized_email).toBe("valid+tag@mailvet.test");
  }
});

test("the timestamp is in seconds with a fraction", async () => {
  const times: number[] = [];
  for (let n = 0; n < 3; n++) times.push((await post("valid@mailvet.test")).metadata.timestamp);
  // One in a thousand falls on a whole second; three in a row do not.
  expect(times.some((time) => !Number.isInteger(time))).toBe(true);
});

test("a summary adds up for any list, with one item per unique email in order", async () => {
  const outcomes = ALL_SUB_STATUSES.map(sandboxAddress);
  const emails = [
    ...outcomes,
    "no address",
    "VALID@mailvet.test",
    " catch-all@mailvet.test",
    "No Address ",
    "ann@bücher.example",
    "ann@xn--bcher-kva.example",
  ];
  const summary = await bulk(emails);
  expect(summary).toMatchObject({
    total: emails.length,
    valid_count: 3,
    invalid_count: 13, // eleven outcomes, the malformed input, and a reserved domain
    risky_count: 7,
    unknown_count: 12,
    duplicate_count: 4,
    credits_used: emails.length - 4,
  });
  expect(summary.results.map(({ email }) => email)).toEqual([
    ...outcomes,
    "no address",
    "ann@bücher.example",
  ]);
});

function sandboxAddress(subStatus: SubStatus): string {
  return `${subStatus.replaceAll("_", "-") || "valid"}@mailvet.test`;
}

async function post(email: string): Promise<ValidationResult> {
  return (await expectOk(service.ask("/validation/single", { key: ann.key, body: { email } }))).body;
}

async function get(email: string): Promise<ValidationResult> {
  const path = `/validation/single?email=${encodeURIComponent(email)}`;
  return (await expectOk(service.ask(path, { key: ann.key }))).body;
}

/** The summary of a list, after checking that it adds up. */
async function bulk(emails: string[]): Promise<BulkSummary> {
  const { body } = await expectOk(service.ask("/validation/bulk", { key: ann.key, body: { emails } }));
  const summary: BulkSummary = body;
  expectShape(summary, SUMMARY);
  expect([...summarySchema.Errors(summary)]).toEqual([]);
  const { total, valid_count, invalid_count, risky_count, unknown_count, duplicate_count } = summary;
  expect(total).toBe(emails.length);
  expect(valid_count + invalid_count + risky_count + unknown_count + duplicate_count).toBe(total);
  expect(summary.credits_used).toBe(total - duplicate_count);
  expect(summary.results).toHaveLength(total - duplicate_count);
  for (const status of ["valid", "invalid", "risky", "unknown"] as const) {
    const among = summary.results.filter((item: BulkItem) => item.status === status);
    expect(among).toHaveLength(summary[`${status}_count`]);
  }
  for (const item of summary.results) expectShape(item, ITEM);
  return summary;
}

async function expectOk<T extends { status: number; body: unknown }>(asked: Promise<T>): Promise<T> {
  const response = await asked;
  expect(response).toMatchObject({ status: 200 });
  return response;
}

function expectResult(result: ValidationResult, email: string, plan: Plan): void {
  expectShape(result, RESULT);
  expect([...resultSchema.Errors(result)]).toEqual([]);
  expect(result.email).toBe(email);
  expect(result.metadata.plan_tier).toBe(plan);
  const timestampMs = result.metadata.timestamp * 1000; // whole seconds
  expect(timestampMs).toBeGreaterThan(STARTED_AT_MS - 1000);
  expect(timestampMs).toBeLessThanOrEqual(Date.now()); // timing: a clock reading, not a duration
  expect(result.performance.response_time_ms).toBeGreaterThanOrEqual(0); // timing: measured at all
  for (const share of [result.confidence, result.catchall.confidence ?? 0]) {
    expect(share).toBeGreaterThanOrEqual(0);
    expect(share).toBeLessThanOrEqual(1);
  }
  const { smtp_code } = result.details;
  expect(smtp_code === 0 || (smtp_code >= 200 && smtp_code < 600)).toBe(true);
}

function expectVerdict(result: ValidationResult, subStatus: SubStatus): void {
  const [status, isValid, isSafe, confidence] = VERDICTS[subStatus];
  expect(result).toMatchObject({ status, sub_status: subStatus, is_valid: isValid, safe_to_send: isSafe });
  expect(result.recommendation).toBe(recommendationOf(result));
  if (confidence !== undefined) expect(result.confidence).toBe(confidence);
  if (subStatus === "catch_all") expect(result.confidence).toBe(result.catchall.confidence);
  if (subStatus === "low_quality") expect(result.ai_enhancement).toMatchObject({ used: true });
}

/** One per verdict that takes little time; some others use the whole time budget. */
function realSamples(): readonly Sample[] {
  const isSlow = ({ subStatus }: Sample) => ["smtp_timeout", "dns_error"].includes(subStatus);
  const seen = new Set<string>();
  return SAMPLES.filter(
    (sample) => !isSlow(sample) && !seen.has(sample.subStatus) && seen.add(sample.subStatus),
  );
}
