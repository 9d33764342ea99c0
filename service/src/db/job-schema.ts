/** The tables of uploads and jobs: a customer's file as it came, what it holds, and what was found out. */
import { JOB_STATUSES } from "@mailvet/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { bytea, createdAt, moment } from "./columns.ts";

/** A customer's file. Ready once all of it has arrived; one that is not ready or not confirmed in time is erased. */
export const uploads = pgTable(
  "uploads",
  {
    id: uuid().primaryKey(),
    accountId: accountId(),
    filename: text().notNull(), // data, never a path
    // The first row as it was, without a header null. `columns` are the names by which the API speaks of them.
    header: json().$type<string[]>(),
    columns: json().$type<string[]>().notNull().default([]),
    delimiter: text().notNull().default(","),
    totalRows: integer().notNull().default(0),
    emailCounts: json().$type<number[]>().notNull().default([]), // by column
    suggestedColumn: integer().notNull().default(0),
    sampleRows: json().$type<string[][]>().notNull().default([]),
    contentHash: bytea(), // of the bytes as they came; null while they come
    onceKey: text(), // the caller's Idempotency-Key, hashed
    createdAt: createdAt(),
    readyAt: moment(),
    // While its bytes come, soon, and put off as long as the process lives that takes them in. Null once it is confirmed:
    // then it lives as long as its job.
    expiresAt: moment(),
    erasedAt: moment(), // its rows are gone; for a while it is still known to have been there
  },
  (table) => [
    uniqueIndex().on(table.accountId, table.onceKey).where(sql`${table.onceKey} is not null`),
    index().on(table.expiresAt),
    index().on(table.accountId).where(sql`${table.expiresAt} is not null`),
  ],
);

const uploadId = () =>
  uuid()
    .notNull()
    .references(() => uploads.id, { onDelete: "cascade" });

/** A run of rows, in their order. */
export const uploadParts = pgTable(
  "upload_parts",
  {
    uploadId: uploadId(),
    number: integer().notNull(), // from 0
    firstRow: integer().notNull(), // from 1
    rowCount: integer().notNull(),
    records: bytea().notNull(), // the cells of each row: JSON, deflated
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.number] })],
);

/** What one column holds. Counted during the upload for columns that look like emails, else when it is confirmed. */
export const uploadCensuses = pgTable(
  "upload_censuses",
  {
    uploadId: uploadId(),
    column: integer().notNull(), // from 0
    emails: integer().notNull(), // rows with something in it
    uniqueEmails: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.column] })],
);

/** For each row of a part, the row where its email stood first: itself, an earlier one, or 0 when the cell is empty. */
export const uploadCensusParts = pgTable(
  "upload_census_parts",
  {
    uploadId: uploadId(),
    column: integer().notNull(),
    number: integer().notNull(),
    firstRows: bytea().notNull(), // 32-bit integers, little-endian, deflated
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.column, table.number] })],
);

export const jobs = pgTable(
  "jobs",
  {
    id: uuid().primaryKey(),
    accountId: accountId(),
    uploadId: uuid().notNull().unique(), // no foreign key: the upload may be erased first
    keyId: uuid(), // null: the web app
    isTest: boolean().notNull(),
    status: text({ enum: JOB_STATUSES }).notNull(),
    filename: text().notNull(),
    emailColumn: text().notNull(),
    columnNumber: integer().notNull(),
    totalRows: integer().notNull(),
    totalEmails: integer().notNull(),
    uniqueEmails: integer().notNull(),
    plannedParts: integer().notNull().default(0), // parts of the upload whose rows are in slices
    isPlanned: boolean().notNull().default(false),
    retrySlices: integer().notNull().default(0), // how many were made of emails to be asked for again
    triedOnce: integer().notNull().default(0), // emails asked for at least once
    processed: integer().notNull().default(0), // emails with a verdict
    reservationId: uuid(), // the credits held for it; null for a test key's, and once it has ended
    creditsUsed: integer().notNull().default(0), // settled when it ended
    error: json().$type<{ code: string; detail: string }>(),
    createdAt: createdAt(),
    startedAt: moment(),
    pausedAt: moment(),
    pausedMs: bigint({ mode: "number" }).notNull().default(0), // in all, before pausedAt
    completedAt: moment(),
    expiresAt: moment(), // when its rows are erased
    erasedAt: moment(),
  },
  (table) => [
    index().on(table.accountId, table.createdAt),
    index().on(table.expiresAt).where(sql`${table.erasedAt} is null`),
  ],
);

const jobId = () =>
  uuid()
    .notNull()
    .references(() => jobs.id, { onDelete: "cascade" });

/** Emails that are asked for together, planned by mail route. Gone when all of them have a result. */
export const slices = pgTable(
  "slices",
  {
    jobId: jobId(),
    number: integer().notNull(), // below zero: of emails to be asked for again
    emails: json().$type<[row: number, email: string][]>().notNull(),
    attempt: smallint().notNull().default(0), // how often they were sent away and asked to come back
    sittings: smallint().notNull().default(0), // how often their answers were waited for, in this attempt
    firstAskedAt: moment(), // null: not yet
  },
  (table) => [primaryKey({ columns: [table.jobId, table.number] })],
);

/**
 * The verdict on an email, at the row where it stands first.
 *
 * No foreign key here and below: it would make a row a quarter dearer. Whoever writes has the job's row locked before
 * the end of the transaction, and whoever erases a job erases these with it.
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
  },
  (table) => [primaryKey({ columns: [table.jobId, table.row] })],
);

/** Rows whose email stands in an earlier row already. */
export const duplicates = pgTable(
  "duplicates",
  {
    jobId: uuid().notNull(),
    row: integer().notNull(),
    firstRow: integer().notNull(),
    email: text().notNull(), // as this row spells it
  },
  (table) => [primaryKey({ columns: [table.jobId, table.row] })],
);

export const jobCounts = pgTable(
  "job_counts",
  { jobId: jobId(), subStatus: text().notNull(), count: integer().notNull() },
  (table) => [primaryKey({ columns: [table.jobId, table.subStatus] })],
);
