/** What becomes of a charge when its response is written: it stands, is refunded in part, or altogether; never twice. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Refusal } from "../src/base/refusal.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { type AfterCharge, type HttpWorld, openHttpWorld } from "./http-world.ts";
import { beginHolder } from "./lock-waits.ts";
import { createGate } from "./validation-world.ts";

let world: HttpWorld;
let accountId: string;
let key: string;
beforeAll(async () => {
  world = await openHttpWorld();
});
beforeEach(async () => {
  const account = await world.account({ credits: 100 });
  accountId = account.id;
  key = await account.key();
  afterCharge(async () => ({ paid: true }));
});
afterEach(() => expectBooksToAddUp(world.database));
afterAll(() => world.close());

function afterCharge(answer: (asked: AfterCharge) => Promise<unknown>): void {
  world.bench.afterCharge = answer;
}

const headersOf = (idempotencyKey?: string): Record<string, string> => ({
  "x-api-key": key,
  ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
});

async function pay(idempotencyKey?: string) {
  const answer = await fetch(`${world.api}/paid`, { method: "POST", headers: headersOf(idempotencyKey) });
  await answer.text();
  const isReplayed = answer.headers.get("idempotency-replayed") === "true";
  return { status: answer.status, remaining: answer.headers.get("x-credits-remaining"), isReplayed };
}

/** Kind and amount, oldest first, without the grant. */
async function entries(): Promise<string[]> {
  const text =
    "select kind || ' ' || amount as entry from ledger where account_id = $1 order by number offset 1";
  const { rows } = await world.database.pool.query<{ entry: string }>(text, [accountId]);
  return rows.map(({ entry }) => entry);
}

const heldKeys = async () =>
  (await world.database.pool.query("select from idempotent_responses where account_id = $1", [accountId]))
    .rowCount;

const FAILURES: [string, number, string | null, (asked: AfterCharge) => Promise<unknown>][] = [
  ["an internal error", 500, null, () => Promise.reject(new Error("a bug"))],
  [
    "a refusal",
    429,
    null,
    () => Promise.reject(new Refusal("rate_limited", "Too many.", { retryAfterSeconds: 1 })),
  ],
  [
    "a refusal with a balance",
    409,
    "100",
    () => Promise.reject(new Refusal("job_state_conflict", "Not now.")),
  ],
  [
    "a refusal with the status of a success",
    200,
    "100",
    async ({ request }) => {
      request.isRefused = true;
      return { isError: true };
    },
  ],
];

test.for(FAILURES)("%s is refunded", async ([, status, remaining, fail]) => {
  afterCharge(fail);
  expect(await pay()).toEqual({ status, remaining, isReplayed: false });
  await expect.poll(entries).toEqual(["settle -3", "refund 3"]);
});

test.for(FAILURES)(
  "%s releases the key with the refund, and the repetition is charged again",
  async (failure) => {
    const [, status, remaining, fail] = failure;
    afterCharge(fail);
    for (const refunded of [1, 2]) {
      expect(await pay("order")).toEqual({ status, remaining, isReplayed: false });
      expect(await heldKeys()).toBe(0);
      expect(await entries()).toHaveLength(2 * refunded);
    }
    afterCharge(async () => ({ paid: true }));
    expect(await pay("order")).toEqual({ status: 200, remaining: "97", isReplayed: false });
    expect(await pay("order")).toEqual({ status: 200, remaining: "97", isReplayed: true });
    expect(await entries()).toHaveLength(5);
  },
);

test("credits that are returned by policy come back before the response, in one entry, and once", async () => {
  afterCharge(async ({ charge }) => {
    charge.returned = 2;
    return { paid: true };
  });
  expect(await pay()).toMatchObject({ status: 200, remaining: "99" });
  expect(await pay("order")).toMatchObject({ status: 200, remaining: "98" });
  expect(await pay("order")).toMatchObject({ status: 200, remaining: "98", isReplayed: true });
  expect(await entries()).toEqual(["settle -3", "refund 2", "settle -3", "refund 2"]);
});

/** Sends a request whose client hangs up while the route is answering it. */
async function hangUpAfterCharge(idempotencyKey?: string): Promise<void> {
  const [charged, cut] = [createGate(), createGate()];
  const answered = new Promise<void>((resolve) => {
    afterCharge(async ({ request, reply }) => {
      reply.raw.once("close", () => resolve());
      charged.open();
      await cut.opened;
      while (request.socket.writable) await new Promise(setImmediate);
      return { paid: true };
    });
  });
  const socket = connect(world.port, "127.0.0.1");
  const headers = Object.entries({ host: "localhost", ...headersOf(idempotencyKey) });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`POST /api/v1/paid HTTP/1.1\r\n${head}\r\n`);
  await charged.opened;
  socket.destroy();
  await once(socket, "close");
  cut.open();
  await answered;
}

test("a client that hangs up before the response is refunded; with a key the response is stored and stays paid", async () => {
  await hangUpAfterCharge();
  await expect.poll(entries).toEqual(["settle -3", "refund 3"]);
  await hangUpAfterCharge("order");
  await expect.poll(async () => (await pay("order")).isReplayed).toBe(true);
  expect(await entries()).toEqual(["settle -3", "refund 3", "settle -3"]);
});

test("a response too long to store is paid for, and so is its repetition", async () => {
  const text = randomBytes(600_000).toString("base64");
  afterCharge(async () => ({ text }));
  for (const remaining of ["97", "94"])
    expect(await pay("order")).toEqual({ status: 200, remaining, isReplayed: false });
});

test("a process that lost its lease does not refund the charge of the request that has the key now", async () => {
  const [charged, late] = [createGate(), createGate()];
  afterCharge(async () => {
    charged.open();
    await late.opened;
    throw new Error("of the first process");
  });
  const first = pay("order");
  await charged.opened;
  await world.database.pool.query(
    "update idempotent_responses set held_until = now() where account_id = $1",
    [accountId],
  );
  afterCharge(async () => ({ paid: true }));
  expect(await pay("order")).toEqual({ status: 200, remaining: "97", isReplayed: false });
  late.open();
  expect((await first).status).toBe(500);
  expect(await entries()).toEqual(["settle -3"]);
  expect(await pay("order")).toMatchObject({ isReplayed: true });
});

test("refund and release are written later, together, when the connection is lost", async () => {
  const { pool } = world.database;
  await using lock = await beginHolder(pool);
  afterCharge(async () => {
    await lock.query("select from idempotent_responses where account_id = $1 for update", [accountId]);
    throw new Refusal("job_state_conflict", "Not now."); // a refund alone would be awaited
  });
  const failed = pay("order");
  await lock.untilBlocked(1);
  await lock.breakBlocked();
  expect((await failed).status).toBe(409);
  expect([await entries(), await heldKeys()]).toEqual([["settle -3"], 1]);
  await lock.commit();
  await expect.poll(heldKeys).toBe(0);
  expect(await entries()).toEqual(["settle -3", "refund 3"]);
});
