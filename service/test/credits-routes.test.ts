/** GET /credits and GET /usage over HTTP on a real database, for an authenticated caller. */
import { randomUUID } from "node:crypto";
import { Credits, type Problem, type Statement, Usage } from "@mailvet/contract";
import Fastify from "fastify";
import { Check } from "typebox/value";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../src/base/log.ts";
import { createLedger } from "../src/credits/ledger.ts";
import { statementOf } from "../src/credits/statement.ts";
import { usageOf } from "../src/credits/usage.ts";
import { createVerdictCounts } from "../src/credits/verdict-counts.ts";
import { sendErrorsAsProblems } from "../src/http/problem.ts";
import { compileValidator } from "../src/http/request-validator.ts";
import { creditRoutes } from "../src/http/routes/credit-routes.ts";
import { charge, openAccount, reserve } from "./credits-books.ts";
import { openTestDatabase } from "./database.ts";

let service: Awaited<ReturnType<typeof serveCredits>>;
beforeAll(async () => {
  service = await serveCredits();
});
afterAll(() => service.close());

test("the balance comes with a page of the ledger and links to adjacent pages", async () => {
  const ann = await service.openAccount(100);
  for (let n = 1; n <= 5; n++) await charge(service.ledger, ann.accountId, { reference: `charge ${n}` });
  const { status, body, headers } = await ann.get<Credits>("/credits?skip=1&limit=2");
  expect(status).toBe(200);
  expect(Check(Credits, body)).toBe(true);
  expect(body).toMatchObject({
    balance: 95,
    reserved: 0,
    ledger: [
      { kind: "settle", amount: -1, balance_after: 96, reference: "charge 4" },
      { kind: "settle", amount: -1, balance_after: 97, reference: "charge 3" },
    ],
  });
  expect(headers.get("x-total-count")).toBe("6");
  expect(headers.get("link")).toContain('</credits?skip=3&limit=2>; rel="next"');
});

test("reserved credits are shown separately", async () => {
  const ann = await service.openAccount(10);
  await reserve(service.database, ann.accountId, 4, randomUUID());
  expect((await ann.get<Credits>("/credits")).body).toMatchObject({ balance: 6, reserved: 4 });
});

test("usage is listed per day and key, filtered by key and days", async () => {
  const ann = await service.openAccount(100);
  const keyId = randomUUID();
  const none = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  const counts = createVerdictCounts(service.database.pool);
  for (const key of [keyId, keyId, undefined])
    await charge(service.ledger, ann.accountId, key === undefined ? {} : { keyId: key });
  counts.add(ann.accountId, keyId, { ...none, valid: 1, invalid: 1 });
  counts.add(ann.accountId, null, { ...none, unknown: 1 });
  await counts.flush();
  const all = await ann.get<Usage>("/usage");
  expect(all.status).toBe(200);
  expect(Check(Usage, all.body)).toBe(true);
  const byKey = {
    date: all.body.to,
    key_id: keyId,
    valid: 1,
    invalid: 1,
    risky: 0,
    unknown: 0,
    credits_used: 2,
  };
  const byWebApp = { ...byKey, key_id: null, valid: 0, invalid: 0, unknown: 1, credits_used: 1 };
  expect(all.body.days).toEqual([byKey, byWebApp]);

  expect((await ann.get<Usage>(`/usage?key_id=${keyId}`)).body.days).toEqual([byKey]);
  const past = await ann.get<Usage>("/usage?from=2020-01-01&to=2020-12-31");
  expect(past.body).toEqual({ from: "2020-01-01", to: "2020-12-31", days: [] });
});

test("what has no verdict that was paid for, such as a run that was cancelled at once, is no usage", async () => {
  const ann = await service.openAccount(100);
  const counts = createVerdictCounts(service.database.pool);
  counts.add(ann.accountId, null, { valid: 0, invalid: 0, risky: 0, unknown: 0 });
  await counts.flush();
  expect((await ann.get<Usage>("/usage")).body.days).toEqual([]);
});

test("the entries behind a line of the statement are those of its key and day", async () => {
  const ann = await service.openAccount(100);
  const [keyId, otherKeyId] = [randomUUID(), randomUUID()];
  for (const key of [keyId, otherKeyId, undefined, keyId])
    await charge(service.ledger, ann.accountId, key === undefined ? {} : { keyId: key });
  await reserve(service.database, ann.accountId, 4, randomUUID());

  const { lines } = (await ann.get<Statement>("/credits/statement?kind=checks")).body;
  expect(lines).toHaveLength(3);
  for (const { key_id, date, entries } of lines) {
    const { body, headers } = await ann.get<Credits>(
      `/credits?date=${date}&checks_of=${key_id ?? "web_app"}&limit=1`,
    );
    expect(headers.get("x-total-count")).toBe(String(entries));
    expect(body.ledger).toMatchObject([{ kind: "settle", reference_kind: "request" }]);
  }
  const none = await ann.get<Credits>("/credits?date=2020-01-01&checks_of=web_app");
  expect(none.body.ledger).toEqual([]);
});

test("usage of other accounts is not visible, not even by key id", async () => {
  const [ann, bob] = [await service.openAccount(100), await service.openAccount(0)];
  const keyId = randomUUID();
  await charge(service.ledger, ann.accountId, { keyId });
  expect((await bob.get<Usage>(`/usage?key_id=${keyId}`)).body.days).toEqual([]);
  expect((await bob.get<Credits>("/credits")).body).toEqual({ balance: 0, reserved: 0, ledger: [] });
});

test.each([
  ["/usage?from=2026-02-02&to=2026-02-01", "/from"],
  ["/usage?from=2020-01-01&to=2022-01-01", "/from"],
  ["/usage?to=0000-01-01", "/to"],
  ["/usage?to=2026-02-30", "/to"],
  ["/usage?key_id=mine", "/key_id"],
  ["/credits?limit=101", "/limit"],
  ["/credits?skip=-1", "/skip"],
  ["/credits?checks_of=mine", "/checks_of"],
])("GET %s is refused with a pointer", async (path, pointer) => {
  const ann = await service.openAccount(0);
  const { status, body } = await ann.get<Problem>(path);
  expect(status).toBe(422);
  expect(body).toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
});

async function serveCredits() {
  const database = await openTestDatabase();
  const ledger = createLedger({ database });
  const app = Fastify().setValidatorCompiler(compileValidator);
  sendErrorsAsProblems(app, createLog({ level: "silent", addresses: "masked" }));
  app.decorateRequest("caller", undefined);
  app.addHook("onRequest", async (request) => {
    const accountId = String(request.headers["x-signed-in"]);
    const by = { kind: "session", sessionId: "s" } as const;
    request.caller = { accountId, isTest: false, plan: "payg", isOperator: false, by };
  });
  app.register(
    creditRoutes({
      ledger,
      usageOf: (accountId, wanted) => usageOf(database, accountId, wanted),
      statementOf: (accountId, wanted) => statementOf(database, accountId, wanted),
    }),
  );
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    database,
    ledger,
    async openAccount(credits: number) {
      const accountId = await openAccount(database, ledger, credits);
      return {
        accountId,
        async get<T>(path: string) {
          const answer = await fetch(address + path, { headers: { "x-signed-in": accountId } });
          return { status: answer.status, headers: answer.headers, body: (await answer.json()) as T };
        },
      };
    },
    async close() {
      await app.close();
      await ledger.close();
      await database.close();
    },
  };
}
