/** CSV bulk validation: upload preview, confirmation, and the job with its results. */
import { type Static, Type } from "typebox";
import { KEY_MODES } from "./accounts.ts";
import { Problem } from "./problems.ts";
import { Count, Moment, Nullable, OneOf, Paging, Sandbox, Uuid } from "./shape.ts";
import { RecommendationField } from "./validation.ts";
import { ALL_SUB_STATUSES, DOWNLOAD_FORMATS, JOB_STATUSES, STATUSES } from "./words.ts";

export const UploadPreview = Type.Object({
  upload_id: Uuid("ID of the upload, for the confirmation."),
  sandbox: Sandbox,
  filename: Type.String(),
  columns: Type.Array(Type.String(), {
    description: "Header names, or column_1, column_2 … without a header row.",
  }),
  suggested_email_column: Type.String({ description: "Detected from the cells and the header." }),
  total_rows: Count("Data rows in the file."),
  sample_rows: Type.Array(Type.Array(Type.String()), { description: "The first five data rows." }),
  email_count_by_column: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: "Number of cells that look like an email, by column.",
  }),
  unique_count_by_column: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: "Unique emails, and thus credits, by column with emails.",
  }),
  has_header: Type.Boolean(),
  expires_at: Moment("Unconfirmed uploads are deleted at this time."),
});
export type UploadPreview = Static<typeof UploadPreview>;

export const ConfirmRequest = Type.Object(
  { upload_id: Uuid("From the preview."), email_column: Type.String({ minLength: 1, maxLength: 1024 }) },
  { additionalProperties: false },
);
export type ConfirmRequest = Static<typeof ConfirmRequest>;

const EstimatedCounts = {
  valid: Count("Known to be valid, from a recent check."),
  invalid: Count("Invalid."),
  risky: Count("Risky."),
  undecided: Count("Only the mail server can tell: the job asks it."),
};

export const UploadEstimate = Type.Object({
  upload_id: Uuid("From the preview."),
  email_column: Type.String(),
  sampled: Count("Emails of random rows that were checked, up to DNS."),
  ...EstimatedCounts,
  expected: Nullable(
    Type.Object(EstimatedCounts),
    "The same for the whole list; null while its unique emails are not counted.",
  ),
  credits: Nullable(Count("What the job costs: one credit per unique email.")),
});
export type UploadEstimate = Static<typeof UploadEstimate>;

export const JOB_PHASES = ["waiting", "validating", "retrying", "done"] as const;

export const Job = Type.Object({
  id: Uuid("Identifies the job."),
  sandbox: Sandbox,
  status: OneOf(JOB_STATUSES),
  phase: OneOf(JOB_PHASES, { description: '"retrying" when only greylisted rows are left.' }),
  filename: Type.String(),
  email_column: Type.String(),
  attempt: Type.Integer({ minimum: 1, description: "1, and one more for each recheck." }),
  created_at: Moment("Confirmation time."),
  started_at: Nullable(Moment("Start time.")),
  completed_at: Nullable(Moment("End time, whether completed, failed or cancelled.")),
  expires_at: Nullable(Moment("When its rows are deleted.")),
  total_rows: Count("Rows in the file."),
  total_emails: Count("Rows with an email."),
  unique_emails: Count("Unique emails."),
  duplicate_count: Count("Duplicates; free."),
  processed: Count("Unique emails with a verdict."),
  progress_percent: Type.Number({ minimum: 0, maximum: 100 }),
  rate_per_second: Type.Number({ minimum: 0 }),
  eta_seconds: Nullable(Count("Seconds.")),
  valid_count: Count("Valid so far."),
  invalid_count: Count("Invalid so far."),
  risky_count: Count("Risky so far."),
  unknown_count: Count("Unknown so far."),
  sub_status_counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  credits_reserved: Count("Credits still reserved."),
  credits_used: Count("Credits spent: one per unique email with a verdict."),
  credits_refunded: Count(
    "Of these, credits that were returned at the end, for results that are our own fault.",
  ),
  error: Nullable(Problem),
  results_url: Nullable(Type.String()),
});
export type Job = Static<typeof Job>;

export const RECHECK_CHOICES = ["unknown", "risky", "all", "filter"] as const;

export const RecheckRequest = Type.Object(
  {
    which: OneOf(RECHECK_CHOICES, { description: "Results to ask again for." }),
    filter: Type.Optional(
      Type.Object(
        {
          status: Type.Optional(OneOf(STATUSES)),
          sub_status: Type.Optional(OneOf(ALL_SUB_STATUSES)),
          provider: Type.Optional(Type.String({ maxLength: 100 })),
          domain: Type.Optional(Type.String({ maxLength: 255 })),
          min_score: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
          max_score: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
        },
        { additionalProperties: false, description: "With `which: filter`: all of these must apply." },
      ),
    ),
  },
  { additionalProperties: false },
);
export type RecheckRequest = Static<typeof RecheckRequest>;

export const JobListQuery = Type.Object(
  { ...Paging, status: Type.Optional(OneOf(JOB_STATUSES)) },
  { additionalProperties: false },
);
export type JobListQuery = Static<typeof JobListQuery>;

export const JobQuery = Type.Object(
  {
    wait: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 30, description: "Long polling: seconds to wait for a change." }),
    ),
  },
  { additionalProperties: false },
);
export type JobQuery = Static<typeof JobQuery>;

export const ResultsQuery = Type.Object(
  {
    ...Paging,
    after_row: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description:
          "Only rows after this one: the last row of the page before. Takes the same time on every page, unlike `skip`.",
      }),
    ),
    status: Type.Optional(OneOf(STATUSES)),
  },
  { additionalProperties: false },
);
export type ResultsQuery = Static<typeof ResultsQuery>;

export const JobResult = Type.Object({
  row: Count("Row number; the first data row is 1."),
  email: Type.String(),
  status: OneOf(STATUSES),
  sub_status: OneOf(ALL_SUB_STATUSES),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  is_valid: Type.Boolean(),
  safe_to_send: Type.Boolean(),
  recommendation: RecommendationField,
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  suggestion: Nullable(Type.String()),
  is_duplicate: Type.Boolean(),
  previous_status: Nullable(OneOf(STATUSES), "Before the last recheck of this row; null without one."),
  previous_sub_status: Nullable(OneOf(ALL_SUB_STATUSES)),
  sandbox: Sandbox,
});
export type JobResult = Static<typeof JobResult>;

export const DownloadQuery = Type.Object(
  {
    format: Type.Optional(
      OneOf(DOWNLOAD_FORMATS, {
        description: "Default: the first that the Accept header allows, so usually csv.",
      }),
    ),
    status: Type.Optional(OneOf(STATUSES)),
    mode: Type.Optional(
      OneOf(KEY_MODES, { description: "For links of the web app, instead of the header `X-Mailvet-Mode`." }),
    ),
  },
  { additionalProperties: false },
);
export type DownloadQuery = Static<typeof DownloadQuery>;
