/**
 * What a column holds: how many of its rows have something in them, how many different emails those are, and for each row
 * where its email stands first. Counted as the rows arrive, or later from the stored ones.
 */
import { createUniqueEmailIndex, emailIn, type UniqueEmailIndex } from "@mailvet/engine/list-file";
import type { Database } from "../db/database.ts";
import { startTimeSlice, type TimeSlice } from "../event-loop-yield.ts";
import { uploadCensuses } from "./schema.ts";
import { type FirstRows, packFirstRows, readParts } from "./upload-parts.ts";

export type ColumnCount = {
  /** Rows with something in them. */
  emails: number;
  /** Different ones among them; undefined: more than may be, and no longer counted. */
  unique: number | undefined;
};

/** Nothing is known of it yet. */
export const UNCOUNTED: ColumnCount = { emails: 0, unique: 0 };

export type ColumnIndex = {
  readonly column: number;
  /** The next rows. Undefined once there are too many different emails. */
  add(rows: readonly (readonly string[])[], turn: TimeSlice): Promise<FirstRows | undefined>;
  readonly count: ColumnCount;
};

const ROWS_BETWEEN_LOOKS = 32;

/** Beyond `maxUnique` different emails only rows are counted, so that memory has a bound. */
export function createColumnIndex(column: number, maxUnique: number): ColumnIndex {
  let census: UniqueEmailIndex | undefined = createUniqueEmailIndex();
  let emails = 0;
  return {
    column,
    async add(rows, turn) {
      const firstRows = new Uint32Array(rows.length);
      for (const [index, cells] of rows.entries()) {
        if (index % ROWS_BETWEEN_LOOKS === 0 && turn.isOver) await turn.next();
        const email = emailIn(cells[column]);
        if (email !== "") emails++;
        if (census) firstRows[index] = census.add(email);
      }
      if (census && census.unique > maxUnique) census = undefined;
      return census && firstRows;
    },
    get count() {
      return { emails, unique: census?.unique };
    },
  };
}

/** Counts a column of an upload that is stored already, and stores what was found. */
export async function countStoredColumn(
  { pool, orm }: Pick<Database, "pool" | "orm">,
  uploadId: string,
  column: number,
  maxUnique: number,
): Promise<ColumnCount> {
  const census = createColumnIndex(column, maxUnique);
  const turn = startTimeSlice();
  let storing: Promise<unknown> | undefined;
  for await (const { number, rows } of readParts(pool, uploadId)) {
    const firstRows = await census.add(rows, turn);
    await storing;
    if (!firstRows) continue;
    const packed = await packFirstRows(firstRows);
    storing = pool.query({ ...STORE, values: [uploadId, column, number, packed] });
    storing.catch(() => {}); // heard of at the next part
  }
  await storing;
  const { emails, unique } = census.count;
  if (unique !== undefined) {
    const found = { uploadId, column, emails, uniqueEmails: unique };
    await orm.insert(uploadCensuses).values(found).onConflictDoNothing();
  }
  return census.count;
}

/** Two may count the same column at the same moment, and find the same. */
const STORE = {
  name: "store-census-part",
  text: `
    insert into upload_census_parts (upload_id, "column", number, first_rows) values ($1, $2, $3, $4)
    on conflict (upload_id, "column", number) do update set first_rows = excluded.first_rows`,
};
