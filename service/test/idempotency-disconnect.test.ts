/** A replay never executes the request again, however its connection ends. */
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openService, type TestAccount, type TestService } from "./service.ts";

let service: TestService;
let ann: TestAccount;
beforeAll(async () => {
  service = await openService({ env: { ROLE: "api" } });
  ann = await service.openAccount({ credits: 10_000 });
});
afterAll(() => service[Symbol.asyncDispose]());

type Sent = { path: string; body: unknown; headers: Record<string, string> };

/** Sends the complete request, closes the socket immediately, and waits until the service has finished with it. */
async function sendAndHangUp({ path, body, headers }: Sent): Promise<void> {
  const json = JSON.stringify(body);
  const lines = Object.entries({
    host: "localhost",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(json)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  await new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1", () => {
      socket.write(`POST /api/v1${path} HTTP/1.1\r\n${lines.join("")}\r\n${json}`, () => {
        socket.destroy();
        resolve();
      });
    });
    socket.on("error", () => resolve());
  });
}

/** Every request sent so far has ended, by the gauge of requests in flight. */
async function untilIdle(): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    if (/^mailvet_http_requests_under_way 0$/m.test(metrics)) return;
  }
}

test.each([
  ["POST /validation/single", "/validation/single", { email: "valid@mailvet.test" }, "key"],
  ["POST /validation/bulk", "/validation/bulk", { emails: ["valid@mailvet.test"] }, "key"],
  ["POST /keys", "/keys", { name: "cut" }, "cookie"],
  ["POST grants", "grants", { amount: 500 }, "operator"],
] as const)("%s: fifty replays whose client disconnects have no effect", async (_, path, body, by) => {
  const credential: Record<string, string> =
    by === "key"
      ? { "x-api-key": ann.key }
      : { cookie: by === "cookie" ? ann.cookie : await service.operatorCookie() };
  const sent = {
    path: path === "grants" ? `/operator/accounts/${ann.accountId}/grants` : path,
    body,
    headers: { ...credential, "idempotency-key": randomUUID() },
  };
  const first = await service.ask(sent.path, { body, headers: sent.headers });
  expect(first.status).toBeLessThan(300);
  const before = await effects();
  for (let n = 0; n < 50; n++) await sendAndHangUp(sent);
  await untilIdle();
  expect(await effects()).toEqual(before);
  const again = await service.ask(sent.path, { body, headers: sent.headers });
  expect([again.text, again.headers.get("idempotency-replayed")]).toEqual([first.text, "true"]);
});

async function effects(): Promise<unknown> {
  const { rows } = await service.database.pool.query(
    "select (select count(*) from api_keys) as keys, (select count(*) from ledger) as entries",
  );
  return rows[0];
}
