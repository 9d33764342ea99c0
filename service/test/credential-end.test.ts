/** Event streams and long polls end with the key or session that opened them. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Lists, listsOf } from "./jobs-http-world.ts";
import { PATIENCE } from "./patience.ts";
import { type Asked, openService, type TestAccount, type TestService } from "./service.ts";

let service: TestService;
let ann: TestAccount;
let lists: Lists;
let path: string;
beforeAll(async () => {
  service = await openService();
  ann = await service.openAccount({ credits: 10 });
  lists = listsOf(service, ann);
  // Paused, it never changes: only the credential can end what follows it.
  const { id } = await lists.confirm(await lists.upload("email\nslow-3s@mailvet.test\n"));
  path = `/bulk/jobs/${id}`;
  await vi.waitFor(async () => {
    const { body } = await service.ask(`${path}/pause`, { key: ann.key, method: "POST" });
    expect(body.status).toBe("paused");
  }, PATIENCE);
});
beforeEach(() => setPlan("payg"));
afterAll(() => service[Symbol.asyncDispose]());

async function setPlan(plan: string): Promise<void> {
  const cookie = await service.operatorCookie();
  await service.ask(`/operator/accounts/${ann.accountId}`, { cookie, method: "PATCH", body: { plan } });
}

const revokeKey = async (): Promise<[Asked, () => Promise<unknown>]> => {
  const { id, key } = await ann.makeKey();
  return [{ key }, () => service.ask(`/keys/${id}`, { method: "DELETE", cookie: ann.cookie })];
};
const signOut = async (): Promise<[Asked, () => Promise<unknown>]> => {
  const { email, password } = ann;
  const { headers } = await service.ask("/auth/sign-in", { body: { email, password } });
  const cookie = headers.get("set-cookie")!.split(";", 1)[0]!;
  return [{ cookie }, () => service.ask("/auth/sign-out", { method: "POST", cookie })];
};
const changePlan = async (): Promise<[Asked, () => Promise<unknown>]> => {
  const { key } = await ann.makeKey();
  return [{ key }, () => setPlan("free")];
};

const ENDS = [
  ["the key is revoked", revokeKey, "invalid_api_key"],
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
  const waiting = Array.from({ length: 3 }, () => service.ask(`${path}?wait=30`, caller));
  await stream.next();
  await end();
  await stream.rest();
  for (const answer of await Promise.all(waiting)) expect(answer.body.code).toBe(code);
});

test("what another key follows goes on", async () => {
  const { key } = await ann.makeKey({ mode: "live" });
  const stream = await openStream({ key });
  await stream.next();
  const [, revoke] = await revokeKey();
  await revoke();
  await service.ask(`${path}/resume`, { method: "POST", key });
  expect(await stream.rest()).toContain("event: end");
});

async function openStream({ key, cookie }: Asked) {
  const headers = { ...(key ? { "x-api-key": key } : {}), ...(cookie ? { cookie } : {}) };
  const { body, status } = await fetch(`${service.url}/api/v1${path}/events`, { headers });
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
