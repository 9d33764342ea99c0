/** Loads a slice with what its handler needs to know of the job. */
import type { JobStatus } from "@mailvet/contract";
import type { Level } from "@mailvet/engine";
import type pg from "pg";
import type { Task } from "../queue/task.ts";
import type { SliceEmail } from "./slice-cutter.ts";

export type Slice = {
  jobId: string;
  number: number;
  emails: SliceEmail[];
  /** Earlier attempts that were deferred. */
  attempt: number;
  /** Waiting periods spent in this attempt. */
  waits: number;
  /** Replaces results that were given up; the job may have ended. */
  isRedrive: boolean;
  /** Replaces results by better ones. */
  isRecheck: boolean;
  /** Of a recheck: not charged. */
  isFree: boolean;
  /** Of the job: 1, and one more for each recheck. */
  jobAttempt: number;
  /** Since the recheck was requested; null: not one. */
  recheckedMs: number | null;
  /** Since the first attempt started, without the time spent waiting for a worker. */
  elapsedMs: number;
  /** Partition of the job's results. */
  rowsExpireOn: string | null;
  accountId: string;
  isTest: boolean;
  /** Started in the web app, where sandbox addresses are free. */
  isFromApp: boolean;
  /** Null: up to SMTP. */
  level: Level | null;
  /** Status of the job. */
  status: JobStatus;
  /** The job is finished early, so its open rows are not checked any more. */
  isFinishing: boolean;
};

/** Undefined: every email has a result, or the job was deleted. */
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
  select s.job_id as "jobId", s.number, s.emails, s.attempt, s.sittings as waits,
    s.is_redrive as "isRedrive", s.is_recheck as "isRecheck", s.is_free as "isFree", j.attempt as "jobAttempt",
    case when s.is_recheck then (extract(epoch from clock_timestamp() - (j.recheck ->> 'at')::timestamptz) * 1000)::float8
      end as "recheckedMs",
    coalesce(greatest(0, extract(epoch from clock_timestamp() - s.first_asked_at) * 1000 - $3::float8), 0)::float8
      as "elapsedMs",
    j.rows_expire_on::text as "rowsExpireOn", j.account_id as "accountId", j.is_test as "isTest", j.key_id is null as "isFromApp",
    j.level, j.status, j.is_finishing as "isFinishing"
  from slices s join jobs j on j.id = s.job_id
  where s.job_id = $1 and s.number = $2`;
