/**
 * Confirms an upload: one transaction creates the job, adds its first task and reserves the credits.
 *
 * Slow work (counting a column) is done before the transaction. Lock order: the account first, so that concurrent
 * confirmations see each other's job, and the balance last, so that single checks of the account do not wait.
 */
import { randomUUID } from "node:crypto";
import type { Job, Level } from "@mailvet/contract";
import { and, count, eq, inArray } from "drizzle-orm";
import { lockAccount } from "../accounts/account-queries.ts";
import { PLAN_LIMITS } from "../accounts/plans.ts";
import type { Caller, Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { OnLow } from "../credits/balance-checks.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import { type ColumnCount, columnCount, UNCOUNTED } from "../uploads/column-email-counts.ts";
import { columnsOf, type NamedColumns, truncated } from "../uploads/email-column.ts";
import { maxEmailsOf, refuseTooManyEmails } from "../uploads/email-limit.ts";
import { findConfirmableUpload, markConfirmed } from "../uploads/stored-upload.ts";
import type { UploadFiles } from "../uploads/upload-files.ts";
import type { UploadRow } from "../uploads/upload-preview.ts";
import type { UploadLimits } from "../uploads/uploads.ts";
import { isJobOf } from "./job-lock.ts";
import { type JobRow, jobRecord, readJobRecord } from "./job-record.ts";
import { ACTIVE_STATES } from "./job-state.ts";
import type { JobTransitions, NewJob } from "./job-transitions.ts";
import { partitionFor } from "./retention.ts";
import { jobs } from "./schema.ts";

/** Confirming the same upload again returns the same job. */
export type ConfirmUpload = (
  caller: Caller,
  confirmation: Confirmation,
  beforeCommit?: BeforeCommit<Job>,
) => Promise<Job>;

export type Confirmation = NamedColumns & {
  uploadId: string;
  metadata?: Record<string, string> | undefined;
  level?: Level | undefined;
  /** Receives the events of this job; must have been checked. */
  webhookUrl?: string | undefined;
};

export type ConfirmDeps = {
  database: Database;
  files: Pick<UploadFiles, "read">;
  transitions: Pick<JobTransitions, "create">;
  limits: Pick<UploadLimits, "maxEmailsPerFile">;
  /** How long rows and results are kept after the end. */
  retentionDays: number;
  /** For `webhookUrl`. Implementation: webhooks/endpoints.ts */
  addWebhook?: (tx: Orm, owner: Owner, url: string, jobId: string) => Promise<unknown>;
  /** Reserving the credits has taken the account's balance below LOW_CREDITS. */
  onLow?: OnLow;
  /** Implementation: notifications/notifications.ts */
  onRefused?: (caller: Caller, name: string, error: unknown) => Promise<void>;
};

const TOO_MANY_RETRY_SECONDS = 30;

export function createConfirmUpload(deps: ConfirmDeps): ConfirmUpload {
  const { database, files, transitions, limits, onLow } = deps;
  const { orm } = database;

  return async (caller, confirmation, beforeCommit) => {
    const { uploadId, webhookUrl } = confirmation;
    const { accountId, plan } = caller;
    const earlier = await findJobOf(orm, caller, uploadId);
    if (earlier) return sameJob(orm, earlier, confirmation);
    const upload = await findConfirmableUpload(orm, caller, uploadId);
    const columns = columnsIn(upload, confirmation);
    const looksLikeEmail = columns.reduce((sum, column) => sum + upload.emailCounts[column]!, 0);
    const maxEmails = maxEmailsOf(plan, limits.maxEmailsPerFile, upload.isGroup);
    refuseTooManyEmails(maxEmails, looksLikeEmail, UNCOUNTED, "/email_column");
    const counted = await columnCount({ database, files }, upload, columns, maxEmails);
    refuseTooManyEmails(maxEmails, looksLikeEmail, counted, "/email_column");

    const rowsExpireOn = await partitionFor(database.pool, deps.retentionDays);

    let lowBalance: number | undefined;
    const creation = orm.transaction(async (tx) => {
      await lockAccount(tx, accountId);
      const concurrent = await findJobOf(tx, caller, uploadId);
      if (concurrent) return sameJob(tx, concurrent, confirmation);
      await findConfirmableUpload(tx, caller, uploadId, "for_update");
      await refuseTooManyJobs(tx, caller);
      await markConfirmed(tx, uploadId);
      const created = await transitions.create(tx, {
        ...newJob(caller, upload, columns, counted),
        metadata: confirmation.metadata ?? null,
        level: confirmation.level ?? null,
        rowsExpireOn,
      });
      if (webhookUrl !== undefined) await deps.addWebhook!(tx, caller, webhookUrl, created.job.id);
      lowBalance = created.lowBalance;
      const record = jobRecord(created.job, {});
      await beforeCommit?.(tx, record);
      return record;
    });
    const record = await creation.catch(async (error) => {
      await deps.onRefused?.(caller, upload.filename, error);
      throw error;
    });
    if (lowBalance !== undefined) onLow?.(accountId, lowBalance);
    return record;
  };
}

async function findJobOf(
  orm: Pick<Orm, "select">,
  owner: Owner,
  uploadId: string,
): Promise<JobRow | undefined> {
  const [job] = await orm
    .select()
    .from(jobs)
    .where(and(eq(jobs.uploadId, uploadId), isJobOf(owner)));
  return job;
}

async function sameJob(
  orm: Pick<Orm, "select">,
  job: JobRow,
  { emailColumn, moreEmailColumns = [] }: Confirmation,
): Promise<Job> {
  const confirmed = [job.emailColumn, ...job.moreColumns.map(({ name }) => name)];
  const wanted = [emailColumn, ...moreEmailColumns];
  if (confirmed.length !== wanted.length || confirmed.some((name, n) => name !== wanted[n])) {
    const named = confirmed.map((name) => `"${truncated(name)}"`).join(", ");
    const columns = confirmed.length === 1 ? "column" : "columns";
    throw new Refusal("job_state_conflict", `This upload is already confirmed with the ${columns} ${named}.`);
  }
  const record = await readJobRecord(orm, job.id);
  if (!record) throw new Refusal("upload_not_found", "This upload was deleted with its job.");
  return record;
}

/** Throws no_emails_found. */
function columnsIn(upload: UploadRow, named: NamedColumns): number[] {
  const found = columnsOf(upload, named);
  const empty = found.find((column) => !upload.emailCounts[column]);
  if (empty === undefined) return found;
  const message = `No cell of the column "${truncated(upload.columns[empty]!)}" looks like an email address.`;
  throw new Refusal("no_emails_found", message);
}

/** Throws too_many_active_jobs. The account is locked. */
export async function refuseTooManyJobs(tx: Orm, caller: Caller): Promise<void> {
  const { plan } = caller;
  const { active_jobs: limit } = PLAN_LIMITS[plan];
  const [active] = await tx
    .select({ count: count() })
    .from(jobs)
    .where(and(isJobOf(caller), inArray(jobs.status, [...ACTIVE_STATES])));
  if (active!.count < limit) return;
  throw new Refusal(
    "too_many_active_jobs",
    `The ${plan} plan allows ${limit} active ${limit === 1 ? "job" : "jobs"}. Wait until one finishes, or cancel one.`,
    { retryAfterSeconds: TOO_MANY_RETRY_SECONDS },
  );
}

function newJob(
  { accountId, isTest, by }: Caller,
  upload: UploadRow,
  [column, ...more]: readonly number[],
  counted: ColumnCount,
): NewJob {
  return {
    id: randomUUID(),
    accountId,
    uploadId: upload.id,
    keyId: by.kind === "key" ? by.keyId : null,
    isTest,
    filename: upload.filename,
    emailColumn: upload.columns[column!]!,
    columnNumber: column!,
    moreColumns: more.map((number) => ({ number, name: upload.columns[number]! })),
    totalRows: upload.totalRows,
    totalEmails: counted.emails,
    uniqueEmails: counted.unique ?? counted.emails,
    reservationId: isTest ? null : randomUUID(),
  };
}
