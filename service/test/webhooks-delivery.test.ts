/** Deliveries to receivers of every behaviour, verified with the library that receivers use. */
import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { answers, type Behaviour, openReceiver, type Receiver, verified } from "./webhooks-receiver.ts";
import { live, openWebhookWorld, type Process, type WebhookWorld } from "./webhooks-world.ts";

let world: WebhookWorld;
let service: Process;
let receiver: Receiver;
let ann: string;
beforeAll(async () => {
  world = await openWebhookWorld();
  service = await world.open();
});
beforeEach(async () => {
  receiver = await openReceiver();
  ann = await world.account();
});
afterEach(async () => {
  await receiver.close();
  await world.clear();
});
afterAll(() => world.close());

const subscribe = (url = receiver.url) => service.webhooks.create(live(ann), { url });
const publish = (event: "job.completed" | "job.failed" = "job.completed", data = {}) =>
  world.publish(service, ann, event, data);
const log = async (endpointId: string) =>
  (await service.webhooks.deliveries(live(ann), endpointId, { skip: 0, limit: 100 })).deliveries;
const only = async (endpointId: string) => {
  const [delivery, ...others] = await log(endpointId);
  expect(others).toEqual([]);
  return delivery!;
};

test("a message is delivered once, with a signature that the receiver's library accepts", async () => {
  const { id, secret } = await subscribe();
  await publish("job.completed", { job: { id: "j", filename: "Kundən, 名簿.csv" } });

  expect(await service.runDue()).toBe(1);
  expect(await service.runDue()).toBe(0);

  const [message, ...others] = receiver.received;
  expect(others).toEqual([]);
  expect(verified(secret, message!)).toEqual({
    type: "job.completed",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    data: { job: { id: "j", filename: "Kundən, 名簿.csv" } },
  });
  expect(message).toMatchObject({
    path: "/hook?token=hush",
    headers: { "content-type": "application/json", "user-agent": "Mailvet/1.2.3", connection: "close" },
  });
  expect(await only(id)).toMatchObject({
    id: message!.headers["webhook-id"],
    state: "delivered",
    attempts: 1,
    response_status: 204,
    trouble: null,
    next_attempt_at: null,
    message: message!.body,
  });
  expect(world.outcomes).toEqual(["delivered"]);
  expect(() => verified(secret, { ...message!, body: `${message!.body} ` })).toThrow();
});

test("after a rotation both secrets sign for a day, then only the new one", async () => {
  const { id, secret: old } = await subscribe();
  const { secret } = await service.webhooks.rotateSecret(live(ann), id);
  expect(secret).not.toBe(old);

  await publish();
  await service.runDue();
  for (const either of [old, secret])
    expect(verified(either, receiver.received[0]!).type).toBe("job.completed");

  await world.database.pool.query(
    "update webhook_endpoints set previous_secret_until = now() where id = $1",
    [id],
  );
  await publish();
  await service.runDue();
  expect(verified(secret, receiver.received[1]!).type).toBe("job.completed");
  expect(() => verified(old, receiver.received[1]!)).toThrow();
});

test("a failed delivery is retried under the same id with growing delays until it succeeds", async () => {
  const { id, secret } = await subscribe();
  await publish();
  receiver.behave(answers(500));
  for (const delaySeconds of [5, 300, 1800, 7200]) {
    const beforeMs = Date.now();
    expect(await service.runDue()).toBe(1);
    const afterMs = Date.now();
    const [dueAtMs] = await world.dueAtMs(id);
    expect(dueAtMs).toBeGreaterThanOrEqual(beforeMs + delaySeconds * 1000 - 1); // it is rounded
    expect(dueAtMs).toBeLessThanOrEqual(afterMs + delaySeconds * 1100);
    await world.delay(id);
    expect(await service.runDue()).toBe(0);
    await world.hurry(id);
  }
  expect(await only(id)).toMatchObject({
    state: "pending",
    attempts: 4,
    trouble: "The endpoint answered 500.",
  });
  expect((await service.webhooks.get(live(ann), id)).failing_since).not.toBeNull();

  receiver.behave(answers(200));
  await service.runDue();
  expect(await only(id)).toMatchObject({
    state: "delivered",
    attempts: 5,
    response_status: 200,
    trouble: null,
  });
  expect((await service.webhooks.get(live(ann), id)).failing_since).toBeNull();
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  for (const message of receiver.received) verified(secret, message);
});

test("after eight attempts a delivery has failed, and an endpoint that has not been failing for long stays enabled", async () => {
  const { id } = await subscribe();
  await publish();
  receiver.behave(answers(503));
  for (let attempts = 0; attempts < 8; attempts++) {
    expect(await service.runDue()).toBe(1);
    await world.hurry(id);
  }
  expect(await service.runDue()).toBe(0);
  expect(await only(id)).toMatchObject({ state: "failed", attempts: 8, next_attempt_at: null });
  expect(world.outcomes.slice(-8)).toEqual([...Array(7).fill("retried"), "failed"]);
  expect(await service.webhooks.get(live(ann), id)).toMatchObject({
    is_enabled: true,
    disabled_reason: null,
  });
});

test("no attempt is made later than a day after the event", async () => {
  const { id } = await subscribe();
  await publish();
  await world.database.pool.query(
    "update webhook_deliveries set series_at = now() - interval '25 hours' where endpoint_id = $1",
    [id],
  );
  receiver.behave(answers(500));
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "failed", attempts: 1 });
});

test.each<[string, Behaviour]>([
  ["does not answer", () => {}],
  [
    "sends its headers drop by drop",
    ({ socket }) => {
      socket?.write("HTTP/1.1 200 OK\r\nx: ");
      const drip = setInterval(() => socket?.write("x"), 50);
      socket?.on("close", () => clearInterval(drip));
    },
  ],
])("a receiver that %s runs into the timeout", async (_, behaviour) => {
  const { id } = await subscribe();
  await publish();
  receiver.behave(behaviour);
  const hasty = await world.open({ settings: { timeoutMs: 400 } });
  await hasty.runDue();
  expect(await only(id)).toMatchObject({
    state: "pending",
    trouble: "No connection, or no response within 0.4 s.",
  });
});

test.each<[string, string, Behaviour]>([
  [
    "closes the connection",
    "The connection was closed before a response arrived.",
    ({ socket }) => socket?.destroy(),
  ],
  ["does not speak HTTP", "The response is not valid HTTP.", ({ socket }) => socket?.end("220 ready\r\n")],
  [
    "switches protocols",
    "The connection was closed before a response arrived.",
    ({ socket }) => socket?.end("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
  ],
  [
    "sends too many headers",
    "The response headers are too large.",
    ({ socket }) => socket?.end(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}\r\n\r\n`),
  ],
])("a receiver that %s counts as not delivered", async (_, trouble, behaviour) => {
  const { id } = await subscribe();
  await publish();
  receiver.behave(behaviour);
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "pending", attempts: 1, response_status: null, trouble });
});

test("a redirect is not followed", async () => {
  const { id } = await subscribe();
  await using elsewhere = await openReceiver();
  receiver.behave((answer) => answer.writeHead(307, { location: elsewhere.url }).end());
  await publish();
  await service.runDue();
  expect(await only(id)).toMatchObject({
    state: "pending",
    response_status: 307,
    trouble: "The endpoint answered 307. Redirects are not followed.",
  });
  expect(elsewhere.connections()).toBe(0);
});

test("an unreachable receiver is retried", async () => {
  const { id } = await subscribe("http://127.0.0.1:9/"); // nothing listens there
  await publish();
  await service.runDue();
  expect(await only(id)).toMatchObject({
    state: "pending",
    trouble: "No connection, or no response within 15 s.",
  });
});

test("an endless response is cut off, and its status counts", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n");
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) sentBytes += 65_536;
    };
    socket.on("drain", more);
    more();
  });
  let sentBytes = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const { id } = await subscribe(`http://127.0.0.1:${port}/`);
  await publish();
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "delivered", response_status: 200 });
  expect(sentBytes).toBeLessThan(20_000_000);
  server.close();
});

test("an endpoint that answers 410 is disabled at once, and its owner gets an email", async () => {
  const { id } = await subscribe();
  await publish();
  await publish();
  const [first, second] = await service.claim();
  receiver.behave(answers(410));
  await service.run(first!);
  await service.run(second!);

  expect(await service.webhooks.get(live(ann), id)).toMatchObject({
    is_enabled: false,
    disabled_reason: "The endpoint answered 410 Gone.",
  });
  expect(await log(id)).toMatchObject([{ state: "failed" }, { state: "failed" }]);
  await publish();
  expect(await log(id)).toHaveLength(2);
  const emails = world.emails.filter(({ accountId }) => accountId === ann);
  expect(emails).toHaveLength(1);
  expect(emails[0]!.text).toContain(`127.0.0.1:${receiver.port}`);
  expect(world.events).toContainEqual({
    event: "webhook_disabled",
    endpoint_id: id,
    host: `127.0.0.1:${receiver.port}`,
    reason: "The endpoint answered 410 Gone.",
  });
  expect(JSON.stringify([emails, world.events])).not.toContain("hush");
});

test("an endpoint without a successful delivery for a day is disabled when a delivery fails for good", async () => {
  const { id } = await subscribe();
  await publish();
  await publish("job.failed");
  receiver.behave(answers(500));
  await service.runDue();
  await world.failingFor(id, 25);
  await world.database.pool.query(
    `update webhook_deliveries set attempts = 7 where endpoint_id = $1 and event = 'job.completed'`,
    [id],
  );
  await world.hurry(id);
  const due = await service.claim();
  const lastAttempt = (await log(id)).find(({ event }) => event === "job.completed")!;
  await service.run(due.find(({ subject }) => subject === lastAttempt.id)!);

  const off = await service.webhooks.get(live(ann), id);
  expect(off).toMatchObject({
    is_enabled: false,
    disabled_reason: expect.stringMatching(/^No successful delivery since \d{4}-/),
  });
  expect((await log(id)).map(({ event, state, trouble }) => [event, state, trouble]).sort()).toEqual([
    ["job.completed", "failed", "The endpoint answered 500."],
    ["job.failed", "failed", "The endpoint was disabled before this was delivered."],
  ]);
  expect(await world.dueAtMs(id)).toEqual([]);
  expect(world.emails.filter(({ accountId }) => accountId === ann)).toHaveLength(1);

  receiver.behave(answers(204));
  expect(await service.webhooks.update(live(ann), id, { is_enabled: true })).toMatchObject({
    is_enabled: true,
    disabled_reason: null,
    failing_since: null,
  });
  await publish();
  await service.runDue();
  expect((await log(id))[0]).toMatchObject({ state: "delivered" });
});

test("a delivered message can be replayed: the same body under the same id", async () => {
  const { id, secret } = await subscribe();
  await publish();
  await service.runDue();
  const { id: deliveryId } = await only(id);

  receiver.behave(answers(500));
  expect(await service.webhooks.replay(live(ann), id, deliveryId)).toMatchObject({
    state: "pending",
    attempts: 1,
  });
  await service.runDue();
  const [dueAtMs] = await world.dueAtMs(id);
  expect(dueAtMs).toBeLessThan(Date.now() + 6_000); // timing: a slow machine makes it earlier. The retry delays start again
  await world.delay(id);

  receiver.behave(answers(204));
  expect(await service.runDue()).toBe(0);
  await service.webhooks.replay(live(ann), id, deliveryId); // pending, so it is sent now
  expect(await service.runDue()).toBe(1);
  expect(await only(id)).toMatchObject({ id: deliveryId, state: "delivered", attempts: 3 });
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  for (const message of receiver.received) {
    verified(secret, message);
    expect(message.headers["webhook-id"]).toBe(deliveryId);
  }
});

test("an attempt interrupted by shutdown does not count, and the next process sends the message", async () => {
  const { id } = await subscribe();
  await publish();
  const [task] = await service.claim();
  const stop = new AbortController();
  receiver.behave(() => stop.abort());
  await expect(service.run(task!, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
  expect(await only(id)).toMatchObject({ state: "pending", attempts: 0, trouble: null });
  await world.tasks.postpone(world.database.orm, task!, {});
  receiver.behave(answers(204));
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "delivered", attempts: 1 });
});

test("a process whose heartbeats expired while sending saves nothing", async () => {
  const { id } = await subscribe();
  await publish();
  const [task] = await service.claim();
  receiver.behave(async (answer) => {
    await world.lose(task!);
    answers(204)(answer, undefined as never);
  });
  await service.run(task!);
  expect(await only(id)).toMatchObject({ state: "pending", attempts: 0 });
  receiver.behave(answers(204));
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "delivered", attempts: 1 });
});

test.each([
  ["disabled", (id: string) => service.webhooks.update(live(ann), id, { is_enabled: false }), 1],
  ["deleted", (id: string) => service.webhooks.remove(live(ann), id), 0],
])("an endpoint can be %s during a delivery", async (_, change, kept) => {
  const { id } = await subscribe();
  await publish();
  receiver.behave(async (answer) => {
    await change(id);
    answers(500)(answer, undefined as never);
  });
  await service.runDue();
  const { rows } = await world.database.pool.query(
    "select state from webhook_deliveries where endpoint_id = $1",
    [id],
  );
  expect(rows).toEqual(Array(kept).fill({ state: "failed" }));
  expect(await world.dueAtMs(id)).toEqual([]);
});

test("a held delivery is sent after the account is resumed, with all retries, even if the process that resumes it dies", async () => {
  const { id } = await subscribe();
  const { pool } = world.database;
  const suspend = (reason: string | null) =>
    pool.query(
      "update accounts set suspended_reason = $2, suspended_at = case when $2::text is not null then now() end where id = $1",
      [ann, reason],
    );
  await publish();
  await suspend("Unpaid");
  expect(await service.runDue()).toBe(1);
  expect(await service.runDue()).toBe(0);
  expect(receiver.received).toEqual([]);
  await pool.query(
    "update webhook_deliveries set created_at = now() - interval '2 days', series_at = now() - interval '2 days'",
  );
  await world.hurry(id);
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "pending", attempts: 0 });

  await suspend(null);
  receiver.behave(answers(503));
  await world.hurry(id);
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "pending", attempts: 1, response_status: 503 });
  receiver.behave(answers(204));
  await world.hurry(id);
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "delivered", attempts: 2 });
});

test("a delivery whose task is exhausted has failed, its endpoint is disabled, and the owner gets one email", async () => {
  const { id } = await subscribe();
  for (let count = 0; count < 3; count++) await publish();
  for (const task of (await service.claim()).slice(0, 2)) {
    await world.database.orm.transaction(async (tx) => {
      await world.tasks.complete(tx, task);
      await service.webhooks.onDeliveryExhausted(tx, task);
    });
  }
  const reason = "A delivery failed repeatedly because of an internal error.";
  expect(await service.webhooks.get(live(ann), id)).toMatchObject({
    is_enabled: false,
    disabled_reason: reason,
  });
  expect((await log(id)).map(({ state, trouble }) => [state, trouble]).sort()).toEqual([
    ["failed", "An internal error prevented the delivery."],
    ["failed", "The endpoint was disabled before this was delivered."],
    ["failed", "The endpoint was disabled before this was delivered."],
  ]);
  expect(world.emails.filter(({ accountId }) => accountId === ann)).toMatchObject([
    { text: expect.stringContaining(reason) },
  ]);
  expect(world.events).toContainEqual({
    event: "webhook_disabled",
    endpoint_id: id,
    host: `127.0.0.1:${receiver.port}`,
    reason,
  });
});
