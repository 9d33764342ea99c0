/** Deletes in batches, so that no statement runs long, no lock is held long, and one maintenance task ends. */
import type pg from "pg";

const ROWS_PER_BATCH = 1000;
const MAX_BATCHES = 200;

/** The statement deletes at most $1 rows; its other values follow. Returns how many. */
export async function batchedDelete(
  pool: Pick<pg.Pool, "query">,
  statement: string,
  ...values: unknown[]
): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { rowCount } = await pool.query(statement, [ROWS_PER_BATCH, ...values]);
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < ROWS_PER_BATCH) break;
  }
  return deleted;
}
