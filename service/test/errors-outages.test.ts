/** Errors that are not caused by the request: rate limits, internal errors, overload, shutdown. */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { ProblemCode } from "@mailvet/contract";
import { greetsAfter, type Lab, mailDomain, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { deferred } from "../../engine/src/deferred.ts";
import { credentialsFor, requestTo, takesKeys, takesSessions } from "./endpoint-requests.ts";
import { ENDPOINTS, type Endpoint } from "./endpoints.ts";
import { booksOf, expectProblem } from "./problems.ts";
import { untilUnderWay } from "./program.ts";
import { type Answer, type Asked, openService, type TestAccount, type TestService } from "./service.ts";
import { askWithBytes, openWire } from "./wire.ts";

/** Domains whose mail hosts greet when the test says so. A check there lasts until then. */
const HELD_DOMAINS = Array.from({ length: 16 }, (_, n) => `held-${n}.example-lab.com`);
const held = deferred<void>();
/** No deadline of a check passes before that. */
const PATIENT = { SINGLE_BUDGET_SECONDS: "600", BULK_BUDGET_SECONDS: "600", PROBE_TIMEOUT_SECONDS: "600" };

const log: string[] = [];
let lab: Lab;
let service: TestService;
beforeAll(async () => {
  const host = mailDomain({ users: ["ann"], temper: greetsAfter(held.promise) });
  lab = await openLab(Object.fromEntries(HELD_DOMAINS.map((domain) => [domain, host])));
  service = await openService({ lab, env: PATIENT, logTo: (line) => log.push(line) });
});
afterAll(async () => {
  held.resolve();
  await service[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

describe("too many requests", () => {
  // The clock by which tokens are refilled stands still, or a slow machine would never reach the limit.
  beforeAll(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterAll(() => void vi.useRealTimers());

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
    const end = deferred<void>();
    await using lab = await openLab({
      "held.example-lab.com": mailDomain({ users: ["ann"], temper: greetsAfter(end.promise) }),
    });
    const service = await openService({ lab, env: PATIENT }); // its own service, because it is stopped
    const ann = await service.openAccount();
    const slow = service.ask("/validation/single?email=ann@held.example-lab.com", { key: ann.key });
    await untilUnderWay(service, 1);
    // Incomplete request heads at the time of shutdown.
    const late = ENDPOINTS.map((endpoint) => {
      const wire = openWire(service);
      wire.socket.write(`${endpoint.method} /api/v1${requestTo(endpoint).path} HTTP/1.1\r\nHost: a\r\n`);
      return wire;
    });
    await Promise.all(late.map(({ socket }) => socket.connecting && once(socket, "connect")));
    // They must have been read: a connection without a request is closed without a response. Connections are accepted in
    // order, one per turn of the event loop, so they have been when a later one is answered.
    const later = await askWithBytes(
      service,
      "GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    expect(later.status).toBe(200);
    const page = await fetch(`${service.url}/docs/problems/overloaded`); // it cannot be fetched afterwards
    const explanations = await page.text();
    const closing = service[Symbol.asyncDispose]();
    end.resolve();

    for (const { response } of late) {
      const { status, headers, body } = await response;
      expect(body).toMatchObject({
        status: 503,
        code: "overloaded",
        request_id: headers.get("x-request-id"),
      });
      expect([status, headers.get("content-type")]).toEqual([503, expect.stringContaining("problem+json")]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(explanations).toContain(`&#34;type&#34;: &#34;${body.type}&#34;`);
    }
    expect((await slow).status).toBe(200);
    await closing;
  });

  test("bulk requests beyond the limit are refused, and single checks get through", async () => {
    const people: TestAccount[] = [];
    while (people.length < 5) people.push(await service.openAccount());
    const [ann, eve] = people;
    const list = ({ key }: TestAccount, domain: string) =>
      service.ask("/validation/bulk", { key, body: { emails: [`ann@${domain}`] } });
    // Four accounts take all sixteen slots; a fifth account, and a fifth list of one of them, get none.
    const lists = HELD_DOMAINS.map((domain, n) => list(people[1 + (n % 4)]!, domain));
    for (const domain of HELD_DOMAINS)
      await expect.poll(() => lab.counts(`mx.${domain}`).connections).toBe(1);
    const full = await list(ann!, "mailvet.test");
    const greedy = await list(eve!, "mailvet.test");
    const single = await service.ask("/validation/single?email=valid@mailvet.test", { key: ann!.key });
    expect(single.status).toBe(200);
    held.resolve();
    for (const answer of await Promise.all(lists)) expect(answer.status).toBe(200);

    await expectProblem(service, full, "overloaded");
    await expectProblem(service, greedy, "rate_limited");
    for (const refused of [full, greedy]) {
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
    const { body: credits } = await service.ask("/credits", { key: eve!.key });
    expect(credits).toMatchObject({ balance: 96, reserved: 0 });
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
  await expect.poll(async () => (await fetch(`${service.url}/health/ready`)).status).toBe(200);
});

/** Number of requests until the limit. */
async function askUntilRefused(service: TestService, path: string, asked: Asked): Promise<number> {
  for (let count = 1; count < 300; count++) {
    if ((await service.ask(path, asked)).status === 429) return count;
  }
  throw new Error("it was never too often");
}

/** The database refills the tokens of accounts meanwhile, so a few requests may still be admitted; they have no effect. */
async function expectRefusal(service: TestService, endpoint: Endpoint, who: Asked, code: ProblemCode) {
  const { path } = requestTo({ ...endpoint, query: "" });
  let response: Answer | undefined;
  for (let count = 1; count <= 64 && response?.status !== 429; count *= 2) {
    const responses = await Promise.all(
      Array.from({ length: count }, () => service.ask(path, { method: endpoint.method, ...who })),
    );
    response = responses.find(({ status }) => status === 429) ?? responses[0];
  }
  await expectProblem(service, response!, code);
  expect(Number(response!.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
}
