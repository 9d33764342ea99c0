/** Verdicts that are the service's own fault are refunded by an entry of their own, over HTTP. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectBooksToAddUp } from "./credits-books.ts";
import { listsOf } from "./jobs-http-world.ts";
import { formWith, openService, type TestService } from "./service.ts";

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(async () => {
  await expectBooksToAddUp(service.database);
  await service[Symbol.asyncDispose]();
});

const OWN_FAULT = ["internal-error", "egress-blocked", "smtp-skipped", "probe-blocked"];

test.for(OWN_FAULT)("%s is charged and refunded; the balance in the header is after both", async (name) => {
  const ann = await service.openAccount({ credits: 5 });
  const answer = await service.ask(`/validation/single?email=${name}@mailvet.test`, { key: ann.key });
  expect(answer.body).toMatchObject({ status: "unknown" });
  expect(answer.headers.get("x-credits-remaining")).toBe("5");
  const { body: credits } = await service.ask("/credits", { key: ann.key });
  expect(credits).toMatchObject({ balance: 5, reserved: 0 });
  expect(credits.ledger.slice(0, 2)).toMatchObject([
    { kind: "refund", amount: 1, reference: answer.headers.get("x-request-id"), reference_kind: "request" },
    { kind: "settle", amount: -1 },
  ]);
});

test("the fault of a mail server is charged, and so is a check that asked for less than SMTP", async () => {
  const ann = await service.openAccount({ credits: 5 });
  await service.ask("/validation/single?email=greylisted@mailvet.test", { key: ann.key });
  await service.ask("/validation/single?email=smtp-skipped@mailvet.test&level=dns", { key: ann.key });
  expect((await service.ask("/credits", { key: ann.key })).body).toMatchObject({ balance: 3, reserved: 0 });
});

test("a bulk request reports what was used and what came back, also under an Idempotency-Key", async () => {
  const ann = await service.openAccount({ credits: 10 });
  const emails = ["valid", "internal-error", "egress-blocked", "greylisted"].map(
    (name) => `${name}@mailvet.test`,
  );
  const headers = { "idempotency-key": "fair-1" };
  for (const _ of ["first", "replayed"]) {
    const { body } = await service.ask("/validation/bulk", { key: ann.key, body: { emails }, headers });
    expect(body).toMatchObject({ unknown_count: 3, credits_used: 4, credits_refunded: 2 });
  }
  expect((await service.ask("/credits", { key: ann.key })).body).toMatchObject({ balance: 8, reserved: 0 });
  const { body: usage } = await service.ask("/usage", { key: ann.key });
  expect(usage.days).toMatchObject([{ valid: 1, unknown: 3, credits_used: 2 }]);
});

test("a job refunds in one entry when it ends, and its record has both numbers", async () => {
  const ann = await service.openAccount({ credits: 10 });
  const { begin, ended } = listsOf(service, ann);
  const job = await ended(
    (await begin("email\nvalid@mailvet.test\negress-blocked@mailvet.test\ninternal-error@mailvet.test\n")).id,
  );
  expect(job).toMatchObject({
    status: "completed",
    credits_used: 3,
    credits_refunded: 2,
    credits_reserved: 0,
  });
  const { body: credits } = await service.ask("/credits", { key: ann.key });
  expect(credits.balance).toBe(9);
  expect(credits.ledger.slice(0, 3)).toMatchObject([
    { kind: "refund", amount: 2, reference: job.id, reference_kind: "job" },
    { kind: "settle", amount: 0, reserved_change: -3 },
    { kind: "reserve", amount: -3 },
  ]);
});

test("sandbox addresses are free in the web app, one by one and in a list", async () => {
  const ann = await service.openAccount({ credits: 2 });
  const { cookie } = ann;
  for (const name of ["valid", "greylisted", "catch-all"]) {
    const { status } = await service.ask("/validation/single", {
      cookie,
      body: { email: `${name}@mailvet.test` },
    });
    expect(status).toBe(200);
  }
  const bulk = await service.ask("/validation/bulk", {
    cookie,
    body: { emails: ["valid@mailvet.test", "not an address"] },
  });
  expect(bulk.body).toMatchObject({ credits_used: 1, credits_refunded: 0 });
  expect((await service.ask("/credits", { cookie })).body).toMatchObject({ balance: 1 });
  const form = formWith("email\nvalid@mailvet.test\n");
  const { body: preview } = await service.ask("/bulk/upload/preview", { cookie, form });
  const confirmation = { upload_id: preview.upload_id, email_column: "email" };
  const { body: job } = await service.ask("/bulk/upload/confirm", { cookie, body: confirmation });
  const ended = await listsOf(service, ann).ended(job.id);
  expect(ended).toMatchObject({ credits_used: 1, credits_refunded: 1 });
  expect((await service.ask("/credits", { cookie })).body).toMatchObject({ balance: 1, reserved: 0 });
});

test.for([
  ["never", 5],
  ["always", 10],
] as const)("UNKNOWN_REFUND=%s leaves %i of 10 credits", async ([policy, left]) => {
  await using strict = await openService({ env: { UNKNOWN_REFUND: policy } });
  const ann = await strict.openAccount({ credits: 10 });
  const emails = ["internal-error", "greylisted", "dns-error", "smtp-timeout", "probe-blocked"].map(
    (name) => `${name}@mailvet.test`,
  );
  const { body } = await strict.ask("/validation/bulk", { key: ann.key, body: { emails } });
  expect(body).toMatchObject({ credits_used: 5, credits_refunded: left - 5 });
  expect((await strict.ask("/credits", { key: ann.key })).body).toMatchObject({ balance: left });
});

test("an estimate is free, covers a sample, and says what only mail servers can decide", async () => {
  const ann = await service.openAccount({ credits: 0 });
  const { upload, ask } = listsOf(service, ann);
  const emails = [
    ...Array.from({ length: 300 }, (_, n) => `no address ${n}`),
    ...Array.from({ length: 100 }, (_, n) => `valid+${n}@mailvet.test`),
  ];
  const { upload_id } = await upload(`email\n${emails.join("\n")}\n`);
  const { status, body } = await ask("/bulk/upload/estimate", { body: { upload_id, email_column: "email" } });
  expect(status).toBe(200);
  expect(body).toMatchObject({ upload_id, email_column: "email", sampled: 200, credits: 400, risky: 0 });
  expect(body.valid + body.invalid).toBe(200); // of three quarters and a quarter
  expect(body.invalid).toBeGreaterThan(100);
  expect(body.expected).toEqual({ valid: 2 * body.valid, invalid: 2 * body.invalid, risky: 0, undecided: 0 });
  expect((await ask("/credits")).body).toMatchObject({ balance: 0, reserved: 0 });
});
