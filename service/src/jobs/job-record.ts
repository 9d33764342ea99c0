/** A job in the shape of the API: its row, its counts, and what is derived from both. */
import {
  API_PREFIX,
  type Job,
  PROBLEMS,
  type Problem,
  type ProblemCode,
  STATUS_OF,
  type Status,
  type SubStatus,
} from "@mailvet/contract";
import { eq, sql } from "drizzle-orm";
import type { Orm } from "../db/database.ts";
import { hasEnded } from "./job-state.ts";
import { jobs } from "./schema.ts";

export type JobRow = typeof jobs.$inferSelect;
/** Sub-status → number of emails. */
export type SubStatusCounts = Readonly<Record<string, number>>;

export function jobRecord(row: JobRow, counts: SubStatusCounts, now = new Date()): Job {
  const ratePerSecond = rateOf(row, now);
  const phase = phaseOf(row);
  return {
    id: row.id,
    ...(row.isTest && { sandbox: true as const }),
    status: row.status,
    phase,
    filename: row.filename,
    email_column: row.emailColumn,
    attempt: row.attempt,
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    completed_at: row.completedAt?.toISOString() ?? null,
    expires_at: row.expiresAt?.toISOString() ?? null,
    total_rows: row.totalRows,
    total_emails: row.totalEmails,
    unique_emails: row.uniqueEmails,
    duplicate_count: row.totalEmails - row.uniqueEmails,
    processed: row.processed,
    progress_percent: progressOf(row),
    rate_per_second: Math.round(ratePerSecond * 10) / 10,
    // While only retries are left, the rate predicts nothing.
    eta_seconds:
      row.status === "processing" && phase === "validating" && ratePerSecond > 0
        ? Math.ceil((row.uniqueEmails - row.processed) / ratePerSecond)
        : null,
    valid_count: countOf(counts, "valid"),
    invalid_count: countOf(counts, "invalid"),
    risky_count: countOf(counts, "risky"),
    unknown_count: countOf(counts, "unknown"),
    sub_status_counts: { ...counts },
    // Everything stays reserved until the end, when it is settled.
    credits_reserved: row.reservationId === null ? 0 : costOf(row),
    credits_used: hasEnded(row) ? row.creditsUsed : row.creditsUsed + spentBy(row),
    credits_refunded: row.creditsRefunded,
    error: row.error && problemOf(row.error, row.id),
    results_url: hasEnded(row) && !isExpired(row, now) ? `${API_PREFIX}/bulk/jobs/${row.id}/results` : null,
  };
}

/** Selects a job's row and its counts in one statement, so that they are consistent. */
export const JOB_AND_COUNTS = {
  row: jobs,
  counts: sql<SubStatusCounts | null>`(select json_object_agg(sub_status, count) from job_counts where job_id = jobs.id)`,
};

/** Of any account; undefined if the job does not exist. */
export async function readJobRecord(orm: Pick<Orm, "select">, jobId: string): Promise<Job | undefined> {
  const [found] = await orm.select(JOB_AND_COUNTS).from(jobs).where(eq(jobs.id, jobId));
  return found && jobRecord(found.row, found.counts ?? {});
}

/** What the current attempt costs at most. */
export function costOf({ uniqueEmails, settledEmails, freeEmails }: JobRow): number {
  return uniqueEmails - settledEmails - freeEmails;
}

/** What it has cost so far. */
export function spentBy({ processed, settledEmails, freeProcessed }: JobRow): number {
  return processed - settledEmails - freeProcessed;
}

/** Its rows are deleted or about to be. */
export function isExpired({ erasedAt, expiresAt }: JobRow, now: Date): boolean {
  return erasedAt !== null || (expiresAt !== null && expiresAt <= now);
}

function phaseOf(row: JobRow): Job["phase"] {
  if (hasEnded(row)) return "done";
  if (row.status === "queued" || row.startedAt === null) return "waiting";
  const isAllTried = row.triedOnce >= row.uniqueEmails && row.processed < row.uniqueEmails;
  return isAllTried ? "retrying" : "validating";
}

/** Rounded down to one decimal; 100 only after the end. */
function progressOf(row: JobRow): number {
  if (row.status === "completed" || row.uniqueEmails === 0) return hasEnded(row) ? 100 : 0;
  const percent = Math.floor((row.processed * 1000) / row.uniqueEmails) / 10;
  return hasEnded(row) ? percent : Math.min(percent, 99.9);
}

/** Emails per second, pauses excluded. */
function rateOf(row: JobRow, now: Date): number {
  if (row.startedAt === null) return 0;
  const endMs = (row.completedAt ?? now).getTime();
  const lastPauseMs = row.pausedAt === null ? 0 : endMs - row.pausedAt.getTime();
  const activeMs = endMs - row.startedAt.getTime() - row.pausedMs - lastPauseMs;
  return activeMs > 0 ? ((row.processed - row.settledEmails) * 1000) / activeMs : 0;
}

function countOf(counts: SubStatusCounts, status: Status): number {
  let sum = 0;
  for (const [subStatus, count] of Object.entries(counts)) {
    if (STATUS_OF[subStatus as SubStatus] === status) sum += count;
  }
  return sum;
}

/** The failure belongs to no request, so request_id is the job's id. */
function problemOf({ code, detail }: { code: string; detail: string }, jobId: string): Problem {
  const known = (code in PROBLEMS ? code : "internal_error") as ProblemCode;
  const [status, title] = PROBLEMS[known];
  return { type: `/docs/problems#${known}`, title, status, detail, code: known, request_id: jobId };
}
