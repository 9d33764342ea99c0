/**
 * Reads a file while it is received: parses rows, counts and stores them batch by batch, and returns what the preview
 * shows.
 *
 * Back-pressure reaches the sender: at most a few batches are in memory. Long batches yield to the event loop.
 */
import { createHash } from "node:crypto";
import {
  createEmailColumnFinder,
  type ListFile,
  ListFileError,
  type ListFileLimits,
  openListFile,
} from "@mailvet/engine/list-file";
import { startTimeSlice, type TimeSlice } from "../base/event-loop-yield.ts";
import { fileRefusal } from "../base/file-refusal.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../db/database.ts";
import {
  type ColumnCount,
  type ColumnIndex,
  countStoredColumn,
  createColumnIndex,
  UNCOUNTED,
} from "./column-email-counts.ts";
import { refuseTooManyEmails } from "./email-limit.ts";
import type { FirstRows, PartWriter, UploadFiles } from "./upload-files.ts";

export type Intake = Pick<ListFile, "header" | "columns" | "delimiter" | "sampleRows"> & {
  totalRows: number;
  /** Cells that look like an email, by column. */
  emailCounts: number[];
  suggestedColumn: number;
  /** Of the columns that look like emails, including the suggested one. */
  columnCounts: Map<number, ColumnCount>;
  contentHash: Buffer;
  blobCount: number;
};

export type IntakeDeps = { database: Database; files: UploadFiles };

export type IntakeLimits = ListFileLimits & { maxEmails: number };

/** Further columns are counted only if one of them is confirmed. */
const MAX_COUNTED_COLUMNS = 3;

/** Throws if the file is no list of emails. Parts may be stored by then; no write is in progress. */
export async function receiveFile(
  deps: IntakeDeps,
  uploadId: string,
  bytes: AsyncIterable<Uint8Array>,
  limits: IntakeLimits,
): Promise<Intake> {
  const writer = deps.files.write(uploadId);
  try {
    return await receiveRows(deps, uploadId, writer, bytes, limits);
  } catch (error) {
    throw error instanceof ListFileError ? fileRefusal(error) : error;
  } finally {
    await writer.settle();
  }
}

async function receiveRows(
  deps: IntakeDeps,
  uploadId: string,
  writer: PartWriter,
  bytes: AsyncIterable<Uint8Array>,
  limits: IntakeLimits,
): Promise<Intake> {
  const hash = createHash("sha256");
  const list = await openListFile(hashing(bytes, hash), limits);
  const columnFinder = createEmailColumnFinder(list.columns);
  const timeSlice = startTimeSlice();
  const emailsIn = (column: number | undefined) => columnFinder.emailCounts[column ?? 0] ?? 0;
  let indexes: ColumnIndex[] | undefined;
  let isStored = true;
  let totalRows = 0;
  let number = 0;
  for await (const rows of list.batches) {
    columnFinder.add(rows);
    indexes ??= mostEmails(columnFinder.emailCounts).map((column) =>
      createColumnIndex(column, limits.maxEmails),
    );
    const firstRows = await addTo(indexes, rows, timeSlice);
    // A file above the limit is read to its end for the count in the error, but not stored.
    isStored &&= emailsIn(columnFinder.suggested) <= limits.maxEmails;
    if (isStored) await writer.add({ number, firstRow: totalRows + 1, rows }, firstRows);
    totalRows += rows.length;
    number++;
    if (timeSlice.isOver) await timeSlice.next();
  }
  const blobCount = await writer.finish();

  const suggestedColumn = columnFinder.suggested;
  if (suggestedColumn === undefined) {
    throw new Refusal("no_emails_found", "No cell of the file looks like an email address.");
  }
  const counts = new Map(indexes?.map(({ column, count }) => [column, count]));
  const looksLikeEmail = isStored ? emailsIn(suggestedColumn) : Math.max(...columnFinder.emailCounts);
  refuseTooManyEmails(limits.maxEmails, looksLikeEmail, counts.get(suggestedColumn) ?? UNCOUNTED, "/file");
  if (!counts.has(suggestedColumn)) {
    const found = await countStoredColumn(
      deps,
      { id: uploadId, blobCount },
      suggestedColumn,
      limits.maxEmails,
    );
    refuseTooManyEmails(limits.maxEmails, looksLikeEmail, found, "/file");
    counts.set(suggestedColumn, found);
  }
  const { header, columns, delimiter, sampleRows } = list;
  const emailCounts = [...columnFinder.emailCounts];
  const contentHash = hash.digest();
  return {
    header,
    columns,
    delimiter,
    sampleRows,
    totalRows,
    emailCounts,
    suggestedColumn,
    columnCounts: counts,
    contentHash,
    blobCount,
  };
}

async function* hashing(
  bytes: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The columns with the most emails in the first rows. */
function mostEmails(emailCounts: readonly number[]): number[] {
  return [...emailCounts.keys()]
    .filter((column) => emailCounts[column]! > 0)
    .sort((a, b) => emailCounts[b]! - emailCounts[a]!)
    .slice(0, MAX_COUNTED_COLUMNS);
}

async function addTo(
  indexes: readonly ColumnIndex[],
  rows: readonly (readonly string[])[],
  timeSlice: TimeSlice,
): Promise<Map<number, FirstRows>> {
  const counted = new Map<number, FirstRows>();
  for (const index of indexes) {
    const firstRows = await index.add(rows, timeSlice);
    if (firstRows) counted.set(index.column, firstRows);
  }
  return counted;
}
