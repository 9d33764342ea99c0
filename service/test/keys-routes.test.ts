/** /keys over HTTP on a real database, for a signed-in caller. */
import { randomUUID } from "node:crypto";
import { ApiKey, type CreatedKey, type Problem } from "@mailvet/contract";
import Fastify from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accounts } from "../src/accounts/schema.ts";
import { createLog } from "../src/base/log.ts";
import { createPubSub } from "../src/db/pubsub.ts";
import { sendErrorsAsProblems } from "../src/http/problem.ts";
import { compileValidator } from "../src/http/request-validator.ts";
import { keyRoutes } from "../src/http/routes/key-routes.ts";
import { createApiKeys } from "../src/keys/api-keys.ts";
import { openTestDatabase } from "./database.ts";

let service: Awaited<ReturnType<typeof serveKeys>>;
beforeAll(async () => {
  service = await serveKeys();
});
afterAll(() => service.close());

test("a key created with only a name is a live key with all scopes", async () => {
  const ann = await service.openAccount();
  const { status, body } = await ann.post<CreatedKey>({ name: "  Checkout page " });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "Checkout page",
    mode: "live",
    prefix: body.key.slice(0, 12),
    scopes: ["validate", "bulk", "read"],
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    key: expect.stringMatching(/^mv_live_[0-9A-Za-z]{38}$/),
  });
  expect(await service.keyring.recognise(body.key)).toMatchObject({
    keyId: body.id,
    accountId: ann.accountId,
  });
});

test("a key is created with the requested properties", async () => {
  const ann = await service.openAccount();
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const { body } = await ann.post<CreatedKey>({ name: "CI", mode: "test", scopes: ["read"], expires_at });
  expect(body).toMatchObject({ mode: "test", scopes: ["read"], expires_at });
  expect(body.key).toMatch(/^mv_test_/);
});

test("the list shows the newest first, revoked ones too, and never a secret", async () => {
  const ann = await service.openAccount();
  const first = (await ann.post<CreatedKey>({ name: "first" })).body;
  const second = (await ann.post<CreatedKey>({ name: "second" })).body;
  await ann.delete(first.id);
  const { status, body, text } = await ann.get<ApiKey[]>();
  expect(status).toBe(200);
  expect(body.map(({ id, revoked_at }) => [id, revoked_at !== null])).toEqual([
    [second.id, false],
    [first.id, true],
  ]);
  for (const key of body) expect(Object.keys(key).sort()).toEqual(Object.keys(ApiKey.properties).sort());
  for (const { key } of [first, second]) expect(text).not.toContain(key.slice(12));
});

test("a revoked key is refused, and revoking is idempotent", async () => {
  const ann = await service.openAccount();
  const { body } = await ann.post<CreatedKey>({ name: "old laptop" });
  expect(await ann.delete(body.id)).toMatchObject({ status: 204, text: "" });
  expect(await service.keyring.recognise(body.key)).toBeUndefined();
  expect((await ann.delete(body.id)).status).toBe(204);
});

test("keys of other accounts are not found", async () => {
  const [ann, bob] = [await service.openAccount(), await service.openAccount()];
  const { body } = await ann.post<CreatedKey>({ name: "ann's" });
  const theirs = await bob.delete<Problem>(body.id);
  const madeUp = await bob.delete<Problem>("00000000-0000-4000-8000-000000000000");
  expect(theirs).toMatchObject({ status: 404, body: { code: "key_not_found" } });
  expect({ ...theirs.body, request_id: "" }).toEqual({ ...madeUp.body, request_id: "" });
  expect((await bob.get<ApiKey[]>()).body).toEqual([]);
  expect(await service.keyring.recognise(body.key)).toBeDefined();
});

test.each([
  ["no name", {}, "/name"],
  ["a blank name", { name: " \t " }, "/name"],
  ["a name of two lines", { name: "one\ntwo" }, "/name"],
  ["a name that cannot be stored", { name: "nul\u0000" }, "/name"],
  ["a name of 101 characters", { name: "n".repeat(101) }, "/name"],
  ["an unknown mode", { name: "n", mode: "prod" }, "/mode"],
  ["no scope at all", { name: "n", scopes: [] }, "/scopes"],
  ["an end in the past", { name: "n", expires_at: "2020-01-01T00:00:00Z" }, "/expires_at"],
  ["an end at a leap second", { name: "n", expires_at: "2090-12-31T23:59:60Z" }, "/expires_at"],
  ["an end that is no moment", { name: "n", expires_at: "tomorrow" }, "/expires_at"],
  ["a field that does not exist", { name: "n", admin: true }, "/admin"],
])("a key with %s is refused", async (_, wanted, pointer) => {
  const ann = await service.openAccount();
  const { status, body } = await ann.post<Problem>(wanted);
  expect(status).toBe(422);
  expect(body).toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
  expect((await ann.get<ApiKey[]>()).body).toEqual([]);
});

test("a malformed id is refused like an unknown one", async () => {
  const ann = await service.openAccount();
  expect(await ann.delete<Problem>("1")).toMatchObject({ status: 404, body: { code: "key_not_found" } });
});

/** The key routes over HTTP, where a header says who has signed in. */
async function serveKeys() {
  const database = await openTestDatabase();
  const notices = createPubSub(database.connection, { log: () => {} });
  const keyring = createApiKeys({ database, notices });
  await notices.start();
  const app = Fastify().setValidatorCompiler(compileValidator);
  sendErrorsAsProblems(app, createLog({ level: "silent", addresses: "masked" }));
  app.decorateRequest("caller", undefined);
  app.addHook("onRequest", async (request) => {
    const accountId = String(request.headers["x-signed-in"]);
    const by = { kind: "session", sessionId: randomUUID() } as const;
    request.caller = { accountId, isTest: false, plan: "payg", isOperator: false, by };
  });
  app.register(keyRoutes({ apiKeys: keyring }));
  const address = await app.listen({ host: "127.0.0.1", port: 0 });

  const ask = async <T>(accountId: string, method: string, path: string, wanted?: unknown) => {
    const headers = { "x-signed-in": accountId, ...(wanted ? { "content-type": "application/json" } : {}) };
    const body = wanted ? JSON.stringify(wanted) : null;
    const answer = await fetch(address + path, { method, headers, body });
    const text = await answer.text();
    return { status: answer.status, text, body: (text ? JSON.parse(text) : undefined) as T };
  };
  let opened = 0;
  return {
    keyring,
    async openAccount() {
      const row = { email: `person-${opened++}@example.com`, plan: "payg" } as const;
      const [account] = await database.orm.insert(accounts).values(row).returning({ id: accounts.id });
      const accountId = account!.id;
      return {
        accountId,
        get: <T>() => ask<T>(accountId, "GET", "/keys"),
        post: <T>(wanted: unknown) => ask<T>(accountId, "POST", "/keys", wanted),
        delete: <T>(keyId: string) => ask<T>(accountId, "DELETE", `/keys/${keyId}`),
      };
    },
    async close() {
      await app.close();
      await keyring.close();
      await notices.close();
      await database.close();
    },
  };
}
