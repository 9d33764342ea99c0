/** Erases uploads that nobody confirmed in time, and those left behind by a process that died. */
import type pg from "pg";
import type { Database } from "../db/database.ts";

/** An upload can be thousands of parts and hundreds of megabytes, so one at a time. */
const ERASED_AT_ONCE = 1;
const MAX_ROUNDS = 1000;
/** For so long we still say that it has expired, not that it never was. */
const REMEMBERED = "7 days";

/** Returns how many uploads lost their rows. */
export async function eraseExpiredUploads({ pool }: Pick<Database, "pool">): Promise<number> {
  let erased = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const count = await countOf(pool, ERASE);
    erased += count;
    if (count < ERASED_AT_ONCE) break;
  }
  await countOf(pool, FORGET);
  return erased;
}

async function countOf(pool: pg.Pool, statement: { name: string; text: string }): Promise<number> {
  return (await pool.query<{ count: number }>(statement)).rows[0]?.count ?? 0;
}

/**
 * One that never was ready goes whole. Of the others stays that they were there, and nothing of what was in them. The
 * row is locked first, so that nobody confirms it meanwhile; one that is just being confirmed is passed over.
 */
const ERASE = {
  name: "erase-expired-uploads",
  text: `
    with expired as materialized (
      select id, ready_at from uploads where expires_at <= now() and erased_at is null
      limit ${ERASED_AT_ONCE} for update skip locked
    ),
    abandoned as (delete from uploads where id in (select id from expired where ready_at is null)),
    parts as (delete from upload_parts where upload_id in (select id from expired)),
    censuses as (delete from upload_censuses where upload_id in (select id from expired)),
    census_parts as (delete from upload_census_parts where upload_id in (select id from expired)),
    emptied as (
      update uploads set erased_at = now(), filename = '', header = null, columns = '[]', sample_rows = '[]',
        email_counts = '[]', content_hash = null, once_key = null
      where id in (select id from expired where ready_at is not null)
    )
    select count(*)::int as count from expired`,
};

const FORGET = {
  name: "forget-expired-uploads",
  text: `
    with forgotten as (
      delete from uploads where erased_at is not null and expires_at <= now() - interval '${REMEMBERED}' returning 1
    )
    select count(*)::int as count from forgotten`,
};
