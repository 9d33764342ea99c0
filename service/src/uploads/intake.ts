/**
 * Reads a file while it is received: parses rows, counts and stores them batch by batch, and returns what the preview
 * shows.
 *
 * Back-pressure reaches the sender: at most a few batches are in memory. Long batches yield to the event loop.
 */
import { createHash, type Hash } from "node:crypto";
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
import { displayedFilename } from "./displayed-filename.ts";
import { refuseTooManyEmails } from "./email-limit.ts";
import { createTableUnion } from "./table-union.ts";
import type { FirstRows, PartWriter, UploadFiles } from "./upload-files.ts";

export type Intake = Pick<
  ListFile,
  "header" | "columns" | "delimiter" | "sampleRows" | "sheet" | "sheets"
> & {
  totalRows: number;
  /** Cells that look like an email, by column. */
  emailCounts: number[];
  suggestedColumn: number;
  /** Of the columns that look like emails, including the suggested one. */
  columnCounts: Map<number, ColumnCount>;
  contentHash: Buffer;
  blobCount: number;
  storedBytes: number;
};

export type IncomingList = {
  /** One file, unless it is a group. Throws if the sender aborts. */
  files: AsyncIterable<{ filename: string | undefined; bytes: AsyncIterable<Uint8Array> }>;
  /** Several files, read as one table. */
  isMerged?: boolean;
  /** Where the request has the list, for refusals. Default: the field of a form. */
  readonly pointer?: string;
  /** What else distinguishes this request from another with the same bytes; read at the end. */
  identity?: () => string;
};

export type IntakeDeps = { database: Database; files: UploadFiles };

export type IntakeLimits = ListFileLimits & { maxEmails: number };

/** Further columns are counted only if one of them is confirmed. */
const MAX_COUNTED_COLUMNS = 3;

/** Throws if the file is no list of emails. Parts may be stored by then; no write is in progress. */
export async function receiveFiles(
  deps: IntakeDeps,
  uploadId: string,
  list: IncomingList,
  limits: IntakeLimits,
): Promise<Intake> {
  const writer = deps.files.write(uploadId);
  const hash = createHash("sha256");
  const table = openTables(list, hash, limits);
  try {
    return await receiveRows(deps, uploadId, { writer, hash, table }, list, limits);
  } catch (error) {
    throw error instanceof ListFileError ? fileRefusal(error, pointerOf(list)) : error;
  } finally {
    await writer.settle();
    await table.return(undefined); // closes the file that is open
  }
}

async function receiveRows(
  deps: IntakeDeps,
  uploadId: string,
  { writer, hash, table }: { writer: PartWriter; hash: Hash; table: OpenTables },
  list: IncomingList,
  limits: IntakeLimits,
): Promise<Intake> {
  const first = (await table.next()).value!;
  const columnFinder = createEmailColumnFinder(first.columns);
  const timeSlice = startTimeSlice();
  const emailsIn = (column: number | undefined) => columnFinder.emailCounts[column ?? 0] ?? 0;
  let indexes: ColumnIndex[] | undefined;
  let isStored = true;
  let totalRows = 0;
  let number = 0;
  for (
    let part: OpenTable | undefined = first;
    part;
    part = (await table.next(columnFinder.suggested)).value
  ) {
    for await (const rows of part.batches) {
      columnFinder.add(rows);
      indexes ??= mostEmails(columnFinder.emailCounts).map((column) =>
        createColumnIndex([column], limits.maxEmails),
      );
      const firstRows = await addTo(indexes, rows, timeSlice);
      // A file above the limit is read to its end for the count in the error, but not stored.
      isStored &&= emailsIn(columnFinder.suggested) <= limits.maxEmails;
      if (isStored) await writer.add({ number, firstRow: totalRows + 1, rows }, firstRows);
      totalRows += rows.length;
      number++;
      if (totalRows > limits.maxRows) throw tooManyRows(limits.maxRows, pointerOf(list));
      if (timeSlice.isOver) await timeSlice.next();
    }
  }
  const { blobCount, storedBytes } = await writer.finish();

  const suggestedColumn = columnFinder.suggested;
  if (suggestedColumn === undefined) {
    throw new Refusal("no_emails_found", "No cell of the file looks like an email address.");
  }
  const counts = new Map(indexes?.map(({ key, count }) => [key, count]));
  const looksLikeEmail = isStored ? emailsIn(suggestedColumn) : Math.max(...columnFinder.emailCounts);
  refuseTooManyEmails(
    limits.maxEmails,
    looksLikeEmail,
    counts.get(suggestedColumn) ?? UNCOUNTED,
    pointerOf(list),
  );
  if (!counts.has(suggestedColumn)) {
    const found = await countStoredColumn(
      deps,
      { id: uploadId, blobCount },
      [suggestedColumn],
      limits.maxEmails,
    );
    refuseTooManyEmails(limits.maxEmails, looksLikeEmail, found, pointerOf(list));
    counts.set(suggestedColumn, found);
  }
  const { header, columns, delimiter, sampleRows, sheet, sheets } = first;
  hash.update(list.identity?.() ?? "");
  return {
    header: list.isMerged ? columns : header,
    columns,
    delimiter,
    sampleRows,
    ...(sheet !== undefined && { sheet, sheets }),
    totalRows,
    emailCounts: [...columnFinder.emailCounts],
    suggestedColumn,
    columnCounts: counts,
    contentHash: hash.digest(),
    blobCount,
    storedBytes,
  };
}

type OpenTable = Omit<ListFile, "encoding" | "close">;

/** `next` takes the email column of what was read so far. */
type OpenTables = AsyncGenerator<OpenTable, undefined, number | undefined>;

/** The file, or the files of a group as parts of one table. */
async function* openTables({ files, isMerged }: IncomingList, hash: Hash, limits: IntakeLimits): OpenTables {
  const union = createTableUnion();
  let emailColumn: number | undefined;
  for await (const { filename, bytes } of files) {
    const list = await openListFile(hashing(bytes, hash), limits);
    try {
      if (!isMerged) {
        yield list;
        continue;
      }
      const asPart = union.add(list, displayedFilename(filename), emailColumn);
      const { sheet: _, sheets: __, ...rest } = list;
      emailColumn = yield {
        ...rest,
        columns: union.columns,
        sampleRows: asPart(list.sampleRows),
        batches: mapped(list.batches, asPart),
      };
    } finally {
      await list.close();
    }
  }
}

async function* mapped<T, R>(items: AsyncIterable<T>, map: (item: T) => R): AsyncGenerator<R> {
  for await (const item of items) yield map(item);
}

const pointerOf = ({ pointer = "/file" }: IncomingList) => pointer;

function tooManyRows(limit: number, pointer: string): Refusal {
  const message = `The files have more than ${limit.toLocaleString("en")} rows.`;
  return new Refusal("too_many_rows", message, { errors: [{ pointer, message }], limit });
}

/** Reads the list only to compare it with an earlier one. */
export async function contentHashOf({ files, identity }: IncomingList): Promise<Buffer> {
  const hash = createHash("sha256");
  for await (const { bytes } of files) for await (const chunk of bytes) hash.update(chunk);
  return hash.update(identity?.() ?? "").digest();
}

async function* hashing(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
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
    if (firstRows) counted.set(index.key, firstRows);
  }
  return counted;
}
