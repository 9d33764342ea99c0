/** Both blob stores, a directory and an S3 server, and uploads on each of them. */
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { BadSettings } from "@mailvet/engine";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { whileCollecting } from "../../engine/test/garbage.ts";
import { BlobStoreUnavailable } from "../src/blobs/blob-error.ts";
import type { BlobStore } from "../src/blobs/blob-store.ts";
import { claimBlobStore, INSTALLATION_KEY } from "../src/blobs/claimed-store.ts";
import { createDirectoryStore } from "../src/blobs/directory-store.ts";
import { openBlobStore } from "../src/blobs/open-store.ts";
import { createS3Store } from "../src/blobs/s3-store.ts";
import { readConfig } from "../src/config.ts";
import { eraseExpiredJobs } from "../src/jobs/retention.ts";
import { findUpload } from "../src/uploads/stored-upload.ts";
import { createUploadFiles } from "../src/uploads/upload-files.ts";
import { openTestDatabase, uploadKeys } from "./database.ts";
import { listsOf } from "./jobs-http-world.ts";
import { expectProblem } from "./problems.ts";
import { openS3Server, type S3Server } from "./s3-server.ts";
import { formWith, openService } from "./service.ts";
import { canMount, fillUp, mountSmall } from "./small-disk.ts";
import { fileOf, inChunks, openIntakeWorld, tableOf } from "./uploads-world.ts";

const folder = mkdtempSync(join(tmpdir(), "mailvet-blobs-"));
let s3: S3Server;
beforeAll(async () => {
  s3 = await openS3Server();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await s3[Symbol.asyncDispose]();
});

const KINDS = {
  directory: () => createDirectoryStore(join(folder, "a", "blobs")),
  s3: () => createS3Store(s3.settings),
};

/** More than one blob holds. */
const MANY_ROWS = 17_500;

describe.each(["directory", "s3"] as const)("%s", (kind) => {
  let blobs: BlobStore;
  beforeAll(() => {
    blobs = KINDS[kind]();
  });

  test("a blob is read as it was stored, replaced, listed by folder, and deleted", async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, n) => n * n));
    await blobs.put("things/one/0", bytes);
    await blobs.put("things/one/1", Buffer.from("old"));
    await blobs.put("things/one/1", Buffer.from("new"));
    await blobs.put("things-of-others/0", Buffer.alloc(0));
    expect((await blobs.get("things/one/0"))?.equals(bytes)).toBe(true); // toEqual compares element by element
    expect((await blobs.get("things/one/1"))?.toString()).toBe("new");
    expect(await blobs.get("things-of-others/0")).toEqual(Buffer.alloc(0));
    expect(await blobs.get("things/one/2")).toBeUndefined();
    expect(await keysIn(blobs, "things")).toEqual(["things/one/0", "things/one/1"]);
    for await (const { modifiedAt } of blobs.list("things")) {
      expect(Math.abs(modifiedAt.getTime() - Date.now())).toBeLessThan(3_600_000);
    }
    for (const key of ["things/one/0", "things/one/0", "things/one/1"]) await blobs.delete(key);
    expect(await keysIn(blobs, "things")).toEqual([]);
    expect(await keysIn(blobs, "things-of-others")).toEqual(["things-of-others/0"]);
    expect(await keysIn(blobs, "nothing")).toEqual([]);
  });

  test("keys that are no plain path are refused", async () => {
    for (const key of ["", "/etc/passwd", "../x", "a/../b", "a//b", "a/.hidden", "a b", "ä", "a\0", "A"]) {
      await expect(async () => blobs.put(key, Buffer.from("x")), key).rejects.toThrow("not a key of a blob");
      await expect(async () => blobs.get(key), key).rejects.toThrow("not a key of a blob");
    }
  });

  test("an upload is stored in blobs, read back and planned from there, and deleted with its row", async () => {
    await using world = await openIntakeWorld({}, blobs);
    const caller = await world.account();
    const text = tableOf(MANY_ROWS, (row) => `user${row % 10_000}@example.com`);
    const { upload_id: id } = await world.preview(caller, text);
    expect(await keysIn(blobs, "uploads")).toEqual([`uploads/${id}/0`, `uploads/${id}/1`]);
    expect(await world.query("select from upload_parts")).toEqual([]);
    const upload = await findUpload(world.database.orm, id);
    const rows: string[] = [];
    for await (const part of world.files.read(world.database.pool, upload!)) {
      expect(part.firstRow).toBe(rows.length + 1);
      rows.push(...part.rows.map((cells) => cells.join(",")));
    }
    expect(rows).toEqual(text.trim().split("\n").slice(1));
    const numbers: number[] = [];
    for await (const part of world.files.readCounted(world.database.pool, upload!, 1, 15)) {
      numbers.push(part.number);
      expect(part.firstRows[0]).toBe(part.firstRow > 10_000 ? part.firstRow - 10_000 : part.firstRow);
    }
    expect(numbers).toEqual([15, 16, 17]);
    await world.plan(
      await world.claimPlan((await world.confirm(caller, { uploadId: id, emailColumn: "email" })).id),
    );
    expect(world.planned).toHaveLength(1);

    await world.query("update uploads set expires_at = now()");
    expect(await world.uploads.eraseExpired()).toBe(1);
    expect(await keysIn(blobs, "uploads")).toEqual([]);
  });

  test("a refused file leaves no blob", async () => {
    await using world = await openIntakeWorld({ maxEmailsPerFile: 17_000 }, blobs);
    const tooMany = tableOf(MANY_ROWS, (row) => `user${row}@example.com`);
    const refused = world.preview(await world.account(), tooMany);
    await expect(refused).rejects.toMatchObject({ code: "too_many_emails" });
    expect(await keysIn(blobs, "uploads")).toEqual([]);
    expect(await world.query("select from uploads")).toEqual([]);
  });

  test("an aborted upload leaves no blob", async () => {
    await using world = await openIntakeWorld({}, blobs);
    const bytes = (async function* () {
      yield* inChunks(tableOf(30_000, (row) => `user${row}@example.com`));
      await expect.poll(() => keysIn(blobs, "uploads")).toHaveLength(1); // the first blob is full
      throw new Error("the client has gone");
    })();
    const file = { filename: "a.csv", files: fileOf(bytes), idempotencyKey: undefined };
    const aborted = world.uploads.preview(await world.account(), file);
    await expect(aborted).rejects.toThrow("the client has gone");
    expect(await keysIn(blobs, "uploads")).toEqual([]);
    expect(await world.query("select from uploads")).toEqual([]);
  });

  test("maintenance deletes blobs without an upload once they are old enough, and no others", async () => {
    await using world = await openIntakeWorld({}, blobs);
    const caller = await world.account();
    const kept = await world.preview(caller, "email\nann@example.com\n");
    const lost = await world.preview(caller, "email\nbo@example.com\n");
    // As after kill -9 between the last blob and the commit, and of a write of the directory store.
    await world.query("delete from uploads where id = $1", lost.upload_id);
    await blobs.put(`uploads/${lost.upload_id}/1.0a1b.unfinished`, Buffer.from("half"));
    expect(await world.files.deleteOrphans()).toBe(0); // all are new
    expect(await world.files.deleteOrphans(-3_600_000)).toBe(2);
    expect(await keysIn(blobs, "uploads")).toEqual([`uploads/${kept.upload_id}/0`]);
    await world.query("delete from uploads");
    expect(await world.files.deleteOrphans(-3_600_000)).toBe(1);
  });

  test("a store that fails answers 503, and nothing is half stored", async () => {
    await using database = await openTestDatabase();
    await using service = await openService({ database, env: kind === "s3" ? s3.env : {} });
    const account = await service.openAccount();
    const lists = listsOf(service, account);
    const good = await lists.upload("email\nvalid@mailvet.test\n");
    const shared = kind === "s3" ? blobs : database.blobs;
    // A folder cannot be created where a file is.
    const broken = await openBlobStore(
      kind === "s3"
        ? { s3: { ...s3.settings, secretAccessKey: "wrong" } }
        : { directory: join(database.dataDirectory, "blobs", "installation") },
    );
    const files = createUploadFiles({ pool: database.pool, blobs: broken });
    const writer = files.write(good.upload_id);
    await writer.add({ number: 0, firstRow: 1, rows: [["x"]] }, new Map());
    await expect(writer.finish()).rejects.toThrow(BlobStoreUnavailable);
    await expect(broken.get("uploads/x/0")).rejects.toThrow(`The blob store ${broken.location} failed`);

    // The whole service: its own store becomes unusable while it runs.
    if (kind === "directory") {
      rmSync(join(database.dataDirectory, "blobs", "uploads"), { recursive: true });
      writeFileSync(join(database.dataDirectory, "blobs", "uploads"), "in the way");
      const refused = await lists.ask("/bulk/upload/preview", { form: formWith("email\na@mailvet.test\n") });
      await expectProblem(service, refused, "overloaded");
      expect(refused.headers.get("retry-after")).toBe("5");
      expect(refused.body.detail).toBe("The storage of uploaded files is currently full or unreachable.");
      expect((await database.pool.query("select from uploads")).rowCount).toBe(1); // the good one
      rmSync(join(database.dataDirectory, "blobs", "uploads"));
      await lists.upload("email\nvalid@mailvet.test\n");
    }
    for await (const { key } of shared.list("uploads")) await shared.delete(key);
    await shared.delete("installation");
  });

  test("a job from upload to download and deletion", async () => {
    await using database = await openTestDatabase();
    await using service = await openService({ database, env: kind === "s3" ? s3.env : {} });
    const lists = listsOf(service, await service.openAccount());
    const { id } = await lists.begin("email,n\nvalid@mailvet.test,1\nmailbox-full@mailvet.test,2\n");
    expect(await lists.ended(id)).toMatchObject({ status: "completed", processed: 2 });
    const store = kind === "s3" ? blobs : database.blobs;
    expect(await uploadKeys(store)).toHaveLength(1);
    expect((await lists.download(id)).map((cells) => cells.slice(0, 2))).toEqual([
      ["email", "n"],
      ["valid@mailvet.test", "1"],
      ["mailbox-full@mailvet.test", "2"],
    ]);
    expect((await lists.ask(`/bulk/jobs/${id}`, { method: "DELETE" })).status).toBe(204);
    expect(await uploadKeys(store)).toEqual([]);
    await store.delete("installation");
  });

  test("a store belongs to one database, and all processes of a database need the same one", async () => {
    await using first = await openTestDatabase();
    await using second = await openTestDatabase();
    await Promise.all([claimBlobStore(first, blobs), claimBlobStore(first, blobs)]);
    await claimBlobStore(first, blobs);
    await expect(claimBlobStore(second, blobs)).rejects.toThrow("belong to another database");
    await expect(claimBlobStore(first, first.blobs)).rejects.toThrow(
      /The uploaded files of this database are not in .*All processes need the same DATA_DIR/,
    );
    // The way out when they are lost for good, as the message says.
    const id = /store (\S+) there/.exec(
      String(await claimBlobStore(first, first.blobs).catch((error) => error)),
    )?.[1];
    await first.blobs.put("installation", Buffer.from(id!));
    await claimBlobStore(first, first.blobs);
    await blobs.delete("installation");
  });
});

test("of two processes that start first at the same time with different directories, one is refused", async () => {
  await using database = await openTestDatabase();
  const stores = ["one", "two"].map((name) => createDirectoryStore(join(database.dataDirectory, name)));
  const claims = await Promise.allSettled(stores.map((store) => claimBlobStore(database, store)));
  expect(claims.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("rows that an earlier release stored in the database are still read, planned and deleted", async () => {
  await using world = await openIntakeWorld();
  const caller = await world.account();
  const { upload_id: id } = await world.preview(
    caller,
    tableOf(2_500, (row) => `user${row}@example.com`),
  );
  const blob = (await world.blobs.get(`uploads/${id}/0`))!;
  for (let at = 0, number = 0; at < blob.length; number++) {
    const end = at + 8 + blob.readUInt32LE(at + 4);
    await world.query(
      "insert into upload_parts (upload_id, number, first_row, row_count, records) values ($1, $2, $3, $4, $5)",
      ...[id, number, blob.readUInt32LE(at), 1000, blob.subarray(at + 8, end)],
    );
    at = end;
  }
  await world.query("update uploads set blob_count = null");
  await world.files.delete(id);
  const upload = await findUpload(world.database.orm, id);
  let rows = 0;
  for await (const part of world.files.read(world.database.pool, upload!)) rows += part.rows.length;
  expect(rows).toBe(2_500);
  await world.plan(
    await world.claimPlan((await world.confirm(caller, { uploadId: id, emailColumn: "email" })).id),
  );
  expect(world.planned).toHaveLength(1);
  await world.query("update uploads set expires_at = now()");
  expect(await world.uploads.eraseExpired()).toBe(1);
  expect(await world.query("select from upload_parts")).toEqual([]);
});

test("readiness reports a blob store that is down", async () => {
  await using own = await openS3Server();
  await using service = await openService({ env: own.env });
  const readiness = async () => {
    const answer = await fetch(`${service.url}/health/ready`);
    return [answer.status, (await answer.json()).blobs];
  };
  await expect.poll(readiness).toEqual([200, undefined]);
  own.stop();
  await expect.poll(readiness).toEqual([200, "unavailable"]);
  own.start();
  await expect.poll(readiness).toEqual([200, undefined]);
  await createS3Store(own.settings).delete(INSTALLATION_KEY);
  await expect.poll(readiness).toEqual([200, "unavailable"]);
});

describe("retention goes on", () => {
  /** Three expired uploads, of which the store cannot delete the first. */
  async function openFailingWorld(isFailing: (key: string) => boolean) {
    const directory = createDirectoryStore(mkdtempSync(join(folder, "failing-")));
    const fail = () =>
      Promise.reject(new BlobStoreUnavailable(directory.location, new Error("AccessDenied")));
    const blobs: BlobStore = {
      ...directory,
      get: (key) => (isFailing(key) ? fail() : directory.get(key)),
      delete: (key) => (isFailing(key) ? fail() : directory.delete(key)),
    };
    const world = await openIntakeWorld({}, blobs);
    await claimBlobStore(world.database, directory);
    const caller = await world.account();
    const ids: string[] = [];
    for (const name of ["ann", "bo", "cy"])
      ids.push((await world.preview(caller, `email\n${name}@example.com\n`)).upload_id);
    return { world, directory, ids };
  }
  const notDeleted = (events: readonly { event: string }[]) =>
    events.filter(({ event }) => event === "blob_not_deleted");

  test("after a blob that cannot be deleted, which is logged and tried again", async () => {
    let locked = "";
    const { world, directory, ids } = await openFailingWorld((key) => key === locked);
    await using _ = world;
    locked = `uploads/${ids[0]}/0`;
    await world.query("update uploads set expires_at = now()");
    expect(await world.uploads.eraseExpired()).toBe(3);
    expect(await keysIn(directory, "uploads")).toEqual([locked]);
    expect(notDeleted(world.events)).toMatchObject([{ key: `uploads/${ids[0]}` }]);

    await directory.put(`uploads/${ids[1]}/0`, Buffer.from("an orphan"));
    expect(await world.files.deleteOrphans(-3_600_000)).toBe(1);
    expect(await keysIn(directory, "uploads")).toEqual([locked]);
    expect(notDeleted(world.events)).toHaveLength(2);
    locked = "";
    expect(await world.files.deleteOrphans(-3_600_000)).toBe(1);
    expect(await keysIn(directory, "uploads")).toEqual([]);
  });

  test("with the database while the store does not respond, and the files follow later", async () => {
    let isDown = false;
    const { world, directory, ids } = await openFailingWorld(() => isDown);
    await using _ = world;
    const caller = await world.account();
    const { upload_id: uploadId } = await world.preview(caller, "email\ndee@example.com\n");
    await world.confirm(caller, { uploadId, emailColumn: "email" });
    await world.query("update uploads set expires_at = now() where expires_at is not null");
    await world.query("update jobs set expires_at = now()");
    isDown = true;
    expect(await world.uploads.eraseExpired()).toBe(3);
    expect(await eraseExpiredJobs(world.database, world.files)).toBe(1);
    expect(await world.query("select from jobs where erased_at is null")).toEqual([]);
    expect(notDeleted(world.events)).toHaveLength(2); // one per run: the store is not asked again
    await expect(world.files.deleteOrphans(-3_600_000)).rejects.toThrow(BlobStoreUnavailable);
    expect(await keysIn(directory, "uploads")).toHaveLength(ids.length + 1);
    isDown = false;
    expect(await world.files.deleteOrphans(-3_600_000)).toBe(ids.length + 1);
  });
});

test("a file that is missing while its upload exists is logged", async () => {
  await using world = await openIntakeWorld();
  const { upload_id: id } = await world.preview(await world.account(), "email\nann@example.com\n");
  const upload = await findUpload(world.database.orm, id);
  await world.files.delete(id);
  await expect(world.files.read(world.database.pool, upload!).next()).rejects.toThrow("is not in");
  expect(world.events).toContainEqual(
    expect.objectContaining({ event: "upload_file_missing", upload_id: id }),
  );
  await world.query("delete from uploads");
  expect(await world.files.read(world.database.pool, upload!).next()).toMatchObject({ done: true });
});

test("files and directories are for the service's user only", async () => {
  const before = process.umask(0);
  const store = createDirectoryStore(join(folder, "private", "blobs"));
  await store.put("uploads/x/0", Buffer.from("x"));
  process.umask(before);
  const modeOf = (...path: string[]) => statSync(join(folder, "private", ...path)).mode & 0o777;
  for (const path of [["blobs"], ["blobs", "uploads"], ["blobs", "uploads", "x"]])
    expect(modeOf(...path)).toBe(0o700);
  expect(modeOf("blobs", "uploads", "x", "0")).toBe(0o600);
  await store.delete("uploads/x/0");
  expect(readdirSync(join(folder, "private", "blobs", "uploads"))).toEqual([]); // no empty folder per upload
});

test("files of others in the directory are neither listed nor deleted, and hinder no deletion", async () => {
  const directory = join(folder, "shared", "blobs");
  const blobs = createDirectoryStore(directory);
  await using world = await openIntakeWorld({}, blobs);
  const { upload_id: id } = await world.preview(await world.account(), "email\nann@example.com\n");
  // NFS renames a file that is deleted while a process reads it.
  const others = [join("uploads", id, ".nfs000000000001"), join("uploads", "Thumbs.db")];
  for (const name of others) writeFileSync(join(directory, name), "x");
  expect(await keysIn(blobs, "uploads")).toEqual([`uploads/${id}/0`]);
  await world.query("delete from uploads");
  expect(await world.files.deleteOrphans(-3_600_000)).toBe(1);
  await world.files.delete(id);
  for (const name of others) expect(existsSync(join(directory, name))).toBe(true);
});

test("folders that are deleted while the directory is listed hide no other file", async () => {
  const blobs = createDirectoryStore(join(folder, "churn", "blobs"));
  await blobs.put("uploads/kept/0", Buffer.from("x"));
  let isOver = false;
  const churn = async (name: number) => {
    for (let round = 0; round < 150; round++) {
      await blobs.put(`uploads/${name}-${round}/0`, Buffer.from("x"));
      await blobs.delete(`uploads/${name}-${round}/0`);
    }
  };
  const churned = Promise.all([0, 1, 2, 3].map(churn)).finally(() => {
    isOver = true;
  });
  while (!isOver) expect(await keysIn(blobs, "uploads")).toContain("uploads/kept/0");
  await churned;
});

test("a bucket with more objects than one page lists them all", async () => {
  await using bucket = await openS3Server({ keysPerPage: 10 });
  const blobs = createS3Store(bucket.settings);
  const keys = Array.from({ length: 23 }, (_, n) => `pages/${n}`);
  await Promise.all(keys.map((key) => blobs.put(key, Buffer.from("x"))));
  expect(await keysIn(blobs, "pages")).toEqual([...keys].sort());
  expect(bucket.listings()).toBe(3);
});

test("a missing bucket, a wrong key and an unreachable server are errors, not missing blobs", async () => {
  const wrong = [
    [{ bucket: "other" }, /NoSuchBucket/],
    [{ secretAccessKey: "wrong" }, /answered 403/],
    [{ endpoint: "http://127.0.0.1:9" }, /fetch failed/],
  ] as const;
  for (const [setting, message] of wrong) {
    const blobs = createS3Store({ ...s3.settings, ...setting });
    await expect(blobs.get("uploads/x/0")).rejects.toThrow(BlobStoreUnavailable);
    await expect(blobs.get("uploads/x/0")).rejects.toThrow(message);
    await expect(blobs.put("uploads/x/0", Buffer.from("x"))).rejects.toThrow(BlobStoreUnavailable);
  }
  const { isPathStyle: _, ...settings } = s3.settings;
  const named = createS3Store({ ...settings, endpoint: "https://s3.example.com", isPathStyle: false });
  expect(named.location).toBe("https://lists.s3.example.com");
});

test.each([
  ["does not answer", () => {}],
  ["does not end its answer", (response: ServerResponse) => response.write("half")],
])("a server that %s is given up", async (_, answer) => {
  const server = createServer((_, response) => answer(response));
  server.listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const blobs = createS3Store({ ...s3.settings, endpoint, timeoutMs: 500 });
  await expect(whileCollecting(blobs.get("uploads/x/0"))).rejects.toThrow(/aborted due to timeout/);
  await expect.poll(promisify(server.getConnections.bind(server))).toBe(0);
});

test("a server that is busy is asked again", async () => {
  const answers = [503, 429, 500, 200];
  const server = createServer((_, response) => response.writeHead(answers.shift()!).end("found"));
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(String(await createS3Store({ ...s3.settings, endpoint }).get("uploads/x/0"))).toBe("found");
  expect(answers).toEqual([]);
});

test("while the bucket is unreachable uploads and deletions get 503 and jobs wait; then everything continues", async () => {
  await using bucket = await openS3Server();
  const logged: string[] = [];
  await using service = await openService({ env: bucket.env, logTo: (line) => logged.push(line) });
  const lists = listsOf(service, await service.openAccount());
  const done = await lists.begin("email\nvalid@mailvet.test\n");
  await lists.ended(done.id);
  const preview = await lists.upload("email\nvalid+2@mailvet.test\n");

  bucket.stop();
  const refused = await lists.ask("/bulk/upload/preview", { form: formWith("email\na@mailvet.test\n") });
  await expectProblem(service, refused, "overloaded");
  await expectProblem(service, await lists.ask(`/bulk/jobs/${done.id}/download`), "overloaded");
  await expectProblem(service, await lists.ask(`/bulk/jobs/${done.id}`, { method: "DELETE" }), "overloaded");
  const { id } = await lists.confirm(preview);
  await expect.poll(() => logged.some((line) => line.includes('"task_interrupted"'))).toBe(true);
  expect((await lists.job(id)).completed_at).toBeNull();
  expect(logged.some((line) => line.includes('"task_failed"'))).toBe(false);

  bucket.start();
  expect(await lists.ended(id)).toMatchObject({ status: "completed", valid_count: 1 });
  expect((await lists.ask(`/bulk/jobs/${done.id}`, { method: "DELETE" })).status).toBe(204);
  expect(await uploadKeys(createS3Store(bucket.settings))).toEqual([`uploads/${preview.upload_id}/0`]);
});

test("a process whose directory is not that of the others does not start", async () => {
  await using database = await openTestDatabase();
  await using _api = await openService({ database, env: { ROLE: "api" } });
  const env = { ROLE: "worker", DATA_DIR: join(database.dataDirectory, "another-machine") };
  await expect(openService({ database, env })).rejects.toThrow("All processes need the same DATA_DIR");
});

test("settings: DATA_DIR by default, a bucket with its key, and something shared for separate roles", () => {
  const DATABASE_URL = "postgres://mailvet@db.example/mailvet";
  expect(readConfig({ DATA_DIR: "/srv/mailvet" }, ".").blobs).toEqual({ directory: "/srv/mailvet/blobs" });
  expect(readConfig({ DATABASE_URL, DATA_DIR: "/srv/mailvet" }, ".").blobs).toEqual({
    directory: "/srv/mailvet/blobs",
  });
  const bucket = {
    S3_BUCKET: "lists",
    S3_ENDPOINT: "https://s3.example.com",
    S3_ACCESS_KEY_ID: "id",
    S3_SECRET_ACCESS_KEY: "a secret without spaces".replaceAll(" ", "-"),
  };
  expect(readConfig({ DATABASE_URL, ROLE: "worker", ...bucket }, ".").blobs).toMatchObject({
    s3: { bucket: "lists", region: "us-east-1", isPathStyle: true },
  });
  expect(() => readConfig({ DATABASE_URL, ROLE: "api" }, ".")).toThrow(/ROLE.*DATA_DIR.*or S3_BUCKET/);
  for (const name of Object.keys(bucket)) {
    const { [name as keyof typeof bucket]: _, ...others } = bucket;
    expect(() => readConfig(others, ".")).toThrow(BadSettings);
    expect(() => readConfig(others, ".")).toThrow(`${name} to be set as well`);
    expect(() => readConfig(others, ".")).not.toThrow("a-secret");
  }
});

test.skipIf(!canMount)(
  "a full disk: 503, nothing half stored, and recovery (needs mount privileges)",
  async () => {
    using small = mountSmall("1m");
    chmodSync(small.folder, 0o700);
    await using service = await openService({ env: { DATA_DIR: small.folder } });
    const lists = listsOf(service, await service.openAccount());
    const filler = join(small.folder, "filler");
    const first = await lists.upload("email\nvalid@mailvet.test\n");
    fillUp(filler);
    const list = `email\n${Array.from({ length: 20_000 }, (_, n) => `person-${n}@mailvet.test`).join("\n")}\n`;
    const refused = await lists.ask("/bulk/upload/preview", { form: formWith(list) });
    await expectProblem(service, refused, "overloaded");
    const store = createDirectoryStore(join(small.folder, "blobs"));
    expect(await uploadKeys(store)).toEqual([`uploads/${first.upload_id}/0`]);
    expect((await service.database.pool.query("select from uploads")).rowCount).toBe(1);
    const job = await lists.confirm(first);
    expect(await lists.ended(job.id)).toMatchObject({ status: "completed" });
    rmSync(filler);
    expect(await lists.upload(list)).toMatchObject({ total_rows: 20_000 });
  },
);

async function keysIn(blobs: BlobStore, folderName: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(folderName)) keys.push(key);
  return keys.sort();
}
