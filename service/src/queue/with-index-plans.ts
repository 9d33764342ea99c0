/**
 * A short transaction whose statements use index scans, whatever the table statistics say.
 *
 * Queue tables grow from empty to many thousand tasks within a minute. A plan made while they were empty scans them
 * sequentially and is kept until the next analyze, which makes every claim many times slower. Prepared statements named
 * here must not be used elsewhere: each connection plans them once.
 */
import type pg from "pg";

export async function withIndexPlans<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN);
    const result = await work(client);
    await client.query("commit");
    client.release();
    return result;
  } catch (error) {
    // A connection that cannot roll back is destroyed.
    await client.query("rollback").then(
      () => client.release(),
      (rollbackError) => client.release(rollbackError),
    );
    throw error;
  }
}

/** Plain index scans also mark dead index entries, which keeps a busy queue fast between vacuums. */
const BEGIN = [
  "begin",
  "set local enable_seqscan = off",
  "set local enable_bitmapscan = off",
  "set local enable_nestloop = off",
  "set local plan_cache_mode = force_generic_plan",
  "set local jit = off",
].join("; ");
