import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { responseCipherFor } from "../src/idempotency/encrypted-response.ts";
import { type HttpWorld, MAX_STORED_RESPONSES, openHttpWorld } from "./http-world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await openHttpWorld({ maxBodyBytes: 1024 * 1024 });
});
afterAll(() => world.close());

type Sent = { key: string; idempotencyKey: string; path?: string; body?: unknown };

async function post({ key, idempotencyKey, path = "/echo", body = { email: "ann@example.com" } }: Sent) {
  const response = await fetch(`${world.api}${path}`, {
    method: "POST",
    headers: { "x-api-key": key, "idempotency-key": idempotencyKey, "content-type": "application/json" },
    body: path === "/echo" ? JSON.stringify(body) : null,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

test("a repeated request gets the same response and is executed once", async () => {
  const key = await (await world.account()).key();
  const first = await post({ key, idempotencyKey: "order-1" });
  const again = await post({ key, idempotencyKey: "order-1" });
  expect(again.body).toEqual(first.body);
  expect(first.headers.get("idempotency-replayed")).toBeNull();
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
  expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
  expect(first.body.once).toMatch(/^[0-9a-f]{64}\//);
  const other = await post({ key, idempotencyKey: "order-2" });
  expect(other.body.call).not.toBe(first.body.call);
  expect(other.body.once).not.toBe(first.body.once);
});

test("the same key with another request is refused, and keys of different accounts are separate", async () => {
  const key = await (await world.account()).key();
  await post({ key, idempotencyKey: "k" });
  const reused = await post({ key, idempotencyKey: "k", body: { email: "bob@example.com" } });
  expect([reused.status, reused.body.code]).toEqual([422, "idempotency_key_reused"]);
  const other = await post({ key: await (await world.account()).key(), idempotencyKey: "k" });
  expect([other.status, other.headers.get("idempotency-replayed")]).toEqual([200, null]);
});

test("a response to a test key is not replayed to a live key", async () => {
  const account = await world.account();
  await post({ key: await account.key({ mode: "test" }), idempotencyKey: "k" });
  const live = await post({ key: await account.key(), idempotencyKey: "k" });
  expect(live.headers.get("idempotency-replayed")).toBeNull();
});

test("twenty concurrent copies of a request are executed once", async () => {
  const key = await (await world.account()).key();
  const before = world.bench.calls.echo ?? 0;
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => post({ key, idempotencyKey: "rush" })),
  );
  expect((world.bench.calls.echo ?? 0) - before).toBe(1);
  for (const { status, body, headers } of responses) {
    if (status === 200) continue;
    expect(body.code).toBe("idempotency_in_flight");
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
  expect((await post({ key, idempotencyKey: "rush" })).status).toBe(200);
});

test("a request in flight is not executed a second time", async () => {
  const key = await (await world.account()).key();
  const first = post({ key, idempotencyKey: "slow", path: "/bulk" });
  await expect.poll(() => world.bench.calls.bulk).toBeTruthy();
  const second = await post({ key, idempotencyKey: "slow", path: "/bulk" });
  expect([second.status, second.body.code]).toEqual([409, "idempotency_in_flight"]);
  world.bench.open();
  expect((await first).status).toBe(200);
  expect((await post({ key, idempotencyKey: "slow", path: "/bulk" })).body).toEqual({ done: true });
  expect(world.bench.calls.bulk).toBe(1);
});

test("a refusal releases the key; after an internal error only the same request may use it", async () => {
  const key = await (await world.account()).key();
  expect((await post({ key, idempotencyKey: "r", path: "/broke" })).body).toMatchObject({ available: 1 });
  expect((await post({ key, idempotencyKey: "r", path: "/broke" })).body).toMatchObject({ available: 2 });
  expect((await post({ key, idempotencyKey: "r" })).status).toBe(200);

  expect((await post({ key, idempotencyKey: "f", path: "/fail" })).status).toBe(500);
  expect((await post({ key, idempotencyKey: "f", path: "/fail" })).status).toBe(500);
  expect(world.bench.calls.fail).toBe(2);
  expect((await post({ key, idempotencyKey: "f" })).body.code).toBe("idempotency_key_reused");
});

test("after its lease expired a key is taken over by the same request only", async () => {
  const account = await world.account();
  const row = { accountId: account.id, keyHash: Buffer.alloc(32, 1) };
  const request = Buffer.alloc(32, 2);
  expect((await world.idempotentResponses.claim(row, request)).kind).toBe("claimed");
  expect((await world.idempotentResponses.claim(row, request)).kind).toBe("in_flight");
  await world.database.pool.query(
    "update idempotent_responses set held_until = now() where account_id = $1",
    [account.id],
  );
  expect((await world.idempotentResponses.claim(row, Buffer.alloc(32, 3))).kind).toBe("reused");
  const taken = await world.idempotentResponses.claim(row, request);
  expect(taken.kind).toBe("claimed");
  // The previous holder resumes: the row belongs to another holder now.
  const late = world.idempotentResponses.store(row, "6f2c8ee4-6f0e-4d0e-8d1f-2f37a0b8a8a1", {
    status: 200,
    encryptedBody: Buffer.from("late"),
  });
  expect(await late).toBe(false);
  expect((await world.idempotentResponses.claim(row, request)).kind).toBe("in_flight");
});

test("a key that was taken over stays with its request, even if that is refused", async () => {
  const account = await world.account();
  const key = await account.key();
  const { keyHash, fingerprint } = responseCipherFor(`${account.id}/live`, "late");
  // A process claims the key, possibly executes the request, and dies.
  await world.idempotentResponses.claim(
    { accountId: account.id, keyHash },
    fingerprint(["POST", "/api/v1/broke", ""]),
  );
  await world.database.pool.query(
    "update idempotent_responses set held_until = now() where account_id = $1",
    [account.id],
  );
  for (let n = 0; n < 2; n++) {
    expect((await post({ key, idempotencyKey: "late", path: "/broke" })).body.code).toBe(
      "insufficient_credits",
    );
    expect((await post({ key, idempotencyKey: "late" })).body.code).toBe("idempotency_key_reused");
  }
});

test("a response too long to store releases the key: its repetition is a new request", async () => {
  const sent = { key: await (await world.account()).key(), idempotencyKey: "long" };
  const body = { email: randomBytes(600_000).toString("base64") }; // nothing that could be compressed much
  const first = await post({ ...sent, body });
  const again = await post({ ...sent, body });
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.headers.get("idempotency-replayed")).toBeNull();
  expect(again.body.call).not.toBe(first.body.call);
  expect(again.body.once).not.toBe(first.body.once);
  expect((await post(sent)).status).toBe(200);
});

test("an account at its maximum of keys gets no more, and can still replay", async () => {
  const account = await world.account();
  const key = await account.key();
  await fillUp(account.id, MAX_STORED_RESPONSES);
  const refused = await post({ key, idempotencyKey: "one-more" });
  expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBe(60);
  const row = { accountId: account.id, keyHash: Buffer.from("key 1") };
  expect(await world.idempotentResponses.claim(row, Buffer.from("request"))).toMatchObject({
    kind: "stored",
  });

  // Expired rows do not count.
  const other = await world.account();
  await fillUp(other.id, MAX_STORED_RESPONSES, "-1 second");
  expect((await post({ key: await other.key(), idempotencyKey: "one-more" })).status).toBe(200);
  expect(await world.idempotentResponses.deleteExpired()).toBe(MAX_STORED_RESPONSES); // all of them, however many there are
});

test("after 24 hours a key may be used again, and its row is deleted", async () => {
  const account = await world.account();
  const key = await account.key();
  const first = await post({ key, idempotencyKey: "old" });
  const { rows } = await world.database.pool.query(
    "update idempotent_responses set expires_at = expires_at - interval '24 hours' where account_id = $1 returning expires_at <= now() as is_over",
    [account.id],
  );
  expect(rows).toEqual([{ is_over: true }]);
  expect((await post({ key, idempotencyKey: "old", body: { email: "new@example.com" } })).body.call).not.toBe(
    first.body.call,
  );
  await world.database.pool.query(
    "update idempotent_responses set expires_at = now() where account_id = $1",
    [account.id],
  );
  expect(await world.idempotentResponses.deleteExpired()).toBe(1);
});

test("the stored row contains neither address nor response nor key in plain text", async () => {
  const account = await world.account();
  await post({
    key: await account.key(),
    idempotencyKey: "visible-key",
    body: { email: "hidden@example.com" },
  });
  const { rows } = await world.database.pool.query(
    "select encode(key_hash || request_hash || encrypted_body, 'escape') as bytes, status from idempotent_responses where account_id = $1",
    [account.id],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0].status).toBe(200);
  for (const secret of ["hidden", "visible-key", "email"]) expect(rows[0].bytes).not.toContain(secret);
});

test("an invalid Idempotency-Key is refused before execution", async () => {
  const key = await (await world.account()).key();
  const before = world.bench.calls.echo;
  for (const idempotencyKey of ["", "a b", "ü", "x".repeat(256)]) {
    const { status, body } = await post({ key, idempotencyKey });
    expect([idempotencyKey, status, body.code]).toEqual([idempotencyKey, 422, "validation_failed"]);
  }
  expect(world.bench.calls.echo).toBe(before);
});

test("a test key gets its own response again", async () => {
  const key = await (await world.account()).key({ mode: "test" });
  const first = await post({ key, idempotencyKey: "k" });
  const again = await post({ key, idempotencyKey: "k" });
  expect([again.body, again.headers.get("idempotency-replayed")]).toEqual([first.body, "true"]);
});

test("a response that sets a cookie is not stored", async () => {
  const cookie = await (await world.account()).cookie();
  const send = () =>
    fetch(`${world.api}/cookie`, { method: "POST", headers: { cookie, "idempotency-key": "c" } });
  expect((await send()).headers.get("set-cookie")).toBe("new=1");
  expect((await send()).headers.get("set-cookie")).toBe("new=2");
});

/** Inserts stored responses in bulk. */
async function fillUp(accountId: string, count: number, expiresIn = "1 day"): Promise<void> {
  await world.database.pool.query(
    `insert into idempotent_responses (account_id, key_hash, request_hash, status, encrypted_body, expires_at)
     select $1, convert_to('key ' || n, 'utf8'), 'request', 200, 'sealed', now() + $3::interval
     from generate_series(1, $2::int) n`,
    [accountId, count, expiresIn],
  );
}
