/** A slice of a job as whoever works on it needs to know it. */
import type { JobStatus } from "@mailvet/contract";
import type pg from "pg";
import type { Task } from "../queue/task.ts";
import type { SliceEmail } from "./slice-cutter.ts";

export type Slice = {
  jobId: string;
  number: number;
  emails: SliceEmail[];
  /** How often they were sent away. */
  attempt: number;
  /** How often their answers were waited for, in this attempt. */
  sittings: number;
  /** Since they were first asked for, but for the time in which nobody had time for them. */
  elapsedMs: number;
  accountId: string;
  isTest: boolean;
  /** Of the job. */
  status: JobStatus;
};

/** Undefined: everything in it was done, or its job is gone. */
export async function loadSlice(
  pool: Pick<pg.Pool, "query">,
  { groupId, subject, overdueMs }: Task,
): Promise<Slice | undefined> {
  const { rows } = await pool.query<Slice>({
    name: "load-slice",
    text: LOAD,
    values: [groupId, Number(subject), overdueMs],
  });
  return rows[0];
}

const LOAD = `
  select s.job_id as "jobId", s.number, s.emails, s.attempt, s.sittings,
    coalesce(greatest(0, extract(epoch from clock_timestamp() - s.first_asked_at) * 1000 - $3::float8), 0)::float8
      as "elapsedMs",
    j.account_id as "accountId", j.is_test as "isTest", j.status
  from slices s join jobs j on j.id = s.job_id
  where s.job_id = $1 and s.number = $2`;
