/** CSV bulk validation: the upload's preview, its confirmation, and the job that comes of it. */
import { type Static, Type } from "typebox";
import { Problem } from "./problems.ts";
import { Count, Moment, Nullable, OneOf, Paging, Uuid } from "./shape.ts";
import { ALL_SUB_STATUSES, DOWNLOAD_FORMATS, JOB_STATUSES, STATUSES } from "./words.ts";

export const UploadPreview = Type.Object({
  upload_id: Uuid("Identifies the file in the confirm step."),
  filename: Type.String(),
  columns: Type.Array(Type.String(), {
    description: "Headers, or column_1, column_2 … without a header row.",
  }),
  suggested_email_column: Type.String({ description: "Judged from the cells, not only from the header." }),
  total_rows: Count("Data rows in the file."),
  sample_rows: Type.Array(Type.Array(Type.String()), { description: "The first five data rows." }),
  email_count_by_column: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: "Cells that look like an email.",
  }),
  unique_count_by_column: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: "Different entries, and so credits, of the columns that look like emails.",
  }),
  has_header: Type.Boolean(),
  expires_at: Moment("An upload that is not confirmed by then is erased."),
});
export type UploadPreview = Static<typeof UploadPreview>;

export const ConfirmRequest = Type.Object(
  { upload_id: Uuid("From the preview."), email_column: Type.String({ minLength: 1, maxLength: 1024 }) },
  { additionalProperties: false },
);
export type ConfirmRequest = Static<typeof ConfirmRequest>;

export const JOB_PHASES = ["waiting", "validating", "retrying", "done"] as const;

export const Job = Type.Object({
  id: Uuid("Identifies the job."),
  status: OneOf(JOB_STATUSES),
  phase: OneOf(JOB_PHASES, { description: '"retrying" when only greylisted rows are left.' }),
  filename: Type.String(),
  email_column: Type.String(),
  created_at: Moment("When it was confirmed."),
  started_at: Nullable(Moment("When the first row was taken up.")),
  completed_at: Nullable(Moment("When it ended, in whatever way.")),
  expires_at: Nullable(Moment("When its rows are erased.")),
  total_rows: Count("Rows in the file."),
  total_emails: Count("Rows with something in the email column."),
  unique_emails: Count("Different emails among them."),
  duplicate_count: Count("Repetitions; they cost nothing."),
  processed: Count("Unique emails that have a verdict."),
  progress_percent: Type.Number({ minimum: 0, maximum: 100 }),
  rate_per_second: Type.Number({ minimum: 0 }),
  eta_seconds: Nullable(Count("Seconds.")),
  valid_count: Count("Valid so far."),
  invalid_count: Count("Invalid so far."),
  risky_count: Count("Risky so far."),
  unknown_count: Count("Unknown so far."),
  sub_status_counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  credits_reserved: Count("Still held for this job."),
  credits_used: Count("Spent by this job."),
  error: Nullable(Problem),
  results_url: Nullable(Type.String()),
});
export type Job = Static<typeof Job>;

export const JobListQuery = Type.Object({ ...Paging, status: Type.Optional(OneOf(JOB_STATUSES)) });
export type JobListQuery = Static<typeof JobListQuery>;

export const JobQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 30, description: "Hold the answer until it changes." }),
  ),
});
export type JobQuery = Static<typeof JobQuery>;

export const ResultsQuery = Type.Object({ ...Paging, status: Type.Optional(OneOf(STATUSES)) });
export type ResultsQuery = Static<typeof ResultsQuery>;

export const JobResult = Type.Object({
  row: Count("Row of the file, the first data row being 1."),
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
