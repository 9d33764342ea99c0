import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type HttpWorld, openHttpWorld } from "./http-world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await openHttpWorld({ anonymousRequestsPerMinute: 10_000, invalidKeysPerMinute: 10_000 });
});
afterAll(() => world.close());

async function ask(path: string, headers: Record<string, string> = {}, method = "GET", on = world) {
  const response = await fetch(`${on.api}${path}`, { method, headers });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, code: body.code, body, headers: response.headers };
}

test("without a key only open routes are accessible", async () => {
  expect(await ask("/open")).toMatchObject({ status: 200 });
  expect(await ask("/any")).toMatchObject({ status: 401, code: "missing_api_key" });
  expect(await ask("/read", { "x-api-key": "" })).toMatchObject({ status: 401, code: "missing_api_key" });
  expect(await ask("/me")).toMatchObject({ status: 401, code: "not_signed_in" });
});

test("a key as a bearer token is the same key, with the same rights and limits", async () => {
  const account = await world.account();
  const key = await account.key({ scopes: ["read"] });
  for (const authorization of [`Bearer ${key}`, `bearer ${key}`, `BEARER  ${key}`]) {
    expect(await ask("/read", { authorization })).toMatchObject({ status: 200 });
    const { status, body, headers } = await ask("/any", { authorization });
    expect(status).toBe(200);
    expect(body.caller).toMatchObject({ accountId: account.id, by: { kind: "key", scopes: ["read"] } });
    expect(headers.get("ratelimit-policy")).toBe('"plan";q=600;w=60');
  }
  const bearer = { authorization: `Bearer ${key}` };
  expect(await ask("/spend", bearer)).toMatchObject({ status: 403, code: "insufficient_scope" });
  expect(await ask("/me", bearer)).toMatchObject({ status: 403, code: "session_required" });
  expect(await ask("/any", { ...bearer, "x-api-key": key })).toMatchObject({ status: 200 });
  expect(await ask("/any", { ...bearer, "x-api-key": "" })).toMatchObject({ status: 200 });
  const wrong = await ask("/any", { authorization: `Bearer ${"x".repeat(40)}` });
  expect(wrong).toMatchObject({ status: 401, code: "invalid_api_key" });
  expect(wrong.headers.get("ratelimit-policy")).toBe('"wrong-keys";q=10000;w=60');
});

test("two different keys are refused, whichever of them is right", async () => {
  const account = await world.account();
  const [key, other] = [await account.key(), await account.key()];
  for (const wrong of [other, "x".repeat(40)]) {
    for (const [one, two] of [
      [key, wrong],
      [wrong, key],
    ]) {
      const both = { "x-api-key": one!, authorization: `Bearer ${two}`, cookie: await account.cookie() };
      for (const path of ["/any", "/me", "/rule"])
        expect(await ask(path, both)).toMatchObject({ status: 400, code: "malformed_request" });
    }
  }
});

test("an Authorization header of another scheme or without a token is ignored", async () => {
  const account = await world.account();
  const [key, cookie] = [await account.key(), await account.cookie()];
  for (const authorization of ["Basic YTpi", "Bearer", "Bearer ", `Token ${key}`]) {
    expect(await ask("/any", { authorization })).toMatchObject({ status: 401, code: "missing_api_key" });
    expect(await ask("/any", { authorization, "x-api-key": key })).toMatchObject({ status: 200 });
    expect(await ask("/me", { authorization, cookie })).toMatchObject({ status: 200 });
  }
});

test("an invalid key and an invalid cookie have codes other than a missing key", async () => {
  const wrong = { "x-api-key": "x".repeat(40) };
  expect(await ask("/any", wrong)).toMatchObject({ status: 401, code: "invalid_api_key" });
  expect(await ask("/any", { cookie: "mailvet=nonsense" })).toMatchObject({
    status: 401,
    code: "not_signed_in",
  });
  expect((await ask("/any", wrong)).headers.get("ratelimit-policy")).toBe('"wrong-keys";q=10000;w=60');
});

test("a key is limited to its scopes, on a plan with API access", async () => {
  const account = await world.account();
  const reader = { "x-api-key": await account.key({ scopes: ["read"] }) };
  expect(await ask("/read", reader)).toMatchObject({ status: 200 });
  expect(await ask("/any", reader)).toMatchObject({ status: 200 });
  expect(await ask("/spend", reader)).toMatchObject({ status: 403, code: "insufficient_scope" });
  const free = { "x-api-key": await (await world.account({ plan: "free" })).key() };
  expect(await ask("/any", free)).toMatchObject({ status: 403, code: "api_access_not_included" });
});

test("a session may use the API on every plan, whatever the scope", async () => {
  const cookie = await (await world.account({ plan: "free" })).cookie();
  expect(await ask("/read", { cookie })).toMatchObject({ status: 200 });
  const ownPage = { cookie, "sec-fetch-site": "same-origin" };
  expect(await ask("/spend", ownPage)).toMatchObject({ status: 200 });
});

test("a key is rejected where a session is required, even together with a session", async () => {
  const account = await world.account({ isOperator: true });
  const headers = { "x-api-key": await account.key(), cookie: await account.cookie() };
  expect(await ask("/me", headers)).toMatchObject({ status: 403, code: "session_required" });
  expect(await ask("/rule", headers)).toMatchObject({ status: 403, code: "session_required" });
  const { body } = await ask("/any", headers);
  expect(body.caller).toMatchObject({ by: { kind: "key" } });
});

test("operator routes reject other accounts", async () => {
  const operator = await world.account({ isOperator: true });
  const other = await world.account();
  expect(await ask("/rule", { cookie: await operator.cookie() })).toMatchObject({ status: 200 });
  expect(await ask("/rule", { cookie: await other.cookie() })).toMatchObject({
    status: 403,
    code: "operator_only",
  });
});

test("cross-origin requests with a session can neither change nor spend anything", async () => {
  const account = await world.account();
  const cookie = await account.cookie();
  const evil = { cookie, origin: "https://evil.example" };
  expect(await ask("/me", evil, "POST")).toMatchObject({ status: 403, code: "origin_rejected" });
  expect(await ask("/me", { cookie, origin: world.origin }, "POST")).toMatchObject({ status: 200 });
  expect(await ask("/me", { cookie }, "POST")).toMatchObject({ status: 200 });
  expect(await ask("/spend", evil)).toMatchObject({ status: 403, code: "origin_rejected" });
  const linked = await ask("/spend", { cookie }); // a link or an image: a GET without Origin
  expect(linked).toMatchObject({ status: 403, code: "origin_rejected" });
  expect(linked.body.detail).toContain("Use POST");
  const neighbour = { cookie, "sec-fetch-site": "same-site" };
  expect(await ask("/me", neighbour, "POST")).toMatchObject({ status: 403, code: "origin_rejected" });
  expect(await ask("/me", evil)).toMatchObject({ status: 200 }); // reading shows the other site nothing
  const key = await account.key();
  expect(await ask("/spend", { ...evil, "x-api-key": key })).toMatchObject({ status: 200 });
});

test("every response carries request ID, rate limit and credits", async () => {
  const account = await world.account({ credits: 42 });
  const key = { "x-api-key": await account.key() };
  const first = await ask("/read", key);
  expect(first.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(first.headers.get("ratelimit-policy")).toBe('"plan";q=600;w=60');
  expect(first.headers.get("ratelimit")).toBe('"plan";r=599;t=1');
  expect(first.headers.get("x-credits-remaining")).toBe("42");
  expect(first.headers.get("cache-control")).toBe("no-store");
  expect(first.headers.get("x-content-type-options")).toBe("nosniff");
  expect(first.headers.get("strict-transport-security")).toBeNull();
  const refused = await ask("/read?skip=x", key);
  expect(refused.headers.get("ratelimit")).toMatch(/^"plan";r=59[789];t=1$/);
  expect(refused.headers.get("x-credits-remaining")).toBe("42");
  expect((await ask("/any", key)).headers.get("x-credits-remaining")).toBe("7"); // set by the route
  const test = { "x-api-key": await account.key({ mode: "test" }) };
  expect((await ask("/read", test)).headers.get("x-credits-remaining")).toBe("1000000");
  expect((await ask("/open")).headers.get("ratelimit-policy")).toBe('"address";q=10000;w=60');
  expect((await ask("/nothing")).headers.get("ratelimit")).toMatch(/^"address";r=\d+;t=\d+$/);
});

test("an account beyond its rate is limited with all its keys, while other accounts are not", async () => {
  const account = await world.account({ plan: "payg" });
  const keys = [await account.key(), await account.key()];
  const send = (key: string) => world.app.inject({ url: "/api/v1/any", headers: { "x-api-key": key } });
  const granted = [0, 0];
  let response = await send(keys[0]!);
  for (let n = 1; response.statusCode === 200 && n < 10_000; n++) {
    granted[n % 2]!++;
    response = await send(keys[n % 2]!);
  }
  expect(response.json()).toMatchObject({ code: "rate_limited" });
  expect(Number(response.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  expect(response.headers.ratelimit).toBe('"plan";r=0;t=60');
  expect(granted[0]! + granted[1]!).toBeGreaterThanOrEqual(600);
  for (const ofKey of granted) expect(ofKey).toBeLessThan(600); // with a bucket of its own it would have had 600
  const other = await world.account({ plan: "payg" });
  expect(await ask("/any", { "x-api-key": await other.key() })).toMatchObject({ status: 200 });
});

test("invalid keys are rate limited by address, and a valid key from the same address still works", async () => {
  vi.useFakeTimers({ toFake: ["performance"] }); // nothing is refilled, however long the requests take
  onTestFinished(() => void vi.useRealTimers());
  await using strict = await openHttpWorld({ invalidKeysPerMinute: 5, anonymousRequestsPerMinute: 3 });
  const wrong = { "x-api-key": "y".repeat(40) };
  const tries = [];
  for (let n = 0; n < 6; n++) tries.push((await ask("/any", wrong, "GET", strict)).code);
  expect(tries).toEqual([...Array(5).fill("invalid_api_key"), "rate_limited"]);
  const key = await (await strict.account()).key();
  expect(await ask("/any", { "x-api-key": key }, "GET", strict)).toMatchObject({ status: 200 });
  const open = [];
  for (let n = 0; n < 4; n++) open.push((await ask("/open", {}, "GET", strict)).status);
  expect(open).toEqual([200, 200, 200, 429]);
  expect((await fetch(`${strict.origin}/health/live`)).status).toBe(200);
});

test("concurrent requests of an account are limited, and slots are released when they end", async () => {
  const account = await world.account({ plan: "payg" }); // 50 concurrent requests
  const key = { "x-api-key": await account.key() };
  await using held = await openHttpWorld({ maxConcurrentBulk: 1000 });
  const heldKey = { "x-api-key": await (await held.account({ plan: "payg" })).key() };
  const waiting = Array.from({ length: 50 }, () => ask("/bulk", heldKey, "POST", held));
  await expect.poll(() => held.bench.calls.bulk ?? 0).toBeGreaterThanOrEqual(50);
  const refused = await ask("/any", heldKey, "GET", held);
  expect(refused).toMatchObject({ status: 429, code: "rate_limited" });
  expect(refused.body.detail).toContain("50 concurrent requests");
  held.bench.open();
  for (const one of waiting) expect((await one).status).toBe(200);
  expect(await ask("/any", heldKey, "GET", held)).toMatchObject({ status: 200 });
  expect(await ask("/any", key)).toMatchObject({ status: 200 });
});

test("over https responses carry HSTS", async () => {
  await using secure = await openHttpWorld({ publicUrl: "https://mailvet.example" });
  expect((await ask("/open", {}, "GET", secure)).headers.get("strict-transport-security")).toBe(
    "max-age=31536000",
  );
});
