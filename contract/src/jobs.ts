/** CSV bulk validation: upload preview, confirmation, and the job with its results. */
import { type Static, Type } from "typebox";
import { KEY_MODES } from "./accounts.ts";
import { Problem } from "./problems.ts";
import { Count, Moment, Nullable, OneOf, Paging, Sandbox, Uuid } from "./shape.ts";
import { ALL_SUB_STATUSES, DOWNLOAD_FORMATS, JOB_STATUSES, LEVELS, STATUSES } from "./words.ts";

export const UploadPreview = Type.Object({
  upload_id: Uuid("ID of the upload, for the confirmation."),
  sandbox: Sandbox,
  filename: Type.String(),
  sheet: Type.Optional(Type.String({ description: "Of a spreadsheet: the sheet that was read." })),
  is_group: Type.Optional(
    Type.Literal(true, { description: "Several files, or one above the limit of a file." }),
  ),
  sheets: Type.Optional(Type.Array(Type.String(), { description: "Of a spreadsheet: its visible sheets." })),
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

const Split = Type.Optional(
  Type.Boolean({
    description:
      "Allows 10 times the emails of a file. They are checked in parallel, as one job with one download.",
  }),
);

export const PreviewQuery = Type.Object(
  {
    sheet: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "Of a spreadsheet: the sheet to read. Default: the first one with emails.",
      }),
    ),
    group: Type.Optional(
      Type.Boolean({
        description:
          "Takes up to 10 files, all in fields named `file`, as one list with one job and one download. The column `source_file` names the file of each row.",
      }),
    ),
    split: Split,
  },
  { additionalProperties: false },
);
export type PreviewQuery = Static<typeof PreviewQuery>;

const ColumnName = Type.String({ minLength: 1, maxLength: 1024 });
const MoreColumns = Type.Optional(
  Type.Array(ColumnName, {
    maxItems: 9,
    description:
      "Further columns with emails, checked in the same job. The download has verdict columns for each.",
  }),
);

export const ConfirmRequest = Type.Object(
  {
    upload_id: Uuid("From the preview."),
    email_column: ColumnName,
    more_email_columns: MoreColumns,
  },
  { additionalProperties: false },
);
export type ConfirmRequest = Static<typeof ConfirmRequest>;

const JobOptions = {
  metadata: Type.Optional(
    Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1000 }), {
      maxProperties: 50,
      description: "Your own data, returned with the job and its events.",
    }),
  ),
  level: Type.Optional(
    OneOf(LEVELS, { description: "Depth of the checks, as for a single check. Default: `smtp`." }),
  ),
};

/** Properties of a job sent as JSON besides its list, which is validated while it arrives. */
export const CreateJobOptions = Type.Object(
  {
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: "Shown as the file name." }),
    ),
    email_column: Type.Optional(ColumnName),
    more_email_columns: MoreColumns,
    ...JobOptions,
    webhook_url: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: "Receives the events of this job, signed with `webhook_secret` of the response.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type CreateJobOptions = Static<typeof CreateJobOptions>;

export const CreateJobRequest = Type.Object(
  {
    emails: Type.Optional(Type.Array(Type.String(), { description: "The list; or `rows`." })),
    rows: Type.Optional(
      Type.Array(
        Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
        {
          description:
            "The list with columns, which are kept in the results. The first 1,000 rows name the columns.",
        },
      ),
    ),
    ...CreateJobOptions.properties,
  },
  { additionalProperties: false },
);
export type CreateJobRequest = Static<typeof CreateJobRequest>;

export const LinkRequest = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "A public https URL without a password.",
    }),
    sheet: PreviewQuery.properties.sheet,
    split: Split,
  },
  { additionalProperties: false },
);
export type LinkRequest = Static<typeof LinkRequest>;

export const JOB_PHASES = ["waiting", "validating", "retrying", "done"] as const;

export const Job = Type.Object({
  id: Uuid("Identifies the job."),
  sandbox: Sandbox,
  status: OneOf(JOB_STATUSES),
  phase: OneOf(JOB_PHASES, { description: '"retrying" when only greylisted rows are left.' }),
  filename: Type.String(),
  email_column: Type.String(),
  more_email_columns: Type.Optional(Type.Array(Type.String())),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  level: Type.Optional(OneOf(LEVELS, { description: "Of a job that does not go up to `smtp`." })),
  webhook_secret: Type.Optional(
    Type.String({
      description: "Signs the events sent to `webhook_url`. Only in the response that creates the job.",
    }),
  ),
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
  credits_used: Count("Credits spent."),
  error: Nullable(Problem),
  results_url: Nullable(Type.String()),
});
export type Job = Static<typeof Job>;

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
          "Only rows after this one: the last row of the page before, or its `cell` in a job with several email columns. Takes the same time on every page, unlike `skip`.",
      }),
    ),
    status: Type.Optional(OneOf(STATUSES)),
  },
  { additionalProperties: false },
);
export type ResultsQuery = Static<typeof ResultsQuery>;

export const JobResult = Type.Object({
  row: Count("Row number; the first data row is 1."),
  cell: Type.Optional(Count("In a job with several email columns: the number for `after_row`.")),
  column: Type.Optional(
    Type.String({ description: "In a job with several email columns: that of this email." }),
  ),
  email: Type.String(),
  status: OneOf(STATUSES),
  sub_status: OneOf(ALL_SUB_STATUSES),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  is_valid: Type.Boolean(),
  safe_to_send: Type.Boolean(),
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  suggestion: Nullable(Type.String()),
  is_duplicate: Type.Boolean(),
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
