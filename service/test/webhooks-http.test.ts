/** /webhooks over HTTP on a real database, for a signed-in caller. */
import { randomUUID } from "node:crypto";
import type { Problem, WebhookDelivery, WebhookEndpoint, WebhookWithSecret } from "@mailvet/contract";
import Fastify from "fastify";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createLog } from "../src/base/log.ts";
import { sendErrorsAsProblems } from "../src/http/problem.ts";
import { compileValidator } from "../src/http/request-validator.ts";
import { webhookRoutes } from "../src/http/routes/webhook-routes.ts";
import { openReceiver, type Receiver } from "./webhooks-receiver.ts";
import { openWebhookWorld, type Process, type WebhookWorld } from "./webhooks-world.ts";

let world: WebhookWorld;
let service: Process;
let receiver: Receiver;
let api: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  world = await openWebhookWorld();
  service = await world.open();
  receiver = await openReceiver();
  api = await serve();
});
afterEach(() => world.clear());
afterAll(async () => {
  await api.close();
  await receiver.close();
  await world.close();
});

test("an endpoint is created, read, changed and deleted, and its secret returned only when it is new", async () => {
  const ann = await api.openAccount();
  const made = await ann.post<WebhookWithSecret>("", {
    url: receiver.url,
    description: "Orders",
    events: ["job.failed"],
  });
  expect(made.status).toBe(201);
  const { secret, ...shown } = made.body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(shown).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    url: receiver.url,
    description: "Orders",
    events: ["job.failed"],
    is_enabled: true,
    disabled_reason: null,
    failing_since: null,
    created_at: expect.stringMatching(/^\d{4}-/),
  });
  const one = `/${shown.id}`;
  const second = (await ann.post<WebhookWithSecret>("", { url: receiver.url })).body;
  expect((await ann.get<WebhookEndpoint[]>("")).body.map(({ id }) => id)).toEqual([second.id, shown.id]);
  expect((await ann.get<WebhookEndpoint>(one)).body).toEqual(shown);

  const rotated = await ann.post<WebhookWithSecret>(`${one}/rotate-secret`);
  expect(rotated).toMatchObject({ status: 200, body: shown });
  expect(rotated.body.secret).not.toBe(secret);
  const changed = await ann.patch<WebhookEndpoint>(one, { events: [], description: "" });
  expect(changed).toMatchObject({ status: 200, body: { ...shown, events: [], description: "" } });
  for (const { text } of [changed, await ann.get(one), await ann.get("")])
    expect(text).not.toContain("whsec_");

  expect(await ann.delete(one)).toMatchObject({ status: 204, text: "" });
  expect(await ann.get<Problem>(one)).toMatchObject({ status: 404, body: { code: "webhook_not_found" } });
});

test("a test message is sent whatever the endpoint subscribes to, and can be replayed", async () => {
  const ann = await api.openAccount();
  const { id } = (await ann.post<WebhookWithSecret>("", { url: receiver.url, events: ["job.failed"] })).body;
  await ann.post("", { url: receiver.url });
  const sent = await ann.post<WebhookDelivery>(`/${id}/test`);
  expect(sent).toMatchObject({ status: 202, body: { event: "webhook.test", state: "pending", attempts: 0 } });
  expect(await service.runDue()).toBe(1);
  expect(receiver.received.at(-1)!.headers["webhook-id"]).toBe(sent.body.id);
  const again = await ann.post<WebhookDelivery>(`/${id}/deliveries/${sent.body.id}/replay`);
  expect(again).toMatchObject({ status: 202, body: { id: sent.body.id, state: "pending", attempts: 1 } });
  await service.runDue();

  await ann.patch(`/${id}`, { is_enabled: false });
  const isOff = { status: 409, body: { code: "webhook_disabled" } };
  expect(await ann.post<Problem>(`/${id}/test`)).toMatchObject(isOff);
  expect(await ann.post<Problem>(`/${id}/deliveries/${sent.body.id}/replay`)).toMatchObject(isOff);
});

test("deliveries are listed newest first, page by page, and by state", async () => {
  const ann = await api.openAccount();
  const { id } = (await ann.post<WebhookWithSecret>("", { url: receiver.url })).body;
  const sent: string[] = [];
  for (let i = 0; i < 3; i++) sent.unshift((await ann.post<WebhookDelivery>(`/${id}/test`)).body.id);
  const page = async (query: string) => {
    const { headers, body } = await ann.get<WebhookDelivery[]>(`/${id}/deliveries${query}`);
    return [body.map((delivery) => delivery.id), headers.get("x-total-count"), headers.get("link")];
  };
  expect(await page("?limit=2")).toEqual([
    sent.slice(0, 2),
    "3",
    `</webhooks/${id}/deliveries?limit=2&skip=2>; rel="next"`,
  ]);
  expect((await page("?limit=2&skip=2"))[0]).toEqual(sent.slice(2));
  await service.runDue();
  const last = (await ann.post<WebhookDelivery>(`/${id}/test`)).body.id;
  expect(await page("?state=pending")).toEqual([[last], "1", null]);
  expect((await page("?state=delivered"))[0]).toEqual(sent);
  await service.runDue();
});

test("endpoints and deliveries of another account are not found", async () => {
  const [ann, bob] = [await api.openAccount(), await api.openAccount()];
  const { id } = (await ann.post<WebhookWithSecret>("", { url: receiver.url })).body;
  const delivery = (await ann.post<WebhookDelivery>(`/${id}/test`)).body.id;
  const bobs = (await bob.post<WebhookWithSecret>("", { url: receiver.url })).body.id;
  const attempts = [
    bob.get<Problem>(`/${id}`),
    bob.patch<Problem>(`/${id}`, { description: "mine" }),
    bob.delete<Problem>(`/${id}`),
    bob.post<Problem>(`/${id}/rotate-secret`),
    bob.post<Problem>(`/${id}/test`),
    bob.get<Problem>(`/${id}/deliveries`),
    bob.post<Problem>(`/${id}/deliveries/${delivery}/replay`),
  ];
  for (const { status, body } of await Promise.all(attempts)) {
    expect([status, body.code]).toEqual([404, "webhook_not_found"]);
  }
  expect(await bob.post<Problem>(`/${bobs}/deliveries/${delivery}/replay`)).toMatchObject({
    status: 404,
    body: { code: "delivery_not_found" },
  });
  expect((await bob.get<WebhookEndpoint[]>("")).body).toHaveLength(1);
  expect((await ann.get<WebhookEndpoint>(`/${id}`)).body.description).toBe("");
  await service.runDue();
});

test("an account has at most ten endpoints, also when many are created concurrently", async () => {
  const ann = await api.openAccount();
  const made = await Promise.all(
    Array.from({ length: 13 }, () => ann.post<Problem>("", { url: receiver.url })),
  );
  expect(made.filter(({ status }) => status === 201)).toHaveLength(10);
  const refused = made.filter(({ status }) => status !== 201);
  for (const { status, body } of refused) expect([status, body.code]).toEqual([409, "too_many_webhooks"]);
  expect((await ann.get<WebhookEndpoint[]>("")).body).toHaveLength(10);
});

test.each<[string, unknown, string, string]>([
  ["an address that is not allowed", { url: "https://10.0.0.1/" }, "webhook_url_rejected", "/url"],
  ["a text that is no URL", { url: "somewhere" }, "validation_failed", "/url"],
  ["no URL", {}, "validation_failed", "/url"],
  [
    "an unknown event",
    { url: "https://a.example/", events: ["job.begun"] },
    "validation_failed",
    "/events/0",
  ],
  [
    "a description of two lines",
    { url: "https://a.example/", description: "a\nb" },
    "validation_failed",
    "/description",
  ],
])("an endpoint with %s is not created", async (_, wanted, code, pointer) => {
  const ann = await api.openAccount();
  expect(await ann.post<Problem>("", wanted)).toMatchObject({
    status: 422,
    body: { code, errors: [{ pointer }] },
  });
  expect((await ann.get<WebhookEndpoint[]>("")).body).toEqual([]);
});

/** The webhook routes over HTTP; a header names the signed-in account. */
async function serve() {
  const app = Fastify().setValidatorCompiler(compileValidator);
  sendErrorsAsProblems(app, createLog({ level: "silent", addresses: "masked" }));
  app.decorateRequest("caller", undefined);
  app.addHook("onRequest", async (request) => {
    const by = { kind: "session", sessionId: randomUUID() } as const;
    request.caller = {
      accountId: String(request.headers["x-signed-in"]),
      isTest: request.headers["x-mailvet-mode"] === "test",
      plan: "payg",
      isOperator: false,
      by,
    };
  });
  app.register(webhookRoutes({ webhooks: service.webhooks }));
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });

  const ask = async <T>(accountId: string, method: string, path: string, wanted?: unknown) => {
    const headers = { "x-signed-in": accountId, ...(wanted ? { "content-type": "application/json" } : {}) };
    const body = wanted ? JSON.stringify(wanted) : null;
    const answer = await fetch(`${origin}/webhooks${path}`, { method, headers, body });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: (text ? JSON.parse(text) : undefined) as T,
    };
  };
  return {
    async openAccount() {
      const id = await world.account();
      return {
        get: <T>(path: string) => ask<T>(id, "GET", path),
        post: <T>(path: string, wanted?: unknown) => ask<T>(id, "POST", path, wanted),
        patch: <T>(path: string, wanted: unknown) => ask<T>(id, "PATCH", path, wanted),
        delete: <T>(path: string) => ask<T>(id, "DELETE", path),
      };
    },
    close: () => app.close(),
  };
}
