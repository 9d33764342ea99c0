/** Which answers are compressed, over a real server without the service. */
import { Readable } from "node:stream";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { API_PREFIX } from "@mailvet/contract";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { sendFile } from "../static/web-app.ts";
import { webFile } from "../static/web-files.ts";
import { compressAnswers } from "./compression.ts";

const LONG = {
  emails: Array.from({ length: 100 }, (_, n) => ({ email: `ann${n}@shop.example`, status: "valid" })),
};
const TEXT = JSON.stringify(LONG);

async function appWithAnswers() {
  const app = Fastify();
  compressAnswers(app);
  const file = webFile("/openapi.json", Buffer.from(TEXT));
  const seen: unknown[] = [];
  app.addHook("onSend", async (_request, _reply, payload) => {
    seen.push(payload);
    return payload;
  });
  app.get(`${API_PREFIX}/long`, async (_request, reply) =>
    reply.header("vary", "Accept-Language").send(LONG),
  );
  app.get(`${API_PREFIX}/short`, async () => ({ status: "valid" }));
  app.get(`${API_PREFIX}/stream`, async (_request, reply) =>
    reply.header("content-type", "text/event-stream").send(Readable.from([TEXT])),
  );
  app.get(`${API_PREFIX}/image`, async (_request, reply) =>
    reply.header("content-type", "image/png").send(Buffer.from(TEXT)),
  );
  app.get(`${API_PREFIX}/file`, (request, reply) => sendFile(file, request, reply, "no-cache"));
  app.post(`${API_PREFIX}/keys`, async () => LONG);
  app.post(`${API_PREFIX}/validation/bulk`, async () => LONG);
  const ask = (url: string, encoding = "gzip, br", method: "GET" | "POST" | "HEAD" = "GET", etag = "") =>
    app.inject({
      url: `${API_PREFIX}${url}`,
      method,
      headers: { "accept-encoding": encoding, ...(etag && { "if-none-match": etag }) },
    });
  return { ask, seen };
}

test.each([
  ["gzip, deflate, br", "br", brotliDecompressSync],
  ["gzip;q=1.0, br;q=0", "gzip", gunzipSync],
] as const)("an answer above 1 KB for %s is compressed as %s", async (accepted, encoding, decompressed) => {
  const { ask, seen } = await appWithAnswers();
  const { headers, rawPayload } = await ask("/long", accepted);
  expect(headers).toMatchObject({ "content-encoding": encoding, vary: "Accept-Language, accept-encoding" });
  expect(Number(headers["content-length"])).toBe(rawPayload.length);
  expect(rawPayload.length).toBeLessThan(TEXT.length / 4);
  expect(decompressed(rawPayload).toString()).toBe(TEXT);
  expect(seen).toEqual([TEXT]); // hooks such as that of Idempotency-Key get the plain text
});

test.each([
  ["for a client that takes none", "/long", "identity"],
  ["below 1 KB", "/short", "br"],
  ["as a stream", "/stream", "br"],
  ["other than text", "/image", "br"],
])("an answer %s is sent as it is", async (_, url, accepted) => {
  const { ask } = await appWithAnswers();
  const { headers } = await ask(url, accepted);
  expect(headers).not.toHaveProperty("content-encoding");
  expect(headers.vary).toBe(url === "/long" ? "Accept-Language, accept-encoding" : undefined);
});

test("of answers to POST only verdicts are compressed: the others may have a new secret", async () => {
  const { ask } = await appWithAnswers();
  expect((await ask("/keys", "br", "POST")).headers).not.toHaveProperty("content-encoding");
  expect((await ask("/validation/bulk", "br", "POST")).headers).toMatchObject({ "content-encoding": "br" });
});

test("a file is compressed once, and its ETag is good for every encoding", async () => {
  const { ask } = await appWithAnswers();
  const { headers, rawPayload } = await ask("/file", "br");
  expect([headers["content-encoding"], headers.vary]).toEqual(["br", "accept-encoding"]);
  expect(brotliDecompressSync(rawPayload).toString()).toBe(TEXT);
  const again = await ask("/file", "gzip", "GET", String(headers.etag));
  expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0]);
});

test("HEAD has the length of the plain answer", async () => {
  const { ask } = await appWithAnswers();
  const { headers } = await ask("/long", "br", "HEAD");
  expect(headers["content-length"]).toBe(String(TEXT.length));
  expect(headers).not.toHaveProperty("content-encoding");
});
