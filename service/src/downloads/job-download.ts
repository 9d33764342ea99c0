/**
 * Download of a job: the customer's rows and columns, followed by the verdict columns; while the job runs, what there is.
 *
 * Refusals are thrown before the first byte. A later error can only abort the stream.
 */
import {
  type DownloadFormat,
  type DownloadQuery,
  type Language,
  RESULT_COLUMNS,
  RESULT_STATUSES,
  type ResultColumn,
} from "@mailvet/contract";
import { ownColumns } from "@mailvet/engine/list-file";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../db/database.ts";
import { columnsOf } from "../jobs/job-columns.ts";
import { findReadableJob, resultsExpired } from "../jobs/job-list.ts";
import { type PartialResults, partialOf } from "../jobs/results/job-results.ts";
import type { InspectEmail } from "../jobs/results/result-from-evidence.ts";
import { isFiltered, type ResultSelection } from "../jobs/results/result-query.ts";
import { readOrders } from "../jobs/results/result-reader.ts";
import { findUpload } from "../uploads/stored-upload.ts";
import type { UploadFiles } from "../uploads/upload-files.ts";
import { CONTENT_TYPES, type DownloadTable, FORMAT_WRITERS } from "./download-formats.ts";
import { downloadName } from "./download-name.ts";
import { type DownloadRow, type DownloadSource, downloadRows, rowsWithout } from "./download-rows.ts";
import { MAX_XLSX_CELLS, MAX_XLSX_ROWS } from "./xlsx-writer.ts";
import { zipArchive } from "./zip-archive.ts";

export type JobDownload = {
  filename: string;
  contentType: string;
  /** Undefined: the job has ended. */
  partial: PartialResults | undefined;
  /** Can be read once. Work ends when the reader stops. */
  content: AsyncIterable<string | Buffer>;
};

export type DownloadDeps = { database: Database; files: Pick<UploadFiles, "read">; inspect: InspectEmail };

export type DownloadRequest = Omit<DownloadQuery, "format" | "mode"> & {
  format: DownloadFormat;
  /** Of the reasons; English by default. */
  language?: Language | undefined;
  /** After each time slice: for an export, which no caller waits for. */
  restMs?: number;
  /** The Accept-Language header: whose Excel will open the file. */
  locales?: string | undefined;
};

export async function jobDownload(
  { database, files, inspect }: DownloadDeps,
  owner: Owner,
  jobId: string,
  {
    format,
    final,
    columns: wanted,
    dialect,
    separator,
    language,
    locales,
    restMs,
    ...selection
  }: DownloadRequest,
): Promise<JobDownload> {
  const job = await findReadableJob(database, owner, jobId, final);
  const upload = await findUpload(database.orm, job.uploadId);
  if (!upload) throw resultsExpired();
  const { columns, header, delimiter } = upload;
  const names = wanted?.split(",") ?? [];
  const chosen = names.filter((name): name is ResultColumn => name !== "email");
  const forExcel = dialect === "excel";
  const isEmailOnly = names.includes("email");
  const emailColumns = columnsOf(job);
  const table: DownloadTable = {
    header: columns.map((column, n) => header?.[n] ?? column),
    columns,
    ownColumns: isEmailOnly ? emailColumns : ownColumns(upload, emailColumns),
    delimiter: separator ?? (forExcel ? excelSeparator(locales) : delimiter),
    emailColumn: job.columnNumber,
    fields: wanted === undefined ? RESULT_COLUMNS : chosen,
    isEmailOnly,
    hasByteOrderMark: forExcel,
    moreColumns: job.moreColumns,
    isTest: job.isTest,
    restMs,
  };
  if (format === "xlsx")
    refuseTooLargeForXlsx(job.totalRows, columns.length + (1 + job.moreColumns.length) * table.fields.length);
  const partial = partialOf(job);
  const source: DownloadSource = {
    pool: await database.readPool(),
    files,
    inspect,
    language,
    fields: table.fields,
    upload,
    job,
    restMs,
  };
  const nameOf = (filter: ResultSelection, as: DownloadFormat) =>
    downloadName(job.filename, filter, { format: as, isPartial: partial !== undefined });
  const parts = () => {
    const statuses = selection.status?.split(",") ?? RESULT_STATUSES;
    const filters = statuses
      .filter((status) => status !== "pending" || partial !== undefined)
      .map((status) => ({ ...selection, status }));
    // Read once, when the archive is: a row whose status changes meanwhile would be in two of its files, or in none.
    let orders: Promise<number[][]> | undefined;
    const csvOf = (rowsOf: (orders: number[][]) => AsyncIterable<DownloadRow[]>) =>
      FORMAT_WRITERS.csv(
        table,
        (async function* () {
          orders ??= readOrders(source.pool, job, filters);
          yield* rowsOf(await orders);
        })(),
      );
    const entries = filters.map((filter, n) => ({
      name: entryName(nameOf(filter, "csv")),
      content: csvOf((cells) => downloadRows(source, filter, cells[n])),
    }));
    if (isFiltered(selection)) return entries;
    const name = downloadName(
      job.filename,
      {},
      { format: "csv", isPartial: partial !== undefined, all: "without-verdict" },
    );
    const content = csvOf((cells) => rowsWithout(source, cells));
    return [...entries, { name: entryName(name), content }];
  };
  return {
    filename: nameOf(selection, format),
    contentType: CONTENT_TYPES[format],
    partial,
    content:
      format === "zip" ? zipArchive(parts()) : FORMAT_WRITERS[format](table, downloadRows(source, selection)),
  };
}

/** Where the decimal separator is a comma, Excel separates cells by semicolons. */
function excelSeparator(locales = ""): string {
  const [locale = ""] = locales.split(/[,;]/, 1);
  try {
    const parts = new Intl.NumberFormat(locale.trim() || "en").formatToParts(0.5);
    return parts.some(({ type, value }) => type === "decimal" && value === ",") ? ";" : ",";
  } catch {
    return ","; // not a language tag, such as *
  }
}

/** By the size of the whole file, also with a filter: the number of matching rows is only known at the end. */
function refuseTooLargeForXlsx(rows: number, columns: number): void {
  if (rows > MAX_XLSX_ROWS) {
    const counted = `${rows.toLocaleString("en")} rows, and a sheet can have ${MAX_XLSX_ROWS.toLocaleString("en")}`;
    throw new Refusal("payload_too_large", `The file has ${counted}. Download it as CSV instead.`);
  }
  if (rows * columns > MAX_XLSX_CELLS) {
    throw new Refusal(
      "payload_too_large",
      "The file has too many cells for a workbook. Download it as CSV instead.",
    );
  }
}

/** A name inside an archive that every system can unpack. */
function entryName(name: string): string {
  return name.replace(/[\\/:*?"<>|\p{Cc}]/gu, "_");
}
