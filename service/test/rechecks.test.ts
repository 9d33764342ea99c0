/** A single check that is unknown for the moment is repeated from the queue, and its result is found and announced. */
import { greylists, mailDomain, openLab } from "@mailvet/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "./database.ts";
import { openService, type Person, type TestService } from "./service.ts";
import { openReceiver, type Receiver } from "./webhooks-receiver.ts";

const GREY_WORDS = { words: { greylisted: "451 4.7.1 Greylisted, please try again in 1 seconds" } };
const lab = await openLab({
  "grey.test": mailDomain({ users: ["ann", "bob"], temper: [greylists({ delayMs: 500 }), GREY_WORDS] }),
  "plain.test": mailDomain({ users: ["ann"] }),
});

let database: TestDatabase;
let service: TestService;
let receiver: Receiver;
let ann: Person;
beforeAll(async () => {
  database = await openTestDatabase();
  receiver = await openReceiver();
  service = await openService({ lab, database });
  ann = await service.openAccount({ credits: 100 });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await database.close();
  await lab[Symbol.asyncDispose]();
});

const check = async (email: string, person = ann) =>
  (await service.ask("/validation/single", { key: person.key, body: { email } })).body;

async function planned(accountId: string): Promise<number> {
  const { rows } = await database.pool.query(
    "select count(*)::int as n from rechecks where account_id = $1",
    [accountId],
  );
  return rows[0].n;
}

async function untilNoneIsPlanned(accountId: string): Promise<void> {
  await expect.poll(() => planned(accountId)).toBe(0);
}

test("a greylisted address is asked for again at the time the server named; asking later finds the answer", async () => {
  await service.ask("/webhooks", {
    key: ann.key,
    body: { url: receiver.url, events: ["validation.completed"] },
  });
  const first = await check("ann@grey.test");
  expect([first.status, first.sub_status]).toEqual(["unknown", "greylisted"]);
  await untilNoneIsPlanned(ann.accountId);

  const { balance } = (await service.ask("/credits", { key: ann.key })).body;
  expect(balance).toBe(99); // the recheck is free
  const again = await check("ann@grey.test");
  expect([again.status, again.metadata.cached]).toEqual(["valid", true]);

  await expect.poll(() => receiver.received.length).toBe(1);
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
    type: "validation.completed",
    data: {
      request_id: first.request_id,
      result: { email: "ann@grey.test", status: "valid", request_id: first.request_id },
    },
  });
});

test("an address has one recheck at a time, however often it is asked for meanwhile", async () => {
  const bob = await service.openAccount({ credits: 100 });
  const answers = await Promise.all(Array.from({ length: 5 }, () => check("bob@grey.test", bob)));
  for (const { sub_status } of answers) expect(["greylisted", ""]).toContain(sub_status);
  expect(await planned(bob.accountId)).toBeLessThanOrEqual(1);
  await untilNoneIsPlanned(bob.accountId);
  expect(await check("bob@grey.test", bob)).toMatchObject({ status: "valid" });
});

test("what is settled is not repeated, nor is a sandbox verdict that is final", async () => {
  const eve = await service.openAccount({ credits: 100 });
  expect((await check("ann@plain.test", eve)).status).toBe("valid");
  expect((await check("gone@plain.test", eve)).sub_status).toBe("mailbox_not_found");
  expect((await check("greylisted@mailvet.test", eve)).sub_status).toBe("greylisted");
  expect(await planned(eve.accountId)).toBe(0);
});

test("greylisted-then-valid in the sandbox is repeated, and announced", async () => {
  const dan = await service.openAccount({ credits: 100 });
  const first = await check("greylisted-then-valid@mailvet.test", dan);
  expect(first.sub_status).toBe("greylisted");
  expect(await planned(dan.accountId)).toBe(1);
  await untilNoneIsPlanned(dan.accountId);
});
