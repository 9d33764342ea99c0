/** Rows of a job's file as uploaded, each with its verdict. Read part by part, so memory stays flat. */
import { type Language, type ResultColumn, recommendationOf } from "@mailvet/contract";
import { cellsOf, type VerdictCells } from "@mailvet/engine/list-file";
import type pg from "pg";
import { inTimeSlices } from "../base/event-loop-yield.ts";
import { firstCellOf, placeOf } from "../jobs/job-columns.ts";
import { resultsExpired } from "../jobs/job-list.ts";
import type { JobRow } from "../jobs/job-record.ts";
import { hasResults } from "../jobs/result-rows.ts";
import { type InspectEmail, reportOfRow, type StoredRow } from "../jobs/results/result-from-evidence.ts";
import { isFiltered, type ResultSelection } from "../jobs/results/result-query.ts";
import { readOrder, readVerdicts, type SharedRows } from "../jobs/results/result-reader.ts";
import type { StoredFile, UploadFiles, UploadPart } from "../uploads/upload-files.ts";

export type DownloadRow = {
  /** From 1. */
  number: number;
  cells: readonly string[];
  /** Undefined: the cell is empty, or the job ended before this row was checked. While it waits, only the status. */
  verdict: RowVerdict | undefined;
  /** Of further email columns. */
  more: readonly (RowVerdict | undefined)[];
};

/** With the email as spelled in this row. */
export type RowVerdict = Partial<VerdictCells> & { email?: string };

export type DownloadSource = {
  pool: pg.Pool;
  files: Pick<UploadFiles, "read">;
  inspect: InspectEmail;
  language: Language | undefined;
  /** Columns that are wanted. Some are derived from the evidence, which takes most of the time. */
  fields: readonly ResultColumn[];
  upload: StoredFile;
  job: JobRow;
  /** After each time slice (base/event-loop-yield.ts). */
  restMs: number | undefined;
};

const PENDING: RowVerdict = { status: "pending" };
/** Not stored with a result (result-from-evidence.ts). */
const DERIVED: ReadonlySet<ResultColumn> = new Set(["reason", "flags", "mx_host", "ai_reasons"]);
/** Rows of a sorted file that are collected in one pass over the upload. */
const SORTED_AT_ONCE = 20_000;
/** Evidence that rows share is read once for rows near each other. */
const MAX_SHARED = 5_000;

/**
 * No transaction is held open: a slow reader locks nothing. `cells`: what the selection was before, in its order. Verdicts that
 * have changed since then are still of this selection.
 */
export async function* downloadRows(
  source: DownloadSource,
  selection: ResultSelection,
  cells?: readonly number[],
): AsyncGenerator<DownloadRow[]> {
  const { sort } = selection;
  yield* sort === undefined || sort === "row"
    ? inFileOrder(source, selection, cells && flagged(source.job, cells))
    : sorted(source, selection, cells);
}

/** Rows with none of these cells: without an email, or not checked before the end of the job. */
export function rowsWithout(
  source: DownloadSource,
  cells: readonly (readonly number[])[],
): AsyncGenerator<DownloadRow[]> {
  const { job } = source;
  const others = flagged(job, []).fill(1);
  const width = 1 + job.moreColumns.length;
  for (const cell of cells.flat()) {
    const first = firstCellOf(job, placeOf(job, cell).row);
    others.fill(0, first, first + width);
  }
  return inFileOrder(source, {}, others);
}

/** 1 for each of these cells, by number. */
function flagged(job: JobRow, cells: readonly number[]): Uint8Array {
  const flags = new Uint8Array(firstCellOf(job, job.totalRows + 1));
  for (const cell of cells) flags[cell] = 1;
  return flags;
}

const hasVerdict = ({ verdict, more }: DownloadRow) => [verdict, ...more].some((one) => one !== undefined);

async function* inFileOrder(
  { pool, files, inspect, language, fields, upload, job, restMs }: DownloadSource,
  selection: ResultSelection,
  wanted?: Uint8Array,
): AsyncGenerator<DownloadRow[]> {
  let rowsRead = 0;
  const isDerived = fields.some((field) => DERIVED.has(field));
  const shared: SharedRows = new Map();
  // Before the verdicts: a row that is settled meanwhile has one then.
  const pending = new Set(wanted ? [] : await readOrder(pool, job, selection, "pending"));
  const wasPending = wanted !== undefined && selection.status === "pending";
  const isPending = (cell: number) => (wasPending ? wanted[cell] === 1 : pending.has(cell));
  const verdictsOf = async (from: number, to: number): Promise<Map<number, StoredRow>> => {
    if (!wanted) return readVerdicts(pool, job, selection, from, to, shared);
    const cells: number[] = [];
    if (!wasPending) for (let cell = from; cell < to; cell++) if (wanted[cell] === 1) cells.push(cell);
    return cells.length === 0 ? new Map() : readVerdicts(pool, job, {}, from, to, shared, cells);
  };
  const withVerdicts = async (part: UploadPart): Promise<DownloadRow[]> => {
    const { firstRow, rows } = part;
    const [from, to] = [firstCellOf(job, firstRow), firstCellOf(job, firstRow + rows.length)];
    const found = await verdictsOf(from, to);
    if (shared.size > MAX_SHARED) shared.clear();
    const verdictAt = (cell: number): RowVerdict | undefined => {
      const { email, verdict, is_duplicate } = found.get(cell) ?? {};
      if (email === undefined || !verdict) return isPending(cell) ? PENDING : undefined;
      const verdictCells = isDerived
        ? cellsOf(reportOfRow(inspect, email, verdict, language))
        : { ...verdict, recommendation: recommendationOf(verdict) };
      return { ...verdictCells, is_duplicate: is_duplicate ?? false, email };
    };
    const rowOf = (cells: readonly string[], n: number): DownloadRow => {
      const number = firstRow + n;
      const cell = firstCellOf(job, number);
      const more = job.moreColumns.map((_, index) => verdictAt(cell + 1 + index));
      return { number, cells, verdict: verdictAt(cell), more };
    };
    return inTimeSlices(rows, rowOf, restMs);
  };
  const isSelected = (row: DownloadRow) => {
    if (!wanted) return hasVerdict(row);
    const cell = firstCellOf(job, row.number);
    return wanted.subarray(cell, cell + 1 + row.more.length).includes(1);
  };
  const isWhole = !wanted && !isFiltered(selection);
  for await (const rows of oneAhead(files.read(pool, upload), withVerdicts)) {
    rowsRead += rows.length;
    yield isWhole ? rows : rows.filter(isSelected);
  }
  // Rows deleted during the download are missing, and an incomplete file must not look complete.
  if (rowsRead < job.totalRows || !(await hasResults(pool, job.id))) throw resultsExpired();
}

/** One pass over the upload for every so many rows. Rows without an email come last. */
async function* sorted(
  source: DownloadSource,
  selection: ResultSelection,
  chosen?: readonly number[],
): AsyncGenerator<DownloadRow[]> {
  const { sort: _, ...filter } = selection;
  const cells = chosen ?? (await readOrder(source.pool, source.job, selection, "all"));
  const wanted = chosen && flagged(source.job, chosen);
  const order = [...new Set(cells.map((cell) => placeOf(source.job, cell).row))];
  for (let first = 0; first < order.length; first += SORTED_AT_ONCE) {
    const numbers = order.slice(first, first + SORTED_AT_ONCE);
    const found = new Map<number, DownloadRow | undefined>(numbers.map((number) => [number, undefined]));
    for await (const rows of inFileOrder(source, filter, wanted))
      for (const row of rows) if (found.has(row.number)) found.set(row.number, row);
    yield numbers.flatMap((number) => found.get(number) ?? []);
  }
  if (isFiltered(filter)) return;
  const isSorted = new Set(order);
  for await (const rows of inFileOrder(source, filter))
    yield rows.filter(({ number }) => !isSorted.has(number));
}

/** Maps each item, starting while the previous result is still being consumed. */
async function* oneAhead<T, R>(items: AsyncIterable<T>, make: (item: T) => Promise<R>): AsyncGenerator<R> {
  let previous: Promise<R> | undefined;
  for await (const item of items) {
    const next = make(item);
    next.catch(() => {}); // awaited below, unless the reader stops
    if (previous) yield await previous;
    previous = next;
  }
  if (previous) yield await previous;
}
