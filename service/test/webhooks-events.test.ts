/** Which events are published, to which account, and in which transaction. */
import { randomUUID } from "node:crypto";
import { WebhookMessage } from "@mailvet/contract";
import { Value } from "typebox/value";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createLedger } from "../src/credits/ledger.ts";
import { createPubSub } from "../src/db/pubsub.ts";
import { createApiKeys } from "../src/keys/api-keys.ts";
import { startWorker } from "../src/queue/worker.ts";
import { charge as chargeFrom, requestOf, reserve } from "./credits-books.ts";
import { openReceiver, verified } from "./webhooks-receiver.ts";
import { live, openWebhookWorld, type Process, type WebhookWorld } from "./webhooks-world.ts";

let world: WebhookWorld;
let service: Process;
const URL = "http://127.0.0.1:9/";
beforeAll(async () => {
  world = await openWebhookWorld();
  service = await world.open();
});
afterEach(() => world.clear());
afterAll(() => world.close());

/** Messages published to an endpoint, oldest first. */
async function published(accountId: string, endpointId: string) {
  const { deliveries } = await service.webhooks.deliveries(live(accountId), endpointId, {
    skip: 0,
    limit: 100,
  });
  return deliveries.reverse().map(({ message }) => {
    const read = JSON.parse(message);
    expect(Value.Check(WebhookMessage, read)).toBe(true);
    return [read.type, read.data];
  });
}

test("an endpoint gets the events it subscribes to, of its own account only", async () => {
  const [ann, bob] = [await world.account(), await world.account()];
  const all = await service.webhooks.create(live(ann), { url: URL });
  const some = await service.webhooks.create(live(ann), { url: URL, events: ["job.failed", "job.paused"] });
  const off = await service.webhooks.create(live(ann), { url: URL });
  await service.webhooks.update(live(ann), off.id, { is_enabled: false });
  const others = await service.webhooks.create(live(bob), { url: URL });

  await world.publish(service, ann, "job.completed", { job: 1 });
  await world.publish(service, ann, "job.failed", { job: 2 });
  expect(await published(ann, all.id)).toEqual([
    ["job.completed", { job: 1 }],
    ["job.failed", { job: 2 }],
  ]);
  expect(await published(ann, some.id)).toEqual([["job.failed", { job: 2 }]]);
  expect(await published(ann, off.id)).toEqual([]);
  expect(await published(bob, others.id)).toEqual([]);
});

test("a rolled-back transaction publishes nothing", async () => {
  const ann = await world.account();
  const { id } = await service.webhooks.create(live(ann), { url: URL });
  const rolledBack = world.database.orm.transaction(async (tx) => {
    await service.webhooks.publish(tx, live(ann), "job.completed", {});
    throw new Error("no");
  });
  await expect(rolledBack).rejects.toThrow("no");
  expect(await published(ann, id)).toEqual([]);
  expect(await world.dueAtMs(id)).toEqual([]);
});

/** Resolves when this waits for the lock of another transaction, or needs none. */
async function blockedOrDone(work: Promise<unknown>): Promise<void> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const isBlocked = async () => (await world.database.pool.query(waiting)).rowCount;
  const isDone = work.then(
    () => true,
    () => true,
  );
  await expect.poll(() => Promise.race([isDone, isBlocked()]), { interval: 5 }).toBeTruthy();
}

test("deleting an endpoint during a publish does not break it", async () => {
  const ann = await world.account();
  const [gone, kept] = [
    await service.webhooks.create(live(ann), { url: URL }),
    await service.webhooks.create(live(ann), { url: URL }),
  ];
  const { orm, pool } = world.database;
  const deleting = await pool.connect();
  await deleting.query("begin");
  await deleting.query("delete from webhook_endpoints where id = $1", [gone.id]);
  const publishing = orm.transaction((tx) => service.webhooks.publish(tx, live(ann), "job.completed", {}));
  await blockedOrDone(publishing);
  await deleting.query("commit");
  deleting.release();
  await publishing;
  expect(await published(ann, kept.id)).toHaveLength(1);
});

test("an event published while the endpoint is being disabled does not stay pending", async () => {
  const ann = await world.account();
  const { id } = await service.webhooks.create(live(ann), { url: URL });
  let off: Promise<unknown> = Promise.resolve();
  await world.database.orm.transaction(async (tx) => {
    await service.webhooks.publish(tx, live(ann), "job.completed", {});
    off = service.webhooks.update(live(ann), id, { is_enabled: false });
    await blockedOrDone(off);
  });
  await off;
  const { deliveries } = await service.webhooks.deliveries(live(ann), id, { skip: 0, limit: 1 });
  expect(deliveries).toMatchObject([{ state: "failed", trouble: expect.stringContaining("disabled") }]);
  expect(await world.dueAtMs(id)).toEqual([]);
});

test("creating and revoking a key is published once, without its secret", async () => {
  const ann = await world.account();
  const { id } = await service.webhooks.create(live(ann), { url: URL });
  const notices = createPubSub(world.database.connection, { log: () => {} });
  const keyring = createApiKeys({ database: world.database, notices, announce: service.webhooks.publish });
  const { key, text } = await keyring.create(ann, {
    name: "shop",
    mode: "live",
    scopes: ["read"],
    expiresAt: undefined,
  });
  await keyring.revoke(ann, key.id);
  await keyring.revoke(ann, key.id);
  await expect(keyring.revoke(ann, randomUUID())).rejects.toMatchObject({ code: "key_not_found" });
  const data = { key_id: key.id, name: "shop", prefix: key.prefix };
  expect(await published(ann, id)).toEqual([
    ["api_key.created", data],
    ["api_key.revoked", data],
  ]);
  expect(JSON.stringify(await published(ann, id))).not.toContain(text.slice(key.prefix.length));
  await keyring.close();
});

test("credits.low is published when the balance crosses the threshold, not at every charge after", async () => {
  const ann = await world.account();
  const { id } = await service.webhooks.create(live(ann), { url: URL });
  const { database } = world;
  const ledger = createLedger({ database, onLow: service.webhooks.publishLowCredits });
  await database.orm.transaction((tx) => ledger.open(tx, ann, 105, "opened"));
  const charge = (amount: number, idempotencyKey?: string) =>
    chargeFrom(ledger, ann, { amount, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });

  expect(await charge(5)).toBe(100);
  expect(await charge(3, "once")).toBe(97);
  await service.webhooks.close(); // it is published before the next one
  expect(await charge(3, "once")).toBe(97);
  expect(await charge(3)).toBe(94);
  await ledger.grant({ accountId: ann, amount: 10, reference: "more", idempotencyKey: undefined });
  const request = requestOf(ann);
  await ledger.charge(request, 20);
  await ledger.refund(request, "all");
  await expect(charge(500)).rejects.toMatchObject({ code: "insufficient_credits" });
  await service.webhooks.close();
  expect(await published(ann, id)).toEqual([
    ["credits.low", { balance: 97, threshold: 100 }],
    ["credits.low", { balance: 84, threshold: 100 }],
  ]);

  const holdForList = (amount: number) => reserve(database, ann, amount, randomUUID());
  expect(await holdForList(4)).toBeUndefined();
  expect(await holdForList(1)).toBe(99);
  expect(await holdForList(1)).toBeUndefined();
});

test("a running worker sends a published event at once", async () => {
  await using receiver = await openReceiver();
  const ann = await world.account();
  const { secret } = await service.webhooks.create(live(ann), { url: receiver.url });
  const notices = createPubSub(world.database.connection, { log: () => {} });
  const { webhooks } = service;
  const { database, boss, tasks, feed } = world;
  const worker = startWorker({
    database,
    boss,
    tasks,
    feed,
    pubsub: notices,
    queue: "delivery",
    slots: 8,
    handler: webhooks.deliveryHandler,
    onExhausted: webhooks.onDeliveryExhausted,
    log: () => {},
  });
  await notices.start();
  await world.publish(service, ann, "job.completed", { job: 7 });
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  await worker.close();
  await notices.close();
  expect(verified(secret, receiver.received[0]!).data).toEqual({ job: 7 });
});

test("deliveries are deleted after 30 days, unless they are pending again and not held", async () => {
  const ann = await world.account();
  const { id } = await service.webhooks.create(live(ann), { url: URL });
  for (const event of ["job.completed", "job.failed", "job.paused"] as const) {
    await world.publish(service, ann, event);
  }
  await world.database.pool.query(
    `update webhook_deliveries set created_at = now() - interval '31 days',
       state = case event when 'job.paused' then 'pending' else 'delivered' end
     where endpoint_id = $1 and event <> 'job.failed'`,
    [id],
  );
  expect(await service.webhooks.eraseOld()).toBe(1);
  expect((await published(ann, id)).map(([type]) => type).sort()).toEqual(["job.failed", "job.paused"]);
  // Held, perhaps for years.
  await world.database.pool.query(
    "update accounts set suspended_at = now(), suspended_reason = 'Unpaid' where id = $1",
    [ann],
  );
  expect(await service.webhooks.eraseOld()).toBe(1);
  expect((await published(ann, id)).map(([type]) => type)).toEqual(["job.failed"]);
});
