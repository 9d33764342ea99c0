/**
 * Exports a database and its blobs into one file, and imports it into another, empty one.
 *
 * The file is gzipped lines of JSON: first the migrations of the schema; then each table with its rows in the order of their
 * keys, and their number (of a partitioned table the dates of its partitions, too); then the blobs; last a line that marks it
 * as complete. PostgreSQL writes and reads the rows, so that no value passes through JavaScript. Only a few rows, or one
 * blob, are in memory at a time.
 */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { linesOf } from "@mailvet/engine";
import pg from "pg";
import { createPartitionsIn, partitionDates } from "./partitions.ts";

/** Why an export or import is not possible, for the operator. */
export class DumpError extends Error {
  override readonly name = "DumpError";
}

/** Rows per table. */
export type DumpSummary = ReadonlyMap<string, number>;

export type DumpedBlob = { key: string; bytes: Buffer };

const FORMAT = 2;
const ROWS_PER_BATCH = 500;
const CHARACTERS_PER_BATCH = 4_000_000;
/** State of running processes, files that are written again on request, and what migrations write themselves. */
const NOT_EXPORTED: ReadonlySet<string> = new Set([
  "migrations",
  "processes",
  "host_leases",
  "host_memories",
  "host_waiters",
  "request_buckets",
  "requests_in_progress",
  "account_exports",
]);

type Table = { name: string; columns: string[]; key: string[]; is_partitioned: boolean };

/** A consistent snapshot, also while the database is in use. Blobs are read after it: what is deleted meanwhile is left out. */
export async function exportInstallation(
  connection: pg.ClientConfig,
  sink: Writable,
  blobs: AsyncIterable<DumpedBlob> | Iterable<DumpedBlob> = [],
): Promise<DumpSummary> {
  const gzip = createGzip({ level: 4 });
  gzip.pipe(sink);
  const written = Promise.race([once(sink, "close"), once(gzip, "error").then(([error]) => fail(error))]);
  written.catch(() => {}); // reported to whoever awaits it
  const writeLine = async (line: string) => {
    if (!gzip.write(`${line}\n`)) await Promise.race([once(gzip, "drain"), written]);
  };
  const summary = await onOneConnection(connection, async (client) => {
    await client.query("begin isolation level repeatable read read only");
    const tables = await tablesOf(client);
    await writeLine(
      JSON.stringify({ mailvet: "installation", format: FORMAT, migrations: await migrationsOf(client) }),
    );
    const counts = new Map<string, number>();
    for (const table of tables) {
      const { name, columns } = table;
      const partitions = table.is_partitioned ? await partitionDates(client, name) : undefined;
      await writeLine(JSON.stringify({ table: name, columns, partitions }));
      let rows = 0;
      for await (const line of rowsOf(client, table)) {
        await writeLine(line);
        rows += 1;
      }
      await writeLine(JSON.stringify({ end: table.name, rows }));
      counts.set(table.name, rows);
    }
    await client.query("commit");
    return counts;
  });
  let blobCount = 0;
  for await (const { key, bytes } of blobs) {
    await writeLine(JSON.stringify({ blob: key, bytes: bytes.toString("base64") }));
    blobCount += 1;
  }
  await writeLine(JSON.stringify({ complete: true, tables: summary.size, blobs: blobCount }));
  gzip.end();
  await written;
  return summary;
}

export type ImportOptions = {
  afterwards?: readonly string[];
  /** Before the commit: blobs of an import that fails are in no database, and are overwritten by the next. */
  putBlob?: (blob: DumpedBlob) => Promise<void>;
};

/** All or nothing, the statements afterwards included. The tables must have the same migrations, and be empty. */
export async function importInstallation(
  connection: pg.ClientConfig,
  source: Readable,
  { afterwards = [], putBlob }: ImportOptions = {},
): Promise<DumpSummary> {
  const gunzip = createGunzip();
  source.on("error", (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  gunzip.on("error", () => {}); // thrown by linesOf
  const lines = linesOf(gunzip, Number.POSITIVE_INFINITY); // not readline: in Node 24 it splits at U+2028 too
  const next = async (): Promise<string> => {
    const { done, value } = await lines.next().catch((error) => fail(readable(error)));
    if (done) throw new DumpError("The file ends before everything has been read: it is not complete.");
    return value;
  };
  return onOneConnection(connection, async (client) => {
    await client.query("begin");
    const tables = await tablesOf(client);
    await requireSameVersion(client, await next());
    await requireEmpty(client, tables);
    const summary = new Map<string, number>();
    let blobCount = 0;
    for (let line = await next(); ; line = await next()) {
      const { table: name, columns, partitions, blob, bytes, complete, tables: count, blobs } = parsed(line);
      if (complete === true) {
        if (count !== summary.size) throw new DumpError("The file lacks tables: it is not complete.");
        if (blobs !== blobCount) throw new DumpError("The file lacks uploaded files: it is not complete.");
        break;
      }
      if (typeof blob === "string") {
        await putBlob?.({ key: blob, bytes: Buffer.from(String(bytes), "base64") });
        blobCount += 1;
        continue;
      }
      const table = tables.find((one) => one.name === name);
      if (!table || JSON.stringify(table.columns) !== JSON.stringify(columns))
        throw new DumpError(`The file has a table that this version does not know: ${String(name)}.`);
      if (table.is_partitioned) await createPartitionsIn(client, [table.name], datesIn(partitions));
      summary.set(table.name, await fill(client, table, next));
    }
    await advanceSequences(client);
    for (const statement of afterwards) await client.query(statement);
    await client.query("commit");
    return summary;
  });
}

/** On one connection, without the time limits of the pool. */
async function onOneConnection<T>(
  connection: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end(); // rolls back what was not committed
  }
}

/** In the order of foreign keys. */
async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { refers_to: string[] }>(TABLES);
  const waiting = rows.filter(({ name }) => !NOT_EXPORTED.has(name));
  const ordered: Table[] = [];
  while (waiting.length > 0) {
    const ready = waiting.findIndex(({ refers_to }) =>
      refers_to.every((name) => ordered.some((table) => table.name === name)),
    );
    if (ready < 0) throw new Error(`tables that refer to one another: ${waiting.map(({ name }) => name)}`);
    ordered.push(...waiting.splice(ready, 1));
  }
  return ordered;
}

const TABLES = `
  select
    class.relname as name,
    array(
      select attname::text from pg_attribute
      where attrelid = class.oid and attnum > 0 and not attisdropped order by attnum
    ) as columns,
    array(
      select attname::text from pg_index, unnest(indkey) with ordinality as part (number, place)
      join pg_attribute on attnum = part.number
      where indrelid = class.oid and indisprimary and attrelid = class.oid order by part.place
    ) as key,
    array(
      select distinct other.relname::text from pg_constraint join pg_class as other on other.oid = confrelid
      where conrelid = class.oid and contype = 'f' and confrelid <> class.oid
    ) as refers_to,
    class.relkind = 'p' as is_partitioned
  from pg_class as class
  where class.relkind in ('r', 'p') and not class.relispartition and class.relnamespace = 'public'::regnamespace
  order by class.relname`;

async function* rowsOf(client: pg.Client, { name, key }: Table): AsyncGenerator<string> {
  const order = key.length > 0 ? ` order by ${key.map(quoted).join(", ")}` : "";
  await client.query(
    `declare dump no scroll cursor for select row_to_json(one)::text as line from ${quoted(name)} as one${order}`,
  );
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${ROWS_PER_BATCH} from dump`);
    for (const { line } of rows) yield line;
    if (rows.length < ROWS_PER_BATCH) break;
  }
  await client.query("close dump");
}

async function fill(client: pg.Client, table: Table, next: () => Promise<string>): Promise<number> {
  const name = quoted(table.name);
  const columns = table.columns.map(quoted).join(", ");
  const text = `
    insert into ${name} (${columns}) overriding system value
    select ${columns} from json_populate_recordset(null::${name}, $1::json)`;
  let waiting: string[] = [];
  let characters = 0;
  let count = 0;
  const write = async () => {
    if (waiting.length > 0) await client.query(text, [`[${waiting.join(",")}]`]);
    count += waiting.length;
    waiting = [];
    characters = 0;
  };
  for (;;) {
    const line = await next();
    if (line.startsWith(`{"end":${JSON.stringify(table.name)}`)) {
      await write();
      if (parsed(line).rows !== count)
        throw new DumpError(`The file lacks rows of ${table.name}: it is not complete.`);
      return count;
    }
    waiting.push(line);
    characters += line.length;
    if (waiting.length >= ROWS_PER_BATCH || characters >= CHARACTERS_PER_BATCH) await write();
  }
}

type Line = {
  mailvet?: unknown;
  format?: unknown;
  migrations?: unknown;
  table?: unknown;
  columns?: unknown;
  blob?: unknown;
  bytes?: unknown;
  partitions?: unknown;
  complete?: unknown;
  tables?: unknown;
  blobs?: unknown;
  rows?: unknown;
};

function parsed(line: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    throw new DumpError("The file is not one that `npm run db -- export` has written.");
  }
}

/** They become part of statements. */
function datesIn(partitions: unknown): string[] {
  if (Array.isArray(partitions) && partitions.every((one) => DATE.test(String(one))))
    return partitions.map(String);
  throw new DumpError("The file is not one that `npm run db -- export` has written.");
}

const DATE = /^\d{4}-\d\d-\d\d$/;

async function requireSameVersion(client: pg.Client, line: string): Promise<void> {
  const { mailvet, format, migrations } = parsed(line);
  if (mailvet !== "installation")
    throw new DumpError("The file is not one that `npm run db -- export` has written.");
  if (format !== FORMAT || JSON.stringify(migrations) !== JSON.stringify(await migrationsOf(client)))
    throw new DumpError(
      "The file was written by another version. Export and import with the same version, then go to a newer one.",
    );
}

async function requireEmpty(client: pg.Client, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const { rowCount } = await client.query(`select from ${client.escapeIdentifier(name)} limit 1`);
    if (rowCount)
      throw new DumpError(`The database is in use: its table ${name} has rows. Use an empty one.`);
  }
}

async function migrationsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ hash: string }>("select hash from migrations order by id");
  return rows.map(({ hash }) => hash);
}

/** The next number must be one that no row has. */
async function advanceSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select table_name as "table", column_name as "column" from information_schema.columns
     where table_schema = 'public' and is_identity = 'YES'`,
  );
  for (const { table, column } of rows) {
    await client.query(
      `select setval(pg_get_serial_sequence($1, $2), coalesce((select max(${quoted(column)}) from ${quoted(table)}), 0) + 1, false)`,
      [quoted(table), column],
    );
  }
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}

/** A decompression error as a message for the operator. */
function readable(error: NodeJS.ErrnoException): Error {
  return error.code?.startsWith("Z_")
    ? new DumpError(
        `The file is damaged, or not one that \`npm run db -- export\` has written: ${error.message}.`,
      )
    : error;
}

function fail(error: unknown): never {
  throw error;
}
