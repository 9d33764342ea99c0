/**
 * A slice that failed for good: its emails get the result `internal_error`, which is refunded, and the job goes on. The
 * operator can have it checked again (queue/dead-letters.ts).
 */
import { and, eq, inArray } from "drizzle-orm";
import type { Orm } from "../db/database.ts";
import { DEFAULT_DATE } from "../db/partitions.ts";
import type { Redrive } from "../queue/dead-letters.ts";
import type { OnExhausted } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import { lockJob } from "./job-lock.ts";
import { hasEnded } from "./job-state.ts";
import type { JobTransitions } from "./job-transitions.ts";
import {
  insertResults,
  keptByRecheck,
  partitionOf,
  reportOn,
  resultRow,
  type StoredJob,
} from "./result-rows.ts";
import { jobs, results, slices } from "./schema.ts";
import type { SliceEmail } from "./slice-cutter.ts";
import { addSlice, countInJob, recheckCounts } from "./slice-save.ts";

const FAILURE = "The slice of this email failed repeatedly.";

/** Returns the rows, for a redrive; false if the slice is done, or was deleted with its job. */
export function onSliceExhausted(transitions: Pick<JobTransitions, "finishIfDone">): OnExhausted {
  return async (tx, { groupId: jobId, subject }) => {
    const isIt = and(eq(slices.jobId, jobId), eq(slices.number, Number(subject)));
    const [slice] = await tx.delete(slices).where(isIt).returning();
    if (!slice) return false;
    const { emails, isRedrive, attempt } = slice;
    const rows = emails.map(([row]) => row);
    if (isRedrive) return { rows }; // their results are internal errors already
    const job = await findStored(tx, jobId);
    if (!job) return false;
    const isAllDone = await countInJob(tx, slice, {
      processed: emails.length,
      triedOnce: attempt === 0 ? emails.length : 0,
      // Rows of a recheck have a result already.
      ...(slice.isRecheck
        ? recheckCounts(await keptByRecheck(tx, job, rows), slice.isFree)
        : await failed(tx, job, emails)),
    });
    if (isAllDone === undefined) throw new Error(`job ${jobId} has ended`); // the next attempt finds no slice
    if (isAllDone) await transitions.finishIfDone(tx, jobId);
    return { rows };
  };
}

async function failed(tx: Orm, job: StoredJob, emails: readonly SliceEmail[]) {
  const results = emails.map(([row, email]) => failedRow(row, email));
  await insertResults(tx, job, results, { keepExisting: true });
  const counts = { internal_error: emails.length };
  return { givenUp: emails.length, freeProcessed: 0, counts, uncharged: counts };
}

async function findStored(tx: Orm, jobId: string): Promise<StoredJob | undefined> {
  const columns = { id: jobs.id, rowsExpireOn: jobs.rowsExpireOn };
  const [job] = await tx.select(columns).from(jobs).where(eq(jobs.id, jobId));
  return job;
}

function failedRow(row: number, email: string) {
  return resultRow(row, reportOn({ evidence: { email, failure: FAILURE }, checkedAtMs: Date.now() }));
}

/** Checks the emails again, free of charge. The results replace those that were given up, also after the job's end. */
export function redriveSlice(tasks: Pick<Tasks, "openGroup" | "add">): Redrive {
  return async (tx, { groupId: jobId, details }) => {
    const rows = details.rows as number[] | undefined;
    if (!rows) return false; // by earlier releases, for a slice that was gone
    const job = await lockJob(tx, jobId);
    if (!job || job.erasedAt !== null || (job.recheck && !hasEnded(job))) return false;
    const isIt = and(
      inArray(results.expiresOn, [partitionOf(job), DEFAULT_DATE]),
      eq(results.jobId, jobId),
      inArray(results.row, rows),
      eq(results.subStatus, "internal_error"),
    );
    const found = await tx.select({ row: results.row, email: results.email }).from(results).where(isIt);
    if (found.length === 0) return false;
    const emails = found.map(({ row, email }): SliceEmail => [row, email]);
    const number = await addSlice(tx, { jobId, emails, isRedrive: true });
    if (hasEnded(job)) await tasks.openGroup(tx, { id: jobId, accountId: job.accountId });
    await tasks.add(tx, [{ groupId: jobId, queue: "slice", subject: String(number) }]);
    return true;
  };
}
