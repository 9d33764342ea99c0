/**
 * Rows of uploads: deflated parts of at most a thousand rows, many parts to a blob, written while more arrive and read
 * back in order. A writer that is faster than the store waits, so memory stays flat.
 *
 * The order that loses nothing and leaves nothing behind: the upload's row is inserted, its blobs are stored, the row is
 * completed. A blob without a row is an orphan and deleted by maintenance. What a column contains (the first row of each
 * email) is small, belongs to the plan of the job, and is in the database.
 */
import { promisify } from "node:util";
import { constants, deflateRaw, inflateRaw } from "node:zlib";
import type pg from "pg";
import type { LogEvent } from "../base/log-events.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import { checkBlobStore } from "../blobs/claimed-store.ts";
import type { UploadRow } from "./upload-preview.ts";

export type UploadFiles = {
  write(uploadId: string): PartWriter;
  /** All parts of an upload, in order. Ends early if the upload is deleted meanwhile. */
  read(pool: pg.Pool, file: StoredFile): AsyncGenerator<UploadPart>;
  /** Parts from `from` on, with the first rows of a column's emails. The column must have been counted. */
  readCounted(
    pool: pg.Pool,
    file: StoredFile,
    column: number,
    from: number,
  ): AsyncGenerator<UploadPart & { firstRows: FirstRows }>;
  /** Deletes the blobs of an upload whose row is deleted. */
  delete(uploadId: string): Promise<void>;
  /**
   * The same for a run of retention: a file that cannot be deleted is logged, and left to deleteOrphans; so are all further
   * ones once the store does not respond.
   */
  deletingWhatCanBe(): Pick<UploadFiles, "delete">;
  /**
   * Deletes blobs whose upload does not exist (any more). Returns their number. One that cannot be deleted is logged, and
   * tried again by the next run.
   */
  deleteOrphans(olderThanMs?: number): Promise<number>;
};

/** `blobCount` null: the rows are in upload_parts, where releases before this storage wrote them. */
export type StoredFile = Pick<UploadRow, "id" | "blobCount">;

/** Consecutive rows. */
export type UploadPart = { number: number; firstRow: number; rows: string[][] };

/** For each row of a part, the first row with the same email: itself, an earlier one, or 0 if the cell is empty. */
export type FirstRows = Uint32Array;

export type PartWriter = {
  /** Resolves when the next part may be added. */
  add(part: UploadPart, firstRows: ReadonlyMap<number, FirstRows>): Promise<void>;
  /** Resolves when all parts are stored, with the number of blobs and their size. */
  finish(): Promise<{ blobCount: number; storedBytes: number }>;
  /** Resolves when no write is in progress, also after a failure. */
  settle(): Promise<void>;
};

export type UploadFilesDeps = { pool: pg.Pool; blobs: BlobStore; log?: LogEvent };

export const UPLOADS_FOLDER = "uploads";

/** Parts being packed or stored. Writes are serial, so an upload uses one connection of the pool. */
const MAX_IN_FLIGHT = 4;
/** At most 16,000 rows and about 4 MB of text, deflated to a fifth of that. */
const PARTS_PER_BLOB = 16;
/** About a megabyte of text. */
const PARTS_PER_READ = 4;
/** Of a part in a blob: its first row and its length, 32-bit little-endian. */
const PART_HEADER_BYTES = 8;
/** Longer than any upload is without its row, on any machine's clock. */
const ORPHAN_AGE_MS = 3_600_000;
const IDS_PER_QUERY = 500;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
const FAST = { level: constants.Z_BEST_SPEED };

const blobKey = (uploadId: string, number: number) => `${UPLOADS_FOLDER}/${uploadId}/${number}`;

export function createUploadFiles({ pool: primary, blobs, log }: UploadFilesDeps): UploadFiles {
  async function* stored(
    pool: pg.Pool,
    { id, blobCount }: StoredFile,
    from: number,
  ): AsyncGenerator<StoredPart> {
    if (blobCount === null) {
      yield* paged<StoredPart>(pool, READ_ROWS, [id], from);
      return;
    }
    for (let blob = Math.floor(from / PARTS_PER_BLOB); blob < blobCount; blob++) {
      const bytes = await blobs.get(blobKey(id, blob));
      if (!bytes) {
        if (!(await isStored(primary, id))) return;
        log?.("upload_file_missing", { upload_id: id, key: blobKey(id, blob), store: blobs.location });
        throw new Error(`the file of upload ${id} is not in ${blobs.location}`);
      }
      for (const part of partsIn(bytes, blob * PARTS_PER_BLOB)) if (part.number >= from) yield part;
    }
  }

  const deleteFile = async (uploadId: string) => {
    for await (const { key } of blobs.list(`${UPLOADS_FOLDER}/${uploadId}`)) await blobs.delete(key);
  };

  /** Whether the store responds, so that the failure was of one blob. */
  const reportNotDeleted = async (key: string, err: unknown): Promise<boolean> => {
    log?.("blob_not_deleted", { key, store: blobs.location, err });
    return checkBlobStore(blobs).then(
      () => true,
      () => false,
    );
  };

  return {
    write: (uploadId) => createPartWriter(primary, blobs, uploadId),

    async *read(pool, file) {
      for await (const { number, firstRow, records } of stored(pool, file, 0)) {
        yield { number, firstRow, rows: await unpackRows(records) };
      }
    },

    async *readCounted(pool, file, column, from) {
      const counts = paged<{ number: number; firstRows: Buffer }>(
        pool,
        READ_FIRST_ROWS,
        [file.id, column],
        from,
      );
      for await (const { number, firstRow, records } of stored(pool, file, from)) {
        const { value: count, done } = await counts.next();
        if (done || count.number !== number) return; // deleted meanwhile
        const [rows, unpacked] = await Promise.all([unpackRows(records), inflate(count.firstRows)]);
        yield { number, firstRow, rows, firstRows: firstRowsOf(unpacked) };
      }
    },

    delete: deleteFile,

    deletingWhatCanBe() {
      let isResponding = true;
      return {
        async delete(uploadId) {
          if (!isResponding) return;
          await deleteFile(uploadId).catch(async (error) => {
            isResponding = await reportNotDeleted(`${UPLOADS_FOLDER}/${uploadId}`, error);
          });
        },
      };
    },

    async deleteOrphans(olderThanMs = ORPHAN_AGE_MS) {
      const newest = Date.now() - olderThanMs;
      let deleted = 0;
      let keys: string[] = [];
      const deleteOrphansIn = async () => {
        const ids = [...new Set(keys.map(uploadIdIn))].filter((id) => UUID.test(id));
        const { rows } = await primary.query<{ id: string }>(KNOWN, [ids]);
        const known = new Set(rows.map(({ id }) => id));
        for (const key of keys.filter((one) => !known.has(uploadIdIn(one)))) {
          try {
            await blobs.delete(key);
            deleted++;
          } catch (error) {
            if (!(await reportNotDeleted(key, error))) throw error;
          }
        }
        keys = [];
      };
      for await (const { key, modifiedAt } of blobs.list(UPLOADS_FOLDER)) {
        if (modifiedAt.getTime() <= newest) keys.push(key);
        if (keys.length >= IDS_PER_QUERY) await deleteOrphansIn();
      }
      if (keys.length > 0) await deleteOrphansIn();
      return deleted;
    },
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const uploadIdIn = (key: string) => key.split("/")[1] ?? "";

function createPartWriter(pool: pg.Pool, blobs: BlobStore, uploadId: string): PartWriter {
  const inFlight: Promise<void>[] = [];
  let last: Promise<void> = Promise.resolve();
  let waiting: Buffer[] = [];
  let waitingParts = 0;
  let blobCount = 0;
  let storedBytes = 0;

  const storeBlob = async () => {
    const blob = Buffer.concat(waiting);
    await blobs.put(blobKey(uploadId, blobCount), blob);
    blobCount++;
    storedBytes += blob.length;
    waiting = [];
    waitingParts = 0;
  };

  return {
    async add(part, firstRows) {
      const packed = pack(part, firstRows);
      const before = last;
      last = packed.then(async ({ header, records, columns, packedFirsts }) => {
        await before;
        if (columns.length > 0) {
          await pool.query({ ...STORE_FIRST_ROWS, values: [uploadId, part.number, columns, packedFirsts] });
        }
        waiting.push(header, records);
        waitingParts++;
        if (waitingParts === PARTS_PER_BLOB) await storeBlob();
      });
      last.catch(() => {}); // reported by add, finish or the next part
      inFlight.push(last);
      if (inFlight.length >= MAX_IN_FLIGHT) await inFlight.shift();
    },
    async finish() {
      await last;
      if (waitingParts > 0) {
        last = storeBlob();
        await last;
      }
      return { blobCount, storedBytes };
    },
    settle: () => last.catch(() => {}),
  };
}

async function pack({ firstRow, rows }: UploadPart, firstRows: ReadonlyMap<number, FirstRows>) {
  const [records, ...packedFirsts] = await Promise.all([
    deflate(JSON.stringify(rows), FAST),
    ...[...firstRows.values()].map(packFirstRows),
  ]);
  const header = Buffer.alloc(PART_HEADER_BYTES);
  header.writeUInt32LE(firstRow, 0);
  header.writeUInt32LE(records.length, 4);
  return { header, records, columns: [...firstRows.keys()], packedFirsts };
}

function* partsIn(blob: Buffer, firstNumber: number): Generator<StoredPart> {
  let number = firstNumber;
  for (let at = 0; at < blob.length; number++) {
    const start = at + PART_HEADER_BYTES;
    const end = start + blob.readUInt32LE(at + 4);
    yield { number, firstRow: blob.readUInt32LE(at), records: blob.subarray(start, end) };
    at = end;
  }
}

export function packFirstRows(firstRows: FirstRows): Promise<Buffer> {
  return deflate(Buffer.from(firstRows.buffer, firstRows.byteOffset, firstRows.byteLength), FAST);
}

type StoredPart = { number: number; firstRow: number; records: Buffer };

/** The statement's last two parameters are the first part and the limit. */
async function* paged<Stored extends { number: number }>(
  pool: pg.Pool,
  statement: { name: string; text: string },
  values: unknown[],
  from: number,
): AsyncGenerator<Stored, undefined> {
  for (let next = from; ; next += PARTS_PER_READ) {
    const { rows } = await pool.query<Stored>({ ...statement, values: [...values, next, PARTS_PER_READ] });
    yield* rows;
    if (rows.length < PARTS_PER_READ) return;
  }
}

async function unpackRows(records: Buffer): Promise<string[][]> {
  return JSON.parse((await inflate(records)).toString("utf8"));
}

function firstRowsOf(bytes: Buffer): FirstRows {
  // Copied: a Uint32Array needs an offset that is a multiple of four, which a pooled buffer may not have.
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}

async function isStored(pool: pg.Pool, uploadId: string): Promise<boolean> {
  return (await pool.query(KNOWN, [[uploadId]])).rowCount === 1;
}

const KNOWN = "select id from uploads where id = any($1::uuid[]) and erased_at is null";

const STORE_FIRST_ROWS = {
  name: "store-first-rows",
  text: `
    insert into upload_column_index_parts (upload_id, "column", number, first_rows)
    select $1, counted."column", $2, counted.first_rows
    from unnest($3::int[], $4::bytea[]) as counted ("column", first_rows)`,
};

const READ_ROWS = {
  name: "read-upload-parts",
  text: `
    select number, first_row as "firstRow", records
    from upload_parts where upload_id = $1 and number >= $2 order by number limit $3`,
};

const READ_FIRST_ROWS = {
  name: "read-first-rows",
  text: `
    select number, first_rows as "firstRows"
    from upload_column_index_parts where upload_id = $1 and "column" = $2 and number >= $3 order by number limit $4`,
};
