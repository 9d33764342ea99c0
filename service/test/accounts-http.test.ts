import type { Account, Session, SignedIn } from "@mailvet/contract";
import { expect, test } from "vitest";
import { bootstrap } from "../src/accounts/bootstrap.ts";
import { createPresentAccount } from "../src/accounts/present-account.ts";
import { createLog } from "../src/base/log.ts";
import { createPubSub } from "../src/db/pubsub.ts";
import { buildApp } from "../src/http/app.ts";
import { createMetrics } from "../src/http/metrics.ts";
import { createCredentialWatch } from "../src/http/middleware/credential-watch.ts";
import { createSessionCookie } from "../src/http/middleware/session-cookie.ts";
import { accountRoutes } from "../src/http/routes/account-routes.ts";
import { authRoutes } from "../src/http/routes/auth-routes.ts";
import { operatorRoutes } from "../src/http/routes/operator-routes.ts";
import { createIdempotentResponses } from "../src/idempotency/idempotent-responses.ts";
import { createApiKeys } from "../src/keys/api-keys.ts";
import { createOperatorKeys } from "../src/keys/operator-keys.ts";
import { createAccountLimits } from "../src/request-limits/account-limits.ts";
import { worldsOnOneDatabase } from "./accounts-world.ts";
import { chargingOn } from "./credits-books.ts";
import { PATIENT_HTTP } from "./patience.ts";

const openAccountsWorld = worldsOnOneDatabase();

const PASSWORD = "a long enough password";
const OPERATOR = { email: "root@example.com", password: "the operator's password" };
const API_KEY = "the-operators-own-api-key";

/** The HTTP server with the account routes, on its own port. */
async function openService(publicUrl?: string) {
  const world = openAccountsWorld({ settings: { signUpPlan: "payg" } });
  const { database, ledger, accounts, sessions } = world;
  const notices = createPubSub(database.connection, { log: () => {} });
  const credentialWatch = createCredentialWatch({ notices });
  const keyring = createApiKeys({ database, notices });
  await bootstrap({ database, ledger, keyring }, { ...OPERATOR, credits: 500, apiKey: API_KEY });
  const cookie = createSessionCookie(publicUrl);
  const presentAccount = createPresentAccount({ maxEmailsPerFile: 50_000, maxUploadBytes: 1_000_000 });
  const app = buildApp({
    accountLimits: createAccountLimits(),
    settings: { ...PATIENT_HTTP, publicUrl },
    pool: database.pool,
    log: createLog({ level: "silent", addresses: "masked" }),
    metrics: createMetrics(),
    version: "0",
    apiKeys: keyring,
    operatorKeys: createOperatorKeys({ database }),
    sessions,
    credentialWatch,
    cookie,
    ...chargingOn(database, ledger),
    idempotentResponses: createIdempotentResponses(database),
    routes: [
      authRoutes({ accounts, sessions, cookie, publicUrl, presentAccount }),
      accountRoutes({
        accounts,
        presentAccount,
        notifications: {
          settingsOf: async () => ({ job_emails: true, low_credits_threshold: null }),
          changeSettings: async () => ({ job_emails: true, low_credits_threshold: null }),
        },
      }),
      operatorRoutes({ accounts, ledger, apiKeys: keyring, presentAccount, signUpCredits: 100 }),
    ],
  });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    world,
    browser: () => openBrowser(address),
    async [Symbol.asyncDispose]() {
      await app.close();
      await keyring.close();
      await notices.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

type Answer<T> = {
  status: number;
  body: T & { code?: string };
  setCookie: string | undefined;
  setDevice: string | undefined;
  headers: Headers;
};

/** Stores and sends cookies like a browser. */
function openBrowser(address: string) {
  const cookies = new Map<string, string>();
  return {
    /** The session cookie. */
    get cookie() {
      return [...cookies.values()].find((cookie) => !cookie.includes("-device="));
    },
    async ask<T = object>(
      method: string,
      path: string,
      body?: object,
      headers: Record<string, string> = {},
    ): Promise<Answer<T>> {
      const answer = await fetch(`${address}/api/v1${path}`, {
        method,
        headers: {
          ...(cookies.size > 0 && { cookie: [...cookies.values()].join("; ") }),
          ...(body && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const [setCookie, setDevice] = answer.headers.getSetCookie();
      for (const set of answer.headers.getSetCookie()) {
        const pair = set.split(";", 1)[0]!;
        const name = pair.split("=", 1)[0]!;
        if (/Max-Age=0/.test(set)) cookies.delete(name);
        else cookies.set(name, pair);
      }
      const text = await answer.text();
      return {
        status: answer.status,
        body: text ? JSON.parse(text) : {},
        setCookie,
        setDevice,
        headers: answer.headers,
      };
    },
  };
}

test("a browser that has signed in before is not locked out by others of its network", async () => {
  await using service = await openService();
  const browser = service.browser();
  const ann = { email: "ann@example.com", password: PASSWORD };
  await browser.ask("POST", "/auth/sign-up", ann);
  await browser.ask("POST", "/auth/sign-out");

  const others = service.browser();
  for (let count = 0; count < 5; count++)
    await others.ask("POST", "/auth/sign-in", { ...ann, password: "a wrong guess" });
  expect(await others.ask("POST", "/auth/sign-in", ann)).toMatchObject({ status: 429 });
  expect(await browser.ask("POST", "/auth/sign-in", ann)).toMatchObject({ status: 200 });
});

test("sign-up, reading the account, sign-out and sign-in", async () => {
  await using service = await openService();
  const browser = service.browser();

  const signedUp = await browser.ask<SignedIn>("POST", "/auth/sign-up", {
    email: "Ann@Example.com",
    password: PASSWORD,
  });
  expect(signedUp.status).toBe(201);
  expect(signedUp.body.account).toMatchObject({
    email: "ann@example.com",
    plan: "payg",
    is_operator: false,
    credits: { balance: 100, reserved: 0 },
    limits: { api_access: true, requests_per_minute: 600 },
  });
  expect(signedUp.setCookie).toMatch(/^mailvet=[\w-]{43}; Expires=.* GMT; Path=\/; HttpOnly; SameSite=Lax$/);
  expect(signedUp.setDevice).toMatch(
    /^mailvet-device=[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/,
  );

  expect((await browser.ask("GET", "/auth/session")).body).toEqual(signedUp.body);
  expect((await browser.ask("GET", "/account")).body).toEqual(signedUp.body.account);

  const firstCookie = browser.cookie!;
  expect((await browser.ask("POST", "/auth/sign-out")).status).toBe(204);
  expect(browser.cookie).toBeUndefined();
  expect((await browser.ask("POST", "/auth/sign-out")).status).toBe(204);
  const again = await browser.ask("GET", "/auth/session", undefined, { cookie: firstCookie });
  expect([again.status, again.body.code]).toEqual([401, "not_signed_in"]);

  const credentials = { email: "ann@example.com", password: PASSWORD };
  expect((await browser.ask("POST", "/auth/sign-in", credentials)).status).toBe(200);
  const before = browser.cookie!;
  await browser.ask("POST", "/auth/sign-in", credentials); // replaces the open session
  expect(browser.cookie).not.toBe(before);
  expect((await browser.ask<Session[]>("GET", "/auth/sessions")).body).toHaveLength(1);
});

test("over https the cookie is bound to the host and secure", async () => {
  await using service = await openService("https://mailvet.example");
  const { setCookie } = await service.browser().ask("POST", "/auth/sign-in", OPERATOR);
  expect(setCookie).toMatch(
    /^__Host-mailvet=[\w-]{43}; Expires=.* GMT; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
});

test("other sites can neither sign a user in or out nor change anything", async () => {
  await using service = await openService();
  const browser = service.browser();
  await browser.ask("POST", "/auth/sign-in", OPERATOR);
  const elsewhere = { origin: "https://evil.example" };
  const attempts = [
    ["POST", "/auth/sign-in", OPERATOR],
    ["POST", "/auth/sign-up", { email: "ann@example.com", password: PASSWORD }],
    ["POST", "/auth/sign-out", undefined],
    ["POST", "/auth/password-reset", { email: OPERATOR.email }],
    ["POST", "/auth/password", { current_password: OPERATOR.password, new_password: PASSWORD }],
    ["DELETE", "/auth/sessions/00000000-0000-4000-8000-000000000000", undefined],
  ] as const;

  for (const [method, path, body] of attempts) {
    const { status, body: problem, setCookie } = await browser.ask(method, path, body, elsewhere);
    expect([path, status, problem.code]).toEqual([path, 403, "origin_rejected"]);
    expect(setCookie).toBeUndefined();
  }
  expect((await browser.ask("GET", "/auth/session")).status).toBe(200);
  // What a cross-origin form can send without a preflight.
  const form = await browser.ask("POST", "/auth/sign-in", OPERATOR, { "content-type": "text/plain" });
  expect([form.status, form.body.code]).toEqual([415, "unsupported_media_type"]);
});

test("users list and end their own sessions, but not those of others", async () => {
  await using service = await openService();
  const [here, there, outsider] = [service.browser(), service.browser(), service.browser()];
  await here.ask("POST", "/auth/sign-in", OPERATOR, { "user-agent": "At home" });
  await there.ask("POST", "/auth/sign-in", OPERATOR, { "user-agent": "At work" });
  await outsider.ask("POST", "/auth/sign-up", { email: "ann@example.com", password: PASSWORD });

  const { body: sessions } = await here.ask<Session[]>("GET", "/auth/sessions");
  expect(sessions.map((one) => [one.user_agent, one.is_current, one.ip])).toEqual([
    ["At work", false, "127.0.0.1"],
    ["At home", true, "127.0.0.1"],
  ]);
  const [atWork, atHome] = sessions.map(({ id }) => `/auth/sessions/${id}`) as [string, string];

  const theirs = await outsider.ask("DELETE", atWork);
  expect([theirs.status, theirs.body.code]).toEqual([404, "session_not_found"]);
  expect((await here.ask("DELETE", atWork)).status).toBe(204);
  expect((await there.ask("GET", "/auth/session")).status).toBe(401);
  expect((await here.ask("DELETE", atHome)).status).toBe(204);
  expect(here.cookie).toBeUndefined();
});

test("changing the password keeps only the current session", async () => {
  await using service = await openService();
  const [here, there] = [service.browser(), service.browser()];
  for (const browser of [here, there]) await browser.ask("POST", "/auth/sign-in", OPERATOR);
  const before = here.cookie!;

  const wrong = { current_password: "not the password", new_password: PASSWORD };
  expect(await here.ask("POST", "/auth/password", wrong)).toMatchObject({
    status: 401,
    body: { code: "wrong_credentials" },
  });
  const right = { current_password: OPERATOR.password, new_password: PASSWORD };
  expect((await here.ask("POST", "/auth/password", right)).status).toBe(204);

  expect(here.cookie).not.toBe(before);
  expect((await here.ask("GET", "/auth/session")).status).toBe(200);
  expect((await there.ask("GET", "/auth/session")).status).toBe(401);
});

test("password reset has the same response for every email, and its link works once", async () => {
  await using service = await openService();
  const browser = service.browser();
  for (const email of ["unknownAccount@example.com", OPERATOR.email]) {
    const { status, body } = await browser.ask("POST", "/auth/password-reset", { email });
    expect([status, body]).toEqual([202, { status: "mail_sent" }]);
  }
  await expect.poll(() => service.world.passedOn.length).toBeGreaterThan(0);
  const token = /token=([\w-]+)/.exec(service.world.passedOn[0]!.text)![1];

  const choice = { token, new_password: PASSWORD };
  expect((await browser.ask("POST", "/auth/password-reset/confirm", choice)).status).toBe(204);
  const again = await browser.ask("POST", "/auth/password-reset/confirm", choice);
  expect([again.status, again.body.code]).toEqual([410, "link_expired"]);
  const signIn = await browser.ask("POST", "/auth/sign-in", { email: OPERATOR.email, password: PASSWORD });
  expect(signIn.status).toBe(200);
});

test("too many wrong passwords get a Retry-After", async () => {
  await using service = await openService();
  const browser = service.browser();
  const wrong = { email: OPERATOR.email, password: "not the password" };
  for (let count = 0; count < 5; count++) {
    expect((await browser.ask("POST", "/auth/sign-in", wrong)).body.code).toBe("wrong_credentials");
  }
  const { status, body, headers } = await browser.ask("POST", "/auth/sign-in", OPERATOR);
  expect([status, body.code]).toEqual([429, "rate_limited"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(240);
});

test("the operator finds an account, sets its plan and grants credits", async () => {
  await using service = await openService();
  const [operator, ann] = [service.browser(), service.browser()];
  await operator.ask("POST", "/auth/sign-in", OPERATOR);
  const { body } = await ann.ask<SignedIn>("POST", "/auth/sign-up", {
    email: "ann@example.com",
    password: PASSWORD,
  });
  await service.browser().ask("POST", "/auth/sign-up", { email: "bob@example.com", password: PASSWORD });

  const page = await operator.ask<Account[]>("GET", "/operator/accounts?limit=1");
  expect(page.body).toMatchObject([{ email: "bob@example.com" }]);
  expect(page.headers.get("x-total-count")).toBe("3");
  expect(page.headers.get("link")).toContain('rel="next"');
  const found = await operator.ask<Account[]>("GET", "/operator/accounts?search=ANN@");
  expect(found.body).toMatchObject([body.account]);
  expect((await operator.ask<Account[]>("GET", "/operator/accounts?search=%00%25_")).body).toEqual([]);

  const path = `/operator/accounts/${body.account.id}`;
  const changed = await operator.ask<Account>("PATCH", path, { plan: "growth" });
  expect(changed.body).toMatchObject({ plan: "growth", limits: { requests_per_minute: 6_000 } });
  expect(service.world.forgotten).toEqual([body.account.id]);

  const granted = await operator.ask("POST", `${path}/grants`, { amount: 50, note: " As compensation " });
  expect(granted).toMatchObject({
    status: 201,
    body: { kind: "grant", balance_after: 150, reference: "As compensation" },
  });
  const tooMuch = await operator.ask("POST", `${path}/grants`, { amount: -151 });
  expect(tooMuch).toMatchObject({ status: 402, body: { code: "insufficient_credits", available: 150 } });
  for (const nonsense of [{ amount: 0 }, { amount: 1, note: "\0" }]) {
    expect((await operator.ask("POST", `${path}/grants`, nonsense)).body.code).toBe("validation_failed");
  }
  expect((await operator.ask<Account>("GET", path)).body).toMatchObject({
    plan: "growth",
    credits: { balance: 150 },
  });
});

test("operator routes require the operator to be signed in", async () => {
  await using service = await openService();
  const [operator, ann] = [service.browser(), service.browser()];
  await operator.ask("POST", "/auth/sign-in", OPERATOR);
  const { body } = await ann.ask<SignedIn>("POST", "/auth/sign-up", {
    email: "ann@example.com",
    password: PASSWORD,
  });
  const path = `/operator/accounts/${body.account.id}`;

  const withKey = service.browser();
  const key = { "x-api-key": API_KEY };
  expect((await withKey.ask("GET", "/account", undefined, key)).body).toMatchObject({
    email: OPERATOR.email,
  });
  const routes = [
    ["GET", "/operator/accounts", undefined],
    ["GET", path, undefined],
    ["PATCH", path, { plan: "enterprise" }],
    ["POST", `${path}/grants`, { amount: 1_000 }],
  ] as const;
  for (const [method, route, sent] of routes) {
    expect((await ann.ask(method, route, sent)).body.code).toBe("operator_only");
    expect((await withKey.ask(method, route, sent, key)).body.code).toBe("session_required");
  }
  const unknownAccount = "/operator/accounts/00000000-0000-4000-8000-000000000000";
  for (const [method, route, sent] of [
    ["GET", unknownAccount],
    ["PATCH", unknownAccount, { plan: "free" }],
    ["POST", `${unknownAccount}/grants`, { amount: 1 }],
  ] as const) {
    expect((await operator.ask(method, route, sent)).body.code).toBe("account_not_found");
  }
  expect((await ann.ask("GET", "/account")).body).toMatchObject({ plan: "payg", credits: { balance: 100 } });
});
