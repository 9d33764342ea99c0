/**
 * Results for the emails of a job that is finished before all of them are checked.
 *
 * One that waits for a retry gets the verdict of its last attempt, and is charged like any verdict. One that was not checked,
 * or whose check is in flight, is not charged.
 */
import type { Evidence } from "@mailvet/engine";
import { sql } from "drizzle-orm";
import { inTimeSlices } from "../base/event-loop-yield.ts";
import type { Orm } from "../db/database.ts";
import type { JobRow } from "./job-record.ts";
import { insertResults, type ResultRow, reportOn, resultRow } from "./result-rows.ts";
import { restoredEvidence } from "./results/result-evidence.ts";
import type { InspectEmail } from "./results/result-from-evidence.ts";
import type { SliceEmail } from "./slice-cutter.ts";
import { countInJob } from "./slice-save.ts";

export type OpenRow = { result: ResultRow; isCharged: boolean };

const ROWS_AT_ONCE = 1_000;

/**
 * In row order, in batches: a job may have a million. A slice may be saved after the call; its rows are then left out below.
 */
export async function openRows(
  tx: Orm,
  inspect: InspectEmail,
  jobId: string,
): Promise<AsyncIterable<OpenRow[]>> {
  // Rows of a recheck have a result, which is kept.
  await tx.execute(sql`
    declare open_rows no scroll cursor for
    select entry from slices, json_array_elements(emails) as entry
    where job_id = ${jobId} and not is_redrive and not is_recheck
    order by (entry->>0)::int`);
  return readBatches(tx, inspect);
}

async function* readBatches(tx: Orm, inspect: InspectEmail): AsyncGenerator<OpenRow[]> {
  for (;;) {
    const { rows } = await tx.execute<{ entry: SliceEmail }>(sql.raw(`fetch ${ROWS_AT_ONCE} from open_rows`));
    if (rows.length === 0) break;
    yield await inTimeSlices(rows, ({ entry }) => openRow(inspect, entry));
  }
  await tx.execute(sql`close open_rows`);
}

function openRow(inspect: InspectEmail, [row, email, last]: SliceEmail): OpenRow {
  const inspection = inspect(email);
  const evidence: Evidence = last
    ? restoredEvidence(inspection, last.evidence)
    : { ...inspection, isStopped: true };
  const report = reportOn({ evidence, checkedAtMs: last?.checkedAtMs ?? Date.now() });
  return { result: resultRow(row, report, evidence), isCharged: last !== undefined };
}

/** Results of emails that were not checked, by sub-status. */
export type UncheckedCounts = ReadonlyMap<string, number>;

/**
 * Stores the results and counts them. Returns those of emails that were not checked.
 *
 * Lock order as in slice-save.ts: results, by row, before the job. A slice that is being saved has inserted its results: the
 * insert waits for it, and leaves its rows out.
 */
export async function saveOpenRows(
  tx: Orm,
  job: JobRow,
  batches: AsyncIterable<readonly OpenRow[]>,
): Promise<UncheckedCounts> {
  const counts = { charged: new Map<string, number>(), uncharged: new Map<string, number>() };
  for await (const batch of batches) {
    const inserted = new Set(
      await insertResults(
        tx,
        job,
        batch.map(({ result }) => result),
        { keepExisting: true },
      ),
    );
    for (const { result, isCharged } of batch) {
      if (!inserted.has(result.row)) continue;
      const of = isCharged ? counts.charged : counts.uncharged;
      of.set(result.sub_status, (of.get(result.sub_status) ?? 0) + 1);
    }
  }
  for (const [isCharged, of] of [
    [true, counts.charged],
    [false, counts.uncharged],
  ] as const) {
    const processed = [...of.values()].reduce((sum, count) => sum + count, 0);
    const counted = {
      processed,
      triedOnce: isCharged ? 0 : processed,
      givenUp: 0,
      freeProcessed: isCharged ? 0 : processed,
      counts: Object.fromEntries(of),
      uncharged: isCharged ? {} : Object.fromEntries(of),
    };
    await countInJob(tx, { jobId: job.id, isRedrive: false }, counted);
  }
  return counts.uncharged;
}
