/** The file of an export: attempts that are interrupted or given up, files that are replaced, and orphans. */
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createExportFiles } from "../src/lifecycle/export-files.ts";
import { openQueueWorld, type QueueWorld } from "./queue-world.ts";

const SIGNAL = new AbortController().signal;
const PART = Buffer.alloc(1_000_000, "a"); // fills a blob

let world: QueueWorld;
/** What the next attempt writes. */
let content: () => AsyncIterable<Buffer>;
let exports: ReturnType<typeof createExportFiles>;
beforeAll(async () => {
  world = await openQueueWorld();
  const { database, tasks } = world;
  exports = createExportFiles({
    database,
    tasks,
    blobs: database.blobs,
    exportAccount: async () => content(),
  });
});
afterAll(() => world[Symbol.asyncDispose]());

test("the attempt after one that died halfway begins again, and leaves nothing of it", async () => {
  const accountId = await begin();
  const [first] = await world.claim(1, "action");
  content = () => parts("old", new Error("the process dies"));
  await expect(exports.handle(first!, SIGNAL)).rejects.toThrow("the process dies");
  expect(await keys(accountId)).toHaveLength(1);
  await world.lose(first!);
  expect(await write(accountId, "new")).toBe("new");
  expect(await keys(accountId)).toHaveLength(2);
});

test("an attempt that has lost its claim writes no more, and leaves nothing", async () => {
  const accountId = await begin();
  const [lost] = await world.claim(1, "action");
  content = async function* () {
    await world.lose(lost!);
    yield PART;
    throw new Error("the rest is read too");
  };
  await exports.handle(lost!, SIGNAL);
  expect(await keys(accountId)).toEqual([]);
  expect(await write(accountId, "new")).toBe("new");
});

test("an attempt that has lost its claim before it begins deletes nothing of the next one", async () => {
  const accountId = await begin();
  const [lost] = await world.claim(1, "action");
  await world.lose(lost!);
  const [next] = await world.claim(1, "action");
  content = async function* () {
    yield PART;
    await exports.handle(lost!, SIGNAL);
    yield Buffer.from("new");
  };
  await exports.handle(next!, SIGNAL);
  expect(await keys(accountId)).toHaveLength(2);
});

test("one that is given up is gone, and another can be begun", async () => {
  const accountId = await begin();
  const [task] = await world.claim(1, "action");
  await world.database.orm.transaction(async (tx) => {
    await world.tasks.complete(tx, task!);
    await exports.giveUp(tx, task!);
  });
  expect(await exports.wait(accountId, SIGNAL)).toBeUndefined();
  await exports.begin(accountId);
  expect(await write(accountId, "new")).toBe("new");
});

test("a file can be read to its end while another one replaces it, and is deleted when the next one is begun", async () => {
  const accountId = await begin();
  await write(accountId, "first");
  const reading = exports.read((await exports.wait(accountId, SIGNAL))!);
  await reading.next();
  await exports.begin(accountId);
  await write(accountId, "second");
  expect((await reading.next()).value?.toString()).toBe("first");
  await exports.begin(accountId);
  await write(accountId, "third");
  expect(await keys(accountId)).toHaveLength(4);
});

test("orphans are deleted after a day, but no file that is being written or can be read", async () => {
  const complete = await begin();
  await write(complete, "old");
  const replaced = await begin();
  await write(replaced, "old");
  await exports.begin(replaced);
  await write(replaced, "new");
  const expired = await begin();
  await write(expired, "old");
  await world.database.pool.query("delete from account_exports where account_id = $1", [expired]);
  const written = await begin();
  const [task] = await world.claim(1, "action");
  content = () => parts("old", new Error("the process dies"));
  await expect(exports.handle(task!, SIGNAL)).rejects.toThrow("the process dies");

  const counts = () =>
    Promise.all([complete, replaced, expired, written].map(async (id) => (await keys(id)).length));
  await exports.deleteOrphans();
  expect(await counts()).toEqual([2, 4, 2, 1]);
  const longAgo = new Date(Date.now() - 2 * 86_400_000);
  const { dataDirectory, blobs } = world.database;
  for await (const { key } of blobs.list("exports"))
    await utimes(join(dataDirectory, "blobs", key), longAgo, longAgo);
  await exports.deleteOrphans();
  expect(await counts()).toEqual([2, 2, 0, 1]);
});

async function begin(): Promise<string> {
  const accountId = await world.account();
  await exports.begin(accountId);
  return accountId;
}

/** Returns the last blob of the file. */
async function write(accountId: string, end: string): Promise<string> {
  const [task] = await world.claim(1, "action");
  content = () => parts(end);
  await exports.handle(task!, SIGNAL);
  let last = "";
  for await (const bytes of exports.read((await exports.wait(accountId, SIGNAL))!)) last = bytes.toString();
  return last;
}

async function keys(accountId: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of world.database.blobs.list(`exports/${accountId}`)) found.push(key);
  return found;
}

async function* parts(end: string, failure?: Error): AsyncGenerator<Buffer> {
  yield PART;
  if (failure) throw failure;
  yield Buffer.from(end);
}
