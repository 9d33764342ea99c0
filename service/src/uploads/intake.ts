/**
 * Takes in a file while it arrives: bytes become rows, rows are looked at and stored, a batch at a time. What is left at
 * the end is what the preview says about it.
 *
 * Nobody waits for anybody longer than a batch: a slow database makes the sender wait, and between batches, and within
 * long ones, the event loop belongs to everybody else.
 */
import { createHash } from "node:crypto";
import {
  createEmailColumnFinder,
  type ListFile,
  ListFileError,
  type ListFileLimits,
  openListFile,
} from "@mailvet/engine/list-file";
import type { Database } from "../db/database.ts";
import { startTimeSlice, type TimeSlice } from "../event-loop-yield.ts";
import { fileRefusal } from "../file-refusal.ts";
import { Refusal } from "../refusal.ts";
import {
  type ColumnCount,
  type ColumnIndex,
  countStoredColumn,
  createColumnIndex,
  UNCOUNTED,
} from "./column-index.ts";
import { refuseTooManyEmails } from "./email-limit.ts";
import { createPartWriter, type FirstRows, type PartWriter } from "./upload-parts.ts";

export type Intake = Pick<ListFile, "header" | "columns" | "delimiter" | "sampleRows"> & {
  totalRows: number;
  /** Cells that look like an email, by column. */
  emailCounts: number[];
  suggestedColumn: number;
  /** Of the columns that look like emails, the suggested one among them. */
  censuses: Map<number, ColumnCount>;
  contentHash: Buffer;
};

export type IntakeLimits = ListFileLimits & { maxEmails: number };

/** More columns of emails than this are counted when one of them is chosen. */
const MAX_CENSUSES = 3;

/** Refuses what cannot be a list of emails; by then some of it may be stored under this id, and nothing is under way. */
export async function takeIn(
  database: Database,
  uploadId: string,
  bytes: AsyncIterable<Uint8Array>,
  limits: IntakeLimits,
): Promise<Intake> {
  const writer = createPartWriter(database.pool, uploadId);
  try {
    return await takeInRows(database, uploadId, writer, bytes, limits);
  } catch (error) {
    throw error instanceof ListFileError ? fileRefusal(error) : error;
  } finally {
    await writer.settle();
  }
}

async function takeInRows(
  database: Database,
  uploadId: string,
  writer: PartWriter,
  bytes: AsyncIterable<Uint8Array>,
  limits: IntakeLimits,
): Promise<Intake> {
  const hash = createHash("sha256");
  const list = await openListFile(hashing(bytes, hash), limits);
  const survey = createEmailColumnFinder(list.columns);
  const turn = startTimeSlice();
  const emailsIn = (column: number | undefined) => survey.emailCounts[column ?? 0] ?? 0;
  let censuses: ColumnIndex[] | undefined;
  let isKept = true;
  let totalRows = 0;
  let number = 0;
  for await (const rows of list.batches) {
    survey.add(rows);
    censuses ??= mostEmails(survey.emailCounts).map((column) => createColumnIndex(column, limits.maxEmails));
    const firstRows = await countIn(censuses, rows, turn);
    // What will be refused is read to its end, to say how many there are, but not stored.
    isKept &&= emailsIn(survey.suggested) <= limits.maxEmails;
    if (isKept) await writer.add({ number, firstRow: totalRows + 1, rows }, firstRows);
    totalRows += rows.length;
    number++;
    if (turn.isOver) await turn.next();
  }
  await writer.finish();

  const suggestedColumn = survey.suggested;
  if (suggestedColumn === undefined) {
    throw new Refusal("no_emails_found", "No cell of the file looks like an email.");
  }
  const counts = new Map(censuses?.map(({ column, count }) => [column, count]));
  const looksLikeEmail = isKept ? emailsIn(suggestedColumn) : Math.max(...survey.emailCounts);
  refuseTooManyEmails(limits.maxEmails, looksLikeEmail, counts.get(suggestedColumn) ?? UNCOUNTED, "/file");
  if (!counts.has(suggestedColumn)) {
    const found = await countStoredColumn(database, uploadId, suggestedColumn, limits.maxEmails);
    refuseTooManyEmails(limits.maxEmails, looksLikeEmail, found, "/file");
    counts.set(suggestedColumn, found);
  }
  const { header, columns, delimiter, sampleRows } = list;
  const emailCounts = [...survey.emailCounts];
  const contentHash = hash.digest();
  return {
    header,
    columns,
    delimiter,
    sampleRows,
    totalRows,
    emailCounts,
    suggestedColumn,
    censuses: counts,
    contentHash,
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

/** The columns that look most like emails, judged from the first rows. */
function mostEmails(emailCounts: readonly number[]): number[] {
  return [...emailCounts.keys()]
    .filter((column) => emailCounts[column]! > 0)
    .sort((a, b) => emailCounts[b]! - emailCounts[a]!)
    .slice(0, MAX_CENSUSES);
}

async function countIn(
  censuses: readonly ColumnIndex[],
  rows: readonly (readonly string[])[],
  turn: TimeSlice,
): Promise<Map<number, FirstRows>> {
  const counted = new Map<number, FirstRows>();
  for (const census of censuses) {
    const firstRows = await census.add(rows, turn);
    if (firstRows) counted.set(census.column, firstRows);
  }
  return counted;
}
