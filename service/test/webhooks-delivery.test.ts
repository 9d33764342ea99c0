/** Messages on their way to receivers of every manner, checked with the library that receivers use. */
import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { answers, type Manner, openReceiver, type Receiver, verified } from "./webhooks-receiver.ts";
import { openWebhookWorld, type Process, type WebhookWorld } from "./webhooks-world.ts";

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
  await world.forget();
});
afterAll(() => world.close());

const subscribe = (url = receiver.url) => service.webhooks.create(ann, { url });
const announce = (event: "job.completed" | "job.failed" = "job.completed", data = {}) =>
  world.announce(service, ann, event, data);
const log = async (endpointId: string) =>
  (await service.webhooks.deliveries(ann, endpointId, { skip: 0, limit: 100 })).deliveries;
const only = async (endpointId: string) => {
  const [delivery, ...others] = await log(endpointId);
  expect(others).toEqual([]);
  return delivery!;
};

test("a message arrives once, signed so that the receiver's library accepts it", async () => {
  const { id, secret } = await subscribe();
  await announce("job.completed", { job: { id: "j", filename: "Kundən, 名簿.csv" } });

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
  expect(() => verified(secret, { ...message!, body: `${message!.body} ` })).toThrow();
});

test("after the secret is changed both sign for a day, then the new one alone", async () => {
  const { id, secret: old } = await subscribe();
  const { secret } = await service.webhooks.rotateSecret(ann, id);
  expect(secret).not.toBe(old);

  await announce();
  await service.runDue();
  for (const either of [old, secret])
    expect(verified(either, receiver.received[0]!).type).toBe("job.completed");

  await world.database.pool.query(
    "update webhook_endpoints set previous_secret_until = now() where id = $1",
    [id],
  );
  await announce();
  await service.runDue();
  expect(verified(secret, receiver.received[1]!).type).toBe("job.completed");
  expect(() => verified(old, receiver.received[1]!)).toThrow();
});

test("what is not taken is sent again and again under the same id, ever later, until it is", async () => {
  const { id, secret } = await subscribe();
  await announce();
  receiver.behave(answers(500));
  for (const gapSeconds of [5, 300, 1800, 7200]) {
    expect(await service.runDue()).toBe(1);
    const [dueIn] = await world.dueInSeconds(id);
    expect(dueIn).toBeGreaterThan(gapSeconds - 2);
    expect(dueIn).toBeLessThan(gapSeconds * 1.1);
    expect(await service.runDue()).toBe(0);
    await world.hurry(id);
  }
  expect(await only(id)).toMatchObject({ state: "pending", attempts: 4, trouble: "It answered 500." });
  expect((await service.webhooks.get(ann, id)).failing_since).not.toBeNull();

  receiver.behave(answers(200));
  await service.runDue();
  expect(await only(id)).toMatchObject({
    state: "delivered",
    attempts: 5,
    response_status: 200,
    trouble: null,
  });
  expect((await service.webhooks.get(ann, id)).failing_since).toBeNull();
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  for (const message of receiver.received) verified(secret, message);
});

test("after eight attempts a message has failed, and the endpoint stays on if it has not failed for long", async () => {
  const { id } = await subscribe();
  await announce();
  receiver.behave(answers(503));
  for (let attempts = 0; attempts < 8; attempts++) {
    expect(await service.runDue()).toBe(1);
    await world.hurry(id);
  }
  expect(await service.runDue()).toBe(0);
  expect(await only(id)).toMatchObject({ state: "failed", attempts: 8, next_attempt_at: null });
  expect(await service.webhooks.get(ann, id)).toMatchObject({ is_enabled: true, disabled_reason: null });
});

test("a day after it happened a message is tried no more", async () => {
  const { id } = await subscribe();
  await announce();
  await world.database.pool.query(
    "update webhook_deliveries set series_at = now() - interval '25 hours' where endpoint_id = $1",
    [id],
  );
  receiver.behave(answers(500));
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "failed", attempts: 1 });
});

test.each<[string, Manner]>([
  ["does not answer", () => {}],
  [
    "sends its headers drop by drop",
    ({ socket }) => {
      socket?.write("HTTP/1.1 200 OK\r\nx: ");
      const drip = setInterval(() => socket?.write("x"), 50);
      socket?.on("close", () => clearInterval(drip));
    },
  ],
])("a receiver that %s is not waited for", async (_, manner) => {
  const { id } = await subscribe();
  await announce();
  receiver.behave(manner);
  const hasty = await world.open({ settings: { timeoutMs: 400 } });
  await hasty.runDue();
  expect(await only(id)).toMatchObject({ state: "pending", trouble: "There was no answer within 0.4 s." });
});

test.each<[string, string, Manner]>([
  ["hangs up", "It hung up without an answer.", ({ socket }) => socket?.destroy()],
  ["does not speak HTTP", "What it answered is not HTTP.", ({ socket }) => socket?.end("220 ready\r\n")],
  [
    "wants to speak something else",
    "It hung up without an answer.",
    ({ socket }) => socket?.end("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
  ],
  [
    "has far too much to say in its headers",
    "The headers of its answer are too long.",
    ({ socket }) => socket?.end(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}\r\n\r\n`),
  ],
])("a receiver that %s has not received anything", async (_, trouble, manner) => {
  const { id } = await subscribe();
  await announce();
  receiver.behave(manner);
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "pending", attempts: 1, response_status: null, trouble });
});

test("a redirect is not followed", async () => {
  const { id } = await subscribe();
  await using elsewhere = await openReceiver();
  receiver.behave((answer) => answer.writeHead(307, { location: elsewhere.url }).end());
  await announce();
  await service.runDue();
  expect(await only(id)).toMatchObject({
    state: "pending",
    response_status: 307,
    trouble: "It answered 307, a redirect; those are not followed.",
  });
  expect(elsewhere.connections()).toBe(0);
});

test("a receiver that is not there is tried again", async () => {
  const { id } = await subscribe();
  await receiver.close();
  await announce();
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "pending", trouble: "The connection was refused." });
  receiver = await openReceiver();
});

test("an answer without end is cut off, and counts as what it began with", async () => {
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
  await announce();
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "delivered", response_status: 200 });
  expect(sentBytes).toBeLessThan(20_000_000);
  server.close();
});

test("an endpoint that says it is gone is switched off at once, and its owner told", async () => {
  const { id } = await subscribe();
  await announce();
  await announce();
  const [first, second] = await service.claim();
  receiver.behave(answers(410));
  await service.run(first!);
  await service.run(second!);

  expect(await service.webhooks.get(ann, id)).toMatchObject({
    is_enabled: false,
    disabled_reason: "It answered 410 Gone.",
  });
  expect(await log(id)).toMatchObject([{ state: "failed" }, { state: "failed" }]);
  await announce();
  expect(await log(id)).toHaveLength(2);
  const told = world.notices.filter(({ accountId }) => accountId === ann);
  expect(told).toHaveLength(1);
  expect(told[0]!.text).toContain(`127.0.0.1:${receiver.port}`);
  for (const text of [JSON.stringify(told), ...world.said]) expect(text).not.toContain("hush");
});

test("an endpoint at which nothing arrived for a day is switched off when a message is given up", async () => {
  const { id } = await subscribe();
  await announce();
  await announce("job.failed");
  receiver.behave(answers(500));
  await service.runDue();
  await world.failingFor(id, 25);
  await world.database.pool.query(
    `update webhook_deliveries set attempts = 7 where endpoint_id = $1 and event = 'job.completed'`,
    [id],
  );
  await world.hurry(id);
  const due = await service.claim();
  const givenUp = (await log(id)).find(({ event }) => event === "job.completed")!;
  await service.run(due.find(({ subject }) => subject === givenUp.id)!);

  const off = await service.webhooks.get(ann, id);
  expect(off).toMatchObject({
    is_enabled: false,
    disabled_reason: expect.stringMatching(/^Nothing has arrived there since \d{4}-/),
  });
  expect((await log(id)).map(({ event, state, trouble }) => [event, state, trouble]).sort()).toEqual([
    ["job.completed", "failed", "It answered 500."],
    ["job.failed", "failed", "The endpoint was switched off before this arrived."],
  ]);
  expect(await world.dueInSeconds(id)).toEqual([]);
  expect(world.notices.filter(({ accountId }) => accountId === ann)).toHaveLength(1);

  receiver.behave(answers(204));
  expect(await service.webhooks.update(ann, id, { is_enabled: true })).toMatchObject({
    is_enabled: true,
    disabled_reason: null,
    failing_since: null,
  });
  await announce();
  await service.runDue();
  expect((await log(id))[0]).toMatchObject({ state: "delivered" });
});

test("what was delivered can be sent once more: the same message under the same id", async () => {
  const { id, secret } = await subscribe();
  await announce();
  await service.runDue();
  const { id: deliveryId } = await only(id);

  receiver.behave(answers(500));
  expect(await service.webhooks.replay(ann, id, deliveryId)).toMatchObject({ state: "pending", attempts: 1 });
  await service.runDue();
  const [dueIn] = await world.dueInSeconds(id);
  expect(dueIn).toBeLessThan(6); // all the gaps from the beginning

  receiver.behave(answers(204));
  expect(await service.runDue()).toBe(0);
  await service.webhooks.replay(ann, id, deliveryId); // it waits, and is sent now
  expect(await service.runDue()).toBe(1);
  expect(await only(id)).toMatchObject({ id: deliveryId, state: "delivered", attempts: 3 });
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  for (const message of receiver.received) {
    verified(secret, message);
    expect(message.headers["webhook-id"]).toBe(deliveryId);
  }
});

test("what was being sent when the service stopped does not count, and is sent by the next one", async () => {
  const { id } = await subscribe();
  await announce();
  const [task] = await service.claim();
  const stop = new AbortController();
  receiver.behave(() => stop.abort());
  await expect(service.run(task!, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
  expect(await only(id)).toMatchObject({ state: "pending", attempts: 0, trouble: null });
  await world.tasks.releaseOrphaned("webhooks", service.processes.id, []);
  receiver.behave(answers(204));
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "delivered", attempts: 1 });
});

test("whoever was taken for dead while sending writes nothing down", async () => {
  const { id } = await subscribe();
  await announce();
  const [task] = await service.claim();
  receiver.behave(async (answer) => {
    await world.database.pool.query("update tasks set process_id = null, losses = losses + 1 where id = $1", [
      task!.id,
    ]);
    answers(204)(answer, undefined as never);
  });
  await service.run(task!);
  expect(await only(id)).toMatchObject({ state: "pending", attempts: 0 });
  receiver.behave(answers(204));
  await service.runDue();
  expect(await only(id)).toMatchObject({ state: "delivered", attempts: 1 });
});

test.each([
  ["switched off", (id: string) => service.webhooks.update(ann, id, { is_enabled: false }), 1],
  ["deleted", (id: string) => service.webhooks.remove(ann, id), 0],
])("an endpoint can be %s while something is sent to it", async (_, change, kept) => {
  const { id } = await subscribe();
  await announce();
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
  expect(await world.dueInSeconds(id)).toEqual([]);
});

test("what we could not send by our own fault has failed too", async () => {
  const { id } = await subscribe();
  await announce();
  const [task] = await service.claim();
  await service.webhooks.giveUp(task!, new Error("again and again"));
  await world.tasks.complete(world.database.orm, task!, service.processes.id);
  expect(await only(id)).toMatchObject({ state: "failed", trouble: "Something went wrong on our side." });
});
