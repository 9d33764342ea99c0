/**
 * A job's file with the verdicts: the customer's own rows and columns in their order, and ours after them.
 *
 * Everything that can be refused is refused before the first byte; from then on trouble can only cut the file short.
 */
import type { DownloadQuery } from "@mailvet/contract";
import { VERDICT_COLUMNS } from "@mailvet/engine/list-file";
import { eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { findEndedJob, resultsExpired } from "../jobs/job-list.ts";
import { Refusal } from "../refusal.ts";
import { uploads } from "../uploads/schema.ts";
import { DOWNLOAD_FORMATS, type DownloadTable } from "./download-formats.ts";
import { downloadRows } from "./download-rows.ts";
import { MAX_XLSX_CELLS, MAX_XLSX_ROWS } from "./xlsx-writer.ts";

export type JobDownload = {
  filename: string;
  contentType: string;
  /** Read once. Whoever stops reading ends the work. */
  content: AsyncIterable<string | Buffer>;
};

export async function jobDownload(
  database: Database,
  accountId: string,
  jobId: string,
  { format, status }: DownloadQuery,
): Promise<JobDownload> {
  const job = await findEndedJob(database, accountId, jobId);
  const [upload] = await database.orm.select().from(uploads).where(eq(uploads.id, job.uploadId));
  if (!upload) throw resultsExpired();
  const { columns, header, delimiter } = upload;
  if (format === "xlsx") requireRoomInSheet(job.totalRows, columns.length);
  const table: DownloadTable = {
    header: columns.map((column, n) => header?.[n] ?? column),
    columns,
    delimiter,
    emailColumn: job.columnNumber,
  };
  const { contentType, write } = DOWNLOAD_FORMATS[format];
  return {
    filename: `${withoutExtensions(job.filename)}-results.${format}`,
    contentType,
    content: write(table, downloadRows(database.pool, job, status)),
  };
}

/** Judged by the whole file, also when only a part of it is wanted: how many rows that is, only the end would tell. */
function requireRoomInSheet(rows: number, columns: number): void {
  if (rows > MAX_XLSX_ROWS) {
    const counted = `${rows.toLocaleString("en")} rows, and a sheet holds ${MAX_XLSX_ROWS.toLocaleString("en")}`;
    throw new Refusal("payload_too_large", `The file has ${counted}. Fetch it as csv instead.`);
  }
  if (rows * (columns + VERDICT_COLUMNS.length) > MAX_XLSX_CELLS) {
    throw new Refusal(
      "payload_too_large",
      "The file has too many cells for a workbook. Fetch it as csv instead.",
    );
  }
}

/** "list.csv.gz" is "list". */
function withoutExtensions(filename: string): string {
  return filename.replace(/\.gz$/i, "").replace(/\.(csv|tsv|tab|txt)$/i, "") || "list";
}
