/** Headers of every response, successes and refusals. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  credentialsFor,
  expectEveryEndpoint,
  isForOperator,
  requestTo,
  takesSessions,
  wrongRequestTo,
} from "./endpoint-requests.ts";
import { ENDPOINTS, type Endpoint } from "./endpoints.ts";
import { type Answer, OPERATOR_KEY, openService, type TestAccount, type TestService } from "./service.ts";

let service: TestService;
let ann: TestAccount;
/** For operators to act on: suspended, signed out and erased in the end. */
let bob: TestAccount;
beforeAll(async () => {
  service = await openService();
  ann = await service.openAccount({ plan: "payg", credits: 50 });
  bob = await service.openAccount();
});
afterAll(() => service[Symbol.asyncDispose]());

test("the list of endpoints is complete", () => expectEveryEndpoint(service));

for (const endpoint of ENDPOINTS) {
  const isKnown = takesSessions(endpoint);

  test(`${endpoint.name} carries request ID, rate limit and credits`, async () => {
    const { path, asked } = requestTo(endpoint, { account_id: bob.accountId });
    const who = await credentialsFor(endpoint, service, ann);
    const response = await service.ask(path, { ...asked, ...who });
    expectHeaders(response, isKnown ? await balanceFor(endpoint) : undefined);
  });

  test(`${endpoint.name} carries them on validation errors too`, async () => {
    const { path, asked } = wrongRequestTo(endpoint);
    const who = await credentialsFor(endpoint, service, ann);
    const response = await service.ask(path, { ...asked, ...who });
    expect(response.status).toBe(422);
    expectHeaders(response, isKnown ? await balanceFor(endpoint) : undefined);
  });

  if (isKnown)
    test(`${endpoint.name} has no credits header without authentication`, async () => {
      const { path, asked } = requestTo(endpoint, { account_id: bob.accountId });
      const response = await service.ask(path, { ...asked, from: "198.51.100.1" });
      expect(response.status).toBe(401);
      expectHeaders(response, undefined);
    });
}

test("a refused caller still gets the balance", async () => {
  const broke = await service.openAccount({ credits: 3 });
  const { key: reader } = await broke.makeKey({ scopes: ["read"] });
  const emails = ["a@mailvet.test", "b@mailvet.test", "c@mailvet.test", "d@mailvet.test"];
  const refused = [
    [402, service.ask("/validation/bulk", { key: broke.key, body: { emails } })],
    [403, service.ask("/validation/bulk", { key: reader, body: { emails } })],
    [403, service.ask("/operator/accounts", { cookie: broke.cookie })],
    [404, service.ask(`/keys/${crypto.randomUUID()}`, { method: "DELETE", cookie: broke.cookie })],
    [400, service.ask("/validation/single", { key: broke.key, body: "{" })],
    [
      413,
      service.ask("/validation/bulk", { key: broke.key, body: { emails: Array(1_001).fill("a@b.example") } }),
    ],
  ] as const;
  for (const [status, asked] of refused) {
    const response = await asked;
    expect(response.status).toBe(status);
    expectHeaders(response, 3);
  }
});

test("requests that fail authentication are rate limited too", async () => {
  const elsewhere = { origin: "https://elsewhere.example" };
  const refused = [
    [401, service.ask("/account", { from: "198.51.100.2" })],
    [401, service.ask("/account", { from: "198.51.100.2", key: "unknown-key" })],
    [403, service.ask("/keys", { key: ann.key })],
    [403, service.ask("/keys", { cookie: ann.cookie, headers: elsewhere, body: { name: "a key" } })],
    [404, service.ask("/nothing", { key: ann.key })],
    [405, service.ask("/account", { key: ann.key, method: "PUT" })],
    [406, service.ask("/account", { key: ann.key, headers: { accept: "text/xml" } })],
  ] as const;
  for (const [status, asked] of refused) {
    const response = await asked;
    expect(response.status).toBe(status);
    expect([status, response.headers.get("ratelimit")]).toEqual([status, expect.stringContaining(";r=")]);
  }
});

test("the balance decreases with spending, and that of test mode is simulated", async () => {
  const { key, makeKey } = await service.openAccount({ credits: 4 });
  const { key: testKey } = await makeKey({ mode: "test" });
  const remaining = async (by: string, body: object, path: string) =>
    (await service.ask(path, { key: by, body })).headers.get("x-credits-remaining");

  expect(await remaining(testKey, { email: "valid@mailvet.test" }, "/validation/single")).toBe("1000000");
  expect(await remaining(key, { email: "valid@mailvet.test" }, "/validation/single")).toBe("3");
  expect(await remaining(key, { emails: ["valid@mailvet.test", "x"] }, "/validation/bulk")).toBe("1");
  expect(await remaining(key, { email: "no address" }, "/validation/single")).toBe("0");
});

test("the remaining rate decreases and refills within a minute", async () => {
  const { key } = await service.openAccount({ plan: "payg" });
  const responses: Answer[] = [];
  for (let n = 0; n < 20; n++) responses.push(await service.ask("/account", { key }));

  const left = responses.map((response) => limitsOf(response).remaining);
  for (const one of left) expect(one).toBeLessThan(600); // how far it decreases depends on the refill
  const { policy, quota, windowSeconds, secondsToFull } = limitsOf(responses.at(-1)!);
  expect([policy, quota, windowSeconds]).toEqual(["plan", 600, 60]);
  expect(secondsToFull).toBeGreaterThanOrEqual(1);
  expect(secondsToFull).toBeLessThanOrEqual(60);
});

test("request IDs are unique and not chosen by the client", async () => {
  const headers = { "x-request-id": "mine" };
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => service.ask("/account", { key: OPERATOR_KEY, headers })),
  );
  const ids = new Set(responses.map((response) => response.headers.get("x-request-id")));
  expect(ids.size).toBe(50);
  expect(ids).not.toContain("mine");
});

test("the request ID in a verdict is that of its request", async () => {
  const { headers, body } = await service.ask("/validation/single?email=valid@mailvet.test", {
    key: ann.key,
  });
  expect(body.request_id).toBe(headers.get("x-request-id"));
});

test("a list carries its total count and links to its neighbours", async () => {
  const cookie = await service.operatorCookie();
  const first = await service.ask("/operator/accounts?limit=1", { cookie });
  const total = Number(first.headers.get("x-total-count"));
  expect(total).toBeGreaterThanOrEqual(2);
  const next = /^<\/api\/v1(.+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1];
  const second = await service.ask(next!, { cookie });
  expect(second.body[0].id).not.toBe(first.body[0].id);

  const ledger = await service.ask("/credits?skip=1&limit=1", { key: ann.key });
  expect(Number(ledger.headers.get("x-total-count"))).toBeGreaterThanOrEqual(1);
  expect(ledger.headers.get("link")).toContain('rel="prev"');
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `balance`: expected X-Credits-Remaining; undefined: must be absent. */
function expectHeaders(response: Answer, balance: number | undefined): void {
  expect(response.headers.get("x-request-id")).toMatch(UUID);
  const { quota, windowSeconds, remaining, secondsToFull } = limitsOf(response);
  expect(windowSeconds).toBe(60);
  expect(remaining).toBeLessThanOrEqual(quota);
  expect(secondsToFull).toBeLessThanOrEqual(windowSeconds);
  expect(response.headers.get("x-credits-remaining")).toBe(balance === undefined ? null : String(balance));
}

/** RateLimit-Policy and RateLimit as structured fields: one item each, under the same name. */
function limitsOf({ headers }: Answer) {
  const policy = /^"([\w-]+)";q=(\d+);w=(\d+)$/.exec(headers.get("ratelimit-policy") ?? "") ?? [];
  const limit = /^"([\w-]+)";r=(\d+);t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
  expect(policy).toHaveLength(4);
  expect(limit[1]).toBe(policy[1]);
  const [quota, windowSeconds, remaining, secondsToFull] = [policy[2], policy[3], limit[2], limit[3]].map(
    Number,
  );
  return {
    policy: policy[1],
    quota: quota!,
    windowSeconds: windowSeconds!,
    remaining: remaining!,
    secondsToFull: secondsToFull!,
  };
}

/** Balance in the database, of ann or of the operator. */
async function balanceFor(endpoint: Endpoint): Promise<number> {
  const { rows } = await service.database.pool.query(
    "select balance from balances join accounts on id = account_id where case when $1 then is_operator else id = $2 end",
    [isForOperator(endpoint), ann.accountId],
  );
  return Number(rows[0].balance);
}
