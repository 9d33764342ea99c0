/**
 * Partitions of tables whose rows expire: one for each date of the column `expires_on`, dropped as a whole. Dropping a
 * partition takes milliseconds whatever its size, writes hardly any WAL, and leaves nothing to vacuum
 * (docs/decisions/0019-partitions-and-domain-facts.md).
 *
 * Which dates are needed, and when a partition may be dropped, is decided by the folder that owns the table. A table of an
 * earlier release is the default partition of its successor; its rows have the date DEFAULT_DATE.
 */
import type pg from "pg";
import { inTransaction, sqlStateOf } from "./database.ts";

/** Of rows in the default partition. */
export const DEFAULT_DATE = "1970-01-01";

/** Any constant that no other advisory lock of this database uses. */
const PARTITIONS_LOCK = 7_224_108_154;
/**
 * Creating locks the default partition, dropping the whole table, both for milliseconds once the lock is granted. Other
 * statements on the table wait behind this one for no longer than this.
 */
const SETTINGS = "set local lock_timeout = '1s'";
const LOCK_NOT_AVAILABLE = "55P03";
/** No partition for a row: this state also means other violated checks. */
const NO_PARTITION = "23514";
const VALIDATION_TIMEOUT_MS = 3_600_000;

/**
 * Creates the partitions that are missing, of each table for each date (YYYY-MM-DD). False: not possible now, because a
 * lock is not available, or `validateDefault` has not been called on a database of an earlier release.
 *
 * Each in a transaction of its own. In one for all of them, a statement that reads several of the tables could wait for one
 * while it holds another: a deadlock.
 */
export async function createPartitions(
  pool: pg.Pool,
  tables: readonly string[],
  dates: readonly string[],
): Promise<boolean> {
  if (await areCreated(pool, partitionsOf(tables, dates))) return true;
  try {
    for (const { table, date } of partitionsOf(tables, dates)) {
      const create = (client: pg.ClientBase) => createPartitionsIn(client, [table], [date]);
      if (!(await inTransaction(pool, create, SETTINGS))) return false;
    }
    return true;
  } catch (error) {
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** The same as part of a transaction, while nothing reads the tables. */
export async function createPartitionsIn(
  client: pg.ClientBase,
  tables: readonly string[],
  dates: readonly string[],
): Promise<boolean> {
  await client.query("select pg_advisory_xact_lock($1)", [PARTITIONS_LOCK]);
  for (const table of tables) if (await hasUnvalidatedDefault(client, table)) return false;
  for (const partition of partitionsOf(tables, dates)) {
    if (!(await areCreated(client, [partition]))) await create(client, partition);
  }
  return true;
}

type Partition = { table: string; date: string };

function partitionsOf(tables: readonly string[], dates: readonly string[]): Partition[] {
  return tables.flatMap((table) => dates.map((date) => ({ table, date })));
}

const nameOf = ({ table, date }: Partition) => `${table}_${date.replaceAll("-", "")}`;
const defaultOf = (table: string) => `${table}_default`;

async function areCreated(
  by: Pick<pg.ClientBase, "query">,
  partitions: readonly Partition[],
): Promise<boolean> {
  const { rows } = await by.query<{ created: boolean | null }>(
    "select bool_and(to_regclass(name) is not null) as created from unnest($1::text[]) as name",
    [partitions.map(nameOf)],
  );
  return rows[0]!.created ?? true; // null: none
}

/** Attached once it is complete: unlike `create table … partition of`, that does not wait for readers of other partitions. */
async function create(client: pg.ClientBase, { table, date }: Partition): Promise<void> {
  const partition = nameOf({ table, date });
  const { rows } = await client.query<{ model: string }>(
    "select coalesce(to_regclass($1), to_regclass($2))::text as model",
    [defaultOf(table), table],
  );
  await client.query(
    `create table ${partition} (like ${rows[0]!.model} including defaults including indexes including storage)`,
  );
  await client.query(
    `alter table ${table} attach partition ${partition} for values from ('${date}') to (date '${date}' + 1)`,
  );
}

/** Its rows would be read under an exclusive lock to see whether one belongs into the new partition. */
async function hasUnvalidatedDefault(by: Pick<pg.ClientBase, "query">, table: string): Promise<boolean> {
  const { rowCount } = await by.query(
    "select from pg_constraint where conrelid = to_regclass($1) and contype = 'c' and not convalidated",
    [defaultOf(table)],
  );
  return rowCount !== 0;
}

/** Once after the upgrade of an earlier release: proves, without blocking others, that the default partition has no dates. */
export async function validateDefault(pool: pg.Pool, table: string): Promise<void> {
  if (!(await hasUnvalidatedDefault(pool, table))) return;
  const name = defaultOf(table);
  const text = `alter table ${name} validate constraint ${name}_expires_on`;
  await pool.query({ text, query_timeout: VALIDATION_TIMEOUT_MS } as pg.QueryConfig);
}

/** Dates that have a partition, in order. */
export async function partitionDates(pool: Pick<pg.Pool, "query">, table: string): Promise<string[]> {
  const { rows } = await pool.query<{ date: string }>(`${DATES} order by date`, [table]);
  return rows.map(({ date }) => date);
}

/** The same up to today, by the database's clock. */
export async function pastPartitionDates(pool: Pick<pg.Pool, "query">, table: string): Promise<string[]> {
  const text = `select date from (${DATES}) every where date::date <= (now() at time zone 'utc')::date order by date`;
  const { rows } = await pool.query<{ date: string }>(text, [table]);
  return rows.map(({ date }) => date);
}

const DATES = `
  select substring(pg_get_expr(relpartbound, oid) from '\\d{4}-\\d\\d-\\d\\d') as date
  from pg_class join pg_inherits on inhrelid = oid
  where inhparent = to_regclass($1) and pg_get_expr(relpartbound, oid) <> 'DEFAULT'`;

/**
 * False: a lock is not available now. Each in a transaction of its own, as they are created. The first table is the last, so
 * that `pastPartitionDates` of it finds the date until all of them are dropped.
 */
export async function dropPartitions(
  pool: pg.Pool,
  tables: readonly string[],
  date: string,
  withFirstTable: (client: pg.ClientBase) => Promise<unknown> = async () => {},
): Promise<boolean> {
  const [first, ...others] = tables;
  const drop = (client: pg.ClientBase, table: string) =>
    client.query(`drop table if exists ${nameOf({ table, date })}`);
  try {
    for (const table of others) await inTransaction(pool, (client) => drop(client, table), SETTINGS);
    await inTransaction(
      pool,
      async (client) => {
        await withFirstTable(client);
        await drop(client, first!);
      },
      SETTINGS,
    );
    return true;
  } catch (error) {
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** Whether a row had no partition. */
export function isMissingPartition(error: unknown): boolean {
  return sqlStateOf(error) === NO_PARTITION;
}
