/** The rows of a job's file as they came, each with its verdict: part by part, so that memory does not grow with the file. */
import type { Status } from "@mailvet/contract";
import type { VerdictCells } from "@mailvet/engine/list-file";
import type pg from "pg";
import { resultsExpired } from "../jobs/job-list.ts";
import type { JobRow } from "../jobs/job-record.ts";
import { readParts, type UploadPart } from "../uploads/upload-parts.ts";

export type DownloadRow = {
  /** From 1. */
  number: number;
  cells: readonly string[];
  /** Absent when the cell is empty, or the job ended before it came to this one. */
  verdict: RowVerdict | undefined;
};

/** With the email as this very row spells it. */
export type RowVerdict = VerdictCells & { email: string };

/** Each statement stands by itself: a download may take as long as its reader likes without holding anything. */
export async function* downloadRows(
  pool: pg.Pool,
  job: JobRow,
  status: Status | undefined,
): AsyncGenerator<DownloadRow[]> {
  let rowsRead = 0;
  const parts = oneAhead(readParts(pool, job.uploadId), (part) => judged(pool, job, part));
  for await (const { part, verdicts } of parts) {
    rowsRead += part.rows.length;
    const rows = part.rows.map((cells, n): DownloadRow => {
      const number = part.firstRow + n;
      return { number, cells, verdict: verdicts.get(number) };
    });
    yield status === undefined ? rows : rows.filter(({ verdict }) => verdict?.status === status);
  }
  // What was erased meanwhile is missing, and a file that misses something must not look like a whole one.
  if (rowsRead < job.totalRows || !(await isStillThere(pool, job))) throw resultsExpired();
}

async function isStillThere(pool: pg.Pool, { id }: JobRow): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "download-still-there",
    text: "select from jobs where id = $1 and erased_at is null and (expires_at is null or expires_at > now())",
    values: [id],
  });
  return rowCount === 1;
}

type Judged = { part: UploadPart; verdicts: Map<number, RowVerdict> };

async function judged(pool: pg.Pool, job: JobRow, part: UploadPart): Promise<Judged> {
  const { rows } = await pool.query<{ verdicts: (RowVerdict & { row: number })[] | null }>({
    name: "download-verdicts",
    text: VERDICTS,
    values: [job.id, part.firstRow, part.firstRow + part.rows.length],
  });
  const verdicts = rows[0]?.verdicts ?? [];
  return { part, verdicts: new Map(verdicts.map((verdict) => [verdict.row, verdict])) };
}

const COLUMNS = `
  status, sub_status, confidence, is_valid, safe_to_send, score, suggestion, provider, is_catchall, is_disposable,
  is_role_based, is_free, smtp_code,
  to_char(checked_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as checked_at`;

// As one piece of JSON, which takes this process a fraction of the time that a thousand rows of the driver take.
// "offset 0" makes each repeated row look up its own verdict, whatever the planner believes of tables that are new to it.
const VERDICTS = `
  select json_agg(verdict) as verdicts from (
    select row, email, ${COLUMNS}, false as is_duplicate
      from results
     where job_id = $1 and row >= $2 and row < $3
    union all
    select d.row, d.email, first.*, true as is_duplicate
      from duplicates d, lateral (
        select ${COLUMNS} from results where job_id = d.job_id and row = d.first_row offset 0
      ) first
     where d.job_id = $1 and d.row >= $2 and d.row < $3
  ) verdict`;

/** What is made of each item, begun while the one before it is still looked at. */
async function* oneAhead<T, R>(items: AsyncIterable<T>, make: (item: T) => Promise<R>): AsyncGenerator<R> {
  let before: Promise<R> | undefined;
  for await (const item of items) {
    const next = make(item);
    next.catch(() => {}); // heard of when its turn comes, if it comes
    if (before) yield await before;
    before = next;
  }
  if (before) yield await before;
}
