/** Tables of uploads: the customer's file, whose rows are in blobs, and what its columns contain. */
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { accountId } from "../accounts/schema.ts";
import { bytea, createdAt, moment } from "../db/columns.ts";

/** One uploaded file. Erased unless it is received completely and confirmed in time. */
export const uploads = pgTable(
  "uploads",
  {
    id: uuid().primaryKey(),
    accountId: accountId(),
    isTest: boolean().notNull().default(false),
    filename: text().notNull(), // data, never a path
    sheet: text(), // of a spreadsheet: the one that was read
    sheets: json().$type<string[]>(), // its visible ones
    isGroup: boolean().notNull().default(false), // several files, or one of several times the limit of emails
    // The first row as sent; null: the file has no header. `columns` are the unique names used by the API.
    header: json().$type<string[]>(),
    columns: json().$type<string[]>().notNull().default([]),
    delimiter: text().notNull().default(","),
    totalRows: integer().notNull().default(0),
    emailCounts: json().$type<number[]>().notNull().default([]), // by column
    suggestedColumn: integer().notNull().default(0),
    sampleRows: json().$type<string[][]>().notNull().default([]),
    blobCount: integer(), // blobs with its rows (upload-files.ts); null: incomplete, or the rows are in upload_parts
    storedBytes: bigint({ mode: "number" }).notNull().default(0), // of its blobs; 0 until complete
    contentHash: bytea(), // SHA-256 of the bytes received; null until complete
    idempotencyKey: text("idempotency_key"), // hashed
    createdAt: createdAt(),
    readyAt: moment(),
    // During the upload a short lease, renewed by the receiving process. Null once confirmed: then the job's retention
    // applies.
    expiresAt: moment(),
    erasedAt: moment(), // rows are deleted; the row remains for a while so that the answer is upload_expired
  },
  (table) => [
    uniqueIndex().on(table.accountId, table.idempotencyKey).where(sql`${table.idempotencyKey} is not null`),
    index().on(table.expiresAt),
    index().on(table.accountId).where(sql`${table.erasedAt} is null`),
  ],
);

const uploadId = () =>
  uuid()
    .notNull()
    .references(() => uploads.id, { onDelete: "cascade" });

/** Consecutive rows of an upload. Only read: releases before blobs stored rows here. */
export const uploadParts = pgTable(
  "upload_parts",
  {
    uploadId: uploadId(),
    number: integer().notNull(), // from 0
    firstRow: integer().notNull(), // from 1
    rowCount: integer().notNull(),
    records: bytea().notNull(), // cells of each row: JSON, deflated
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.number] })],
);

/** Counts of one column. Taken during the upload for columns that look like emails, otherwise on confirmation. */
export const uploadColumnIndexes = pgTable(
  "upload_column_indexes",
  {
    uploadId: uploadId(),
    column: integer().notNull(), // from 0; negative: several columns (columnKey)
    emails: integer().notNull(), // rows whose cell is not empty
    uniqueEmails: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.column] })],
);

/** For each row of a part, the first row with the same email: itself, an earlier one, or 0 if the cell is empty. */
export const uploadColumnIndexParts = pgTable(
  "upload_column_index_parts",
  {
    uploadId: uploadId(),
    column: integer().notNull(),
    number: integer().notNull(),
    firstRows: bytea().notNull(), // 32-bit integers, little-endian, deflated
  },
  (table) => [primaryKey({ columns: [table.uploadId, table.column, table.number] })],
);
