/**
 * Exports of accounts as files: a task writes the ZIP file of account-export.ts into blobs, downloads read it, maintenance
 * deletes it.
 *
 * An account has one at a time, whoever asks for it. An attempt that was interrupted, and a file that is replaced, are deleted
 * when the next one begins; blobs without a row as orphans.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as rest } from "node:timers/promises";
import type { OperatorAccount } from "@mailvet/contract";
import { and, eq, isNull, lte, sql } from "drizzle-orm";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Database, Orm } from "../db/database.ts";
import type { Task } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import type { ExportAccount } from "./account-export.ts";
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
  /** Deletes blobs without a row. */
  deleteOrphans(): Promise<void>;
};

export type ExportFilesDeps = {
  database: Pick<Database, "orm">;
  blobs: BlobStore;
  tasks: Pick<Tasks, "openGroup" | "add" | "complete" | "keep" | "postpone" | "closeGroup">;
  findAccount: (accountId: string) => Promise<OperatorAccount>;
  exportAccount: ExportAccount;
};

/** Subject of a task of the queue "action". */
export const EXPORT_ACCOUNT = "export account";

const FOLDER = "exports";
const BLOB_BYTES = 1_000_000;
const KEPT = "1 day";
const WAIT_MS = 20_000;
const POLL_MS = 250;
/** Longer than any blob is without its row. */
const ORPHAN_AGE_MS = 3_600_000;

export function createExportFiles(deps: ExportFilesDeps): ExportFiles {
  const { blobs, tasks } = deps;
  const { orm } = deps.database;
  const keyOf = (fileId: string, number: number) => `${FOLDER}/${fileId}/${number}`;
  const isOf = (accountId: string) => eq(accountExports.accountId, accountId);

  const find = async (accountId: string) =>
    (await orm.select().from(accountExports).where(isOf(accountId)))[0];

  const deleteBlobs = async (fileId: string) => {
    for await (const { key } of blobs.list(`${FOLDER}/${fileId}`)) await blobs.delete(key);
  };

  /** Replaces that of an earlier attempt. Undefined: the claim is lost, or there is nothing to write any more. */
  const beginFile = async (task: Task): Promise<ExportFile | undefined> => {
    const before = await find(task.accountId);
    const file = await orm.transaction(async (tx) => {
      if (!(await tasks.keep(tx, task))) return undefined;
      const isOpen = and(isOf(task.accountId), isNull(accountExports.expiresAt));
      const set = { fileId: randomUUID(), blobCount: 0, sizeBytes: 0 };
      return (await tx.update(accountExports).set(set).where(isOpen).returning())[0];
    });
    if (file && before) await deleteBlobs(before.fileId);
    return file;
  };

  /** Returns whether the file is still wanted. */
  const store = async (file: ExportFile, bytes: Buffer): Promise<boolean> => {
    await blobs.put(keyOf(file.fileId, file.blobCount), bytes);
    file.blobCount++;
    file.sizeBytes += bytes.length;
    const { blobCount, sizeBytes } = file;
    const isFile = and(isOf(file.accountId), eq(accountExports.fileId, file.fileId));
    return (
      (await orm.update(accountExports).set({ blobCount, sizeBytes }).where(isFile).returning()).length > 0
    );
  };

  /** Returns whether it is complete. */
  const write = async (file: ExportFile, signal: AbortSignal): Promise<boolean> => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of await deps.exportAccount(await deps.findAccount(file.accountId))) {
      if (signal.aborted) return false;
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= BLOB_BYTES) {
        if (!(await store(file, Buffer.concat(chunks)))) return false;
        chunks = [];
        bytes = 0;
      }
    }
    return store(file, Buffer.concat(chunks));
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

    async *read({ fileId, blobCount }) {
      for (let number = 0; number < blobCount; number++) {
        const bytes = await blobs.get(keyOf(fileId, number));
        if (!bytes) throw new Error(`the export ${fileId} is not in ${blobs.location}`);
        yield bytes;
      }
    },

    async handle(task, signal) {
      const file = await beginFile(task);
      const isWritten = file && (await write(file, signal));
      if (signal.aborted) return void (await tasks.postpone(orm, task, {}));
      await orm.transaction(async (tx) => {
        if (!(await tasks.complete(tx, task))) return; // another process has it, or the account is erased
        if (isWritten)
          await tx
            .update(accountExports)
            .set({ expiresAt: sql`now() + ${KEPT}::interval` })
            .where(eq(accountExports.fileId, file.fileId));
        await tasks.closeGroup(tx, task.groupId);
      });
    },

    async giveUp(tx, { accountId, groupId }) {
      await tx.delete(accountExports).where(and(isOf(accountId), isNull(accountExports.expiresAt)));
      await tasks.closeGroup(tx, groupId);
    },

    async erase(accountId) {
      for (const { fileId } of await orm.delete(accountExports).where(isOf(accountId)).returning())
        await deleteBlobs(fileId);
    },

    async deleteExpired() {
      const isExpired = lte(accountExports.expiresAt, sql`now()`);
      for (const { fileId } of await orm.delete(accountExports).where(isExpired).returning())
        await deleteBlobs(fileId);
    },

    async deleteOrphans() {
      const newest = Date.now() - ORPHAN_AGE_MS;
      for await (const { key, modifiedAt } of blobs.list(FOLDER)) {
        if (modifiedAt.getTime() > newest) continue;
        const fileId = key.split("/")[1]!;
        const known = await orm.select().from(accountExports).where(eq(accountExports.fileId, fileId));
        if (known.length === 0) await blobs.delete(key);
      }
    },
  };
}
