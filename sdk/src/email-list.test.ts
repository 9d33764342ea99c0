import { setTimeout as sleep } from "node:timers/promises";
import type { BulkItem } from "@mailvet/contract";
import { expect, test } from "vitest";
import {
  bulkOf,
  emailsIn,
  type Handler,
  json,
  later,
  neverResponds,
  openScriptedService,
  problem,
  type ScriptedService,
  validatesAll,
} from "../test/scripted-service.ts";
import { createClient } from "./index.ts";

const clientOf = ({ url }: ScriptedService) => createClient({ baseUrl: url, apiKey: "mv_test_key" });

const someEmails = (count: number) => Array.from({ length: count }, (_, i) => `ann${i}@shop.io`);

async function collect(items: AsyncIterable<BulkItem>, into: string[] = []): Promise<string[]> {
  for await (const { email } of items) into.push(email);
  return into;
}

/** Later requests are answered sooner. */
const reversesOrder: Handler = (response, request) => {
  const number = Number(/\d+/.exec(emailsIn(request)[0]!));
  later(150 - number / 50, validatesAll())(response, request);
};

test("a long list is sent in requests of 1,000, and results keep its order", async () => {
  await using service = await openScriptedService(reversesOrder);
  const emails = someEmails(5_500);
  expect(await collect(clientOf(service).validateMany(emails))).toEqual(emails);
  expect(service.requests.map((request) => emailsIn(request).length).sort()).toEqual([
    1000, 1000, 1000, 1000, 1000, 500,
  ]);
});

test("four requests are in flight at once, and never more", async () => {
  const REQUESTS = 9;
  let requestCount = 0;
  let most = 0;
  let inFlight: (() => void)[] = [];
  await using service = await openScriptedService((response, request) => {
    requestCount++;
    inFlight.push(() => validatesAll()(response, request));
    most = Math.max(most, inFlight.length);
    // Responds only when four requests are in flight: with fewer, the client would hang.
    if (inFlight.length < 4 && requestCount < REQUESTS) return;
    const answers = inFlight;
    inFlight = [];
    for (const answer of answers) answer();
  });
  await collect(clientOf(service).validateMany(someEmails(REQUESTS * 1_000)));
  expect(most).toBe(4);
});

test("a duplicate is sent once, and every occurrence gets a result in its own spelling", async () => {
  await using service = await openScriptedService(validatesAll());
  const emails = ["ann@shop.io", ...someEmails(1500), " ANN@shop.io ", "ann@shop.io"];
  expect(await collect(clientOf(service).validateMany(emails))).toEqual(emails);
  const sent = service.requests.flatMap(emailsIn);
  expect(sent).toHaveLength(1501);
  expect(new Set(sent).size).toBe(1501);
});

test("only the blanks that the service ignores make a duplicate", async () => {
  await using service = await openScriptedService(validatesAll());
  const different = ["ann@shop.io\u00a0", "ann@shop.io", "ann@shop.io\v"];
  await collect(clientOf(service).validateMany([...different, "\tann@shop.io\r\n"]));
  expect(service.requests.flatMap(emailsIn)).toEqual(different);
});

test("a duplicate that only the service recognises gets a result too", async () => {
  const omitsDuplicates: Handler = (response, request) => {
    const emails = emailsIn(request);
    const isMixed = emails.length > 1;
    json(bulkOf(isMixed ? emails.filter((email) => !email.startsWith('"')) : emails))(response, request);
  };
  await using service = await openScriptedService(omitsDuplicates);
  const emails = ["ann@shop.io", '"ann"@shop.io', "bob@shop.io"];
  expect(await collect(clientOf(service).validateMany(emails))).toEqual(emails);
});

test("long texts are split into more requests, so that none is too large", async () => {
  await using service = await openScriptedService(validatesAll());
  const emails = Array.from({ length: 300 }, (_, i) => `${i}é`.padEnd(8_000, "x"));
  await collect(clientOf(service).validateMany(emails));
  const sizes = service.requests.map(({ body }) => Buffer.byteLength(body));
  expect(sizes.length).toBeGreaterThan(4);
  expect(Math.max(...sizes)).toBeLessThan(600_000);
});

test("results are yielded while the source is slow", async () => {
  await using service = await openScriptedService(validatesAll());
  let proceed = () => {};
  async function* source() {
    yield "ann@shop.io";
    await new Promise<void>((resolve) => {
      proceed = resolve;
    });
    yield "bob@shop.io";
  }
  const items = clientOf(service).validateMany(source());
  expect((await items.next()).value).toMatchObject({ email: "ann@shop.io" });
  proceed();
  expect((await items.next()).value).toMatchObject({ email: "bob@shop.io" });
  expect(await items.next()).toMatchObject({ done: true });
});

test("when one request is rejected, the others are yielded and no more are sent", async () => {
  const rejectsSecond: Handler = (response, request) => {
    const isSecond = emailsIn(request)[0] === "ann1000@shop.io";
    const handler = isSecond
      ? problem(402, "insufficient_credits", { required: 1000, available: 3 })
      : validatesAll();
    later(isSecond ? 0 : 50, handler)(response, request);
  };
  await using service = await openScriptedService(rejectsSecond);
  const emails = someEmails(20_000);
  const seen: string[] = [];
  await expect(collect(clientOf(service).validateMany(emails), seen)).rejects.toMatchObject({
    code: "insufficient_credits",
    available: 3,
  });
  const rejected = new Set(emails.slice(1000, 2000));
  expect(seen.slice(0, 3000)).toEqual([...emails.slice(0, 1000), ...emails.slice(2000, 4000)]);
  expect(seen.some((email) => rejected.has(email))).toBe(false);
  expect(service.requests.length).toBeLessThan(10); // of 20
});

test("a list is retried more often than a single call while the service is busy", async () => {
  const busy = problem(503, "overloaded");
  await using service = await openScriptedService(busy, busy, busy, validatesAll());
  const client = createClient({ baseUrl: service.url, apiKey: "mv_test_key", retries: 1 });
  expect(await collect(client.validateMany(["ann@shop.io"]))).toEqual(["ann@shop.io"]);
});

test("onResult reports results as they arrive, before their turn", async () => {
  let resolveOthers = () => {};
  const othersSeen = new Promise<void>((resolve) => {
    resolveOthers = resolve;
  });
  await using service = await openScriptedService(async (response, request) => {
    if (emailsIn(request).includes("ann0@shop.io")) await othersSeen;
    validatesAll()(response, request);
  });
  const seen: string[] = [];
  const onResult = ({ email }: BulkItem) => {
    seen.push(email);
    resolveOthers();
  };
  const emails = someEmails(2_000);
  expect(await collect(clientOf(service).validateMany(emails, { onResult }))).toEqual(emails);
  expect(seen).toEqual([...emails.slice(1000), ...emails.slice(0, 1000)]);
});

test("an error of the source is thrown after all earlier results", async () => {
  await using service = await openScriptedService(validatesAll());
  async function* source() {
    yield "ann@shop.io";
    throw new Error("read failed");
  }
  const seen: string[] = [];
  await expect(collect(clientOf(service).validateMany(source()), seen)).rejects.toThrow("read failed");
  expect(seen).toEqual(["ann@shop.io"]);
});

test("a signal aborts the list while the source or the service is pending", async () => {
  async function* pending(): AsyncGenerator<string> {
    await new Promise(() => {});
  }
  await using service = await openScriptedService(neverResponds);
  for (const emails of [pending(), ["ann@shop.io"]]) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 50);
    const items = clientOf(service).validateMany(emails, { signal: controller.signal });
    await expect(items.next()).rejects.toThrow("enough");
  }
});

test("when the consumer stops, nothing more is read or sent", async () => {
  await using service = await openScriptedService((response, request) => {
    if (emailsIn(request).includes("ann0@shop.io")) validatesAll()(response, request);
  });
  let read = 0;
  function* endless() {
    for (;;) yield `ann${read++}@shop.io`;
  }
  for await (const _item of clientOf(service).validateMany(endless())) break;
  const readBefore = read;
  await sleep(400); // timing: for what must not come
  expect(read).toBe(readBefore);
  expect(service.requests.length).toBeLessThanOrEqual(4); // requests already in flight
});
