/** Operator keys over HTTP: what each scope allows, from where, how long, and that no other key is accepted. */
import { readFileSync } from "node:fs";
import { OPERATOR_SCOPE_NAMES, type OperatorScope } from "@mailvet/contract";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  expectEveryEndpoint,
  isForOperator,
  makeOperatorKey,
  operatorScopeOf,
  requestTo,
  takesKeys,
} from "./endpoint-requests.ts";
import { ENDPOINTS, type Endpoint } from "./endpoints.ts";
import { type Effect, effectsOf, OWNERS, type Owner, openTarget, type Target } from "./operator-effects.ts";
import {
  type Answer,
  type Asked,
  OPERATOR,
  OPERATOR_KEY,
  openService,
  type TestAccount,
  type TestService,
} from "./service.ts";

let service: TestService;
let ann: TestAccount;
/** What operators act on. */
let subject: TestAccount;
let keyOf: Record<OperatorScope, string>;
beforeAll(async () => {
  service = await openService();
  ann = await service.openAccount();
  subject = await service.openAccount();
  const made = OPERATOR_SCOPE_NAMES.map(async (scope) => [
    scope,
    (await makeOperatorKey(service, { scopes: [scope] })).key,
  ]);
  keyOf = Object.fromEntries(await Promise.all(made));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const OF_OPERATOR = ENDPOINTS.filter(isForOperator);

function ask(endpoint: Endpoint, who: Asked): Promise<Answer> {
  const { path, asked } = requestTo(endpoint, { account_id: subject.accountId });
  return service.ask(path, { ...asked, ...who });
}

test("every scope is that of an endpoint, and every operator endpoint has one or requires a session", () => {
  const used = new Set(OF_OPERATOR.map(operatorScopeOf).filter((scope) => scope !== undefined));
  expect([...used].sort()).toEqual([...OPERATOR_SCOPE_NAMES].sort());
  const forSessions = OF_OPERATOR.filter((endpoint) => operatorScopeOf(endpoint) === undefined);
  expect(forSessions.map(({ name }) => name)).toEqual([
    "GET /operator/keys",
    "POST /operator/keys",
    "DELETE /operator/keys/{key_id}",
  ]);
});

describe.each(OF_OPERATOR.map((endpoint) => [endpoint.name, endpoint] as const))("%s", (_, endpoint) => {
  const needed = operatorScopeOf(endpoint);

  test.each(OPERATOR_SCOPE_NAMES)("with the scope %s", async (scope) => {
    const { status, body } = await ask(endpoint, { key: keyOf[scope] });
    if (needed === undefined) expect([status, body.code]).toEqual([403, "session_required"]);
    else if (scope !== needed) expect([status, body.code]).toEqual([403, "insufficient_scope"]);
    // The ids of keys and dead letters are made up, and not every action is possible on this account.
    else expect([200, 201, 204, 404, 409, 422]).toContain(status);
  });

  test("takes the key as a bearer token like one in X-API-Key", async () => {
    const bearer = keyOf[needed ?? OPERATOR_SCOPE_NAMES[0]!];
    const { status, body } = await ask(endpoint, { bearer });
    if (needed === undefined) expect([status, body.code]).toEqual([403, "session_required"]);
    else expect([200, 201, 204, 404, 409, 422]).toContain(status);
  });

  test("refuses live and test keys, also those of the operator", async () => {
    const { key: testKey } = await ann.makeKey({ mode: "test" });
    for (const key of [ann.key, testKey, OPERATOR_KEY]) {
      const { status, body } = await ask(endpoint, { key, cookie: await service.operatorCookie() });
      expect([status, body.code]).toEqual([403, "session_required"]);
    }
  });
});

const OF_ANY_JOB: readonly Effect[] = [
  "changes a customer",
  "changes an operator",
  "names a customer",
  "names an operator",
];
/** All that a key of one scope can do, by scope and endpoint. A new endpoint, or a new effect of one, fails until it is here. */
const ALLOWED: Readonly<Record<string, readonly Effect[]>> = {
  "accounts:read GET /operator/accounts": ["names a customer", "names an operator"],
  "accounts:read GET /operator/accounts/{account_id}": ["names a customer", "names an operator"],
  "accounts:read GET /operator/accounts/{account_id}/keys": [],
  "accounts:read GET /operator/accounts/{account_id}/credits": [],
  "accounts:write POST /operator/accounts": ["opens an account", "returns an invitation"],
  "accounts:write PATCH /operator/accounts/{account_id}": ["changes a customer", "names a customer"],
  "accounts:write POST /operator/accounts/{account_id}/invitation": [
    "changes a customer",
    "names a customer",
    "returns an invitation",
  ],
  "accounts:write POST /operator/accounts/{account_id}/suspend": ["changes a customer", "names a customer"],
  "accounts:write POST /operator/accounts/{account_id}/resume": ["changes a customer", "names a customer"],
  "accounts:write POST /operator/accounts/{account_id}/email": ["changes a customer"],
  "accounts:write POST /operator/accounts/{account_id}/end-sessions": ["changes a customer"],
  "accounts:export GET /operator/accounts/{account_id}/export": [
    "names a customer",
    "reads results of a customer",
  ],
  "accounts:erase POST /operator/accounts/{account_id}/erase": ["changes a customer", "names a customer"],
  "credits:write POST /operator/accounts/{account_id}/grants": ["changes a customer", "mints credits"],
  "jobs:read GET /operator/jobs": ["names a customer", "names an operator"],
  "jobs:read GET /operator/dead-letters": [],
  "jobs:write POST /operator/jobs/{job_id}/pause": OF_ANY_JOB,
  "jobs:write POST /operator/jobs/{job_id}/resume": OF_ANY_JOB,
  "jobs:write POST /operator/jobs/{job_id}/cancel": OF_ANY_JOB,
  "jobs:write POST /operator/dead-letters/{dead_letter_id}/redrive": [],
  "system:read GET /operator/system": [],
  "system:read POST /operator/system/doctor": [],
  "audit:read GET /operator/audit": ["names a customer", "names an operator"],
  "audit:read GET /operator/audit/export": ["names a customer", "names an operator"],
};

test("by its effects, a key of one scope does what the table says and nothing else", async () => {
  await using other = await openService();
  await expectEveryEndpoint(other);
  const keys = await Promise.all(
    OPERATOR_SCOPE_NAMES.map(
      async (scope) => [scope, (await makeOperatorKey(other, { scopes: [scope] })).key] as const,
    ),
  );
  const seen: Record<string, Effect[]> = {};
  const targets = new Map<Owner, Target>();
  for (const endpoint of OF_OPERATOR) {
    const needed = operatorScopeOf(endpoint);
    const withScope = keys.filter(([scope]) => scope === needed);
    const withOthers = keys.filter(([scope]) => scope !== needed);
    for (const tried of [withOthers, withScope]) {
      const effects = new Set<Effect>();
      for (const owner of OWNERS) {
        const target = targets.get(owner) ?? (await openTarget(other, owner));
        const found = await effectsOf(
          other,
          endpoint,
          tried.map(([, key]) => key),
          target,
        );
        if (found.has(`changes ${owner}`)) targets.delete(owner);
        else targets.set(owner, target);
        for (const effect of found) effects.add(effect);
      }
      const scopes = tried.map(([scope]) => scope).join(" ");
      if (tried === withScope ? needed : effects.size > 0)
        seen[`${scopes} ${endpoint.name}`] = [...effects].sort();
    }
  }
  expect(seen).toEqual(ALLOWED);
});

test("an account with more credits than others needs credits:write too", async () => {
  const { key } = await makeOperatorKey(service, { scopes: ["accounts:write", "credits:write"] });
  const open = (email: string, credits: number, by: string) =>
    service.ask("/operator/accounts", { key: by, body: { email, credits } });
  expect((await open("rich@team.example", 1, key)).body.account).toMatchObject({ credits: { balance: 1 } });
  const refused = await open("richer@team.example", 1, keyOf["accounts:write"]);
  expect([refused.status, refused.body.code]).toEqual([403, "insufficient_scope"]);
  expect(refused.body.detail).toContain("credits:write");
  expect((await open("poor@team.example", 0, keyOf["accounts:write"])).status).toBe(201);
});

test("an operator key is refused by every endpoint of an account", async () => {
  const { key } = await makeOperatorKey(service);
  const ofAccounts = ENDPOINTS.filter((one) => takesKeys(one) || one.access === "session");
  for (const [number, endpoint] of ofAccounts.entries()) {
    const from = `198.18.0.${number}`; // refusals are limited per address
    const { status, body } = await ask(endpoint, { key, from });
    expect([endpoint.name, status, body.code]).toEqual(
      takesKeys(endpoint)
        ? [endpoint.name, 401, "invalid_api_key"]
        : [endpoint.name, 403, "session_required"],
    );
  }
});

test("a script does the operator's work, and the audit log names its key", async () => {
  const { id, key } = await makeOperatorKey(service, { scopes: ["credits:write", "audit:read"] });
  const grant = {
    key,
    body: { amount: 3 },
    headers: { origin: "https://elsewhere.example" },
    from: "192.0.2.9",
  };
  expect((await service.ask(`/operator/accounts/${ann.accountId}/grants`, grant)).status).toBe(201);
  const path = `/operator/audit?account_id=${ann.accountId}&action=credits.granted&limit=1`;
  const { body } = await service.ask(path, { key });
  const actor = { kind: "operator_key", key_id: id, session_id: null, is_operator: true };
  expect(body).toMatchObject([
    { actor, actor_email: OPERATOR.email, network: "192.0.2.9", details: { amount: 3 } },
  ]);
});

test("the secret is shown once, stored as a hash, and listed by its prefix", async () => {
  const { key, prefix } = await makeOperatorKey(service);
  expect(key).toMatch(/^mv_op_[0-9A-Za-z]{38}$/);
  const { text, body } = await service.ask("/operator/keys", { cookie: await service.operatorCookie() });
  expect(text).not.toContain(key);
  expect(body[0]).toMatchObject({ prefix, created_by: OPERATOR.email, revoked_at: null });
  const { rows } = await service.database.pool.query("select * from operator_keys");
  expect(JSON.stringify(rows)).not.toContain(key.slice(prefix.length));
});

test("the last use is recorded", async () => {
  const { id, key } = await makeOperatorKey(service);
  const found = async () => {
    const { body } = await service.ask("/operator/keys", { cookie: await service.operatorCookie() });
    return body.find((one: { id: string }) => one.id === id).last_used_at;
  };
  expect(await found()).toBeNull();
  await service.ask("/operator/system", { key });
  expect(await found()).not.toBeNull();
});

describe("a key stops working", () => {
  const works = async (key: string) => (await service.ask("/operator/accounts", { key })).status;

  test("when it is revoked, with the next request", async () => {
    const { id, key } = await makeOperatorKey(service);
    expect(await works(key)).toBe(200);
    await service.ask(`/operator/keys/${id}`, { method: "DELETE", cookie: await service.operatorCookie() });
    expect(await works(key)).toBe(401);
  });

  test("when it expires", async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id, key } = await makeOperatorKey(service, { expires_at });
    expect(await works(key)).toBe(200);
    await service.database.pool.query("update operator_keys set expires_at = now() where id = $1", [id]);
    expect(await works(key)).toBe(401);
  });

  test("when its creator is no operator any more", async () => {
    await using other = await openService();
    const { key } = await makeOperatorKey(other);
    const status = async () => (await other.ask("/operator/accounts", { key })).body.code;
    expect(await status()).toBeUndefined();
    await other.database.pool.query("update accounts set is_operator = false");
    expect(await status()).toBe("operator_only");
  });
});

describe("a list of addresses", () => {
  const RANGES = ["192.0.2.7", "198.51.100.0/24", "2001:db8:1::/48"];
  test.each([
    ["192.0.2.7", true],
    ["192.0.2.8", false],
    ["198.51.100.255", true],
    ["::ffff:198.51.100.3", true],
    ["198.51.101.0", false],
    ["2001:db8:1:ffff::1", true],
    ["2001:db8:2::1", false],
  ])("%s: %s", async (from, isAllowed) => {
    const { key } = await makeOperatorKey(service, { allowed_ranges: RANGES });
    const { status, body } = await service.ask("/operator/accounts", { key, from });
    expect([status, body.code]).toEqual(isAllowed ? [200, undefined] : [403, "ip_not_allowed"]);
  });

  test.each(["example.com", "10.0.0.0/33", "10.0.0.1/8", "fd00::/129", "1.2.3", ""])(
    "refuses %j",
    async (range) => {
      const body = { name: "a script", scopes: ["system:read"], allowed_ranges: ["192.0.2.1", range] };
      const answer = await service.ask("/operator/keys", { cookie: await service.operatorCookie(), body });
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toMatchObject([{ pointer: "/allowed_ranges/1" }]);
    },
  );
});

test("where operators need two-factor sign-in, keys are created and used only with it", async () => {
  await using first = await openService();
  const { key } = await makeOperatorKey(first);
  const env = { REQUIRE_TWO_FACTOR: "operators" };
  await using strict = await openService({ database: first.database, env });
  const cookie = await strict.operatorCookie();
  const create = () =>
    strict.ask("/operator/keys", { cookie, body: { name: "a script", scopes: ["system:read"] } });
  const use = async () => (await strict.ask("/operator/accounts", { key })).body.code;
  expect((await create()).body.code).toBe("operator_only");
  expect(await use()).toBe("operator_only");

  const { password } = OPERATOR;
  const { body } = await strict.ask("/auth/two-factor", { cookie, body: { password } });
  const code = new TOTP({ secret: body.secret }).generate();
  expect((await strict.ask("/auth/two-factor/confirm", { cookie, body: { code } })).status).toBe(200);
  expect((await create()).status).toBe(201);
  expect(await use()).toBeUndefined();
});

test("docs/operator-keys.md has the scope of every endpoint", () => {
  const page = readFileSync(new URL("../../docs/operator-keys.md", import.meta.url), "utf8");
  const documented = [...page.matchAll(/^\| `([\w:]+)` \| (.+) \|$/gm)].flatMap(([, scope, endpoints = ""]) =>
    [...endpoints.matchAll(/`([^`]+)`/g)].map(([, name]) => `${name} ${scope}`),
  );
  const withScope = OF_OPERATOR.filter((endpoint) => operatorScopeOf(endpoint) !== undefined);
  expect(documented.sort()).toEqual(withScope.map((one) => `${one.name} ${operatorScopeOf(one)}`).sort());
});
