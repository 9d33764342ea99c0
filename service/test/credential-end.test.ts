/** Event streams and long polls end with the key or session that opened them. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { beginPaused, listsOf, setDue } from "./jobs-http-world.ts";
import { PATIENCE } from "./patience.ts";
import { type Asked, cookieOf, openService, type TestAccount, type TestService } from "./service.ts";

let service: TestService;
let ann: TestAccount;
let path: string;
beforeAll(async () => {
  service = await openService();
  ann = await service.openAccount();
  path = await pausedJobOf(ann);
});
beforeEach(() => setPlan("payg"));
afterAll(() => service[Symbol.asyncDispose]());

/** Its path. Paused, it does not end: only the credential can end what follows it. */
async function pausedJobOf(account: TestAccount): Promise<string> {
  const { id } = await beginPaused(
    listsOf(service, account),
    service.database.pool,
    "email\nslow-3s@mailvet.test\n",
  );
  return `/bulk/jobs/${id}`;
}

async function setPlan(plan: string): Promise<void> {
  const cookie = await service.operatorCookie();
  await service.ask(`/operator/accounts/${ann.accountId}`, { cookie, method: "PATCH", body: { plan } });
}

const revokeKey = async (): Promise<[Asked, () => Promise<unknown>]> => {
  const { id, key } = await ann.makeKey();
  return [{ key }, () => service.ask(`/keys/${id}`, { method: "DELETE", cookie: ann.cookie })];
};
const revokeBearer = async (): Promise<[Asked, () => Promise<unknown>]> => {
  const [{ key }, revoke] = await revokeKey();
  return [{ bearer: key }, revoke];
};
const signOut = async (): Promise<[Asked, () => Promise<unknown>]> => {
  const { email, password } = ann;
  const { headers } = await service.ask("/auth/sign-in", { body: { email, password } });
  const cookie = headers.getSetCookie()[0]!.split(";", 1)[0]!;
  return [{ cookie }, () => service.ask("/auth/sign-out", { method: "POST", cookie })];
};
const changePlan = async (): Promise<[Asked, () => Promise<unknown>]> => {
  const { key } = await ann.makeKey();
  return [{ key }, () => setPlan("free")];
};

const ENDS = [
  ["the key is revoked", revokeKey, "invalid_api_key"],
  ["the key that came as a bearer token is revoked", revokeBearer, "invalid_api_key"],
  ["the session is signed out", signOut, "not_signed_in"],
  ["the plan no longer includes API access", changePlan, "api_access_not_included"],
] as const;

test.for(ENDS)("an event stream ends when %s", async ([, make]) => {
  const [caller, end] = await make();
  const reader = await openStream(caller);
  expect(await reader.next()).toContain("event: progress");
  await end();
  expect(await reader.rest()).not.toContain("event: end");
});

test.for(ENDS)("a long poll is refused when %s", async ([, make, code]) => {
  const [caller, end] = await make();
  const stream = await openStream(caller);
  const waiting = Array.from({ length: 3 }, () => service.ask(`${path}?wait=30&for=end`, caller));
  await stream.next();
  await end();
  await stream.rest();
  for (const answer of await Promise.all(waiting)) expect(answer.body.code).toBe(code);
});

test("an event stream under the old token of a session ends when the password is changed", async () => {
  const bob = await service.openAccount();
  const { cookie, password } = bob; // its only session
  const job = await pausedJobOf(bob);
  const reader = await openStream({ cookie }, job);
  expect(await reader.next()).toContain("event: progress");
  const body = { current_password: password, new_password: "another password of bob" };
  const changed = await service.ask("/auth/password", { cookie, body });
  expect(await reader.rest()).not.toContain("event: end");
  expect(await (await openStream({ cookie: cookieOf(changed) }, job)).next()).toContain("event: progress");
});

test("what another key follows goes on", async () => {
  const { key } = await ann.makeKey({ mode: "live" });
  const stream = await openStream({ key });
  await stream.next();
  const [, revoke] = await revokeKey();
  await revoke();
  await setDue(service.database.pool, path.split("/").at(-1)!, "0");
  await service.ask(`${path}/resume`, { method: "POST", key });
  expect(await stream.rest()).toContain("event: end");
});

async function openStream({ key, bearer, cookie }: Asked, job = path) {
  const headers = {
    ...(key ? { "x-api-key": key } : {}),
    ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
    ...(cookie ? { cookie } : {}),
  };
  const { body, status } = await fetch(`${service.url}/api/v1${job}/events`, { headers });
  expect(status).toBe(200);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  return {
    next: async () => (await reader.read()).value ?? "",
    async rest() {
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += value;
      }
    },
  };
}

test.for(["change", "reset"])("a password %s revokes API keys only on request", async (how) => {
  const bob = await service.openAccount();
  let current = bob.password;
  const setPassword = async (next: string, more: object) => {
    if (how === "change") {
      const signedIn = await service.ask("/auth/sign-in", { body: { email: bob.email, password: current } });
      const body = { current_password: current, new_password: next, ...more };
      expect(await service.ask("/auth/password", { cookie: cookieOf(signedIn), body })).toMatchObject({
        status: 204,
      });
    } else {
      const said = service.said.length;
      await service.ask("/auth/password-reset", { body: { email: bob.email } });
      await vi.waitFor(() => expect(service.said.length).toBeGreaterThan(said), PATIENCE);
      const token = /token=([\w-]+)/.exec(service.said.at(-1)!)![1];
      const body = { token, new_password: next, ...more };
      expect(await service.ask("/auth/password-reset/confirm", { body })).toMatchObject({ status: 204 });
    }
    current = next;
  };
  const other = await bob.makeKey();
  await setPassword("another fine password", {});
  expect(await service.ask("/account", { key: bob.key })).toMatchObject({ status: 200 });
  expect(await service.ask("/auth/session", { cookie: bob.cookie })).toMatchObject({ status: 401 });

  await setPassword("a third fine password", { revoke_keys: true });
  for (const key of [bob.key, other.key]) {
    expect(await service.ask("/account", { key })).toMatchObject({
      status: 401,
      body: { code: "invalid_api_key" },
    });
  }
  expect(await service.ask("/account", { key: ann.key })).toMatchObject({ status: 200 });
});
