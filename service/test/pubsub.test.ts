/** LISTEN/NOTIFY between processes over real connections, including connection failures. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createPubSub, notify, notifySql } from "../src/db/pubsub.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { recordEvents } from "./logged-events.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("a notification reaches the subscribers of its channel only", async () => {
  await using one = await listen();
  await using other = await listen();
  await notify(database.pool, "spring", "on the quiet channel");
  await notify(database.pool, "weather", "rain, 'with' \"quotes\"");
  for (const { received } of [one, other]) {
    await expect.poll(() => received, { interval: 5 }).toEqual(["rain, 'with' \"quotes\""]);
  }
});

test("a notification is sent if and only if its transaction commits", async () => {
  await using listener = await listen();
  const { received } = listener;
  await database.orm.transaction(async (tx) => {
    await notify(tx, "weather", "sun");
    await tx.execute(sql`select ${notifySql("weather", "wind")}`);
    await notify(database.pool, "weather", "said meanwhile");
    await expect.poll(() => received, { interval: 5 }).toEqual(["said meanwhile"]);
  });
  await expect.poll(() => received, { interval: 5 }).toEqual(["said meanwhile", "sun", "wind"]);
  const taken = database.orm.transaction(async (tx) => {
    await notify(tx, "weather", "taken back");
    throw new Error("rolled back");
  });
  await expect(taken).rejects.toThrow("rolled back");
  await notify(database.pool, "weather", "last");
  await expect.poll(() => received.at(-1), { interval: 5 }).toBe("last");
  expect(received).not.toContain("taken back");
});

test("a silent connection counts as not listening after a second, and is replaced", async () => {
  await using wire = await openWire();
  await using listener = await listen(wire.connection);
  const { pubsub, received, gaps, events } = listener;
  await expect.poll(() => pubsub.isListening, { interval: 10 }).toBe(true);
  expect(gaps()).toBe(1); // caches filled before listening began are invalid

  wire.fallSilent();
  await expect.poll(() => pubsub.isListening, { interval: 10 }).toBe(false);
  expect(gaps()).toBe(1);

  wire.cut(); // like a host that restarts
  await expect.poll(() => pubsub.isListening, { interval: 10 }).toBe(true);
  expect(gaps()).toBe(2);
  await notify(database.pool, "weather", "clear again");
  await expect.poll(() => received, { interval: 5 }).toEqual(["clear again"]);
  await expect.poll(() => events.at(-1)?.event).toBe("notifications_restored");
  expect(events).toHaveLength(2); // one for the loss, one for the recovery
});

test("the proof is renewed when somebody asks, and not while it is recent", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }); // no probe of an idle connection
  try {
    await using wire = await openWire();
    await using listener = await listen(wire.connection);
    const { pubsub, received } = listener;
    expect(pubsub.isListening).toBe(true);
    const sent = wire.sentBytes();

    vi.advanceTimersByTime(2_000); // in which nobody asked
    expect(pubsub.isListening).toBe(false); // not known at this moment
    await expect.poll(() => pubsub.isListening, { interval: 5 }).toBe(true);
    const probed = wire.sentBytes();
    expect(probed).toBeGreaterThan(sent);

    for (let asked = 0; asked < 100; asked++) expect(pubsub.isListening).toBe(true);
    await notify(database.pool, "weather", "meanwhile"); // time for a probe to arrive
    await expect.poll(() => received, { interval: 5 }).toEqual(["meanwhile"]);
    expect(wire.sentBytes()).toBe(probed);
  } finally {
    vi.useRealTimers();
  }
});

test("start resolves without a database, and listening begins when there is one", async () => {
  await using wire = await openWire();
  wire.refuse();
  await using listener = await listen(wire.connection);
  const { pubsub, events } = listener;
  expect(pubsub.isListening).toBe(false);
  expect(events).toHaveLength(1);
  wire.admit();
  await expect.poll(() => pubsub.isListening, { interval: 10 }).toBe(true);
});

async function listen(connection = database.connection) {
  const received: string[] = [];
  const { events, log } = recordEvents();
  let gaps = 0;
  const pubsub = createPubSub(connection, { log });
  pubsub.on("weather", (payload) => received.push(payload));
  pubsub.onGap(() => gaps++);
  await pubsub.start();
  return { pubsub, received, events, gaps: () => gaps, [Symbol.asyncDispose]: () => pubsub.close() };
}

/** A proxy to the database that can stall like a network: connected, but no data passes. */
async function openWire() {
  const socketPath = join(database.connection.host!, ".s.PGSQL.5432");
  const ends: Socket[] = [];
  let isAdmitting = true;
  let sentBytes = 0;
  const server = createServer((near) => {
    if (!isAdmitting) return near.destroy();
    const far = connect(socketPath);
    near.on("data", (chunk) => {
      sentBytes += chunk.length;
    });
    near.pipe(far).pipe(near);
    for (const end of [near, far]) end.on("error", () => {});
    near.on("close", () => far.destroy());
    ends.push(near, far);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const cut = () => {
    for (const end of ends.splice(0)) end.destroy();
  };
  return {
    connection: { ...database.connection, host: "127.0.0.1", port },
    fallSilent: () => {
      for (const end of ends) end.unpipe().pause();
    },
    cut,
    /** By the client. */
    sentBytes: () => sentBytes,
    refuse: () => {
      isAdmitting = false;
    },
    admit: () => {
      isAdmitting = true;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
    },
  };
}
