/**
 * A short transaction whose statements find their rows by index, whatever the planner believes about the tables.
 *
 * The tables of the queue are empty one minute and hold many thousand tasks the next. A plan that was made while they
 * were empty reads them from end to end, and is kept until the next analyze: for a minute every claim would take many
 * times as long. Statements named in here must not be used elsewhere, as each connection plans them once.
 */
import type pg from "pg";

export async function withIndexPlans<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN);
    const answer = await work(client);
    await client.query("commit");
    client.release();
    return answer;
  } catch (error) {
    // A connection that cannot even roll back is of no use to anyone.
    await client.query("rollback").then(
      () => client.release(),
      (trouble) => client.release(trouble),
    );
    throw error;
  }
}

/** Plain index scans also clear away what is dead in an index, which keeps a busy queue quick between two vacuums. */
const BEGIN = [
  "begin",
  "set local enable_seqscan = off",
  "set local enable_bitmapscan = off",
  "set local enable_nestloop = off",
  "set local plan_cache_mode = force_generic_plan",
  "set local jit = off",
].join("; ");
