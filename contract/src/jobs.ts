/** Bulk validation of files: upload preview, confirmation, job, results. */
import { type Static, Type } from "typebox";
import { Problem } from "./problems.ts";
import { Count, Moment, Nullable, OneOf, Paging, Uuid } from "./shape.ts";
import { ALL_SUB_STATUSES, DOWNLOAD_FORMATS, JOB_STATUSES, STATUSES } from "./words.ts";

export const UploadPreview = Type.Object({
  upload_id: Uuid("ID of the upload, for the confirm step."),
  filename: Type.String(),
  columns: Type.Array(Type.String(), {
    description: "Column names, or `column_1`, `column_2` and so on without a header row.",
  }),
  suggested_email_column: Type.String({
    description: "Column that contains the emails, detected from its cells and header.",
  }),
  total_rows: Count("Number of data rows."),
  sample_rows: Type.Array(Type.Array(Type.String()), { description: "The first five data rows." }),
  email_count_by_column: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: "Number of cells per column that look like an email.",
  }),
  unique_count_by_column: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: "Number of unique entries, which is the cost in credits, of columns that look like emails.",
  }),
  has_header: Type.Boolean(),
  expires_at: Moment("When the upload is deleted unless confirmed."),
});
export type UploadPreview = Static<typeof UploadPreview>;

export const ConfirmRequest = Type.Object(
  {
    upload_id: Uuid("ID of the upload, from the preview."),
    email_column: Type.String({ minLength: 1, maxLength: 1024 }),
  },
  { additionalProperties: false },
);
export type ConfirmRequest = Static<typeof ConfirmRequest>;

export const JOB_PHASES = ["waiting", "validating", "retrying", "done"] as const;

export const Job = Type.Object({
  id: Uuid("ID of the job."),
  status: OneOf(JOB_STATUSES),
  phase: OneOf(JOB_PHASES, { description: "`retrying` when only greylisted emails are left." }),
  filename: Type.String(),
  email_column: Type.String(),
  created_at: Moment("When the upload was confirmed."),
  started_at: Nullable(Moment("When processing started.")),
  completed_at: Nullable(Moment("When the job completed, failed or was cancelled.")),
  expires_at: Nullable(Moment("When rows and results are deleted.")),
  total_rows: Count("Number of rows in the file."),
  total_emails: Count("Rows with a value in the email column."),
  unique_emails: Count("Unique emails."),
  duplicate_count: Count("Duplicates. They are free."),
  processed: Count("Unique emails with a verdict."),
  progress_percent: Type.Number({ minimum: 0, maximum: 100 }),
  rate_per_second: Type.Number({ minimum: 0 }),
  eta_seconds: Nullable(Count("Estimated seconds until completion.")),
  valid_count: Count("Valid emails so far."),
  invalid_count: Count("Invalid emails so far."),
  risky_count: Count("Risky emails so far."),
  unknown_count: Count("Unknown emails so far."),
  sub_status_counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  credits_reserved: Count("Credits still reserved for the job."),
  credits_used: Count("Credits spent by the job."),
  error: Nullable(Problem),
  results_url: Nullable(Type.String()),
});
export type Job = Static<typeof Job>;

export const JobListQuery = Type.Object({ ...Paging, status: Type.Optional(OneOf(JOB_STATUSES)) });
export type JobListQuery = Static<typeof JobListQuery>;

export const JobQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description: "Seconds to wait for a change of the job before responding.",
    }),
  ),
});
export type JobQuery = Static<typeof JobQuery>;

export const ResultsQuery = Type.Object({ ...Paging, status: Type.Optional(OneOf(STATUSES)) });
export type ResultsQuery = Static<typeof ResultsQuery>;

export const JobResult = Type.Object({
  row: Count("Row of the file. The first data row is 1."),
  email: Type.String(),
  status: OneOf(STATUSES),
  sub_status: OneOf(ALL_SUB_STATUSES),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  is_valid: Type.Boolean(),
  safe_to_send: Type.Boolean(),
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  suggestion: Nullable(Type.String()),
  is_duplicate: Type.Boolean(),
});
export type JobResult = Static<typeof JobResult>;

export const DownloadQuery = Type.Object({
  format: OneOf(DOWNLOAD_FORMATS, { default: "csv" }),
  status: Type.Optional(OneOf(STATUSES)),
});
export type DownloadQuery = Static<typeof DownloadQuery>;
