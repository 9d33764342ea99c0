/** CSV bulk validation: upload preview, confirmation, and the job with its results. */
import { type Static, Type } from "typebox";
import { KEY_MODES } from "./accounts.ts";
import { Problem } from "./problems.ts";
import { Count, Moment, Nullable, OneOf, Paging, Sandbox, Uuid } from "./shape.ts";
import { RecommendationField } from "./validation.ts";
import {
  ALL_SUB_STATUSES,
  CSV_DIALECTS,
  DOWNLOAD_FORMATS,
  JOB_STATUSES,
  LEVELS,
  RESULT_COLUMNS,
  RESULT_SORTS,
  RESULT_STATUSES,
  STATUSES,
} from "./words.ts";

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
        description:
          "Receives the events of this job, signed with `webhook_secret` of the response. Not in test mode.",
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
            "The list with columns, which are kept in the results. The first 1,000 rows, or the first 4 MiB of them, name the columns.",
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

export const ETA_REASONS = [
  "not_started",
  "finishing",
  "paused",
  "no_verdict_yet",
  "waiting_for_servers",
  "waiting_for_retries",
  "waiting_for_provider",
] as const;

export const JOB_PHASES = [
  "waiting",
  "validating",
  "retrying",
  "waiting_for_provider",
  "finishing",
  "done",
] as const;

export const Job = Type.Object({
  id: Uuid("Identifies the job."),
  sandbox: Sandbox,
  status: OneOf(JOB_STATUSES),
  phase: OneOf(JOB_PHASES, {
    description:
      '"retrying" when only greylisted rows are left; "waiting_for_provider" when rows wait for a provider that refuses this installation; "finishing" after `finish`, until the open rows have a result.',
  }),
  filename: Type.String(),
  email_column: Type.String(),
  attempt: Type.Integer({ minimum: 1, description: "1, and one more for each recheck." }),
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
  eta_seconds: Nullable(
    Count("Estimated seconds until every email was tried and the last known retry is due."),
  ),
  eta_reason: Nullable(
    OneOf(ETA_REASONS, { description: "Why there is no estimate; null with one, and after the end." }),
  ),
  next_attempt_at: Nullable(
    Moment("When the next retry is due; null if none waits, and while the job is paused."),
  ),
  retrying: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: "Emails that wait for a retry, by the sub_status of their last attempt.",
  }),
  waiting_for: Type.Optional(
    Type.Array(
      Type.Object({
        provider: Type.String({
          description: "As in the results, such as google.",
        }),
        since: Moment("Since when it refuses this installation."),
        emails: Count("Emails that wait for it. They are not charged unless they will be checked."),
      }),
      {
        description:
          "Mail providers that refuse the address of this installation, while emails wait for them: PROVIDER_WAIT_HOURS at most.",
      },
    ),
  ),
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
  results_url: Nullable(
    Type.String({ description: "After the end. Results so far have the same URL while the job runs." }),
  ),
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
    for: Type.Optional(OneOf(["change", "end"], { description: "What `wait` waits for. Default: change." })),
  },
  { additionalProperties: false },
);
export type JobQuery = Static<typeof JobQuery>;

/** One or several of these words, separated by commas. */
const Several = (words: readonly string[], description: string) => {
  const word = `(${words.join("|")})`;
  return Type.Optional(Type.String({ pattern: `^${word}(,${word})*$`, maxLength: 1024, description }));
};

const Score = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description }));

/** Filters of results and downloads. Rows that are pending match only where no verdict is asked for. */
const ResultFilterFields = {
  status: Several(RESULT_STATUSES, "One or several, separated by commas."),
  sub_status: Several(
    ALL_SUB_STATUSES,
    "One or several, separated by commas. Empty: the valid addresses without one.",
  ),
  safe_to_send: Type.Optional(Type.Boolean()),
  min_score: Score("Only this score and above."),
  max_score: Score("Only this score and below."),
  provider: Type.Optional(Type.String({ maxLength: 64, description: "As in the results, such as google." })),
  domain: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "Domain of the email." })),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 320, description: "Text that the email contains, in any case." }),
  ),
};
export const ResultFilter = Type.Object(ResultFilterFields);
export type ResultFilter = Static<typeof ResultFilter>;

export const RECHECK_CHOICES = ["unknown", "risky", "all", "filter"] as const;

export const RecheckRequest = Type.Object(
  {
    which: OneOf(RECHECK_CHOICES, { description: "Results to check again." }),
    filter: Type.Optional(
      Type.Object(ResultFilterFields, {
        additionalProperties: false,
        description: "With `which: filter`: all of these must apply, as for the results.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type RecheckRequest = Static<typeof RecheckRequest>;

/** What results and downloads have in common. */
const ResultSelection = {
  ...ResultFilterFields,
  sort: Type.Optional(
    OneOf(RESULT_SORTS, { description: "Default: row, the order of the file. With `-` descending." }),
  ),
  final: Type.Optional(
    Type.Boolean({ description: "Refuse with 409 until the job has ended, instead of results so far." }),
  ),
};

export const ResultsQuery = Type.Object(
  {
    ...Paging,
    after_row: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description:
          "Only results after this row in the order of `sort`: the last row of the page before, or its `cell` in a job with several email columns. Takes the same time on every page, unlike `skip`. Sorted by `score` or `checked_at` it is refused with 409 until the job has ended: rows change their place in this order when they get their verdict, and pages would miss some.",
      }),
    ),
    ...ResultSelection,
  },
  { additionalProperties: false },
);
export type ResultsQuery = Static<typeof ResultsQuery>;

export const JobResult = Type.Object({
  row: Count("Row number; the first data row is 1."),
  cell: Type.Optional(
    Count("In a job with several email columns: the number for `after_row` and `…/results/{row}`."),
  ),
  column: Type.Optional(
    Type.String({ description: "In a job with several email columns: that of this email." }),
  ),
  email: Type.String(),
  status: OneOf(RESULT_STATUSES, { description: '"pending" while there is no verdict yet.' }),
  sub_status: Nullable(OneOf(ALL_SUB_STATUSES), "Null while pending, as all that follows of the verdict."),
  confidence: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  is_valid: Nullable(Type.Boolean()),
  safe_to_send: Nullable(Type.Boolean()),
  recommendation: Nullable(RecommendationField),
  score: Nullable(Type.Integer({ minimum: 0, maximum: 100 })),
  suggestion: Nullable(Type.String()),
  reason: Nullable(
    Type.String({
      description:
        "The verdict in one sentence, in the language of `Accept-Language` (`en` or `de`), otherwise in English.",
    }),
  ),
  flags: Type.Array(Type.String()),
  provider: Nullable(Type.String()),
  mx_host: Nullable(Type.String({ description: "The mail server that answered, or the first one." })),
  smtp_code: Nullable(Type.Integer({ description: "Of the reply that decided; 0 without one." })),
  ai_reasons: Type.Array(Type.String(), { description: "What the score of the mailbox name is based on." }),
  checked_at: Nullable(Moment("When the address was checked.")),
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
    ...ResultSelection,
    columns: Several(
      ["email", ...RESULT_COLUMNS],
      "Our columns, separated by commas, in this order, such as `status,reason`. With `email`, that column is the only one of yours. Default: all of them.",
    ),
    dialect: Type.Optional(
      OneOf(CSV_DIALECTS, {
        description:
          "Of CSV. `excel`: with a byte order mark, and the separator that Excel expects in the language of the Accept-Language header.",
      }),
    ),
    separator: Type.Optional(
      OneOf([",", ";", "\t"], { description: "Of CSV. Default: as in your file, or by `dialect`." }),
    ),
    mode: Type.Optional(
      OneOf(KEY_MODES, { description: "For links of the web app, instead of the header `X-Mailvet-Mode`." }),
    ),
  },
  { additionalProperties: false },
);
export type DownloadQuery = Static<typeof DownloadQuery>;
