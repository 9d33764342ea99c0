/** Tables of jobs: the job, its open slices, its results and its counters. */
import { JOB_STATUSES, LEVELS, type RecheckRequest } from "@mailvet/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  date,
  index,
  integer,
  json,
  pgSequence,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { createdAt, moment } from "../db/columns.ts";
import { DEFAULT_DATE } from "../db/partitions.ts";
import type { OwnPart, SharedEvidence } from "./results/result-evidence.ts";
import type { SliceEmail } from "./slice-cutter.ts";

/** `stale`: for lists that are checked periodically (lists/). */
export type RecheckChoice = RecheckRequest | { which: "stale"; olderThan: string };

/**
 * As stored with the job. `at`: when it was requested, as ISO time. `isUnknownFree`: every `unknown` is, because the job began
 * in the last 24 hours.
 */
export type StoredRecheck = { at: string; choice: RecheckChoice; isUnknownFree?: boolean };

export const jobs = pgTable(
  "jobs",
  {
    id: uuid().primaryKey(),
    accountId: accountId(),
    uploadId: uuid().notNull().unique(), // no foreign key: the upload may be deleted first
    keyId: uuid(), // null: the web app
    isTest: boolean().notNull(),
    status: text({ enum: JOB_STATUSES }).notNull(),
    filename: text().notNull(),
    emailColumn: text().notNull(),
    columnNumber: integer().notNull(),
    // Further columns that are checked. Rows of slices, results and duplicates are then cells (job-columns.ts).
    moreColumns: json().$type<{ number: number; name: string }[]>().notNull().default([]),
    metadata: json().$type<Record<string, string>>(), // the customer's
    level: text({ enum: LEVELS }), // null: up to SMTP
    totalRows: integer().notNull(),
    totalEmails: integer().notNull(),
    uniqueEmails: integer().notNull(),
    plannedParts: integer().notNull().default(0), // parts of the upload whose rows are in slices
    isPlanned: boolean().notNull().default(false),
    triedOnce: integer().notNull().default(0), // emails checked at least once
    processed: integer().notNull().default(0), // emails with a verdict
    progressedAt: moment(), // when `processed` last changed; null: not yet, or by an earlier release
    givenUp: integer().notNull().default(0), // of these, not charged: emails of slices that failed for good, and sandbox addresses of the web app
    reservationId: uuid(), // reserved credits; null for test keys and after the end
    creditsUsed: integer().notNull().default(0), // settled at the end
    creditsRefunded: integer().notNull().default(0), // of these, returned in the same transaction
    attempt: smallint().notNull().default(1), // one more for each recheck
    recheck: json().$type<StoredRecheck>(), // what the last attempt asks again for; null: the first one
    settledEmails: integer().notNull().default(0), // of the processed, those that are not part of this attempt
    freeEmails: integer().notNull().default(0), // of this attempt, those that cost nothing
    freeProcessed: integer().notNull().default(0), // of these, processed; and those that finishing the job has left unchecked
    error: json().$type<{ code: string; detail: string }>(),
    createdAt: createdAt(),
    startedAt: moment(),
    pausedAt: moment(),
    isSuspended: boolean().notNull().default(false), // paused because its account is suspended
    isFinishing: boolean().notNull().default(false), // its owner ends it early: finish-early.ts
    pausedMs: bigint({ mode: "number" }).notNull().default(0), // total of earlier pauses
    completedAt: moment(),
    expiresAt: moment(), // from then on rows and results are not accessible
    erasedAt: moment(),
    // Partition with its results and duplicates. Null: the default partition, or there are none any more.
    rowsExpireOn: date(),
    isKept: boolean().notNull().default(false), // as a saved list: it does not expire
  },
  (table) => [
    index().on(table.accountId, table.createdAt),
    index().on(table.createdAt, table.id),
    index().on(table.expiresAt).where(sql`${table.erasedAt} is null`),
    index().on(table.rowsExpireOn).where(sql`${table.rowsExpireOn} is not null`),
  ],
);

const jobId = () =>
  uuid()
    .notNull()
    .references(() => jobs.id, { onDelete: "cascade" });

/** Emails that are checked together, grouped by domain. Deleted once every email has a result. */
export const slices = pgTable(
  "slices",
  {
    jobId: jobId(),
    number: integer().notNull(), // negative: a retry slice, from the sequence below
    emails: json().$type<SliceEmail[]>().notNull(),
    attempt: smallint().notNull().default(0), // number of earlier attempts that were deferred
    sittings: smallint().notNull().default(0), // waiting periods spent in this attempt
    firstAskedAt: moment(), // null: not yet
    isRedrive: boolean().notNull().default(false), // replaces results that were given up, also after the job's end
    isRecheck: boolean().notNull().default(false), // replaces results by better ones
    isFree: boolean().notNull().default(false), // of a recheck: not charged
    // Of a retry slice: number of emails by the sub-status of their last attempt, and when the next attempt is due.
    waiting: json().$type<Record<string, number>>(),
    dueAt: moment(),
    waitsFor: text(), // provider that refuses this installation; null: none does
    refusedSince: moment(), // by it
  },
  (table) => [primaryKey({ columns: [table.jobId, table.number] })],
);

/** Numbers of retry slices, from −1 downwards, without a lock on the job. */
export const retrySliceNumbers = pgSequence("retry_slice_numbers", {
  startWith: -1,
  increment: -1,
  minValue: -2147483648,
  maxValue: -1,
  cycle: true,
});

/** The partition of a row (partitions.ts). Rows that earlier releases insert go into the default partition. */
const expiresOn = () => date().notNull().default(DEFAULT_DATE);

/**
 * The verdict on an email, stored at the first row that contains it. Partitioned by expiry, like the duplicates; each
 * partition has its own primary key, the partitioned table has none.
 *
 * No foreign key here and below: it makes an insert 25% slower. Writers lock the job's row before they commit, and
 * deleting a job deletes these rows explicitly.
 */
export const results = pgTable(
  "results",
  {
    jobId: uuid().notNull(),
    row: integer().notNull(),
    email: text().notNull(),
    status: text().notNull(),
    subStatus: text().notNull(),
    confidence: real().notNull(),
    score: smallint().notNull(),
    isValid: boolean().notNull(),
    safeToSend: boolean().notNull(),
    suggestion: text(),
    provider: text().notNull(),
    isCatchall: boolean().notNull(),
    isDisposable: boolean().notNull(),
    isRoleBased: boolean().notNull(),
    isFree: boolean().notNull(),
    smtpCode: smallint().notNull(),
    checkedAt: moment().notNull(),
    expiresOn: expiresOn(),
    // Of a recheck: the verdict before, and the attempt that replaced it.
    previousStatus: text(),
    previousSubStatus: text(),
    attempt: smallint(),
    // result-evidence.ts. Null in rows of earlier releases.
    evidenceRow: integer(), // the row of this job whose `evidence` applies here, too
    evidence: json().$type<SharedEvidence>(),
    ownEvidence: json().$type<OwnPart>(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.row] })],
);

/** Rows whose email already occurs in an earlier row. */
export const duplicates = pgTable(
  "duplicates",
  {
    jobId: uuid().notNull(),
    row: integer().notNull(),
    firstRow: integer().notNull(),
    email: text().notNull(), // as spelled in this row
    expiresOn: expiresOn(),
  },
  (table) => [primaryKey({ columns: [table.jobId, table.row] })],
);

/** Results per sub-status. */
export const jobCounts = pgTable(
  "job_counts",
  {
    jobId: jobId(),
    subStatus: text().notNull(),
    count: integer().notNull(),
    uncharged: integer().notNull().default(0), // of these, counted in given_up, also after a redrive
    unchecked: integer().notNull().default(0), // of these, left unchecked because the job was finished early
  },
  (table) => [primaryKey({ columns: [table.jobId, table.subStatus] })],
);
