import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PLAN_LIMITS } from "../src/accounts/plans.ts";
import { findUpload } from "../src/uploads/stored-upload.ts";
import { expectBooksToAddUp } from "./credits-books.ts";
import { fileOf, type IntakeWorld, inChunks, openIntakeWorld, tableOf } from "./uploads-world.ts";

let world: IntakeWorld;
beforeAll(async () => {
  world = await openIntakeWorld({ maxEmailsPerFile: 5_000 });
});
afterAll(() => world.close());

const SMALL = "name,email\nAnn,ann@example.com\nBo,bo@example.com\nAnn again,ANN@example.com\nNobody,\n";

const codeOf = (code: string) => expect.objectContaining({ code });
const uploadsOf = (accountId: string) =>
  world.query("select * from uploads where account_id = $1", accountId);

async function storedRows(uploadId: string): Promise<string[][]> {
  const rows: string[][] = [];
  const upload = await findUpload(world.database.orm, uploadId);
  for await (const part of world.files.read(world.database.pool, upload!)) {
    expect(part.firstRow).toBe(rows.length + 1);
    rows.push(...part.rows);
  }
  return rows;
}

test("a preview describes the file, and every row is stored", async () => {
  const caller = await world.account();
  const preview = await world.preview(caller, SMALL);
  expect(preview).toMatchObject({
    filename: "list.csv",
    columns: ["name", "email"],
    suggested_email_column: "email",
    total_rows: 4,
    email_count_by_column: { name: 0, email: 3 },
    unique_count_by_column: { email: 2 },
    has_header: true,
  });
  expect(preview.sample_rows).toHaveLength(4);
  expect(Date.parse(preview.expires_at) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
  expect(await storedRows(preview.upload_id)).toEqual([
    ["Ann", "ann@example.com"],
    ["Bo", "bo@example.com"],
    ["Ann again", "ANN@example.com"],
    ["Nobody", ""],
  ]);
});

test("a file of many parts is read back row by row as sent", async () => {
  const caller = await world.account();
  const text = tableOf(4_500, (row) => `user${row % 3_000}@example.com`);
  const preview = await world.preview(caller, text);
  expect(preview).toMatchObject({ total_rows: 4_500, unique_count_by_column: { email: 3_000 } });
  const rows = await storedRows(preview.upload_id);
  expect(rows.map((cells) => cells.join(","))).toEqual(text.trim().split("\n").slice(1));
});

test("emails that start late in the file are counted", async () => {
  const caller = await world.account();
  const text = tableOf(2_500, (row) => (row > 2_000 ? `user${row % 100}@example.com` : "none"));
  const preview = await world.preview(caller, text);
  expect(preview).toMatchObject({
    suggested_email_column: "email",
    email_count_by_column: { email: 500 },
    unique_count_by_column: { email: 101 }, // "none" is one entry too
  });
});

test("a file with too many emails is counted to its end, refused and deleted", async () => {
  const caller = await world.account();
  const tooMany = world.preview(
    caller,
    tableOf(6_789, (row) => `user${row}@example.com`),
  );
  await expect(tooMany).rejects.toMatchObject({
    code: "too_many_emails",
    extras: { found: 6_789, limit: 5_000 },
  });
  const free = await world.account({ plan: "free" });
  const overPlan = world.preview(
    free,
    tableOf(1_001, (row) => `user${row}@example.com`),
  );
  await expect(overPlan).rejects.toMatchObject({ code: "too_many_emails", extras: { limit: 1_000 } });
  expect(await uploadsOf(caller.accountId)).toEqual([]);
});

test("a file that is no list of emails is refused with its own code and deleted", async () => {
  const caller = await world.account();
  const refused: [string | Buffer, string][] = [
    ["", "empty_file"],
    ["name,city\nAnn,Ulm\nBo,Rome\n", "no_emails_found"],
    [Buffer.from("504b030414000600080000002100", "hex"), "undecodable_file"],
  ];
  for (const [text, code] of refused) await expect(world.preview(caller, text)).rejects.toEqual(codeOf(code));
  expect(await uploadsOf(caller.accountId)).toEqual([]);
});

test("an aborted upload is deleted", async () => {
  const caller = await world.account();
  async function* broken() {
    yield* inChunks(tableOf(3_000, (row) => `user${row}@example.com`));
    throw new Error("the line went dead");
  }
  const sent = world.uploads.preview(caller, {
    filename: "x.csv",
    files: fileOf(broken()),
    idempotencyKey: "broken",
  });
  await expect(sent).rejects.toThrow("the line went dead");
  expect(await uploadsOf(caller.accountId)).toEqual([]);
  expect(await world.preview(caller, SMALL, "broken")).toMatchObject({ total_rows: 4 }); // the key is free again
});

test("an upload whose account is erased while it arrives leaves no blobs", async () => {
  const caller = await world.account();
  const { pool, dataDirectory } = world.database;
  let id = "";
  async function* erasedMeanwhile() {
    yield* inChunks(tableOf(60_000, (row) => `user${row % 100}@example.com`));
    const { rows } = await pool.query("delete from uploads where account_id = $1 returning id", [
      caller.accountId,
    ]);
    id = rows[0].id;
    yield* inChunks(tableOf(1_000, (row) => `user${row}@example.org`));
  }
  const sent = world.uploads.preview(caller, {
    filename: "x.csv",
    files: fileOf(erasedMeanwhile()),
    idempotencyKey: undefined,
  });
  await expect(sent).rejects.toThrow();
  const files = await readdir(dataDirectory, { recursive: true });
  expect(files.filter((path) => path.includes(id))).toEqual([]);
});

test("the same file with the same key is one upload; another file is refused", async () => {
  const caller = await world.account();
  const first = await world.preview(caller, SMALL, "key-1");
  const again = await world.uploads.preview(caller, {
    filename: "list.csv",
    files: fileOf(inChunks(SMALL)),
    idempotencyKey: "key-1",
  });
  expect(again).toEqual({ preview: first, isReplayed: true });
  await expect(world.preview(caller, `${SMALL}x,y@z.io\n`, "key-1")).rejects.toEqual(
    codeOf("idempotency_key_reused"),
  );
  expect(await uploadsOf(caller.accountId)).toHaveLength(1);
  const other = await world.account();
  expect((await world.preview(other, SMALL, "key-1")).upload_id).not.toBe(first.upload_id);
});

test("an upload in progress holds its key; if its process dies, only until the lease expires", async () => {
  const caller = await world.account();
  let finish = () => {};
  const gate = new Promise<void>((resolve) => {
    finish = resolve;
  });
  async function* slow() {
    await gate;
    yield* inChunks(SMALL);
  }
  const first = world.uploads.preview(caller, {
    filename: "slow.csv",
    files: fileOf(slow()),
    idempotencyKey: "slow",
  });
  await expect.poll(() => uploadsOf(caller.accountId)).toHaveLength(1);
  await world.query(
    "update uploads set expires_at = now() + interval '1 hour' where account_id = $1",
    caller.accountId,
  );
  await expect(world.preview(caller, SMALL, "slow")).rejects.toEqual(codeOf("idempotency_in_flight"));
  finish();
  await first;

  const [dead] = await world.query<{ id: string }>(
    `insert into uploads (id, account_id, filename, idempotency_key, expires_at)
     values (gen_random_uuid(), $1, 'x', 'dead', now() - interval '1 second') returning id`,
    caller.accountId,
  );
  expect((await world.preview(caller, SMALL, "dead")).upload_id).not.toBe(dead?.id);
});

test("at most twenty uploads wait for confirmation", async () => {
  const caller = await world.account();
  const sent = await Promise.all(Array.from({ length: 20 }, () => world.preview(caller, SMALL)));
  await expect(world.preview(caller, SMALL)).rejects.toEqual(codeOf("too_many_uploads"));
  await world.confirm(caller, { uploadId: sent[0]!.upload_id, emailColumn: "email" });
  await world.preview(caller, SMALL);
});

test("stored bytes are counted until the upload is deleted, and no further one is received above the limit", async () => {
  const caller = await world.account();
  const { upload_id } = await world.preview(caller, SMALL);
  const sizeOf = "select stored_bytes::int as bytes from uploads where id = $1";
  expect((await world.query<{ bytes: number }>(sizeOf, upload_id))[0]?.bytes).toBeGreaterThan(50);
  const { stored_bytes: limit } = PLAN_LIMITS[caller.plan];
  await world.query("update uploads set stored_bytes = $2 where id = $1 returning id", upload_id, limit);
  await expect(world.preview(caller, SMALL)).rejects.toEqual(codeOf("storage_full"));
  await world.query("update uploads set erased_at = now() where id = $1 returning id", upload_id);
  await world.preview(caller, SMALL);
});

test("the limit of unconfirmed uploads holds for concurrent uploads", async () => {
  for (let round = 0; round < 10; round++) {
    const caller = await world.account();
    await world.query(
      `insert into uploads (id, account_id, filename, expires_at)
       select gen_random_uuid(), $1, 'x', now() + interval '1 hour' from generate_series(1, 19)`,
      caller.accountId,
    );
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => world.preview(caller, SMALL)));
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(refused).toEqual(Array(3).fill(codeOf("too_many_uploads")));
  }
});

test("confirming creates a job, reserves its credits and adds it to the queue", async () => {
  const caller = await world.account({ credits: 10 });
  const { upload_id: uploadId } = await world.preview(caller, SMALL);
  const job = await world.confirm(caller, { uploadId, emailColumn: "email" });
  expect(job).toMatchObject({
    status: "queued",
    phase: "waiting",
    filename: "list.csv",
    email_column: "email",
    total_rows: 4,
    total_emails: 3,
    unique_emails: 2,
    duplicate_count: 1,
    credits_reserved: 2,
  });
  expect(await world.ledger.balanceOf(caller.accountId)).toEqual({ balance: 8, reserved: 2 });
  expect(await world.query("select queue, subject from tasks where group_id = $1", job.id)).toEqual([
    { queue: "plan", subject: job.id },
  ]);
  const [upload] = await world.query("select expires_at from uploads where id = $1", uploadId);
  expect(upload).toEqual({ expires_at: null });
  await expectBooksToAddUp(world.database);
});

test("the same upload gives the same job, also when confirmed concurrently", async () => {
  const caller = await world.account({ credits: 10 });
  const { upload_id: uploadId } = await world.preview(caller, SMALL);
  const confirmed = await Promise.all(
    Array.from({ length: 6 }, () => world.confirm(caller, { uploadId, emailColumn: "email" })),
  );
  expect(new Set(confirmed.map(({ id }) => id)).size).toBe(1);
  expect(await world.ledger.balanceOf(caller.accountId)).toEqual({ balance: 8, reserved: 2 });
  await expect(world.confirm(caller, { uploadId, emailColumn: "name" })).rejects.toMatchObject({
    code: "job_state_conflict",
    message: expect.stringContaining('"email"'),
  });
});

test("with too few credits nothing is created or reserved; with enough it succeeds", async () => {
  const caller = await world.account({ credits: 1 });
  const { upload_id: uploadId } = await world.preview(caller, SMALL);
  const confirm = () => world.confirm(caller, { uploadId, emailColumn: "email" });
  await expect(confirm()).rejects.toMatchObject({
    code: "insufficient_credits",
    extras: { required: 2, available: 1 },
  });
  expect(await world.query("select from jobs where account_id = $1", caller.accountId)).toEqual([]);
  const { accountId } = caller;
  await world.ledger.grant({ accountId, amount: 1, reference: "more", idempotencyKey: undefined });
  expect(await confirm()).toMatchObject({ status: "queued" });
  await expectBooksToAddUp(world.database);
});

test("a test key's job reserves nothing", async () => {
  const live = await world.account({ credits: 0 });
  const caller = { ...live, isTest: true };
  const { upload_id: uploadId } = await world.preview(caller, SMALL);
  expect(await world.confirm(caller, { uploadId, emailColumn: "email" })).toMatchObject({
    status: "queued",
    credits_reserved: 0,
  });
});

test("the plan's limit of active jobs holds for concurrent confirmations", async () => {
  const caller = await world.account({ plan: "payg" }); // five
  const sent = await Promise.all(Array.from({ length: 8 }, () => world.preview(caller, SMALL)));
  const outcomes = await Promise.allSettled(
    sent.map(({ upload_id: uploadId }) => world.confirm(caller, { uploadId, emailColumn: "email" })),
  );
  const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  expect(refused).toEqual(Array(3).fill(codeOf("too_many_active_jobs")));
});

test("another account's upload, an unknown column and one without emails are refused", async () => {
  const caller = await world.account();
  const { upload_id: uploadId } = await world.preview(caller, SMALL);
  const outsider = await world.account();
  await expect(world.confirm(outsider, { uploadId, emailColumn: "email" })).rejects.toEqual(
    codeOf("upload_not_found"),
  );
  await expect(world.confirm(caller, { uploadId, emailColumn: "Email" })).rejects.toMatchObject({
    code: "email_column_not_found",
    message: 'The columns are "name", "email".',
  });
  await expect(world.confirm(caller, { uploadId, emailColumn: "name" })).rejects.toEqual(
    codeOf("no_emails_found"),
  );
});

test("a column that was not counted during the upload is counted on confirmation", async () => {
  const caller = await world.account();
  const lines = Array.from({ length: 1_500 }, (_, n) =>
    [`a${n}@x.io`, `b${n}@x.io`, `c${n}@x.io`, n > 1_200 ? `late${n % 100}@x.io` : ""].join(";"),
  );
  const preview = await world.preview(caller, ["a;b;c;d", ...lines].join("\n"));
  expect(preview.unique_count_by_column).not.toHaveProperty("d");
  const job = await world.confirm(caller, { uploadId: preview.upload_id, emailColumn: "d" });
  expect(job).toMatchObject({ email_column: "d", total_emails: 299, unique_emails: 100, total_rows: 1_500 });
});

test("an upload that is not confirmed in time is deleted and reported as expired", async () => {
  const caller = await world.account();
  const { upload_id: uploadId } = await world.preview(caller, SMALL);
  const { upload_id: confirmed } = await world.preview(caller, SMALL);
  await world.confirm(caller, { uploadId: confirmed, emailColumn: "email" });
  await world.query("update uploads set expires_at = now() - interval '1 s' where id = $1", uploadId);
  await expect(world.confirm(caller, { uploadId, emailColumn: "email" })).rejects.toEqual(
    codeOf("upload_expired"),
  );
  expect(await world.uploads.eraseExpired()).toBeGreaterThanOrEqual(1);
  expect(await storedRows(uploadId)).toEqual([]);
  const [left] = await world.query(
    "select filename, sample_rows, columns from uploads where id = $1",
    uploadId,
  );
  expect(left).toEqual({ filename: "", sample_rows: [], columns: [] });
  await expect(world.confirm(caller, { uploadId, emailColumn: "email" })).rejects.toEqual(
    codeOf("upload_expired"),
  );
  expect(await storedRows(confirmed)).toHaveLength(4);
  await world.query("update uploads set expires_at = now() - interval '8 days' where id = $1", uploadId);
  await world.uploads.eraseExpired();
  await expect(world.confirm(caller, { uploadId, emailColumn: "email" })).rejects.toEqual(
    codeOf("upload_not_found"),
  );
});
