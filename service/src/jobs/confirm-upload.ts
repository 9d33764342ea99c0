/**
 * Makes a job of an upload: one transaction holds the credits, creates the job and puts its first task in the queue.
 *
 * Everything slow (counting a column that was not counted yet) is done before. Inside, the account is locked first, so
 * that two confirmations at the same moment see each other's job, and the balance last, so that single checks of the same
 * account do not wait for us.
 */
import { randomUUID } from "node:crypto";
import type { Job } from "@mailvet/contract";
import { and, count, eq, inArray } from "drizzle-orm";
import { lockAccount } from "../accounts/account-queries.ts";
import { PLAN_LIMITS } from "../accounts/plans.ts";
import type { Caller } from "../caller.ts";
import type { JobsConfig } from "../config.ts";
import type { OnLow } from "../credits/balance-checks.ts";
import { reserveForJob } from "../credits/job-credits.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import { jobs, uploadCensuses, uploads } from "../db/job-schema.ts";
import { notify } from "../db/pubsub.ts";
import type { Tasks } from "../queue/tasks.ts";
import { Refusal } from "../refusal.ts";
import { type ColumnCount, countStoredColumn, UNCOUNTED } from "../uploads/column-index.ts";
import { maxEmailsOf, refuseTooManyEmails } from "../uploads/email-limit.ts";
import type { UploadRow } from "../uploads/upload-preview.ts";
import { type JobRow, jobRecord, readJobRecord } from "./job-record.ts";
import { JOBS_CHANNEL } from "./job-watch.ts";

export type ConfirmDeps = {
  database: Database;
  tasks: Pick<Tasks, "openLane" | "add">;
  limits: Pick<JobsConfig, "maxEmailsPerFile">;
  /** Holding the credits of a job has taken the account's balance below LOW_CREDITS. */
  onLow?: OnLow;
};

export type Confirmation = { uploadId: string; emailColumn: string };

const ACTIVE = ["queued", "processing", "paused"] as const;
const TOO_MANY_RETRY_SECONDS = 30;
/** Of the columns that are named when somebody asks for one that is not there. */
const MAX_NAMED_COLUMNS = 20;
const MAX_NAMED_CHARS = 60;

export async function confirmUpload(
  deps: ConfirmDeps,
  caller: Caller,
  { uploadId, emailColumn }: Confirmation,
  beforeCommit?: BeforeCommit<Job>,
): Promise<Job> {
  const { orm } = deps.database;
  const earlier = await findJob(orm, caller, uploadId);
  if (earlier) return sameJob(orm, earlier, emailColumn);
  const upload = await findUpload(orm, caller, uploadId);
  refuseExpired(upload);
  const column = columnOf(upload, emailColumn);
  const looksLikeEmail = upload.emailCounts[column] ?? 0;
  if (looksLikeEmail === 0) {
    throw new Refusal(
      "no_emails_found",
      `No cell of the column "${named(emailColumn)}" looks like an email.`,
    );
  }
  const maxEmails = maxEmailsOf(caller.plan, deps.limits.maxEmailsPerFile);
  refuseTooManyEmails(maxEmails, looksLikeEmail, UNCOUNTED, "/email_column");
  const counted = await countOf(deps.database, uploadId, column, maxEmails);
  refuseTooManyEmails(maxEmails, looksLikeEmail, counted, "/email_column");

  let lowBalance: number | undefined;
  const record = await orm.transaction(async (tx) => {
    await lockAccount(tx, caller.accountId);
    const meanwhile = await findJob(tx, caller, uploadId);
    if (meanwhile) return sameJob(tx, meanwhile, emailColumn);
    refuseExpired(await findUpload(tx, caller, uploadId, "and lock it"));
    await refuseTooManyJobs(tx, caller);
    const job = await createJob(deps, tx, caller, { upload, column, counted });
    if (job.reservationId !== null) {
      lowBalance = await reserveForJob(tx, {
        accountId: caller.accountId,
        amount: job.uniqueEmails,
        reservationId: job.reservationId,
        reference: job.id,
      });
    }
    const created = jobRecord(job, {});
    await beforeCommit?.(tx, created);
    return created;
  });
  if (lowBalance !== undefined) deps.onLow?.(caller.accountId, lowBalance);
  return record;
}

async function findJob(
  orm: Pick<Orm, "select">,
  { accountId }: Caller,
  uploadId: string,
): Promise<JobRow | undefined> {
  const isIt = and(eq(jobs.uploadId, uploadId), eq(jobs.accountId, accountId));
  const [job] = await orm.select().from(jobs).where(isIt);
  return job;
}

async function sameJob(orm: Pick<Orm, "select">, job: JobRow, emailColumn: string): Promise<Job> {
  if (job.emailColumn !== emailColumn) {
    throw new Refusal(
      "job_state_conflict",
      `This upload was confirmed before, with the column "${named(job.emailColumn)}".`,
    );
  }
  const record = await readJobRecord(orm, job.id);
  if (!record) throw new Refusal("upload_not_found", "This upload was erased with its job.");
  return record;
}

async function findUpload(
  orm: Pick<Orm, "select">,
  caller: Caller,
  uploadId: string,
  lock?: "and lock it",
): Promise<UploadRow> {
  const query = orm
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, uploadId), eq(uploads.accountId, caller.accountId)));
  const [upload] = await (lock ? query.for("update") : query);
  if (upload && upload.readyAt !== null) return upload;
  throw new Refusal("upload_not_found", "There is no upload with this id.");
}

/** One that is erased has expired by the database's clock, whatever ours says. */
function refuseExpired({ expiresAt, erasedAt }: UploadRow): void {
  if (erasedAt === null && (expiresAt === null || expiresAt > new Date())) return;
  throw new Refusal("upload_expired", "This upload was not confirmed in time. Send the file again.");
}

function columnOf({ columns }: UploadRow, emailColumn: string): number {
  const column = columns.indexOf(emailColumn);
  if (column >= 0) return column;
  const names = columns.slice(0, MAX_NAMED_COLUMNS).map((name) => `"${named(name)}"`);
  const more = columns.length - names.length;
  const message = `The columns are ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
  throw new Refusal("email_column_not_found", message, { errors: [{ pointer: "/email_column", message }] });
}

const named = (name: string) => (name.length > MAX_NAMED_CHARS ? `${name.slice(0, MAX_NAMED_CHARS)}…` : name);

async function countOf(
  database: Database,
  uploadId: string,
  column: number,
  maxUnique: number,
): Promise<ColumnCount> {
  const [counted] = await database.orm
    .select()
    .from(uploadCensuses)
    .where(and(eq(uploadCensuses.uploadId, uploadId), eq(uploadCensuses.column, column)));
  if (counted) return { emails: counted.emails, unique: counted.uniqueEmails };
  return countStoredColumn(database, uploadId, column, maxUnique);
}

async function refuseTooManyJobs(tx: Orm, { accountId, plan }: Caller): Promise<void> {
  const { active_jobs: limit } = PLAN_LIMITS[plan];
  const [active] = await tx
    .select({ count: count() })
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), inArray(jobs.status, [...ACTIVE])));
  if (active!.count < limit) return;
  throw new Refusal(
    "too_many_active_jobs",
    `At most ${limit} ${limit === 1 ? "job" : "jobs"} at once on the ${plan} plan: wait for one to end, or cancel it.`,
    { retryAfterSeconds: TOO_MANY_RETRY_SECONDS },
  );
}

type Creation = { upload: UploadRow; column: number; counted: ColumnCount };

async function createJob(
  { tasks }: ConfirmDeps,
  tx: Orm,
  { accountId, by }: Caller,
  { upload, column, counted }: Creation,
): Promise<JobRow> {
  const isTest = by.kind === "key" && by.isTest;
  const id = randomUUID();
  const [job] = await tx
    .insert(jobs)
    .values({
      id,
      accountId,
      uploadId: upload.id,
      keyId: by.kind === "key" ? by.keyId : null,
      isTest,
      status: "queued",
      filename: upload.filename,
      emailColumn: upload.columns[column]!,
      columnNumber: column,
      totalRows: upload.totalRows,
      totalEmails: counted.emails,
      uniqueEmails: counted.unique ?? counted.emails,
      reservationId: isTest ? null : randomUUID(),
    })
    .returning();
  await tx.update(uploads).set({ expiresAt: null }).where(eq(uploads.id, upload.id));
  await tasks.openLane(tx, { id, accountId, line: "jobs" });
  await tasks.add(tx, [{ laneId: id, kind: "plan", subject: id }]);
  await notify(tx, JOBS_CHANNEL, id);
  return job!;
}
