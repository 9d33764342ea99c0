/** A single check that is unknown for the moment is repeated from the queue, and its result is cached and published. */
import { connect } from "node:net";
import { greylists, mailDomain, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { openService, type TestAccount, type TestService } from "./service.ts";
import { openReceiver, type Receiver } from "./webhooks-receiver.ts";

const GREY_WORDS = { replies: { greylisted: "451 4.7.1 Greylisted, please try again in 1 seconds" } };
/** Longer than any test takes. */
const LATE_WORDS = { replies: { greylisted: "451 4.7.1 Greylisted, please try again in 3600 seconds" } };
const lab = await openLab({
  "grey.test": mailDomain({ users: ["ann"], temper: [greylists({ delayMs: 500 }), GREY_WORDS] }),
  "late.test": mailDomain({ users: ["ann", "bob"], temper: [greylists({ delayMs: 3_600_000 }), LATE_WORDS] }),
  "plain.test": mailDomain({ users: ["ann"] }),
});

let database: TestDatabase;
let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  database = await openTestDatabase();
  receiver = await openReceiver();
  service = await openService({ lab, database });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await database.close();
  await lab[Symbol.asyncDispose]();
});

const check = async ({ key }: TestAccount, email: string) =>
  (await service.ask("/validation/single", { key, body: { email } })).body;

/** The emails whose recheck is planned. */
async function planned({ accountId }: TestAccount): Promise<string[]> {
  const text = "select email from rechecks where account_id = $1 order by email";
  return (await database.pool.query(text, [accountId])).rows.map(({ email }) => email);
}

/** An account with a webhook for rechecks. */
async function subscriber(): Promise<TestAccount> {
  const account = await service.openAccount({ credits: 100 });
  const body = { url: receiver.url, events: ["validation.completed"] };
  expect((await service.ask("/webhooks", { key: account.key, body })).status).toBe(201);
  return account;
}

/** The published recheck of this request, once it exists. */
async function announcementOf(requestId: string) {
  const messages = () => receiver.received.map(({ body }) => JSON.parse(body));
  const find = () => messages().find(({ data }) => data.request_id === requestId);
  await expect.poll(find).toBeDefined();
  return find();
}

test("a greylisted address is rechecked at the time the server named, and the result is cached", async () => {
  const ann = await subscriber();
  const first = await check(ann, "ann@grey.test");
  expect([first.status, first.sub_status]).toEqual(["unknown", "greylisted"]);
  expect(await announcementOf(first.request_id)).toMatchObject({
    type: "validation.completed",
    data: { result: { email: "ann@grey.test", status: "valid", request_id: first.request_id } },
  });
  expect(await planned(ann)).toEqual([]);
  const { balance } = (await service.ask("/credits", { key: ann.key })).body;
  expect(balance).toBe(99); // the recheck is free
  const again = await check(ann, "ann@grey.test");
  expect([again.status, again.metadata.cached]).toEqual(["valid", true]);
});

test("an address has one recheck at a time", async () => {
  const bob = await subscriber();
  const answers = await Promise.all(Array.from({ length: 5 }, () => check(bob, "bob@late.test")));
  answers.push(await check(bob, "ann@late.test")); // is planned after those
  expect(answers.map(({ sub_status }) => sub_status)).toEqual(Array(6).fill("greylisted"));
  await expect.poll(() => planned(bob)).toEqual(["ann@late.test", "bob@late.test"]);
});

test("greylisted-then-valid in the sandbox is rechecked and published; final results are not", async () => {
  const eve = await subscriber();
  expect((await check(eve, "ann@plain.test")).status).toBe("valid");
  expect((await check(eve, "gone@plain.test")).sub_status).toBe("mailbox_not_found");
  expect((await check(eve, "greylisted@mailvet.test")).sub_status).toBe("greylisted");
  const last = await check(eve, "greylisted-then-valid@mailvet.test");
  expect(last.sub_status).toBe("greylisted");
  expect(await announcementOf(last.request_id)).toMatchObject({ data: { result: { status: "valid" } } });
  const { rows } = await database.pool.query(
    "select count(*)::int as all from webhook_deliveries where account_id = $1",
    [eve.accountId],
  );
  expect(rows).toEqual([{ all: 1 }]);
});

test("live and test mode have a recheck each for the same address", async () => {
  const fay = await subscriber();
  const { key } = await fay.makeKey({ mode: "test" });
  const body = { url: receiver.url, events: ["validation.completed"] };
  expect((await service.ask("/webhooks", { key, body })).status).toBe(201);
  const answers = await Promise.all(
    [fay, { ...fay, key }].map((caller) => check(caller, "greylisted-then-valid@mailvet.test")),
  );
  const greylisted = answers.filter(({ sub_status }) => sub_status === "greylisted");
  expect(greylisted.length).toBeGreaterThan(0); // both, unless one came two seconds later
  for (const { request_id } of greylisted) {
    expect(await announcementOf(request_id)).toMatchObject({ data: { result: { status: "valid" } } });
  }
});

test("a check whose client disconnected is refunded and not rechecked", async () => {
  const dan = await subscriber();
  const path = "/api/v1/validation/single?email=slow-3s@mailvet.test&timeout_seconds=1";
  const askAndHangUp = () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(service.url).port), "127.0.0.1", () => {
        socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${dan.key}\r\n\r\n`, () => {
          socket.destroy();
          resolve();
        });
      });
    });
  const entries = async (): Promise<string[]> => {
    const { body } = await service.ask("/credits", { key: dan.key });
    return body.ledger.map(({ kind }: { kind: string }) => kind);
  };
  // Without effect where the connection is closed before the key has been looked up.
  const entriesAfterOneMore = async () => {
    await askAndHangUp();
    return entries();
  };
  await expect.poll(entriesAfterOneMore, { interval: 1000 }).toContain("settle");
  const unrefunded = async () => {
    const kinds = await entries();
    const countOf = (wanted: string) => kinds.filter((kind) => kind === wanted).length;
    return countOf("settle") - countOf("refund");
  };
  await expect.poll(unrefunded).toBe(0);
  expect(await planned(dan)).toEqual([]);
});
