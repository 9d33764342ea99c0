/** Deletes in bites, so that no statement takes long, no lock is held for long, and one chore comes to an end. */
import type pg from "pg";

const ROWS_AT_ONCE = 1000;
const MAX_BITES = 200;

/** The statement deletes at most $1 rows; its other values follow. Says how many there were. */
export async function batchedDelete(
  pool: Pick<pg.Pool, "query">,
  statement: string,
  ...values: unknown[]
): Promise<number> {
  let erased = 0;
  for (let bite = 0; bite < MAX_BITES; bite++) {
    const { rowCount } = await pool.query(statement, [ROWS_AT_ONCE, ...values]);
    erased += rowCount ?? 0;
    if ((rowCount ?? 0) < ROWS_AT_ONCE) break;
  }
  return erased;
}
