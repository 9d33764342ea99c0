import { setTimeout as sleep } from "node:timers/promises";
import type { BulkItem } from "@mailvet/contract";
import { expect, test } from "vitest";
import {
  bulkOf,
  emailsIn,
  json,
  type Line,
  later,
  openScriptedService,
  problem,
  type ScriptedService,
  saysNothing,
  validatesAll,
} from "../test/scripted-service.ts";
import { createClient } from "./index.ts";

const clientOf = ({ url }: ScriptedService) => createClient({ baseUrl: url, apiKey: "mv_test_key" });

const someEmails = (count: number) => Array.from({ length: count }, (_, i) => `ann${i}@shop.io`);

async function collect(items: AsyncIterable<BulkItem>, into: string[] = []): Promise<string[]> {
  for await (const { email } of items) into.push(email);
  return into;
}

/** The later a request comes in, the sooner it is answered. */
const lastIsFirst: Line = (response, heard) => {
  const number = Number(/\d+/.exec(emailsIn(heard)[0]!));
  later(150 - number / 50, validatesAll())(response, heard);
};

test("a long list is cut into requests of a thousand, and results keep its order", async () => {
  await using service = await openScriptedService(lastIsFirst);
  const emails = someEmails(5_500);
  expect(await collect(clientOf(service).validateMany(emails))).toEqual(emails);
  expect(service.heard.map((request) => emailsIn(request).length).sort()).toEqual([
    1000, 1000, 1000, 1000, 1000, 500,
  ]);
});

test("four requests are under way at once, and never more", async () => {
  const REQUESTS = 9;
  let heardInAll = 0;
  let most = 0;
  let underWay: (() => void)[] = [];
  await using service = await openScriptedService((response, heard) => {
    heardInAll++;
    underWay.push(() => validatesAll()(response, heard));
    most = Math.max(most, underWay.length);
    // No request is answered before there are four: with fewer at once the client would hang.
    if (underWay.length < 4 && heardInAll < REQUESTS) return;
    const answers = underWay;
    underWay = [];
    for (const answer of answers) answer();
  });
  await collect(clientOf(service).validateMany(someEmails(REQUESTS * 1_000)));
  expect(most).toBe(4);
});

test("an email that is repeated is asked for once, and every repetition has its result as it was spelled", async () => {
  await using service = await openScriptedService(validatesAll());
  const emails = ["ann@shop.io", ...someEmails(1500), " ANN@shop.io ", "ann@shop.io"];
  expect(await collect(clientOf(service).validateMany(emails))).toEqual(emails);
  const asked = service.heard.flatMap(emailsIn);
  expect(asked).toHaveLength(1501);
  expect(new Set(asked).size).toBe(1501);
});

test("a spelling that only the service knows to be a repetition has its result too", async () => {
  const twinless: Line = (response, heard) => {
    const emails = emailsIn(heard);
    const isMixed = emails.length > 1;
    json(bulkOf(isMixed ? emails.filter((email) => !email.startsWith('"')) : emails))(response, heard);
  };
  await using service = await openScriptedService(twinless);
  const emails = ["ann@shop.io", '"ann"@shop.io', "bob@shop.io"];
  expect(await collect(clientOf(service).validateMany(emails))).toEqual(emails);
});

test("long texts go in more requests, so that none is too large", async () => {
  await using service = await openScriptedService(validatesAll());
  const emails = Array.from({ length: 300 }, (_, i) => `${i}é`.padEnd(8_000, "x"));
  await collect(clientOf(service).validateMany(emails));
  const sizes = service.heard.map(({ body }) => Buffer.byteLength(body));
  expect(sizes.length).toBeGreaterThan(4);
  expect(Math.max(...sizes)).toBeLessThan(600_000);
});

test("a source that hesitates sees its first results while it does", async () => {
  await using service = await openScriptedService(validatesAll());
  let goOn = () => {};
  async function* source() {
    yield "ann@shop.io";
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    yield "bob@shop.io";
  }
  const items = clientOf(service).validateMany(source());
  expect((await items.next()).value).toMatchObject({ email: "ann@shop.io" });
  goOn();
  expect((await items.next()).value).toMatchObject({ email: "bob@shop.io" });
  expect(await items.next()).toMatchObject({ done: true });
});

test("when one request is refused the others are handed out, and no more are made", async () => {
  const refusesTheSecond: Line = (response, heard) => {
    const isSecond = emailsIn(heard)[0] === "ann1000@shop.io";
    const line = isSecond
      ? problem(402, "insufficient_credits", { required: 1000, available: 3 })
      : validatesAll();
    later(isSecond ? 0 : 50, line)(response, heard);
  };
  await using service = await openScriptedService(refusesTheSecond);
  const emails = someEmails(20_000);
  const seen: string[] = [];
  await expect(collect(clientOf(service).validateMany(emails), seen)).rejects.toMatchObject({
    code: "insufficient_credits",
    available: 3,
  });
  const refused = new Set(emails.slice(1000, 2000));
  expect(seen.slice(0, 3000)).toEqual([...emails.slice(0, 1000), ...emails.slice(2000, 4000)]);
  expect(seen.some((email) => refused.has(email))).toBe(false);
  expect(service.heard.length).toBeLessThan(10); // of 20
});

test("a list waits longer for a busy service than a single call does", async () => {
  const busy = problem(503, "overloaded");
  await using service = await openScriptedService(busy, busy, busy, validatesAll());
  const client = createClient({ baseUrl: service.url, apiKey: "mv_test_key", retries: 1 });
  expect(await collect(client.validateMany(["ann@shop.io"]))).toEqual(["ann@shop.io"]);
});

test("results can be watched as they come in, before their turn", async () => {
  let sayOthersWereSeen = () => {};
  const othersWereSeen = new Promise<void>((resolve) => {
    sayOthersWereSeen = resolve;
  });
  await using service = await openScriptedService(async (response, heard) => {
    if (emailsIn(heard).includes("ann0@shop.io")) await othersWereSeen;
    validatesAll()(response, heard);
  });
  const seen: string[] = [];
  const onResult = ({ email }: BulkItem) => {
    seen.push(email);
    sayOthersWereSeen();
  };
  const emails = someEmails(2_000);
  expect(await collect(clientOf(service).validateMany(emails, { onResult }))).toEqual(emails);
  expect(seen).toEqual([...emails.slice(1000), ...emails.slice(0, 1000)]);
});

test("a source that fails does so after the results of everything before", async () => {
  await using service = await openScriptedService(validatesAll());
  async function* source() {
    yield "ann@shop.io";
    throw new Error("the disk is gone");
  }
  const seen: string[] = [];
  await expect(collect(clientOf(service).validateMany(source()), seen)).rejects.toThrow("the disk is gone");
  expect(seen).toEqual(["ann@shop.io"]);
});

test("a signal ends the list, also while the source is silent or the service is", async () => {
  async function* silent(): AsyncGenerator<string> {
    await new Promise(() => {});
  }
  await using service = await openScriptedService(saysNothing);
  for (const emails of [silent(), ["ann@shop.io"]]) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 50);
    const items = clientOf(service).validateMany(emails, { signal: controller.signal });
    await expect(items.next()).rejects.toThrow("enough");
  }
});

test("whoever has seen enough can leave, and nothing more is read or asked", async () => {
  await using service = await openScriptedService(validatesAll());
  let read = 0;
  function* endless() {
    for (;;) yield `ann${read++}@shop.io`;
  }
  for await (const _item of clientOf(service).validateMany(endless())) break;
  const readBefore = read;
  await sleep(400); // timing: for what must not come
  expect(read).toBe(readBefore);
  expect(service.heard.length).toBeLessThanOrEqual(4); // those that were on their way
});
