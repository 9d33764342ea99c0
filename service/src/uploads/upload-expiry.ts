/** Deletes uploads that were not confirmed in time, and those abandoned by a process that died. */
import type { Database } from "../db/database.ts";
import type { UploadFiles } from "./upload-files.ts";

/** One per statement: an upload can have thousands of parts and hundreds of megabytes. */
const DELETED_AT_ONCE = 1;
const MAX_ROUNDS = 1000;
/** For this long the answer is upload_expired, later upload_not_found. */
const TOMBSTONE_KEPT = "7 days";

/** Returns how many uploads lost their rows. */
export async function eraseExpiredUploads(
  { pool }: Pick<Database, "pool">,
  files: Pick<UploadFiles, "deletingWhatCanBe">,
): Promise<number> {
  const expiredFiles = files.deletingWhatCanBe();
  let erased = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { rows } = await pool.query<{ id: string }>(ERASE);
    // Only now: a confirmation can no longer follow. What is left by a failure here is found as an orphan.
    for (const { id } of rows) await expiredFiles.delete(id);
    erased += rows.length;
    if (rows.length < DELETED_AT_ONCE) break;
  }
  await pool.query(DELETE_TOMBSTONES);
  return erased;
}

/**
 * An incomplete upload is deleted; of a complete one an empty row remains. The row lock excludes a concurrent
 * confirmation, and an upload that is being confirmed is skipped.
 */
const ERASE = {
  name: "erase-expired-uploads",
  text: `
    with expired as materialized (
      select id, ready_at from uploads where expires_at <= now() and erased_at is null
      limit ${DELETED_AT_ONCE} for update skip locked
    ),
    abandoned as (delete from uploads where id in (select id from expired where ready_at is null)),
    parts as (delete from upload_parts where upload_id in (select id from expired)),
    censuses as (delete from upload_column_indexes where upload_id in (select id from expired)),
    census_parts as (delete from upload_column_index_parts where upload_id in (select id from expired)),
    emptied as (
      update uploads set erased_at = now(), filename = '', header = null, columns = '[]', sample_rows = '[]',
        email_counts = '[]', sheet = null, sheets = null, content_hash = null, idempotency_key = null
      where id in (select id from expired where ready_at is not null)
    )
    select id from expired`,
};

const DELETE_TOMBSTONES = {
  name: "delete-upload-tombstones",
  text: `
    delete from uploads where erased_at is not null and expires_at <= now() - interval '${TOMBSTONE_KEPT}'`,
};
