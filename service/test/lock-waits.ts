/** A transaction that holds locks, and who waits for it. */
import type pg from "pg";
import { expect, vi } from "vitest";
import { PATIENCE } from "./patience.ts";

export type Holder = Awaited<ReturnType<typeof beginHolder>>;

export async function beginHolder(pool: pg.Pool) {
  const client = await pool.connect();
  await client.query("begin");
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const { pid } = rows[0]!;
  return {
    query: (text: string, values: unknown[]) => client.query(text, values),
    /**
     * Waits until this many transactions wait for this one, or for one that does; maintenance may be one more. Asked outside
     * the transaction, inside of which pg_stat_activity stays as first seen, without connections that are opened later.
     */
    untilBlocked: (count: number) =>
      vi.waitFor(async () => {
        const blocked = `
          with recursive blocked (pid) as (
            select $1::int
            union select a.pid from pg_stat_activity a join blocked b on b.pid = any(pg_blocking_pids(a.pid))
          ) select from blocked where pid <> $1`;
        expect((await pool.query(blocked, [pid])).rowCount).toBeGreaterThanOrEqual(count);
      }, PATIENCE),
    /** Ends the connections that wait for this transaction, as a failure of the database would. */
    breakBlocked: () =>
      pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where $1 = any(pg_blocking_pids(pid))",
        [pid],
      ),
    commit: () => client.query("commit"),
    async [Symbol.asyncDispose]() {
      await client.query("rollback"); // unless it has been committed
      client.release();
    },
  };
}
