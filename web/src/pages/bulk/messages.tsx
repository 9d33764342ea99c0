/** Texts of the bulk page: upload, preview, list of jobs. */
import type { JobStatus, Status } from "@mailvet/contract";
import type { ProblemCode } from "@mailvet/sdk";
import type { ReactNode } from "react";
import { formatNumber, LEFT_TO_RIGHT, plural } from "../../components/number-format.ts";
import { common } from "../../messages.ts";

const SAVE_AS_CSV = "In Excel, Numbers or Google Sheets, save it as XLSX or CSV, then choose that file.";
const CHOOSE_AGAIN = "Choose the file again.";
const WAIT = "Wait a moment and retry.";

export type UploadProblem = { detail: string; found?: number | undefined; limit?: number | undefined };

export const messages = {
  title: "Bulk",
  intro: "Validate a list: choose a file, review the preview, start the job.",
  previewGone: "Preview no longer available",
  previewGoneText: "It was started, discarded, or has expired. Choose the file again.",

  upload: {
    input: "File with emails",
    title: "Drop or choose your list",
    release: "Release to upload",
    hint: "Excel (XLSX), ODS, CSV, TSV or plain text, optionally gzipped, with or without a header row. You'll see a preview before anything is charged.",
    limits: (emails: number, megabytes: number) =>
      `Up to ${common.emails(emails)} and ${formatNumber(megabytes)} MB per file; larger lists run as one group.`,
    choose: common.chooseFile,
    ways: "How to send the list",
    files: "Files",
    paste: "Paste",
    link: "Link",
    tooManyFiles: (limit: number) => `Choose at most ${limit} files.`,
    several: "Choose up to 10 files to validate them as one list.",
    severalNames: (first: string, more: number) => `${first} and ${more} more`,
    pasteLabel: "Emails",
    pasteHint:
      "Any separators, with or without names, or cells copied from a spreadsheet. Ctrl-V works anywhere on this page.",
    pasteExample: "Ann Miller <ann@example.com>, bob@example.com",
    pastedName: "pasted-list.csv",
    linkLabel: "Link to a file",
    linkHint: "A public https address of a CSV, XLSX or ODS file.",
    linkExample: "https://example.com/customers.xlsx",
    preview: "Preview",
    downloading: (url: string) => `Downloading ${url}`,
    downloadingHint: "Rows are counted during the download.",
    tooLarge: (name: string, size: string, megabytes: number) =>
      `${name} is ${size}; the limit is ${formatNumber(megabytes)} MB. Compress it with gzip, or split it.`,
    uploading: (name: string) => `Uploading ${name}`,
    uploadingHint: (size: string) => `${size}. Rows are counted during the upload.`,
    kilobytes: (count: number) => `${count} kB`,
    megabytes: (count: string) => `${count} MB`,
    failed: "Upload failed",
  },

  /** Between title and advice of a rejected upload. */
  uploadDetail: ({ detail }: UploadProblem): string => detail,
  /** Title and advice for each rejected upload. */
  uploadErrors: {
    empty_file: ["The file is empty", "Choose a file with one address per row."],
    not_a_table: [
      "The file can't be read as a table",
      "Choose a file with one address per row, and at most 65,536 characters per cell.",
    ],
    unsupported_file: ["Unsupported file type", SAVE_AS_CSV],
    unsupported_media_type: ["Unsupported file type", SAVE_AS_CSV],
    undecodable_file: ["The file can't be read", "Save it again as XLSX, or as CSV in UTF-8."],
    link_rejected: ["This link is not allowed", "Use a public https address."],
    link_failed: ["The file could not be downloaded", "Check the link, or upload the file."],
    sheet_not_found: ["No such sheet", CHOOSE_AGAIN],
    compression_bomb: [
      "The uncompressed file is too large",
      "Extract it and upload only the part with the addresses.",
    ],
    no_emails_found: [
      "No emails found",
      "Check that it is the right file: one column must contain the addresses.",
    ],
    payload_too_large: ["The file is too large", "Compress it with gzip, or split it into several files."],
    too_many_rows: ["The file has too many rows", "Split it into several files."],
    too_many_emails: ["The file has too many emails", "Split it and start one job per part."],
    too_many_uploads: ["Too many unconfirmed uploads", "Start one of them, or wait until they expire."],
    storage_full: ["No space left", "Delete jobs and saved lists you no longer need."],
    rate_limited: ["Too many requests", WAIT],
    overloaded: ["The service is busy", WAIT],
    insufficient_credits: ["Not enough credits", "Choose a shorter list, or get more credits first."],
    upload_not_found: ["File no longer available", CHOOSE_AGAIN],
    upload_expired: ["The upload has expired", CHOOSE_AGAIN],
    email_column_not_found: ["No such column", "Choose another column."],
    too_many_active_jobs: ["Too many active jobs", "Wait until one finishes, or cancel one below."],
    job_state_conflict: ["This file was already started", "Its job is in the list below."],
  } as Partial<Record<ProblemCode, readonly [title: string, advice: string]>>,

  preview: {
    summary: (rows: number, columns: number, expiresAt: ReactNode) => (
      <>
        {common.rows(rows)}, {common.columns(columns)}. Nothing is charged yet. The file is kept until{" "}
        {expiresAt}.
      </>
    ),
    chooseOther: "Choose another file",
    sheet: "Sheet",
    sheetGone: "Choose the file again for another sheet.",
    sheetWithoutEmails: (sheet: string) => `No emails in “${sheet}”`,
    otherSheet: "Choose another sheet.",
    moreColumns: "More email columns",
    moreColumnsHint: (limit: number, others: number) =>
      others > limit ? `Checked in the same job. At most ${limit}.` : "Checked in the same job.",
    column: "Email column",
    suggested: "Detected automatically.",
    columnOption: (name: string, emails: number) =>
      `${name}${LEFT_TO_RIGHT} · ${emails === 0 ? "no emails" : common.emails(emails)}`,
    columnEmails: (emails: number) => (emails === 0 ? "No emails" : common.emails(emails)),
    columnChosen: "Email column",
    table: "First rows of the file",
    caption: (shown: number, total: number, hiddenColumns: number, hasHeader: boolean) =>
      `First ${common.rows(shown)} of ${formatNumber(total)}${
        hiddenColumns > 0 ? `, ${plural(hiddenColumns, "column")} hidden` : ""
      }. ${hasHeader ? "The header row is not counted." : "The file has no header row."}`,
    start: "Start validation",
    missingCredits: (missing: number) => `${common.credits(missing)} missing.`,
    viewCredits: "View credits",
  },

  cost: {
    validFormat: "Valid format",
    ofRows: (rows: number) => `of ${common.rows(rows)}`,
    inColumns: (columns: number) => `in ${common.columns(columns)}`,
    unique: "Unique emails",
    uniqueHint: "Each is validated once",
    uniqueLater: "Counted at start",
    duplicates: "Duplicates and blanks",
    duplicatesHint: "Free of charge",
    cost: "Cost",
    balance: (balance: number) => `${common.credits(balance)} available`,
    left: (left: number) => `${common.credits(left)} left afterwards`,
  },

  estimate: {
    start: "Estimate for free",
    hint: "Checks up to 200 random rows against syntax, lists and DNS. Takes a few seconds.",
    names: {
      undecided: "Needs a mail server",
      valid: "Valid",
      risky: "Risky",
      invalid: "Invalid",
    },
    hints: {
      undecided: "Decided by the job",
      valid: "From recent checks",
      risky: "Disposable, for example",
      invalid: "Would bounce",
    },
    basis: (sampled: number, isScaled: boolean) =>
      isScaled
        ? `Estimated for the whole list from ${common.emails(sampled)} at random.`
        : `Of ${common.emails(sampled)} at random.`,
  },

  jobs: {
    title: "Jobs",
    filter: "Filter jobs by status",
    allStatuses: "All statuses",
    failed: "Jobs could not be loaded",
    noneWithStatus: "No jobs with this status",
    showAll: "Show all jobs",
    none: "No jobs yet",
    noneText: "Every list you validate is listed here with its results until they expire.",
    progress: "Emails with a verdict",
    waitingForServers: "waiting for servers",
    columns: {
      file: "File",
      status: "Status",
      verdicts: "Verdicts",
      emails: "Emails",
      safe: "Safe",
      created: "Created",
    },
    ofEmails: (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)}`,
    count: (count: number, status: Status) => `${formatNumber(count)} ${status}`,
  },

  jobStatus: {
    queued: "Queued",
    processing: "Validating",
    paused: "Paused",
    completed: "Completed",
    failed: "Failed",
    cancelled: "Cancelled",
  } satisfies Record<JobStatus, string>,
  phases: { retrying: "Retrying", waiting_for_provider: "Waiting for a provider", finishing: "Finishing" },
};
