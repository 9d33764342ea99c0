/** HTTP server of a worker process. */
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { createLog } from "../src/base/log.ts";
import { createMetrics } from "../src/http/metrics.ts";
import { buildWorkerApp } from "../src/http/worker-app.ts";
import { openTestDatabase } from "./database.ts";
import { PATIENT_HTTP } from "./patience.ts";

async function openWorkerApp(isStarted: () => boolean, checkBlobs: () => Promise<void> = async () => {}) {
  const database = await openTestDatabase();
  const app = buildWorkerApp({
    settings: PATIENT_HTTP,
    pool: database.pool,
    log: createLog({ level: "silent", addresses: "masked" }),
    metrics: createMetrics(),
    readiness: { isStarted, checkDatabase: database.check, checkBlobs },
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { app, url, database };
}

/** Answers 503 while the database takes a second or more. */
async function untilReady(url: string): Promise<Response> {
  let answer: Response | undefined;
  const isReady = async () => {
    answer = await fetch(`${url}/health/ready`);
    return answer.status;
  };
  await expect.poll(isReady).toBe(200);
  return answer!;
}

test("a worker is ready when startup is complete", async () => {
  let isStarted = false;
  const { app, url, database } = await openWorkerApp(() => isStarted);
  const early = await fetch(`${url}/health/ready`);
  expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await early.json()).toMatchObject({ detail: "The server is still starting." });
  isStarted = true;
  const ready = await untilReady(url);
  expect(await ready.json()).toEqual({ status: "ready" });
  expect(ready.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  await app.close();
  await database.close();
});

test("the blob store is not asked for every request, and one that hangs is not waited for", async () => {
  let asked = 0;
  const fast = await openWorkerApp(
    () => true,
    async () => void asked++,
  );
  await Promise.all(Array.from({ length: 20 }, () => untilReady(fast.url)));
  expect(asked).toBeLessThan(20);

  const stuck = await openWorkerApp(
    () => true,
    () => new Promise(() => {}),
  );
  const answer = await untilReady(stuck.url);
  expect(await answer.json()).toMatchObject({ status: "ready", blobs: "unavailable" });
  for (const { app, database } of [fast, stuck]) {
    await app.close();
    await database.close();
  }
});

test("idle and incomplete connections are closed when a worker stops", async () => {
  const { app, database } = await openWorkerApp(() => true);
  app.server.headersTimeout = 600_000;
  app.server.keepAliveTimeout = 600_000;
  const { port } = app.server.address() as AddressInfo;
  const sent = [
    "",
    "GET /hea",
    "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /metrics HTTP/1.1\r\nHost: a\r\n",
  ];
  const closed = Array.from({ length: 100 }, async (_, n) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    await once(socket, "connect");
    socket.write(sent[n % 4]!);
    return new Promise((resolve) => socket.once("close", resolve)); // also after a reset
  });
  const accepted = () =>
    new Promise<number>((resolve, reject) =>
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  await expect.poll(accepted).toBe(100);
  await app.close();
  await Promise.all(closed);
  await database.close();
}, 300_000);
