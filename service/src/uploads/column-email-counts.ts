/**
 * Counts a column: non-empty cells, unique emails, and for each row the first row with the same email. Runs while the
 * rows arrive, or later over the stored rows.
 *
 * Several columns are counted together, cell by cell in row order; what is called a row here is then a cell.
 */
import { createUniqueEmailIndex, emailIn, type UniqueEmailIndex } from "@mailvet/engine/list-file";
import { and, eq } from "drizzle-orm";
import { startTimeSlice, type TimeSlice } from "../base/event-loop-yield.ts";
import type { Database } from "../db/database.ts";
import { uploadColumnIndexes } from "./schema.ts";
import { type FirstRows, packFirstRows, type StoredFile, type UploadFiles } from "./upload-files.ts";

export type ColumnCount = {
  /** Non-empty cells. */
  emails: number;
  /** Undefined: above the limit, and no longer counted. */
  unique: number | undefined;
};

export const UNCOUNTED: ColumnCount = { emails: 0, unique: 0 };

export type ColumnIndex = {
  /** See columnKey. */
  readonly key: number;
  /** Adds the next rows. Undefined once there are too many unique emails. */
  add(rows: readonly (readonly string[])[], timeSlice: TimeSlice): Promise<FirstRows | undefined>;
  readonly count: ColumnCount;
};

const ROWS_PER_CLOCK_CHECK = 32;

/** Above `maxUnique` unique emails only cells are counted, which bounds the memory. */
export function createColumnIndex(columns: readonly number[], maxUnique: number): ColumnIndex {
  let index: UniqueEmailIndex | undefined = createUniqueEmailIndex();
  let emails = 0;
  return {
    key: columnKey(columns),
    async add(rows, timeSlice) {
      const firstRows = new Uint32Array(rows.length * columns.length);
      let cell = 0;
      for (const [n, cells] of rows.entries()) {
        if (n % ROWS_PER_CLOCK_CHECK === 0 && timeSlice.isOver) await timeSlice.next();
        for (const column of columns) {
          const email = emailIn(cells[column]);
          if (email !== "") emails++;
          if (index) firstRows[cell] = index.add(email);
          cell++;
        }
      }
      if (index && index.unique > maxUnique) index = undefined;
      return index && firstRows;
    },
    get count() {
      return { emails, unique: index?.unique };
    },
  };
}

/** Where counts are stored: under the column's number, or for several columns under a negative number made of theirs. */
export function columnKey(columns: readonly number[]): number {
  if (columns.length === 1) return columns[0]!;
  return -1 - columns.reduce((key, column) => (key * 1009 + column + 1) % 2_147_483_647, 0);
}

export type CountDeps = { database: Pick<Database, "pool" | "orm">; files: Pick<UploadFiles, "read"> };

/** The stored count, or a count of the stored rows. */
export async function columnCount(
  deps: CountDeps,
  file: StoredFile,
  columns: readonly number[],
  maxUnique: number,
): Promise<ColumnCount> {
  const [stored] = await deps.database.orm
    .select()
    .from(uploadColumnIndexes)
    .where(
      and(eq(uploadColumnIndexes.uploadId, file.id), eq(uploadColumnIndexes.column, columnKey(columns))),
    );
  if (stored) return { emails: stored.emails, unique: stored.uniqueEmails };
  return countStoredColumn(deps, file, columns, maxUnique);
}

/** Counts a column of the stored rows and stores the counts. */
export async function countStoredColumn(
  { database: { pool, orm }, files }: CountDeps,
  file: StoredFile,
  columns: readonly number[],
  maxUnique: number,
): Promise<ColumnCount> {
  const uploadId = file.id;
  const index = createColumnIndex(columns, maxUnique);
  const column = index.key;
  const timeSlice = startTimeSlice();
  let storing: Promise<unknown> | undefined;
  for await (const { number, rows } of files.read(pool, file)) {
    const firstRows = await index.add(rows, timeSlice);
    await storing;
    if (!firstRows) continue;
    const packed = await packFirstRows(firstRows);
    storing = pool.query({ ...STORE, values: [uploadId, column, number, packed] });
    storing.catch(() => {}); // awaited at the next part
  }
  await storing;
  const { emails, unique } = index.count;
  if (unique !== undefined) {
    const counts = { uploadId, column, emails, uniqueEmails: unique };
    await orm.insert(uploadColumnIndexes).values(counts).onConflictDoNothing();
  }
  return index.count;
}

/** Concurrent counts of the same column find the same values. */
const STORE = {
  name: "store-census-part",
  text: `
    insert into upload_column_index_parts (upload_id, "column", number, first_rows) values ($1, $2, $3, $4)
    on conflict (upload_id, "column", number) do update set first_rows = excluded.first_rows`,
};
