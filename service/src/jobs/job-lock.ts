/**
 * The lock on a job's row, by which everybody who changes a job, or what belongs to it, takes turns.
 *
 * It is taken before the job's lane, its tasks, its counts and the account's balance are touched: so nobody ever waits
 * for one another in a circle. Its results are written before, as they are in nobody's way.
 */
import { and, eq } from "drizzle-orm";
import type { Orm } from "../db/database.ts";
import type { JobRow } from "./job-record.ts";
import { jobs } from "./schema.ts";

/** Locked until the transaction is over. Undefined: there is no such job, or it is another account's. */
export async function lockJob(tx: Orm, jobId: string, accountId?: string): Promise<JobRow | undefined> {
  const isOwn = accountId === undefined ? undefined : eq(jobs.accountId, accountId);
  const [job] = await tx
    .select()
    .from(jobs)
    .where(and(eq(jobs.id, jobId), isOwn))
    .for("no key update");
  return job;
}
