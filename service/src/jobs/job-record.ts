/** A job in the shape of the API: its row, its counts, and what is derived from both. */
import {
  API_PREFIX,
  type Job,
  PROBLEMS,
  type Problem,
  type ProblemCode,
  problemTypeOf,
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

/** Retry slices: emails by the sub-status of their last attempt, and when they are due. */
export type JobRetries = {
  waiting: Record<string, number>[];
  dueAt: string[];
  /** Of these, slices that wait for a provider that refuses this installation. */
  refused?: { by: string; since: string; emails: number; isTried: boolean }[];
};

export function jobRecord(
  row: JobRow,
  counts: SubStatusCounts,
  now = new Date(),
  retries: JobRetries | null = null,
): Job {
  const refused = retries?.refused ?? [];
  const phase = phaseOf(row, refused);
  const dueMs = retries?.dueAt.map((at) => Date.parse(at)).filter((ms) => ms > now.getTime()) ?? [];
  return {
    id: row.id,
    ...(row.isTest && { sandbox: true as const }),
    status: row.status,
    phase,
    filename: row.filename,
    email_column: row.emailColumn,
    attempt: row.attempt,
    ...(row.moreColumns.length > 0 && { more_email_columns: row.moreColumns.map(({ name }) => name) }),
    ...(row.metadata && { metadata: row.metadata }),
    ...(row.level && { level: row.level }),
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
    rate_per_second: Math.round(rateOf(row, now) * 10) / 10,
    ...estimateOf(row, phase, now, dueMs),
    next_attempt_at:
      hasEnded(row) || row.status === "paused" || row.isFinishing || dueMs.length === 0
        ? null
        : new Date(Math.min(...dueMs)).toISOString(),
    retrying: hasEnded(row) || row.isFinishing ? {} : sumOf(retries?.waiting ?? []),
    ...(refused.length > 0 && !hasEnded(row) && !row.isFinishing && { waiting_for: waitingFor(refused) }),
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
  retries: sql<JobRetries | null>`(
    select json_build_object('waiting', json_agg(waiting), 'dueAt', coalesce(json_agg(due_at) filter (where due_at > now()), '[]'),
      'refused', coalesce(json_agg(json_build_object('by', waits_for, 'since', refused_since, 'isTried', attempt > 0,
        'emails', (waiting ->> 'probe_blocked')::int)) filter (where waits_for is not null), '[]'))
    from slices where job_id = jobs.id and waiting is not null and not is_redrive having count(*) > 0)`,
};

/** Of any account; undefined if the job does not exist. */
export async function readJobRecord(orm: Pick<Orm, "select">, jobId: string): Promise<Job | undefined> {
  const [found] = await orm.select(JOB_AND_COUNTS).from(jobs).where(eq(jobs.id, jobId));
  return found && jobRecord(found.row, found.counts ?? {}, new Date(), found.retries);
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

function phaseOf(row: JobRow, refused: NonNullable<JobRetries["refused"]>): Job["phase"] {
  if (hasEnded(row)) return "done";
  if (row.isFinishing) return "finishing";
  if (row.status === "queued" || row.startedAt === null) return "waiting";
  const untried = refused.reduce((sum, { emails, isTried }) => sum + (isTried ? 0 : emails), 0);
  if (refused.length > 0 && row.triedOnce + untried >= row.uniqueEmails) return "waiting_for_provider";
  const isAllTried = row.triedOnce >= row.uniqueEmails && row.processed < row.uniqueEmails;
  return isAllTried ? "retrying" : "validating";
}

/** Rounded down to one decimal; 100 only after the end. */
function progressOf(row: JobRow): number {
  if (row.status === "completed" || row.uniqueEmails === 0) return hasEnded(row) ? 100 : 0;
  const percent = Math.floor((row.processed * 1000) / row.uniqueEmails) / 10;
  return hasEnded(row) ? percent : Math.min(percent, 99.9);
}

/** Without a verdict for this long, mail servers do not answer, and a rate predicts nothing. */
const STALL_MS = 30_000;

/**
 * Until every email was tried and the last retry known now is due. From the rate up to the last verdict: between verdicts
 * it counts down.
 */
function estimateOf(
  row: JobRow,
  phase: Job["phase"],
  now: Date,
  dueMs: readonly number[],
): Pick<Job, "eta_seconds" | "eta_reason"> {
  const none = (eta_reason: Job["eta_reason"]) => ({ eta_seconds: null, eta_reason });
  if (hasEnded(row)) return none(null);
  if (row.status === "paused") return none("paused");
  if (phase === "finishing") return none("finishing");
  if (phase === "waiting") return none("not_started");
  if (phase === "retrying") return none("waiting_for_retries");
  if (phase === "waiting_for_provider") return none("waiting_for_provider");
  const progressedAt = row.progressedAt ?? now;
  const ratePerMs = rateOf(row, progressedAt) / 1000;
  if (ratePerMs === 0) return none("no_verdict_yet");
  const sinceMs = now.getTime() - progressedAt.getTime();
  if (sinceMs > STALL_MS) return none("waiting_for_servers");
  const firstMs = (row.uniqueEmails - Math.max(row.triedOnce, row.processed)) / ratePerMs - sinceMs;
  const leftMs = Math.max(firstMs, Math.max(0, ...dueMs) - now.getTime());
  if (leftMs <= 0) return none("waiting_for_servers"); // it should have ended by now
  return { eta_seconds: Math.ceil(leftMs / 1000), eta_reason: null };
}

/** By provider, most emails first. */
function waitingFor(refused: NonNullable<JobRetries["refused"]>): NonNullable<Job["waiting_for"]> {
  return [...new Set(refused.map(({ by }) => by))]
    .map((provider) => {
      const its = refused.filter(({ by }) => by === provider);
      const since = new Date(Math.min(...its.map(({ since }) => Date.parse(since)))).toISOString();
      return { provider, since, emails: its.reduce((sum, { emails }) => sum + emails, 0) };
    })
    .sort((a, b) => b.emails - a.emails);
}

function sumOf(all: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
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
  return { type: problemTypeOf(known), title, status, detail, code: known, request_id: jobId };
}
