/** An installation is written into one file and read into another database. */
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { exportBlobs, importBlob } from "../src/blobs/blob-dump.ts";
import { claimBlobStore } from "../src/blobs/claimed-store.ts";
import { DumpError, exportInstallation, importInstallation } from "../src/db/dump.ts";
import { createPartitions, partitionDates } from "../src/db/partitions.ts";
import { RESET_SLICE_NUMBERS } from "../src/jobs/slice-save.ts";
import { RESET_CLAIMS } from "../src/queue/upkeep.ts";
import { openClaims } from "./claims.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

const WITH_EVERY_KIND_OF_VALUE = `
  insert into accounts (id, email, plan, created_at) values
    ('00000000-0000-4000-8000-000000000001', 'ann@example.com', 'free', '2026-01-02 03:04:05.678901+00'),
    ('00000000-0000-4000-8000-000000000002', E'tab\\t"quote"\\\\back\\u2028é😀@example.com', 'pro', now());
  insert into balances (account_id, balance, reserved, entries)
    select id, 9007199254740993, 0, 1 from accounts;
  insert into naming_patterns values ('example.com', 3, array[0.1, 1e-300, 2.9], '\\x00ff10', now());
  insert into queue_groups (id, account_id) select id, id from accounts;
  insert into tasks (group_id, queue, subject, state)
    select id, 'slice', n::text, 'waiting' from queue_groups, generate_series(1, 700) as n;
  insert into verdicts (account_id, address_hash, evidence, checked_at, fresh_until)
    select id, '\\xdeadbeef', '{"mailbox": {"answer": "accepted"}, "end": "tasks"}', now(), 'infinity' from accounts;`;

test("an import restores everything of an export exactly", async () => {
  await using from = await openTestDatabase();
  await using to = await openTestDatabase();
  await from.pool.query(WITH_EVERY_KIND_OF_VALUE);

  const file = await exported(from);
  const moved = await importInstallation(to.connection, Readable.from([file]));

  expect(moved.get("accounts")).toBe(2);
  expect(moved.get("tasks")).toBe(1400);
  for (const table of moved.keys())
    expect(await contentOf(to, table), table).toEqual(await contentOf(from, table));
  const { rows } = await to.pool.query(
    "insert into tasks (group_id, queue, subject, state) select id, 'plan', '', 'ready' from queue_groups limit 1 returning id",
  );
  expect(rows[0].id, "new numbers go on after the old ones").toBe(1401);
});

test("partitions are created by an import as they were, for rows of every date", async () => {
  await using from = await openTestDatabase();
  await using to = await openTestDatabase();
  await createPartitions(from.pool, ["results", "duplicates"], ["2030-01-01", "2030-01-02"]);
  await createPartitions(from.pool, ["cached_verdicts", "cached_facts"], ["2030-01-07"]);
  await from.pool.query(`
    insert into duplicates (job_id, row, first_row, email, expires_on) values
      (gen_random_uuid(), 2, 1, 'ann@example.com', '1970-01-01'), (gen_random_uuid(), 2, 1, 'bob@example.com', '2030-01-01');
    insert into cached_facts values (gen_random_uuid(), '2030-01-07', '{"provider": "other", "big": 9007199254740993}');
    insert into cached_verdicts select gen_random_uuid(), gen_random_uuid(), id, null, now(), 60, expires_on, null
      from cached_facts`);

  const moved = await importInstallation(to.connection, Readable.from([await exported(from)]));

  expect([moved.get("duplicates"), moved.get("cached_verdicts"), moved.has("duplicates_default")]).toEqual([
    2,
    1,
    false,
  ]);
  for (const table of [
    "duplicates",
    "duplicates_20300101",
    "cached_facts_20300107",
    "cached_verdicts_20300107",
  ])
    expect(await contentOf(to, table), table).toEqual(await contentOf(from, table));
  for (const table of ["results", "cached_verdicts"])
    expect(await partitionDates(to.pool, table)).toEqual(await partitionDates(from.pool, table));
});

test("dates of partitions in the file are dates, and never executed as SQL", async () => {
  await using from = await openTestDatabase();
  await using to = await openTestDatabase();
  await createPartitions(from.pool, ["results"], ["2030-01-01"]);
  const text = gunzipSync(await exported(from)).toString();
  for (const dates of [`["x (); drop table accounts cascade; --"]`, `"2030-01-01"`, "null"]) {
    const file = gzipSync(text.replace(`["2030-01-01"]`, dates));
    await expect(importInstallation(to.connection, Readable.from([file]))).rejects.toThrow(DumpError);
  }
  expect((await to.pool.query("select to_regclass('accounts') as found")).rows[0].found).not.toBeNull();
});

test("claims of running tasks are not part of an export: they are due again after the import", async () => {
  await using from = await openTestDatabase();
  await using to = await openTestDatabase();
  await from.pool.query(WITH_EVERY_KIND_OF_VALUE);
  const before = openClaims(from);
  expect(await before.claim("slice", 5)).toHaveLength(5);

  await importInstallation(to.connection, Readable.from([await exported(from)]), {
    afterwards: RESET_CLAIMS,
  });

  expect(await openClaims(to).claim("slice", 40)).toHaveLength(40);
  await expect(to.pool.query(RESET_SLICE_NUMBERS)).resolves.toMatchObject({ rowCount: 1 });
});

test("uploaded files are part of an export, and are imported into the store of the target", async () => {
  await using from = await openTestDatabase();
  await using to = await openTestDatabase();
  await using other = await openTestDatabase();
  await from.pool.query(ONE_ACCOUNT);
  await claimBlobStore(from, from.blobs);
  const content = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, n) => n * n));
  await from.blobs.put("uploads/x/0", content);
  const sink = new PassThrough();
  const file = buffer(sink);
  await exportInstallation(from.connection, sink, exportBlobs(from.blobs, ["uploads"]));

  const into = (target: TestDatabase) => async (bytes: Buffer) =>
    importInstallation(target.connection, Readable.from([bytes]), {
      putBlob: (blob) => importBlob(target.blobs, blob),
    });
  await into(to)(await file);
  expect(await to.blobs.get("uploads/x/0")).toEqual(content);
  await claimBlobStore(to, to.blobs); // the service starts on it

  await claimBlobStore(other, other.blobs);
  await other.pool.query("delete from blob_stores");
  await expect(into(other)(await file)).rejects.toThrow("belong to another database");
  expect((await other.pool.query("select from accounts")).rowCount).toBe(0);

  const lines = gunzipSync(await file)
    .toString("utf8")
    .split("\n");
  const lacking = lines.filter((line) => !line.startsWith('{"blob":"uploads')).join("\n");
  await using third = await openTestDatabase();
  await expect(into(third)(gzipSync(lacking))).rejects.toThrow("lacks uploaded files");
});

test("a database in use refuses an import", async () => {
  await using from = await openTestDatabase();
  await from.pool.query(ONE_ACCOUNT);
  const file = await exported(from);
  await expect(importInstallation(from.connection, Readable.from([file]))).rejects.toThrow(
    "The database is in use: its table",
  );
});

test("a damaged file is refused without effect", async () => {
  await using from = await openTestDatabase();
  await using to = await openTestDatabase();
  await from.pool.query(ONE_ACCOUNT);
  const file = await exported(from);
  for (const [what, spoiled, why] of [
    ["cut short", gzipSync(gunzipSync(file).subarray(0, -40)), "not complete"],
    ["cut in the middle of the packing", file.subarray(0, -20), "damaged"],
    ["with a row missing", without(file, /\{"id":"0{8}-.*\n/), "lacks rows of accounts"],
    ["of another version", without(file, /(?<="migrations":\[)"\w+",/), "another version"],
    ["of something else", gzipSync("id,email\n1,ann@example.com\n"), "not one that"],
    ["not packed at all", Buffer.from("id,email\n"), "damaged"],
  ] as const) {
    await expect(importInstallation(to.connection, Readable.from([spoiled])), what).rejects.toThrow(why);
    expect(await contentOf(to, "accounts"), what).toEqual([]);
  }
});

const ONE_ACCOUNT = `
  insert into accounts (id, email, plan) values
    ('00000000-0000-4000-8000-000000000001', 'ann@example.com', 'free')`;

async function exported(database: TestDatabase): Promise<Buffer> {
  const sink = new PassThrough();
  const [file] = await Promise.all([buffer(sink), exportInstallation(database.connection, sink)]);
  return file;
}

async function contentOf(database: TestDatabase, table: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ line: string }>(
    `select one::text as line from ${table} as one order by one::text`,
  );
  return rows.map(({ line }) => line);
}

function without(file: Buffer, what: RegExp): Buffer {
  const text = gunzipSync(file).toString();
  expect(text).toMatch(what);
  return gzipSync(text.replace(what, ""));
}
