import { expect, test } from "vitest";
import {
  disconnects,
  disconnectsHalfway,
  type Handler,
  json,
  neverResponds,
  noContent,
  openScriptedService,
  page,
  problem,
} from "../test/scripted-service.ts";
import { type Client, createClient, MailvetProblem, MailvetUnreachable } from "./index.ts";

const KEY = "mv_live_secret";

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => expect.unreachable("expected a failure"),
    (error: unknown) => error,
  );
}

test("validate sends the email in the body and the key in a header, and stores the balance", async () => {
  await using service = await openScriptedService(json({ status: "valid" }, { "x-credits-remaining": "41" }));
  const client = createClient({ baseUrl: service.url, apiKey: ` ${KEY}\n` });
  expect(client.creditsRemaining).toBeUndefined();

  expect(await client.validate("ann@shop.io")).toEqual({ status: "valid" });

  const [request] = service.requests;
  expect(request).toMatchObject({
    method: "POST",
    url: "/api/v1/validation/single",
    body: '{"email":"ann@shop.io"}',
  });
  expect(request!.headers).toMatchObject({ "x-api-key": KEY, "content-type": "application/json" });
  expect(client.creditsRemaining).toBe(41);
});

const CREDENTIAL = { id: "AAAA", rawId: "AAAA", type: "public-key" } as const;
const ASSERTION = {
  ...CREDENTIAL,
  response: { clientDataJSON: "e30", authenticatorData: "AAAA", signature: "AAAA" },
};
const ATTESTATION = { ...CREDENTIAL, response: { clientDataJSON: "e30", attestationObject: "oA" } };

/** Every method, and its request. */
const METHODS: [(client: Client) => Promise<unknown>, method: string, url: string, body?: object][] = [
  [(c) => c.validateBulk(["a@b.io"]), "POST", "/validation/bulk", { emails: ["a@b.io"] }],
  [
    (c) => c.validate("a@b.io", { timeoutSeconds: 5, level: "dns", freshSeconds: 0 }),
    "POST",
    "/validation/single",
    { email: "a@b.io", timeout_seconds: 5, level: "dns", fresh: 0 },
  ],
  [
    (c) => c.validateBulk(["a@b.io"], { timeoutSeconds: 60, level: "syntax", freshSeconds: 60 }),
    "POST",
    "/validation/bulk",
    { emails: ["a@b.io"], timeout_seconds: 60, level: "syntax", fresh: 60 },
  ],
  [(c) => c.inspectDomain("bücher.example/x"), "GET", "/domains/b%C3%BCcher.example%2Fx"],
  [(c) => c.about(), "GET", "/about"],
  [(c) => c.account(), "GET", "/account"],
  [(c) => c.usage(), "GET", "/usage"],
  [
    (c) => c.usage({ from: "2026-01-01", to: "2026-01-31", keyId: "k&1" }),
    "GET",
    "/usage?from=2026-01-01&to=2026-01-31&key_id=k%261",
  ],
  [(c) => c.keys.list(), "GET", "/keys"],
  [
    (c) => c.keys.create({ name: "web", mode: "test", scopes: ["read"], expiresAt: new Date(0) }),
    "POST",
    "/keys",
    { name: "web", mode: "test", scopes: ["read"], expires_at: "1970-01-01T00:00:00.000Z" },
  ],
  [
    (c) => c.auth.signUp({ email: "a@b.io", password: "p" }),
    "POST",
    "/auth/sign-up",
    { email: "a@b.io", password: "p" },
  ],
  [(c) => c.auth.confirmEmail("t"), "POST", "/auth/confirm-email", { token: "t" }],
  [
    (c) => c.auth.signIn({ email: "a@b.io", password: "p" }),
    "POST",
    "/auth/sign-in",
    { email: "a@b.io", password: "p" },
  ],
  [
    (c) => c.auth.signIn({ email: "a@b.io", password: "p", code: "123456" }),
    "POST",
    "/auth/sign-in",
    { email: "a@b.io", password: "p", code: "123456" },
  ],
  [(c) => c.auth.twoFactor(), "GET", "/auth/two-factor"],
  [(c) => c.auth.beginTwoFactor("p"), "POST", "/auth/two-factor", { password: "p" }],
  [
    (c) => c.auth.replaceRecoveryCodes({ password: "p", code: "123456" }),
    "POST",
    "/auth/two-factor/recovery-codes",
    { password: "p", code: "123456" },
  ],
  [(c) => c.auth.confirmTwoFactor("123456"), "POST", "/auth/two-factor/confirm", { code: "123456" }],
  [(c) => c.auth.passkeyChallenge(), "POST", "/auth/passkeys/challenge"],
  [(c) => c.auth.signInWithPasskey(ASSERTION), "POST", "/auth/passkeys/sign-in", { credential: ASSERTION }],
  [(c) => c.auth.passkeys(), "GET", "/auth/passkeys"],
  [(c) => c.auth.beginPasskey({ password: "p" }), "POST", "/auth/passkeys/options", { password: "p" }],
  [
    (c) => c.auth.addPasskey({ name: "laptop", credential: ATTESTATION }),
    "POST",
    "/auth/passkeys",
    { name: "laptop", credential: ATTESTATION },
  ],
  [(c) => c.auth.renamePasskey("../p", "laptop"), "PATCH", "/auth/passkeys/..%2Fp", { name: "laptop" }],
  [(c) => c.auth.session(), "GET", "/auth/session"],
  [(c) => c.auth.sessions(), "GET", "/auth/sessions"],
  [(c) => c.auth.requestPasswordReset("a@b.io"), "POST", "/auth/password-reset", { email: "a@b.io" }],
  [(c) => c.operator.system(), "GET", "/operator/system"],
  [(c) => c.operator.runDoctor(), "POST", "/operator/system/doctor"],
  [(c) => c.operator.account("a1"), "GET", "/operator/accounts/a1"],
  [(c) => c.operator.setPlan("a1", "growth"), "PATCH", "/operator/accounts/a1", { plan: "growth" }],
  [
    (c) => c.operator.grant("a1", { amount: 5, note: "hello" }),
    "POST",
    "/operator/accounts/a1/grants",
    { amount: 5, note: "hello" },
  ],
];

/** Methods with an empty response. */
const EMPTY_METHODS: typeof METHODS = [
  [(c) => c.keys.revoke("../k"), "DELETE", "/keys/..%2Fk"],
  [(c) => c.auth.signOut(), "POST", "/auth/sign-out"],
  [(c) => c.auth.endSession("s1"), "DELETE", "/auth/sessions/s1"],
  [
    (c) => c.auth.changePassword({ currentPassword: "old", newPassword: "new" }),
    "POST",
    "/auth/password",
    { current_password: "old", new_password: "new" },
  ],
  [
    (c) => c.auth.removePasskey("../p", { credential: ASSERTION }),
    "POST",
    "/auth/passkeys/..%2Fp/remove",
    { credential: ASSERTION },
  ],
  [
    (c) => c.auth.disableTwoFactor({ password: "p", code: "123456" }),
    "POST",
    "/auth/two-factor/disable",
    { password: "p", code: "123456" },
  ],
  [
    (c) => c.auth.changePassword({ currentPassword: "old", newPassword: "new", revokeKeys: true }),
    "POST",
    "/auth/password",
    { current_password: "old", new_password: "new", revoke_keys: true },
  ],
  [
    (c) => c.auth.choosePassword({ token: "t", newPassword: "new" }),
    "POST",
    "/auth/password-reset/confirm",
    { token: "t", new_password: "new" },
  ],
];

test("every method sends its request", async () => {
  await using service = await openScriptedService(json({ some: "document" }));
  await using silent = await openScriptedService(noContent);
  for (const [{ url, requests }, methods, answer] of [
    [service, METHODS, { some: "document" }],
    [silent, EMPTY_METHODS, undefined],
  ] as const) {
    const client = createClient({ baseUrl: url, apiKey: KEY });
    for (const [call, method, path, body] of methods) {
      expect(await call(client), path).toEqual(answer);
      expect(requests.at(-1)).toMatchObject({ method, url: `/api/v1${path}` });
      expect(requests.at(-1)!.body, path).toBe(body ? JSON.stringify(body) : "");
    }
  }
});

test("an ID that would lead to another endpoint is refused before the request", async () => {
  await using service = await openScriptedService(json({}));
  const client = createClient({ baseUrl: service.url, apiKey: KEY });
  for (const id of ["", ".", ".."]) {
    const calls: [() => Promise<unknown>, path: string][] = [
      [() => client.jobs.get(id), `/bulk/jobs/${id}`],
      [() => client.jobs.delete(id), `/bulk/jobs/${id}`],
      [() => client.jobs.cancel(id), `/bulk/jobs/${id}/cancel`],
      [() => client.jobs.download(id), `/bulk/jobs/${id}/download`],
      [() => client.jobs.wait(id), `/bulk/jobs/${id}/events`],
      [() => client.webhooks.replay("w1", id), `/webhooks/w1/deliveries/${id}/replay`],
      [() => client.inspectDomain(id), `/domains/${id}`],
    ];
    for (const [call, path] of calls)
      expect(await failureOf(call())).toEqual(new RangeError(`Invalid ID: ${path}`));
  }
  expect(service.requests).toEqual([]);
});

test("pages contain the total count", async () => {
  const total = { "x-total-count": "230" };
  await using service = await openScriptedService(
    json({ balance: 5, reserved: 0, ledger: [{ id: "1" }] }, total),
    json([{ id: "a" }], total),
  );
  const client = createClient({ baseUrl: service.url, apiKey: KEY });
  expect(await client.credits({ skip: 20, limit: 1 })).toEqual({
    balance: 5,
    reserved: 0,
    ledger: [{ id: "1" }],
    total: 230,
  });
  expect(await client.operator.accounts({ search: "a b" })).toEqual({ items: [{ id: "a" }], total: 230 });
  expect(service.requests.map(({ url }) => url)).toEqual([
    "/api/v1/credits?skip=20&limit=1",
    "/api/v1/operator/accounts?search=a+b",
  ]);
});

test("a problem document becomes an error with all its fields", async () => {
  const errors = [{ pointer: "/emails/3", message: "must be text" }];
  await using service = await openScriptedService(
    problem(402, "insufficient_credits", { required: 10, available: 3, errors }),
  );
  const error = await failureOf(createClient({ baseUrl: service.url, apiKey: KEY }).validateBulk(["a@b.io"]));
  expect(error).toBeInstanceOf(MailvetProblem);
  expect(error).toMatchObject({
    code: "insufficient_credits",
    status: 402,
    detail: "Says why.",
    requestId: "r-1",
    required: 10,
    available: 3,
    errors,
    retryAfterSeconds: undefined,
    message: "Says why. (insufficient_credits)",
  });
  expect(service.requests).toHaveLength(1); // a retry would not help
});

test("a busy service is retried after Retry-After, with the same idempotency key", async () => {
  await using service = await openScriptedService(
    problem(429, "rate_limited", {}, { "retry-after": "1" }),
    problem(503, "overloaded"),
    json({ status: "valid" }),
  );
  await createClient({ baseUrl: service.url, apiKey: KEY }).validate("ann@shop.io");
  const [first, second, third] = service.requests;
  expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(1000);
  expect(third!.atMs - second!.atMs).toBeGreaterThanOrEqual(100);
  const keys = service.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(keys).size).toBe(1);
});

test("every call has its own idempotency key, unless the caller sets one", async () => {
  await using service = await openScriptedService(json({}));
  const client = createClient({ baseUrl: service.url, apiKey: KEY });
  await client.validate("a@b.io");
  await client.validate("a@b.io");
  await client.validate("a@b.io", { idempotencyKey: "mine" });
  const [one, two, mine] = service.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(one).not.toBe(two);
  expect(mine).toBe("mine");
});

test.for<[string, Handler]>([
  ["closes before the response", disconnects],
  ["closes in the middle of the response", disconnectsHalfway],
  ["ends at a proxy without its service", page(502)],
])("a request whose connection %s is retried", async ([, failure]) => {
  await using service = await openScriptedService(failure, json({ status: "valid" }));
  const client = createClient({ baseUrl: service.url, apiKey: KEY });
  expect(await client.validate("ann@shop.io")).toEqual({ status: "valid" });
  expect(service.requests).toHaveLength(2);
});

test("the client waits for an earlier attempt that is still in progress", async () => {
  const inFlight = problem(409, "idempotency_in_flight");
  await using service = await openScriptedService(disconnects, inFlight, inFlight, json({ status: "valid" }));
  const client = createClient({ baseUrl: service.url, apiKey: KEY, retries: 1 });
  expect(await client.validate("ann@shop.io")).toEqual({ status: "valid" });
});

test("retries are limited", async () => {
  await using service = await openScriptedService(problem(503, "overloaded"));
  const error = await failureOf(createClient({ baseUrl: service.url, apiKey: KEY, retries: 2 }).account());
  expect(error).toMatchObject({ name: "MailvetProblem", code: "overloaded" });
  expect(service.requests).toHaveLength(3);
});

test("a long Retry-After is reported instead of waiting", async () => {
  await using service = await openScriptedService(
    problem(429, "rate_limited", {}, { "retry-after": "3600" }),
  );
  const error = await failureOf(createClient({ baseUrl: service.url, apiKey: KEY }).account());
  expect(error).toMatchObject({ code: "rate_limited", retryAfterSeconds: 3600 });
  expect(service.requests).toHaveLength(1);
});

test("requests without an idempotency key are not retried", async () => {
  await using service = await openScriptedService(disconnects);
  const { auth, keys } = createClient({ baseUrl: service.url });
  const signIn = auth.signIn({ email: "a@b.io", password: "p" });
  expect(await failureOf(signIn)).toMatchObject({ reason: "no_connection" });
  expect(await failureOf(keys.revoke("k"))).toMatchObject({ reason: "no_connection" });
  expect(service.requests).toHaveLength(2);
});

test.for<[string, Handler, object]>([
  [
    "half a response",
    disconnectsHalfway,
    { reason: "no_connection", message: "No connection: other side closed" },
  ],
  ["a proxy's page", page(502), { reason: "invalid_response", status: 502 }],
  ["a foreign page", page(200), { reason: "invalid_response", status: 200 }],
  ["a foreign error", json({ error: "no" }, {}, 404), { reason: "invalid_response", status: 404 }],
])("%s is not a problem document", async ([, handler, expected]) => {
  await using service = await openScriptedService(handler);
  const error = await failureOf(createClient({ baseUrl: service.url, apiKey: KEY, retries: 0 }).account());
  expect(error).toBeInstanceOf(MailvetUnreachable);
  expect(error).toMatchObject(expected);
});

test("a missing response times out", async () => {
  await using service = await openScriptedService(neverResponds);
  const client = createClient({ baseUrl: service.url, apiKey: KEY, retries: 0, timeoutMs: 200 });
  const error = await failureOf(client.account());
  expect(error).toMatchObject({ reason: "timeout", message: "No response within 0.2 s" });
});

test("a refused connection is reported", async () => {
  const baseUrl = "http://127.0.0.1:2"; // reserved and unused; fetch itself refuses 1
  const error = await failureOf(createClient({ baseUrl, apiKey: KEY, retries: 0 }).account());
  expect(error).toMatchObject({ reason: "no_connection", message: expect.stringContaining("ECONNREFUSED") });
});

test("the key is not sent to the target of a redirect", async () => {
  await using elsewhere = await openScriptedService(json({}));
  await using service = await openScriptedService(page(307, { location: `${elsewhere.url}/api/v1/account` }));
  const error = await failureOf(createClient({ baseUrl: service.url, apiKey: KEY }).account());
  expect(error).toMatchObject({ reason: "redirected", message: expect.stringContaining(elsewhere.url) });
  expect(elsewhere.requests).toEqual([]);
});

test("an endless response is aborted", async () => {
  await using service = await openScriptedService((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const chunk = Buffer.alloc(1024 * 1024, " ");
    const pour = () => {
      while (response.write(chunk));
    };
    response.on("drain", pour);
    pour();
  });
  const error = await failureOf(createClient({ baseUrl: service.url, apiKey: KEY }).account());
  expect(error).toMatchObject({ reason: "invalid_response", message: expect.stringContaining("too large") });
});

test("a signal aborts a call that waits for a response or a retry", async () => {
  const reason = new Error("aborted by the user");
  for (const handler of [neverResponds, problem(503, "overloaded", {}, { "retry-after": "30" })]) {
    await using service = await openScriptedService(handler);
    const controller = new AbortController();
    const call = createClient({ baseUrl: service.url, apiKey: KEY }).account({ signal: controller.signal });
    const failure = failureOf(call);
    await expect.poll(() => service.requests.length).toBe(1);
    setTimeout(() => controller.abort(reason), 50);
    expect(await failure).toBe(reason);
    expect(service.requests).toHaveLength(1);
  }
});

test("errors never contain the key", async () => {
  const handlers = [disconnects, disconnectsHalfway, page(502), problem(401, "invalid_api_key")] as const;
  for (const handler of handlers) {
    await using service = await openScriptedService(handler);
    const client = createClient({ baseUrl: service.url, apiKey: KEY, retries: 0 });
    const error = (await failureOf(client.account())) as Error;
    expect(`${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toContain(KEY);
    expect(service.requests[0]!.url).not.toContain(KEY);
  }
  for (const bad of [`${KEY}\n${KEY}`, `${KEY}é`, ""]) {
    expect(() => createClient({ baseUrl: "http://shop.io", apiKey: bad })).toThrow(
      /^apiKey must be printable/,
    );
  }
});

test("without a key, same-origin cookies are sent; with a key, none", async () => {
  const inits: RequestInit[] = [];
  const fetch = async (_url: string, init: RequestInit) => {
    inits.push(init);
    return Response.json({});
  };
  await createClient({ baseUrl: "/", fetch }).account();
  await createClient({ baseUrl: "/", fetch, apiKey: KEY }).account();
  expect(inits.map(({ credentials }) => credentials)).toEqual(["same-origin", "omit"]);
  expect(inits[0]!.headers).not.toHaveProperty("x-api-key");
});
