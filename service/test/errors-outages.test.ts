/** Errors that are not caused by the request: rate limits, internal errors, overload, shutdown. */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { ProblemCode } from "@mailvet/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  credentialsFor,
  ENDPOINTS,
  type Endpoint,
  requestTo,
  takesKeys,
  takesSessions,
} from "./endpoints.ts";
import { booksOf, expectProblem } from "./problems.ts";
import { type Answer, type Asked, openService, type TestAccount, type TestService } from "./service.ts";
import { openWire } from "./wire.ts";

const log: string[] = [];
let service: TestService;
beforeAll(async () => {
  service = await openService({ logTo: (line) => log.push(line) });
});
afterAll(() => service[Symbol.asyncDispose]());

describe("too many requests", () => {
  test("requests beyond the rate get 429 with Retry-After, at every endpoint", async () => {
    const free = await service.openAccount({ plan: "free", credits: 5 });
    const anonymous = { from: "198.51.100.1" };
    const before = await booksOf(service);
    // 60 per minute for a session on the free plan, 120 for an anonymous address.
    expect(await askUntilRefused(service, "/account", { cookie: free.cookie })).toBeGreaterThan(55);
    expect(await askUntilRefused(service, "/nothing", anonymous)).toBeGreaterThan(120);

    for (const endpoint of ENDPOINTS) {
      const who = takesSessions(endpoint) ? { cookie: free.cookie } : anonymous;
      await expectRefusal(service, endpoint, who, "rate_limited");
    }
    expect(await booksOf(service)).toEqual(before);
  });

  test("invalid keys are limited by address, and a valid key from there still works", async () => {
    const ann = await service.openAccount();
    const from = "198.51.100.2";
    const guess = { from, key: "a-guess-at-another-key" };
    expect(await askUntilRefused(service, "/account", guess)).toBeGreaterThan(30);

    for (const endpoint of ENDPOINTS.filter(takesKeys)) {
      await expectRefusal(service, endpoint, guess, "rate_limited");
    }
    expect((await service.ask("/account", { from, key: ann.key })).status).toBe(200);
    expect((await service.ask("/account", { ...guess, from: "198.51.100.3" })).status).toBe(401);
  });
});

test("an internal error reveals nothing, costs nothing, and ends with its cause", async () => {
  const ann = await service.openAccount();
  await service.ask("/account", { key: ann.key }); // from here on the key is cached
  const before = await booksOf(service);

  await service.database.pool.query("alter schema public rename to hidden");
  // Public information does not need the database, and without a domain name there are no passkeys.
  const isWithoutDatabase = ({ path, access }: Endpoint) =>
    path === "/about" || (path.startsWith("/auth/passkeys/") && access === "open");
  for (const endpoint of ENDPOINTS.filter((one) => !isWithoutDatabase(one))) {
    const { path, asked } = requestTo(endpoint);
    // Sign-out without a session does not need the database.
    const signsOut = endpoint.path === "/auth/sign-out" ? { cookie: ann.cookie } : {};
    const who = await credentialsFor(endpoint, service, ann);
    const response = await service.ask(path, { ...asked, ...who, ...signsOut });
    await expectProblem(service, response, "internal_error");
    expect(response.text).not.toMatch(/relation|exist|select|insert|schema|postgres|\.ts\b|node:|error:/i);
    expect(log.join("")).toContain(response.body.request_id);
  }
  await service.database.pool.query("alter schema hidden rename to public");

  expect(await booksOf(service)).toEqual(before);
  const { status, headers } = await service.ask("/validation/single?email=valid@mailvet.test", {
    key: ann.key,
  });
  expect([status, headers.get("x-credits-remaining")]).toEqual([200, "99"]);
});

describe("overload", () => {
  test("during shutdown requests in flight finish and others get 503", async () => {
    const service = await openService(); // its own service, because it is stopped
    const ann = await service.openAccount();
    const slow = service.ask("/validation/single?email=slow-3s@mailvet.test", { key: ann.key });
    // Incomplete request heads at the time of shutdown.
    const late = ENDPOINTS.map((endpoint) => {
      const wire = openWire(service);
      wire.socket.write(`${endpoint.method} /api/v1${requestTo(endpoint).path} HTTP/1.1\r\nHost: a\r\n`);
      return wire;
    });
    await Promise.all(late.map(({ socket }) => socket.connecting && once(socket, "connect")));
    // They must have been read: a connection without a request is closed without a response.
    await turnsOfTheLoop();
    const page = await fetch(`${service.url}/docs/problems`); // it cannot be fetched afterwards
    const explanations = await page.text();
    const closing = service[Symbol.asyncDispose]();
    await turnsOfTheLoop();

    for (const { socket } of late) socket.write(`X-API-Key: ${ann.key}\r\nConnection: close\r\n\r\n`);
    for (const { response } of late) {
      const { status, headers, body } = await response;
      expect(body).toMatchObject({
        status: 503,
        code: "overloaded",
        request_id: headers.get("x-request-id"),
      });
      expect([status, headers.get("content-type")]).toEqual([503, expect.stringContaining("problem+json")]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(explanations).toContain(`id="${new URL(body.type, service.url).hash.slice(1)}"`);
    }
    expect((await slow).status).toBe(200);
    await closing;
  });

  test("bulk requests beyond the limit are refused, and single checks get through", async () => {
    const people: TestAccount[] = [];
    while (people.length < 5) people.push(await service.openAccount());
    const [ann, eve] = people;
    const list = ({ key }: TestAccount, n: number) =>
      service.ask("/validation/bulk", { key, body: { emails: [`slow-3s+${n}@mailvet.test`] } });
    // Four accounts take all sixteen slots; a fifth account, and a fifth list of one of them, get none.
    const isDone = ({ status }: Answer) => status === 200;
    let charged = 0;
    const attempt = async () => {
      const lists = people.slice(1).map((one) => Promise.all([0, 1, 2, 3].map((n) => list(one, n))));
      await wait(1500); // timing: all of them have a slot by then, and hold it for as long again; if not, once more
      const late = Promise.all([list(ann!, 0), list(eve!, 4)]);
      const single = await service.ask("/validation/single?email=valid@mailvet.test", { key: ann!.key });
      expect(single.status).toBe(200);
      const [full, greedy] = await late;
      const early = await Promise.all(lists);
      charged += [...early[0]!, greedy].filter(isDone).length;
      const isOrdered = early.flat().every(isDone) && !isDone(full) && !isDone(greedy);
      return isOrdered ? { full, greedy } : undefined;
    };
    let refusals = await attempt();
    while (!refusals) refusals = await attempt();
    const { full, greedy } = refusals;
    await expectProblem(service, full, "overloaded");
    await expectProblem(service, greedy, "rate_limited");
    for (const refused of [full, greedy]) {
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
    const { body: credits } = await service.ask("/credits", { key: eve!.key });
    expect(credits).toMatchObject({ balance: 100 - charged, reserved: 0 });
  });
});

test("a large body is accepted only where lists of addresses are", async () => {
  const ann = await service.openAccount({ credits: 2000 });
  const emails = Array.from({ length: 1000 }, (_, n) => `valid+${"x".repeat(40)}${n}@mailvet.test`);
  expect((await service.ask("/validation/bulk", { key: ann.key, body: { emails } })).status).toBe(200);
  const stuffed = { email: ann.email, password: "x".repeat(17_000) };
  const response = await service.ask("/auth/sign-in", { body: stuffed });
  await expectProblem(service, response, "payload_too_large");
  expect(response.body.detail).toContain("16,384 bytes");
});

test("closed sign-up creates no account", async () => {
  await using closed = await openService({ env: { SIGN_UP: "closed" } });
  const body = { email: "newcomer@company.example", password: "a long enough password" };
  await expectProblem(closed, await closed.ask("/auth/sign-up", { body }), "sign_up_closed");
  expect((await closed.ask("/auth/sign-in", { body })).status).toBe(401);
});

test("an aborted upload costs nothing and does no harm", async () => {
  const ann = await service.openAccount();
  const before = await booksOf(service);
  for (const path of ["/validation/single", "/validation/bulk", "/keys"]) {
    const wires = Array.from({ length: 20 }, () => openWire(service));
    for (const { socket } of wires) {
      socket.write(
        `POST /api/v1${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${ann.key}\r\nCookie: ${ann.cookie}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"email": "valid@mail',
      );
    }
    await wait(50); // timing: any moment
    for (const { socket } of wires) socket.destroy();
  }
  await wait(50); // timing: nothing must arrive
  expect(await booksOf(service)).toEqual(before);
  expect((await service.ask("/validation/single?email=valid@mailvet.test", { key: ann.key })).status).toBe(
    200,
  );
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
});

/** Long enough for received bytes to be processed, on a slow machine too. */
async function turnsOfTheLoop(): Promise<void> {
  for (let turns = 0; turns < 10; turns++) await wait(20); // timing: one iteration each
}

/** Number of requests until the limit. */
async function askUntilRefused(service: TestService, path: string, asked: Asked): Promise<number> {
  for (let count = 1; count < 300; count++) {
    if ((await service.ask(path, asked)).status === 429) return count;
  }
  throw new Error("it was never too often");
}

/** Tokens are refilled meanwhile, so one or two requests may still be admitted; they have no effect. */
async function expectRefusal(service: TestService, endpoint: Endpoint, who: Asked, code: ProblemCode) {
  const { path } = requestTo({ ...endpoint, query: "" });
  let response: Answer | undefined;
  for (let tries = 0; tries < 10 && response?.status !== 429; tries++) {
    // Concurrently, or a slow machine would get them through as tokens are refilled.
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => service.ask(path, { method: endpoint.method, ...who })),
    );
    response = responses.find(({ status }) => status === 429) ?? responses[0];
  }
  await expectProblem(service, response!, code);
  expect(Number(response!.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
}
