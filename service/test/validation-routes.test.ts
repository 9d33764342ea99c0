/** /validation over HTTP: valid and invalid requests, and their responses. */
import { type BulkSummary, type Problem, ValidationResult } from "@mailvet/contract";
import { type Lab, mailDomain, openLab } from "@mailvet/lab";
import { Check } from "typebox/value";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectBooksToAddUp } from "./credits-books.ts";
import { openService, type TestService } from "./service.ts";

let lab: Lab;
let service: TestService;
beforeAll(async () => {
  lab = await openLab({ "shop.test": mailDomain({ users: ["ann"] }) });
  service = await openService({ lab });
});
afterAll(async () => {
  await expectBooksToAddUp(service.database);
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

test("POST and GET return the same result with all fields of the contract", async () => {
  const ann = await customer(3);
  const startedAt = Date.now() / 1000;
  const posted = await ann.post<ValidationResult>("/validation/single", { email: "ann@shop.test" });
  const endedAt = Date.now() / 1000;
  expect(posted.status).toBe(200);
  expect(posted.body).toEqual({
    email: "ann@shop.test",
    status: "valid",
    sub_status: "",
    confidence: 0.95,
    safe_to_send: true,
    recommendation: "send",
    is_valid: true,
    reason: expect.any(String),
    suggestion: null,
    score: expect.any(Number),
    flags: [],
    request_id: expect.any(String),
    details: expect.objectContaining({
      syntax_valid: true,
      dns_valid: true,
      smtp_valid: true,
      smtp_code: 250,
      domain: "shop.test",
      provider: "other",
      is_disposable: false,
      is_role_based: false,
      has_spf: false,
      has_dmarc: false,
    }),
    catchall: { is_catchall: false, confidence: 0.95 },
    ai_enhancement: { used: false, method: null, score: null, reasons: [] },
    performance: { response_time_ms: expect.any(Number) },
    metadata: {
      timestamp: expect.any(Number),
      plan_tier: "payg",
      features_used: { catchall_detection: true, ai_enhancement: false },
      cached: false,
      checked_at: expect.any(Number),
      retry_after: null,
    },
  });
  expect(Number.isInteger(posted.body.performance.response_time_ms)).toBe(true);
  expect(posted.body.metadata.timestamp).toBeGreaterThanOrEqual(startedAt);
  expect(posted.body.metadata.timestamp).toBeLessThanOrEqual(endedAt);

  const got = await ann.get<ValidationResult>("/validation/single?email=ann%40shop.test");
  expect(got.status).toBe(200);
  expect(Check(ValidationResult, got.body)).toBe(true);
  expect(got.body).toMatchObject({ status: "valid", metadata: { cached: true } });
  expect(got.body.details).toEqual(posted.body.details);
  expect([posted.creditsRemaining, got.creditsRemaining]).toEqual(["2", "1"]);
});

test.for([
  ["ann%2Bcatch-all%40mailvet.test", "ann+catch-all@mailvet.test"],
  ["ann+catch-all@mailvet.test", "ann+catch-all@mailvet.test"], // typed by hand
  ["ann+catch-all+2@mailvet.test", "ann+catch-all+2@mailvet.test"],
  ["+ann%2Bcatch-all@mailvet.test+", " ann+catch-all@mailvet.test "], // blanks around it, as forms encode them
])("?email=%s is decoded as intended", async ([query, email]) => {
  const ann = await customer(1);
  const { body } = await ann.get<ValidationResult>(`/validation/single?email=${query}`);
  expect(body).toMatchObject({ email, sub_status: "catch_all" });
});

test.for(["j%F6rg@shop.test", "ann%FF@shop.test", "ann%C3@shop.test"])(
  "?email=%s is not UTF-8, and no other mailbox is checked instead",
  async (query) => {
    const ann = await customer(1);
    const { status, body } = await ann.get<Problem>(`/validation/single?email=${query}`);
    expect([status, body.code]).toEqual([400, "malformed_request"]);
    expect(await ann.balance()).toBe(1);
  },
);

test("a list returns a summary with a result for each unique email", async () => {
  const ann = await customer(9);
  const emails = ["ann@shop.test", "nobody@shop.test", "ANN@shop.test"];
  const { status, body, creditsRemaining } = await ann.post<BulkSummary>("/validation/bulk", { emails });
  expect(status).toBe(200);
  expect(body).toEqual({
    total: 3,
    valid_count: 1,
    invalid_count: 1,
    risky_count: 0,
    unknown_count: 0,
    duplicate_count: 1,
    credits_used: 2,
    credits_refunded: 0,
    results: [
      {
        email: "ann@shop.test",
        status: "valid",
        is_valid: true,
        safe_to_send: true,
        recommendation: "send",
        confidence: 0.95,
        sub_status: "",
        score: expect.any(Number),
        suggestion: null,
        retry_after: null,
      },
      expect.objectContaining({
        email: "nobody@shop.test",
        status: "invalid",
        is_valid: false,
        safe_to_send: false,
        recommendation: "do_not_send",
        confidence: 0.97,
      }),
    ],
  });
  expect(creditsRemaining).toBe("7");
});

test("1,000 emails are accepted, 1,001 are refused and cost nothing", async () => {
  const ann = await customer(1_001);
  const emails = Array.from({ length: 1_001 }, (_, i) => `valid+${i}@mailvet.test`);
  const refused = await ann.post<Problem>("/validation/bulk", { emails });
  expect(refused).toMatchObject({
    status: 413,
    body: { code: "too_many_emails", found: 1_001, limit: 1_000 },
  });
  const taken = await ann.post<BulkSummary>("/validation/bulk", { emails: emails.slice(1) });
  expect(taken).toMatchObject({ status: 200, body: { valid_count: 1_000 }, creditsRemaining: "1" });
});

test.for([
  ["a list without emails", "/validation/bulk", { emails: [] }, "/emails"],
  ["a list with a number in it", "/validation/bulk", { emails: ["ann@shop.test", 7] }, "/emails/1"],
  ["a list that is a string", "/validation/bulk", { emails: "ann@shop.test" }, "/emails"],
  ["no list", "/validation/bulk", {}, "/emails"],
  ["no email", "/validation/single", {}, "/email"],
  ["an email that is null", "/validation/single", { email: null }, "/email"],
  ["an unknown field", "/validation/single", { email: "ann@shop.test", fast: true }, "/fast"],
] as const)("%s is refused with a pointer, and costs nothing", async ([, path, wanted, pointer]) => {
  const ann = await customer(5);
  const { status, body } = await ann.post<Problem>(path, wanted);
  expect(status).toBe(422);
  expect(body).toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
  expect(await ann.balance()).toBe(5);
});

test.for(["", "?email=ann@shop.test&email=bob@shop.test", "?mail=ann@shop.test"])(
  "GET /validation/single%s is refused and costs nothing",
  async (query) => {
    const ann = await customer(5);
    const { status, body } = await ann.get<Problem>(`/validation/single${query}`);
    expect([status, body.code]).toEqual([422, "validation_failed"]);
    expect(await ann.balance()).toBe(5);
  },
);

test.for(["", "no address", "x".repeat(100_000), "ann@shop.test\0", "\ud83d@shop.test"])(
  "any text is a verdict and no error (%#)",
  async (email) => {
    const ann = await customer(5);
    const { status, body } = await ann.post<ValidationResult>("/validation/single", { email });
    expect([status, body.status, body.sub_status]).toEqual([200, "invalid", "syntax_error"]);
    expect(body.details.syntax_error?.message).not.toBe("");
    expect(await ann.balance()).toBe(4);
  },
);

test("without enough credits the required and available amounts are returned", async () => {
  const ann = await customer(1);
  const { status, body } = await ann.post<Problem>("/validation/bulk", {
    emails: ["a@shop.test", "b@shop.test"],
  });
  expect(status).toBe(402);
  expect(body).toMatchObject({ code: "insufficient_credits", required: 2, available: 1 });
});

/** A pay-as-you-go account with this many credits, and functions that send its requests. */
async function customer(credits: number) {
  const { key } = await service.openAccount({ plan: "payg", credits });
  const ask = async <T>(path: string, body?: unknown) => {
    const answer = await service.ask(path, { key, body });
    return { ...answer, body: answer.body as T, creditsRemaining: answer.headers.get("x-credits-remaining") };
  };
  return {
    get: <T>(path: string) => ask<T>(path),
    post: <T>(path: string, wanted: unknown) => ask<T>(path, wanted),
    balance: async () => (await ask<{ balance: number }>("/credits")).body.balance,
  };
}
