/**
 * Download of a job: the customer's rows and columns in their order, followed by the verdict columns.
 *
 * Refusals are thrown before the first byte. A later error can only abort the stream.
 */
import type { DownloadFormat, Status } from "@mailvet/contract";
import { VERDICT_COLUMNS } from "@mailvet/engine/list-file";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../db/database.ts";
import { findEndedJob, resultsExpired } from "../jobs/job-list.ts";
import { findUpload } from "../uploads/stored-upload.ts";
import type { UploadFiles } from "../uploads/upload-files.ts";
import { type DownloadTable, FORMAT_WRITERS } from "./download-formats.ts";
import { downloadRows } from "./download-rows.ts";
import { MAX_XLSX_CELLS, MAX_XLSX_ROWS } from "./xlsx-writer.ts";

export type JobDownload = {
  filename: string;
  contentType: string;
  /** Can be read once. Work ends when the reader stops. */
  content: AsyncIterable<string | Buffer>;
};

export type DownloadDeps = { database: Database; files: Pick<UploadFiles, "read"> };

export async function jobDownload(
  { database, files }: DownloadDeps,
  owner: Owner,
  jobId: string,
  { format, status }: { format: DownloadFormat; status?: Status | undefined },
): Promise<JobDownload> {
  const job = await findEndedJob(database, owner, jobId);
  const upload = await findUpload(database.orm, job.uploadId);
  if (!upload) throw resultsExpired();
  const { columns, header, delimiter } = upload;
  if (format === "xlsx") refuseTooLargeForXlsx(job.totalRows, columns.length, 1 + job.moreColumns.length);
  const table: DownloadTable = {
    header: columns.map((column, n) => header?.[n] ?? column),
    columns,
    delimiter,
    emailColumn: job.columnNumber,
    moreColumns: job.moreColumns,
    isTest: job.isTest,
  };
  const { contentType, write } = FORMAT_WRITERS[format];
  return {
    filename: `${withoutExtensions(job.filename)}-results.${format}`,
    contentType,
    content: write(table, downloadRows({ files, pool: await database.readPool() }, upload, job, status)),
  };
}

/** By the size of the whole file, also with a status filter: the number of matching rows is only known at the end. */
function refuseTooLargeForXlsx(rows: number, columns: number, emailColumns: number): void {
  if (rows > MAX_XLSX_ROWS) {
    const counted = `${rows.toLocaleString("en")} rows, and a sheet can have ${MAX_XLSX_ROWS.toLocaleString("en")}`;
    throw new Refusal("payload_too_large", `The file has ${counted}. Download it as CSV instead.`);
  }
  if (rows * (columns + emailColumns * VERDICT_COLUMNS.length) > MAX_XLSX_CELLS) {
    throw new Refusal(
      "payload_too_large",
      "The file has too many cells for a workbook. Download it as CSV instead.",
    );
  }
}

/** "list.csv.gz" → "list". */
function withoutExtensions(filename: string): string {
  return filename.replace(/\.gz$/i, "").replace(/\.(csv|tsv|tab|txt|xlsx|ods)$/i, "") || "list";
}
