/** Uploads as jobs use them: find, mark as confirmed, delete with the job. */
import { and, eq } from "drizzle-orm";
import type pg from "pg";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { Orm } from "../db/database.ts";
import { uploads } from "./schema.ts";
import type { UploadFiles } from "./upload-files.ts";
import type { UploadRow } from "./upload-preview.ts";

/** Throws upload_not_found (also for another owner's or an incomplete upload) and upload_expired. */
export async function findConfirmableUpload(
  orm: Pick<Orm, "select">,
  { accountId, isTest }: Owner,
  uploadId: string,
  lock?: "for_update",
): Promise<UploadRow> {
  const query = orm
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, uploadId), eq(uploads.accountId, accountId), eq(uploads.isTest, isTest)));
  const [upload] = await (lock ? query.for("update") : query);
  if (!upload || upload.readyAt === null) {
    throw new Refusal("upload_not_found", "No upload with this id exists in this account.");
  }
  // erasedAt as well: the database's clock decided that, and it may differ from ours.
  const isExpired = upload.erasedAt !== null || (upload.expiresAt !== null && upload.expiresAt <= new Date());
  if (isExpired)
    throw new Refusal("upload_expired", "The upload was not confirmed in time. Send the file again.");
  return upload;
}

/** From now on the upload is kept until its job's retention ends. */
export async function markConfirmed(tx: Orm, uploadId: string): Promise<void> {
  await tx.update(uploads).set({ expiresAt: null }).where(eq(uploads.id, uploadId));
}

/** Undefined: deleted. */
export async function findUpload(orm: Pick<Orm, "select">, uploadId: string): Promise<UploadRow | undefined> {
  const [upload] = await orm.select().from(uploads).where(eq(uploads.id, uploadId));
  return upload;
}

const PARTS_AT_ONCE = 50;

/** In batches, so that no statement takes long. May be repeated after a failure. */
export async function deleteUpload(
  pool: Pick<pg.Pool, "query">,
  files: Pick<UploadFiles, "delete">,
  uploadId: string,
): Promise<void> {
  for (const [name, text] of DELETE_PARTS) {
    let deleted: number | null;
    do {
      ({ rowCount: deleted } = await pool.query({ name, text, values: [uploadId, PARTS_AT_ONCE] }));
    } while (deleted === PARTS_AT_ONCE);
  }
  await pool.query("delete from uploads where id = $1", [uploadId]);
  await files.delete(uploadId);
}

const DELETE_PARTS = [
  [
    "delete-upload-parts",
    `delete from upload_parts where upload_id = $1 and number = any(array(
      select number from upload_parts where upload_id = $1 limit $2))`,
  ],
  [
    "delete-census-parts",
    `delete from upload_column_index_parts where (upload_id, "column", number) in (
      select upload_id, "column", number from upload_column_index_parts where upload_id = $1 limit $2)`,
  ],
] as const;
