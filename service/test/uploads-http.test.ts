/** Uploads over HTTP: accepted and refused files, and senders that are slow, silent or disconnected. */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { API_PREFIX, type KeyScope } from "@mailvet/contract";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createLog } from "../src/base/log.ts";
import { buildApp } from "../src/http/app.ts";
import type { HttpSettings } from "../src/http/http-settings.ts";
import { createMetrics } from "../src/http/metrics.ts";
import { createSessionCookie } from "../src/http/middleware/session-cookie.ts";
import { uploadRoutes } from "../src/http/routes/upload-routes.ts";
import { createIdempotentResponses } from "../src/idempotency/idempotent-responses.ts";
import { createStartListJob } from "../src/jobs/start/start-list-job.ts";
import { createAccountLimits } from "../src/request-limits/account-limits.ts";
import { chargingOn } from "./credits-books.ts";
import { PATIENT_HTTP } from "./patience.ts";
import { openIntakeWorld, tableOf } from "./uploads-world.ts";

const MAX_UPLOAD_BYTES = 1_000_000;

async function openHttpIntake(settings: Partial<HttpSettings> = {}) {
  const world = await openIntakeWorld({ maxUploadBytes: MAX_UPLOAD_BYTES });
  const keys = new Map<string, { accountId: string; keyId: string; scopes: readonly KeyScope[] }>();
  const app = buildApp({
    accountLimits: createAccountLimits(),
    settings: { ...PATIENT_HTTP, ...settings },
    pool: world.database.pool,
    apiKeys: {
      recognise: async (text) => {
        const known = keys.get(text);
        return known && { ...known, plan: "payg", isOperator: false, suspendedFor: null, mode: "live" };
      },
    },
    operatorKeys: { recognise: async () => undefined },
    sessions: { find: async () => undefined },
    credentialWatch: { follow: () => () => {} },
    cookie: createSessionCookie(undefined),
    idempotentResponses: createIdempotentResponses(world.database),
    ...chargingOn(world.database, world.ledger),
    log: createLog({ level: "silent", addresses: "masked" }),
    metrics: createMetrics(),
    version: "0.0.0",
    routes: [
      uploadRoutes({
        uploads: world.uploads,
        confirmUpload: world.confirm,
        startListJob: createStartListJob({
          uploads: world.uploads,
          confirmUpload: world.confirm,
          webhooks: { checkJobUrl: async () => {}, secretForJob: async () => undefined },
        }),
        estimateUpload: async () => {
          throw new Error("not used here");
        },
        downloadLink: async () => {
          throw new Error("no link is sent");
        },
        maxUploadBytes: MAX_UPLOAD_BYTES,
      }),
    ],
  });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await app.close();
    await world.close();
  };
  return {
    world,
    app,
    api: `${origin}${API_PREFIX}`,
    port: Number(new URL(origin).port),
    async key(scopes: readonly KeyScope[] = ["bulk"]) {
      const { accountId } = await world.account();
      const text = randomUUID();
      keys.set(text, { accountId, keyId: randomUUID(), scopes });
      return { accountId, headers: { "x-api-key": text } };
    },
    uploadsOf: (accountId: string) => world.query("select from uploads where account_id = $1", accountId),
    close,
    [Symbol.asyncDispose]: close,
  };
}

let http: Awaited<ReturnType<typeof openHttpIntake>>;
beforeAll(async () => {
  http = await openHttpIntake();
});
afterAll(() => http.close());

const SMALL = "name,email\nAnn,ann@example.com\nBo,bo@example.com\n";

function formOf(...files: [field: string, text: string, filename?: string][]): FormData {
  const form = new FormData();
  for (const [field, text, filename] of files) {
    if (filename === undefined) form.append(field, text);
    else form.append(field, new Blob([text]), filename);
  }
  return form;
}

type Body = NonNullable<RequestInit["body"]>;

async function ask(path: string, headers: Record<string, string>, body: Body, on = http) {
  const answer = await fetch(`${on.api}${path}`, { method: "POST", headers, body });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Record<string, unknown>,
  };
}

const preview = (headers: Record<string, string>, form: Body) => ask("/bulk/upload/preview", headers, form);

const BOUNDARY = "----a-boundary";
const formStart = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="slow.csv"\r\n\r\n`;
const formEnd = `\r\n--${BOUNDARY}--\r\n`;

/** A raw connection that sends a form; `response` resolves when the server closes it or the response is complete. */
function sendSlowly(headers: Record<string, string>, length: number, on = http) {
  const socket = connect(on.port, "127.0.0.1");
  let text = "";
  const response = new Promise<string>((resolve, reject) => {
    socket.setTimeout(540_000, () => reject(new Error(`no more data, received: ${text}`)));
    socket.on("data", (chunk) => {
      text += chunk;
      if (/"request_id":"[^"]*"|"upload_id":"[^"]*"/.test(text)) resolve(text);
    });
    socket.on("close", () => resolve(text));
    socket.on("error", () => {});
  });
  const lines = Object.entries({
    host: "localhost",
    "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
    "content-length": String(length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${API_PREFIX}/bulk/upload/preview HTTP/1.1\r\n${lines.join("")}\r\n`);
  return { socket, response };
}

test("a file is previewed, confirmed, and the job is queued", async () => {
  const { headers } = await http.key();
  const sent = await preview(headers, formOf(["note", "hello"], ["file", SMALL, "../lists/März.csv"]));
  expect(sent).toMatchObject({
    status: 200,
    body: {
      filename: "März.csv",
      columns: ["name", "email"],
      suggested_email_column: "email",
      total_rows: 2,
    },
  });
  const confirmation = { upload_id: sent.body.upload_id, email_column: "email" };
  const json = { ...headers, "content-type": "application/json" };
  const confirmed = await ask("/bulk/upload/confirm", json, JSON.stringify(confirmation));
  expect(confirmed).toMatchObject({ status: 200, body: { status: "queued", unique_emails: 2 } });
  expect((await ask("/bulk/upload/confirm", json, JSON.stringify(confirmation))).body.id).toBe(
    confirmed.body.id,
  );
});

test("the same Idempotency-Key returns the same answer for the same file and refuses another file", async () => {
  const { headers, accountId } = await http.key();
  const once = { ...headers, "idempotency-key": "abc" };
  const first = await preview(once, formOf(["file", SMALL, "a.csv"]));
  const again = await preview(once, formOf(["file", SMALL, "a.csv"]));
  expect(first.headers.get("idempotency-replayed")).toBeNull();
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(again.body).toEqual(first.body);
  const other = await preview(once, formOf(["file", `${SMALL}c,c@d.io\n`, "a.csv"]));
  expect(other).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  expect(await http.uploadsOf(accountId)).toHaveLength(1);
  const broken = await preview({ ...headers, "idempotency-key": "a b" }, formOf(["file", SMALL, "a.csv"]));
  expect(broken).toMatchObject({ status: 422, body: { code: "validation_failed" } });
});

test("an Idempotency-Key of a confirmed upload may be used again after 24 hours", async () => {
  const { headers, accountId } = await http.key();
  const once = { ...headers, "idempotency-key": "daily" };
  const first = await preview(once, formOf(["file", SMALL, "a.csv"]));
  const json = { ...headers, "content-type": "application/json" };
  const { upload_id, suggested_email_column: email_column } = first.body;
  expect((await ask("/bulk/upload/confirm", json, JSON.stringify({ upload_id, email_column }))).status).toBe(
    200,
  );
  await http.world.database.pool.query(
    "update uploads set created_at = now() - interval '25 hours' where id = $1",
    [upload_id],
  );
  const other = await preview(once, formOf(["file", `${SMALL}c,c@d.io\n`, "a.csv"]));
  expect(other.status).toBe(200);
  expect(other.body.upload_id).not.toBe(upload_id);
  expect(await http.uploadsOf(accountId)).toHaveLength(2);
});

test("a form without exactly one file is refused, naming what is missing", async () => {
  const { headers, accountId } = await http.key();
  const atFile = (message: string) => ({
    status: 422,
    body: {
      code: "validation_failed",
      errors: [{ pointer: "/file", message: expect.stringContaining(message) }],
    },
  });
  expect(await preview(headers, formOf(["note", "hello"]))).toMatchObject(atFile("no file"));
  expect(await preview(headers, formOf(["file", SMALL]))).toMatchObject(atFile("no file"));
  expect(await preview(headers, formOf(["csv", SMALL, "a.csv"]))).toMatchObject(atFile('named "file"'));
  const two = formOf(["file", SMALL, "a.csv"], ["file", SMALL, "b.csv"]);
  expect(await preview(headers, two)).toMatchObject(atFile("one file per request"));
  expect(await http.uploadsOf(accountId)).toEqual([]);
});

test("a body that is no form, or a malformed one, is refused", async () => {
  const { headers } = await http.key();
  const typed = (type: string) => ({ ...headers, "content-type": type });
  const notAForm = { status: 415, body: { code: "unsupported_media_type" } };
  expect(await preview(typed("text/csv"), SMALL)).toMatchObject(notAForm);
  expect(await preview(typed("application/json"), "{}")).toMatchObject(notAForm);
  const nothing = await fetch(`${http.api}/bulk/upload/preview`, { method: "POST", headers });
  expect(nothing.status).toBe(415);
  const broken = { status: 400, body: { code: "malformed_request" } };
  expect(await preview(typed("multipart/form-data"), SMALL)).toMatchObject(broken);
  expect(await preview(typed("multipart/form-data; boundary=x"), "--x\r\nno form")).toMatchObject(broken);
  expect(
    await preview(typed(`multipart/form-data; boundary=${BOUNDARY}`), `${formStart}${SMALL}`),
  ).toMatchObject(broken);
});

test("a file that is too large is refused, with or without Content-Length", async () => {
  const { headers, accountId } = await http.key();
  const large = tableOf(40_000, (row) => `user${row}@example.com`);
  const tooLarge = { status: 413, body: { code: "payload_too_large" } };
  expect(await preview(headers, formOf(["file", large, "a.csv"]))).toMatchObject(tooLarge);
  const unsaid = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(formStart + large + formEnd));
      controller.close();
    },
  });
  const answer = await fetch(`${http.api}/bulk/upload/preview`, {
    method: "POST",
    headers: { ...headers, "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    body: unsaid,
    duplex: "half",
  } as RequestInit);
  expect({ status: answer.status, body: await answer.json() }).toMatchObject(tooLarge);
  expect(await http.uploadsOf(accountId)).toEqual([]);
});

test("a sender that reads only after sending everything receives the refusal", async () => {
  const { headers } = await http.key();
  const body = `${formStart}Rar!\u001a\u0007${"\u0000x".repeat(400_000)}${formEnd}`;
  const { socket, response } = sendSlowly(headers, Buffer.byteLength(body));
  socket.write(body);
  expect(await response).toContain('"unsupported_file"');
  socket.destroy();
});

test("a key without the scope, and a request without a key, are refused", async () => {
  const { headers } = await http.key(["read", "validate"]);
  const form = () => formOf(["file", SMALL, "a.csv"]);
  expect(await preview(headers, form())).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
  expect(await preview({}, form())).toMatchObject({ status: 401, body: { code: "missing_api_key" } });
});

/** With the clock that body-timeout.ts reads, and the interval of its checks, in the hands of the test. */
function openClockedIntake() {
  vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  return openHttpIntake({ requestTimeoutMs: 60_000, uploadIdleTimeoutMs: 60_000 });
}

test("a slow sender may exceed the request timeout as long as bytes arrive", async () => {
  await using clocked = await openClockedIntake();
  const connected = once(clocked.app.server, "connection") as Promise<[Socket]>;
  const { headers } = await clocked.key();
  const rows = Array.from({ length: 5 }, (_, n) => `Ann,ann${n}@example.com\n`);
  const length = formStart.length + "name,email\n".length + rows.join("").length + formEnd.length;
  const { socket, response } = sendSlowly(headers, length, clocked);
  const [received] = await connected;
  const send = async (text: string) => {
    socket.write(text);
    await expect.poll(() => received.bytesRead).toBe(socket.bytesWritten);
  };
  await send(`${formStart}name,email\n`);
  for (const row of rows) {
    vi.advanceTimersByTime(50_000);
    await send(row);
  }
  await send(formEnd);
  expect(await response).toContain('"total_rows":5');
  socket.destroy();
});

test("a silent sender is disconnected, and its upload deleted", async () => {
  await using clocked = await openClockedIntake();
  const { headers, accountId } = await clocked.key();
  const { socket, response } = sendSlowly(headers, 100_000, clocked);
  socket.write(formStart + SMALL);
  await expect.poll(() => clocked.uploadsOf(accountId)).toHaveLength(1);
  vi.advanceTimersByTime(61_000);
  expect(await response).toContain("The request did not arrive in time.");
  await expect.poll(() => clocked.uploadsOf(accountId)).toEqual([]);
});

test("a disconnected sender leaves no upload, and its slot is free again", async () => {
  const { headers, accountId } = await http.key();
  const senders = [1, 2].map(() => sendSlowly(headers, 100_000));
  for (const { socket } of senders) socket.write(formStart + SMALL);
  await expect.poll(() => http.uploadsOf(accountId)).toHaveLength(2);
  const third = await preview(headers, formOf(["file", SMALL, "a.csv"]));
  expect(third).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  expect(third.headers.get("retry-after")).not.toBeNull();
  for (const { socket } of senders) socket.destroy();
  await expect.poll(() => http.uploadsOf(accountId)).toEqual([]);
  const again = async () => (await preview(headers, formOf(["file", SMALL, "a.csv"]))).status;
  await expect.poll(again).toBe(200); // the slot is freed after the upload has been deleted
});

test("shutdown does not wait for uploads", async () => {
  await using other = await openHttpIntake();
  const { headers, accountId } = await other.key();
  const { socket, response } = sendSlowly(headers, 100_000, other);
  socket.write(formStart + SMALL);
  await expect.poll(() => other.uploadsOf(accountId)).toHaveLength(1);
  const closed = other.app.close();
  expect(await response).toContain("The server is shutting down.");
  await closed;
  await expect.poll(() => other.uploadsOf(accountId)).toEqual([]);
});

test("a large file is stored completely", async () => {
  const { headers } = await http.key();
  const text = tableOf(20_000, (row) => `user${row}@example.com`);
  const { body } = await preview(headers, formOf(["file", text, "a.csv"]));
  expect(body).toMatchObject({ total_rows: 20_000, unique_count_by_column: { email: 20_000 } });
  const [stored] = await http.world.query<{ hash: Buffer }>(
    "select content_hash as hash from uploads where id = $1",
    body.upload_id,
  );
  expect(stored?.hash).toEqual(createHash("sha256").update(text).digest());
});
