/**
 * Exports of accounts as files: a task writes the ZIP file of account-export.ts into blobs, downloads read it, maintenance
 * deletes it.
 *
 * An account has one at a time, for the owner and the operator. Each attempt to write one deletes all others but the last complete file, so
 * that a download of that can end; what no attempt deletes is an orphan after a day.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as rest } from "node:timers/promises";
import { and, eq, isNull, lte, sql } from "drizzle-orm";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Database, Orm } from "../db/database.ts";
import type { Task } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import { accountExports } from "./schema.ts";

export type ExportFile = typeof accountExports.$inferSelect;

export type ExportFiles = {
  /** Begins a new one, unless one is being written, or a complete one is younger than this. */
  begin(accountId: string, youngerThanMs?: number): Promise<void>;
  /** Once it is complete, or as it is after a while. Undefined: there is none, or its task has failed. */
  wait(accountId: string, signal: AbortSignal): Promise<ExportFile | undefined>;
  read(file: ExportFile): AsyncGenerator<Buffer>;
  /** For the queue "action", with the subject EXPORT_ACCOUNT. */
  handle(task: Task, signal: AbortSignal): Promise<void>;
  /** The task has failed for good. */
  giveUp(tx: Orm, task: Task): Promise<void>;
  erase(accountId: string): Promise<void>;
  deleteExpired(): Promise<void>;
  /** Deletes old blobs of files that no row names. */
  deleteOrphans(): Promise<void>;
};

export type ExportFilesDeps = {
  database: Pick<Database, "orm">;
  blobs: BlobStore;
  tasks: Pick<Tasks, "openGroup" | "add" | "complete" | "keep" | "postpone" | "closeGroup">;
  /** Content of the file (account-export.ts). */
  exportAccount: (accountId: string) => Promise<AsyncIterable<Buffer>>;
};

/** Subject of a task of the queue "action". */
export const EXPORT_ACCOUNT = "export account";

const FOLDER = "exports";
const BLOB_BYTES = 1_000_000;
const KEPT = "1 day";
const WAIT_MS = 20_000;
const POLL_MS = 250;
/** A file that was replaced is kept as long as any other. */
const ORPHAN_AGE_MS = 86_400_000;

export function createExportFiles(deps: ExportFilesDeps): ExportFiles {
  const { blobs, tasks } = deps;
  const { orm } = deps.database;
  const folderOf = (accountId: string) => `${FOLDER}/${accountId}`;
  const keyOf = ({ accountId, fileId }: Pick<ExportFile, "accountId" | "fileId">, number: number) =>
    `${folderOf(accountId)}/${fileId}-${number}`;
  const isOf = (accountId: string) => eq(accountExports.accountId, accountId);

  const find = async (accountId: string) =>
    (await orm.select().from(accountExports).where(isOf(accountId)))[0];

  const deleteBlobs = async (accountId: string, fileId = "") => {
    for await (const { key } of blobs.list(folderOf(accountId)))
      if (key.includes(fileId)) await blobs.delete(key);
  };

  /** Deletes all but the last complete file. False: the claim is lost. */
  const deleteOthers = async (task: Task): Promise<boolean> => {
    const last = await find(task.accountId);
    const keys: string[] = [];
    for await (const { key } of blobs.list(folderOf(task.accountId))) keys.push(key);
    if (!(await orm.transaction((tx) => tasks.keep(tx, task)))) return false; // keys may be of a later attempt
    for (const key of keys) if (!last || !key.includes(last.fileId)) await blobs.delete(key);
    return true;
  };

  /** False: the claim is lost, or the file is no longer wanted. */
  const saveProgress = (task: Task, sizeBytes: number): Promise<boolean> =>
    orm.transaction(async (tx) => {
      if (!(await tasks.keep(tx, task))) return false;
      const isAccount = isOf(task.accountId);
      return (await tx.update(accountExports).set({ sizeBytes }).where(isAccount).returning()).length > 0;
    });

  /** Undefined: as above. */
  const write = async (task: Task, signal: AbortSignal) => {
    const { accountId } = task;
    const file = { accountId, fileId: randomUUID(), blobCount: 0, sizeBytes: 0 };
    for await (const bytes of inBlobs(await deps.exportAccount(accountId), signal)) {
      const key = keyOf(file, file.blobCount++);
      file.sizeBytes += bytes.length;
      await blobs.put(key, bytes);
      if (await saveProgress(task, file.sizeBytes)) continue;
      await blobs.delete(key);
      return undefined;
    }
    return file;
  };

  return {
    begin: (accountId, youngerThanMs = 0) =>
      orm.transaction(async (tx) => {
        const groupId = randomUUID(); // the account's own is paused by a suspension
        const begun = await tx
          .insert(accountExports)
          .values({ accountId, fileId: groupId })
          .onConflictDoUpdate({
            target: accountExports.accountId,
            set: { sizeBytes: 0, createdAt: sql`now()`, expiresAt: null },
            setWhere: sql`${accountExports.expiresAt} is not null
              and ${accountExports.createdAt} <= now() - ${youngerThanMs}::float8 * interval '1 millisecond'`,
          })
          .returning();
        if (begun.length === 0) return;
        await tasks.openGroup(tx, { id: groupId, accountId });
        await tasks.add(tx, [{ groupId, queue: "action", subject: EXPORT_ACCOUNT }]);
      }),

    async wait(accountId, signal) {
      const until = performance.now() + WAIT_MS;
      for (;;) {
        const file = await find(accountId);
        if (!file || file.expiresAt || signal.aborted || performance.now() >= until) return file;
        await rest(POLL_MS, undefined, { signal }).catch(() => {});
      }
    },

    async *read(file) {
      for (let number = 0; number < file.blobCount; number++) {
        const bytes = await blobs.get(keyOf(file, number));
        if (!bytes) throw new Error(`the export ${file.fileId} is not in ${blobs.location}`);
        yield bytes;
      }
    },

    async handle(task, signal) {
      const file = (await deleteOthers(task)) ? await write(task, signal) : undefined;
      if (signal.aborted) return void (await tasks.postpone(orm, task, {}));
      await orm.transaction(async (tx) => {
        if (!(await tasks.complete(tx, task))) return; // another process has it, or the account is erased
        if (file)
          await tx
            .update(accountExports)
            .set({ ...file, expiresAt: sql`now() + ${KEPT}::interval` })
            .where(isOf(task.accountId));
        await tasks.closeGroup(tx, task.groupId);
      });
    },

    async giveUp(tx, { accountId, groupId }) {
      await tx.delete(accountExports).where(and(isOf(accountId), isNull(accountExports.expiresAt)));
      await tasks.closeGroup(tx, groupId);
    },

    async erase(accountId) {
      await orm.delete(accountExports).where(isOf(accountId));
      await deleteBlobs(accountId);
    },

    async deleteExpired() {
      const isExpired = lte(accountExports.expiresAt, sql`now()`);
      for (const { accountId, fileId } of await orm.delete(accountExports).where(isExpired).returning())
        await deleteBlobs(accountId, fileId);
    },

    async deleteOrphans() {
      const newest = Date.now() - ORPHAN_AGE_MS;
      for await (const { key, modifiedAt } of blobs.list(FOLDER)) {
        if (modifiedAt.getTime() > newest) continue;
        const file = await find(key.split("/")[1]!);
        const isNeeded = file && (file.expiresAt === null || key.includes(file.fileId));
        if (!isNeeded) await blobs.delete(key);
      }
    },
  };
}

async function* inBlobs(content: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    if (signal.aborted) return;
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < BLOB_BYTES) continue;
    yield Buffer.concat(chunks);
    chunks = [];
    bytes = 0;
  }
  yield Buffer.concat(chunks);
}
