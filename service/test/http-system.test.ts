import { once } from "node:events";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type HttpWorld, openHttpWorld, sendRaw, untilRead } from "./http-world.ts";
import { untilUnderWay } from "./program.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await openHttpWorld({
    maxConcurrentBulk: 2,
    maxConcurrentRequests: 4,
    anonymousRequestsPerMinute: 10_000,
  });
});
afterAll(() => world.close());

const bulk = (on: HttpWorld, key: string) =>
  fetch(`${on.api}/bulk`, { method: "POST", headers: { "x-api-key": key } });
const keysOf = async (on: HttpWorld, count: number) => {
  const keys: string[] = [];
  while (keys.length < count) keys.push(await (await on.account()).key());
  return keys as [string, string, string];
};
const reached = async (on: HttpWorld, count: number) => {
  await expect.poll(() => on.bench.calls.bulk ?? 0).toBeGreaterThanOrEqual(count);
};

test("bulk requests beyond their limit are refused while single ones get through", async () => {
  await using busy = await openHttpWorld({ maxConcurrentBulk: 2, maxConcurrentRequests: 4 });
  const [key, other, third] = await keysOf(busy, 3);
  const held = [bulk(busy, key), bulk(busy, other)];
  await reached(busy, 2);
  const refused = await bulk(busy, third);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await refused.json()).toMatchObject({ code: "overloaded" });
  expect((await fetch(`${busy.api}/any`, { headers: { "x-api-key": key } })).status).toBe(200);
  busy.bench.open();
  for (const one of held) expect((await one).status).toBe(200);
  expect((await bulk(busy, key)).status).toBe(200);
});

test("one account gets a quarter of the bulk slots", async () => {
  await using busy = await openHttpWorld({ maxConcurrentBulk: 8 });
  const [greedy, other] = await keysOf(busy, 2);
  const held = [bulk(busy, greedy), bulk(busy, greedy)];
  await reached(busy, 2);
  const refused = await bulk(busy, greedy);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);
  expect(await refused.json()).toMatchObject({
    code: "rate_limited",
    detail: expect.stringContaining("2 concurrent bulk"),
  });
  held.push(bulk(busy, other));
  await reached(busy, 3);
  busy.bench.open();
  for (const one of held) expect((await one).status).toBe(200);
  expect((await bulk(busy, greedy)).status).toBe(200);
});

test("neither an unauthenticated request nor a slow body holds a bulk slot", async () => {
  await using busy = await openHttpWorld({ maxConcurrentBulk: 1 });
  const [slow, other] = await keysOf(busy, 2);
  const sockets = [`X-API-Key: ${slow}\r\n`, ""].map((header) => {
    const socket = connect(busy.port, "127.0.0.1");
    const head = "Host: a\r\nContent-Type: application/json\r\nContent-Length: 500\r\n";
    socket.write(`POST /api/v1/bulk HTTP/1.1\r\n${head}${header}\r\n{"emails":`);
    return socket;
  });
  await untilUnderWay({ url: busy.origin }, 1); // that of the slow body
  busy.bench.open();
  expect((await bulk(busy, other)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test("requests beyond the concurrency limit are refused early, health checks are not", async () => {
  await using busy = await openHttpWorld({ maxConcurrentRequests: 1 });
  const key = await (await busy.account()).key();
  const held = bulk(busy, key);
  await reached(busy, 1);
  const refused = await fetch(`${busy.api}/open`);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect((await fetch(`${busy.origin}/health/live`)).status).toBe(200);
  expect((await fetch(`${busy.origin}/metrics`)).status).toBe(200);
  busy.bench.open();
  expect((await held).status).toBe(200);
});

test("a request whose client disconnected counts until its handler has finished", async () => {
  await using busy = await openHttpWorld({ maxConcurrentBulk: 1 });
  const [key, other] = await keysOf(busy, 2);
  const socket = connect(busy.port, "127.0.0.1");
  socket.write(`POST /api/v1/bulk HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Length: 0\r\n\r\n`);
  await reached(busy, 1);
  socket.destroy();
  await busy.logged(({ event }) => event === "request_aborted");
  expect((await bulk(busy, other)).status).toBe(503);
  busy.bench.open();
  await expect.poll(async () => (await bulk(busy, key)).status).toBe(200);
});

test("a continuously delayed event loop sheds load", async () => {
  await using slow = await openHttpWorld({ maxEventLoopDelayMs: 200 });
  const block = (ms: number) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };
  const ask = async () => (await fetch(`${slow.api}/open`)).status;
  const blocking = setInterval(() => block(450), 1);
  const statuses = [];
  while (statuses.at(-1) !== 503 && statuses.length < 10) statuses.push(await ask());
  clearInterval(blocking);
  expect(statuses.at(-1)).toBe(503);
  await expect.poll(ask).toBe(200);
});

test("successes beyond the log rate are left out, and the next event says how many", async () => {
  await using quiet = await openHttpWorld({ loggedSuccessesPerSecond: 0 });
  await Promise.all(Array.from({ length: 6 }, () => fetch(`${quiet.api}/open`)));
  await fetch(`${quiet.api}/nothing`);
  const line = await quiet.logged(({ status }) => status === 404);
  expect(line.left_out).toBe(6);
});

test("during shutdown requests in flight finish and new ones are refused", async () => {
  const stopping = await openHttpWorld();
  const key = await (await stopping.account()).key();
  const socket = connect(stopping.port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  const request = (line: string) =>
    `${line} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Length: 0\r\n\r\n`;
  socket.write(request("POST /api/v1/bulk"));
  await reached(stopping, 1);
  const other = connect(stopping.port, "127.0.0.1");
  other.on("error", () => {}); // it may be cut off after the response
  let otherReceived = "";
  other.on("data", (chunk) => {
    otherReceived += chunk;
  });
  const half = "GET /api/v1/open HTTP/1.1\r\nHost: a\r\nX-Sl"; // begun before, finished after
  const halfRead = untilRead(stopping, half.length);
  other.write(half);
  await halfRead;
  const closing = stopping.app.close();
  await expect.poll(() => stopping.app.server.listening).toBe(false);
  other.write("ow: 1\r\n\r\n");
  await expect.poll(() => otherReceived).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\n\r\n./);
  expect(otherReceived).toContain('"code":"overloaded"');
  expect(otherReceived.toLowerCase()).toContain("retry-after: 5");
  const closed = once(socket, "close");
  stopping.bench.open();
  await closing;
  await closed;
  expect(received).toMatch(/^HTTP\/1\.1 200 /);
  await stopping.close();
});

test("readiness follows the database", async () => {
  await using fragile = await openHttpWorld();
  const ready = async () => {
    const answer = await fetch(`${fragile.origin}/health/ready`);
    return [answer.status, await answer.json()];
  };
  await expect.poll(ready).toEqual([200, { status: "ready" }]); // a check may take longer than its limit
  const query = fragile.database.pool.query;
  fragile.database.pool.query = (() => new Promise(() => {})) as never; // a database that hangs
  const stuck = await fetch(`${fragile.origin}/health/ready`);
  expect(stuck.status).toBe(503);
  expect(await stuck.json()).toMatchObject({ code: "overloaded", detail: "The database does not respond." });
  expect((await fetch(`${fragile.origin}/health/live`)).status).toBe(200);
  fragile.database.pool.query = query;
});

test("metrics are open to this machine, but not through a proxy on it", async () => {
  const key = await (await world.account()).key();
  await fetch(`${world.api}/any`, { headers: { "x-api-key": key } });
  const text = await (await fetch(`${world.origin}/metrics`)).text();
  expect(text).toMatch(
    /mailvet_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/any",status="2xx"\} 1/,
  );
  expect(text).toContain("mailvet_database_connections ");
  expect(text).toContain("mailvet_event_loop_delay_seconds ");
  expect(text).toContain("process_cpu_seconds_total "); // of Node.js, collected from the first scrape on
  expect(
    (await fetch(`${world.origin}/metrics`, { headers: { "x-forwarded-for": "203.0.113.9" } })).status,
  ).toBe(404);
});

test.each([
  ["localhost", 200],
  ["127.0.0.1:8080", 200],
  ["[::1]:8080", 200],
  ["rebound.example", 404],
  ["rebound.example:8080", 404],
  ["127.0.0.1.rebound.example", 404],
])("without a token, a request for the host %s gets %i", async (host, status) => {
  const request = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  expect(await sendRaw(world.port, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test("with a token configured, metrics require it", async () => {
  await using guarded = await openHttpWorld({ metricsToken: "let-me-see" });
  const look = (authorization: string) => fetch(`${guarded.origin}/metrics`, { headers: { authorization } });
  expect((await fetch(`${guarded.origin}/metrics`)).status).toBe(404);
  expect((await look("Bearer wrong")).status).toBe(404);
  expect((await look("Bearer let-me-see")).status).toBe(200);
});

test("with a public URL metrics require a token, because a local proxy makes every client look local", async () => {
  await using served = await openHttpWorld({ publicUrl: "https://mailvet.example" });
  expect((await fetch(`${served.origin}/metrics`)).status).toBe(404);
});

test("the documentation is public and rate limited", async () => {
  vi.useFakeTimers({ toFake: ["performance"] }); // nothing is refilled, however long the requests take
  onTestFinished(() => void vi.useRealTimers());
  await using strict = await openHttpWorld({ anonymousRequestsPerMinute: 5, maxConcurrentRequests: 1 });
  const look = async (path: string) => {
    const response = await fetch(`${strict.origin}${path}`);
    await response.arrayBuffer();
    return [response.status, response.headers.get("ratelimit-policy")];
  };
  const key = await (await strict.account()).key();
  const held = bulk(strict, key);
  await reached(strict, 1);
  expect(await look("/docs")).toEqual([503, null]);
  expect(await look("/api/v1/openapi.json")).toEqual([503, null]);
  strict.bench.open();
  await held;
  const pages = [
    "/docs",
    "/docs/reference.js",
    "/docs/problems",
    "/docs/nothing.js",
    "/api/v1/openapi.json",
    "/docs",
  ];
  const policy = '"address";q=5;w=60';
  const responses = [];
  for (const path of pages) responses.push(await look(path));
  expect(responses).toEqual([200, 200, 200, 404, 200, 429].map((status) => [status, policy]));
  expect((await look("/health/live"))[0]).toBe(200);
});

test("the documentation page loads nothing from other origins", async () => {
  const page = await fetch(`${world.origin}/docs`);
  const html = await page.text();
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self';");
  expect(html).not.toMatch(/https?:\/\//);
  expect(html).toContain('<a href="/sign-in">Sign in</a>'); // without a session
  const signedIn = await fetch(`${world.origin}/docs`, {
    headers: { cookie: await (await world.account()).cookie() },
  });
  expect(await signedIn.text()).toContain("Fill in a test key");
  const bundle = /\/docs\/scalar-[0-9a-f]{12}\.js/.exec(html)?.[0];
  const script = await fetch(`${world.origin}${bundle}`, { headers: { "accept-encoding": "gzip" } });
  expect(script.headers.get("cache-control")).toContain("immutable");
  expect(await script.text()).toContain("createApiReference");
  const init = await (await fetch(`${world.origin}/docs/reference.js`)).text();
  expect(init).toContain('"/api/v1/openapi.json"');
  const missing = await fetch(`${world.origin}/docs/nothing.js`);
  expect([missing.status, ((await missing.json()) as { code: string }).code]).toEqual([404, "not_found"]);
});

test("a browser without gzip gets the uncompressed bundle", async () => {
  const html = await (await fetch(`${world.origin}/docs`)).text();
  const bundle = /\/docs\/scalar-[0-9a-f]{12}\.js/.exec(html)?.[0];
  const raw = async (encoding: string) =>
    (await world.app.inject({ url: bundle ?? "", headers: { "accept-encoding": encoding } })).rawPayload;
  expect(gunzipSync(await raw("gzip")).equals(await raw("identity"))).toBe(true);
});
