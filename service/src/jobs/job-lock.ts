/**
 * Row lock on a job, which serializes changes to the job and to what belongs to it.
 *
 * Lock order: results, the transaction's own task and slice, then the job and its counts, webhook endpoints, the saved list,
 * the account's shares of the queue and its balance. What holds the job's row and deletes its tasks skips those that are
 * locked. The start of a scheduled run locks the saved list last: what holds a list without its job's row needs none of
 * these. This rules out deadlocks.
 */
import { and, eq } from "drizzle-orm";
import type { Owner } from "../base/caller.ts";
import type { Orm } from "../db/database.ts";
import type { JobRow } from "./job-record.ts";
import { jobs } from "./schema.ts";

/** Held until the transaction ends. Undefined: no such job, or another owner's. */
export async function lockJob(tx: Orm, jobId: string, owner?: Owner): Promise<JobRow | undefined> {
  const isOwn = owner && isJobOf(owner);
  const [job] = await tx
    .select()
    .from(jobs)
    .where(and(eq(jobs.id, jobId), isOwn))
    .for("no key update");
  return job;
}

export function isJobOf({ accountId, isTest }: Owner) {
  return and(eq(jobs.accountId, accountId), eq(jobs.isTest, isTest));
}
