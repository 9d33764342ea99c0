/**
 * Rows of an upload in the database: deflated parts of at most a thousand rows, written while more arrive and read back
 * in order. A writer that is faster than the database waits, so memory stays flat.
 */
import { promisify } from "node:util";
import { constants, deflateRaw, inflateRaw } from "node:zlib";
import type pg from "pg";

/** Consecutive rows. */
export type UploadPart = { number: number; firstRow: number; rows: string[][] };

/** For each row of a part, the first row with the same email: itself, an earlier one, or 0 if the cell is empty. */
export type FirstRows = Uint32Array;

export type PartWriter = {
  /** Resolves when the next part may be added. */
  add(part: UploadPart, firstRows: ReadonlyMap<number, FirstRows>): Promise<void>;
  /** Resolves when all parts are stored. */
  finish(): Promise<void>;
  /** Resolves when no write is in progress, also after a failure. */
  settle(): Promise<void>;
};

/** Parts being packed or stored. Writes are serial, so an upload uses one connection of the pool. */
const MAX_IN_FLIGHT = 4;
/** About a megabyte of text. */
const PARTS_PER_READ = 4;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
const FAST = { level: constants.Z_BEST_SPEED };

export function createPartWriter(pool: pg.Pool, uploadId: string): PartWriter {
  const inFlight: Promise<void>[] = [];
  let last: Promise<void> = Promise.resolve();

  return {
    async add(part, firstRows) {
      const packed = pack(part, firstRows);
      const before = last;
      last = packed.then(async (values) => {
        await before;
        await pool.query({ ...STORE, values: [uploadId, ...values] });
      });
      last.catch(() => {}); // reported by add, finish or the next part
      inFlight.push(last);
      if (inFlight.length >= MAX_IN_FLIGHT) await inFlight.shift();
    },
    finish: () => last,
    settle: () => last.catch(() => {}),
  };
}

async function pack({ number, firstRow, rows }: UploadPart, firstRows: ReadonlyMap<number, FirstRows>) {
  const [records, ...packedFirsts] = await Promise.all([
    deflate(JSON.stringify(rows), FAST),
    ...[...firstRows.values()].map(packFirstRows),
  ]);
  return [number, firstRow, rows.length, records, [...firstRows.keys()], packedFirsts];
}

export function packFirstRows(firstRows: FirstRows): Promise<Buffer> {
  return deflate(Buffer.from(firstRows.buffer, firstRows.byteOffset, firstRows.byteLength), FAST);
}

/** All parts of an upload, in order. */
export async function* readParts(pool: pg.Pool, uploadId: string): AsyncGenerator<UploadPart> {
  for await (const { number, firstRow, records } of read<StoredPart>(pool, READ, [uploadId], 0)) {
    yield { number, firstRow, rows: await unpackRows(records) };
  }
}

/** Parts from `from` on, with the first rows of a column's emails. The column must have been counted. */
export async function* readCountedParts(
  pool: pg.Pool,
  uploadId: string,
  column: number,
  from: number,
): AsyncGenerator<UploadPart & { firstRows: FirstRows }> {
  const parts = read<StoredPart & { firstRows: Buffer }>(pool, READ_COUNTED, [uploadId, column], from);
  for await (const { number, firstRow, records, firstRows } of parts) {
    const [rows, unpacked] = await Promise.all([unpackRows(records), inflate(firstRows)]);
    yield { number, firstRow, rows, firstRows: firstRowsOf(unpacked) };
  }
}

type StoredPart = { number: number; firstRow: number; records: Buffer };

/** The statement's last two parameters are the first part and the limit. */
async function* read<Stored extends { number: number }>(
  pool: pg.Pool,
  statement: { name: string; text: string },
  values: unknown[],
  from: number,
): AsyncGenerator<Stored> {
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

const STORE = {
  name: "store-upload-part",
  text: `
    with part as (
      insert into upload_parts (upload_id, number, first_row, row_count, records) values ($1, $2, $3, $4, $5)
    )
    insert into upload_column_index_parts (upload_id, "column", number, first_rows)
    select $1, counted."column", $2, counted.first_rows
    from unnest($6::int[], $7::bytea[]) as counted ("column", first_rows)`,
};

const READ = {
  name: "read-upload-parts",
  text: `
    select number, first_row as "firstRow", records
    from upload_parts where upload_id = $1 and number >= $2 order by number limit $3`,
};

const READ_COUNTED = {
  name: "read-counted-parts",
  text: `
    select p.number, p.first_row as "firstRow", p.records, c.first_rows as "firstRows"
    from upload_parts p
    join upload_column_index_parts c on c.upload_id = p.upload_id and c.number = p.number and c."column" = $2
    where p.upload_id = $1 and p.number >= $3 order by p.number limit $4`,
};
