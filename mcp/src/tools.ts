/**
 * The tools, as a table: texts and schemas that a client shows to its model, and the one call that each makes.
 *
 * Who answers is a ToolBackend: the local engine or a service (cli/src/mcp/), or the service itself
 * (service/src/http/routes/mcp/).
 */
import {
  BulkSummary,
  DomainReport,
  Job,
  JobResult,
  MAX_BULK_EMAILS,
  RESULT_STATUSES,
  ValidationRequest,
  ValidationResult,
} from "@mailvet/contract";
import { type Static, type TObject, Type } from "typebox";

/** Longest text that is taken for an address or a domain. */
const MAX_ADDRESS_LENGTH = 1_000;
const MAX_REPLY_LENGTH = 4_096;
const MAX_JOB_EMAILS = 10_000;
const MAX_RESULTS = 100;
const DEFAULT_RESULTS = 50;

const closed = { additionalProperties: false } as const;
const Address = Type.String({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH });
const { timeout_seconds, level, fresh } = ValidationRequest.properties;
const JobId = Type.String({ format: "uuid", description: "The `id` that start_job returned." });

const CheckInput = Type.Object({ email: Address, timeout_seconds, level, fresh }, closed);

const CheckManyInput = Type.Object(
  {
    emails: Type.Array(Address, { minItems: 1, maxItems: MAX_BULK_EMAILS }),
    timeout_seconds,
    level,
    fresh,
  },
  closed,
);

const STAGES = ["banner", "ehlo", "mail", "rcpt"] as const;

const ExplainReplyInput = Type.Object(
  {
    reply: Type.String({
      minLength: 1,
      maxLength: MAX_REPLY_LENGTH,
      description: "The reply as the server sent it, such as `550 5.1.1 User unknown`.",
    }),
    stage: Type.Optional(
      Type.Enum(STAGES, { description: "The command that it answers. Default: rcpt, as in most bounces." }),
    ),
    mx: Type.Optional(Type.String({ maxLength: 255, description: "Host name of the mail server." })),
    recipient: Type.Optional(
      Type.String({
        maxLength: MAX_ADDRESS_LENGTH,
        description: "The address in RCPT TO, so that its echo in the reply is ignored.",
      }),
    ),
  },
  closed,
);

const ReplyMeaning = Type.Object({
  meaning: Type.String({
    description: "What the server says, such as mailbox_not_found, mailbox_full, greylisted, ip_blocked.",
  }),
  mailbox: Type.String({
    description: "What it proves: exists, does_not_exist, exists_but_undeliverable, unknown.",
  }),
  why: Type.String({ description: "The words or the code that decided." }),
  rule: Type.String({ description: "Stable name of the rule." }),
  retry_after: Type.Optional(Type.Number({ description: "Seconds, if the reply names a time." })),
});
type ReplyMeaning = Omit<Static<typeof ReplyMeaning>, "retry_after"> & { retry_after?: number | undefined };

const DomainInput = Type.Object(
  {
    domain: Type.String({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH, description: "Such as example.com." }),
  },
  closed,
);

const StartJobInput = Type.Object(
  {
    emails: Type.Array(Address, { minItems: 1, maxItems: MAX_JOB_EMAILS }),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: "Shown as the file name." }),
    ),
    level,
  },
  closed,
);

const JobStatusInput = Type.Object({ job_id: JobId }, closed);

const JobResultsInput = Type.Object(
  {
    job_id: JobId,
    status: Type.Optional(Type.Enum(RESULT_STATUSES, { description: "Only results with this status." })),
    after_row: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: "For the next page: `next_after_row` of the page before.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_RESULTS, description: `Default: ${DEFAULT_RESULTS}.` }),
    ),
  },
  closed,
);

const JobResults = Type.Object({
  results: Type.Array(JobResult),
  total: Type.Integer({ minimum: 0, description: "Results that match, on all pages." }),
  next_after_row: Type.Union([Type.Integer(), Type.Null()], {
    description:
      "Where the next page begins; null where there is none. A full page may be followed by an empty one.",
  }),
});

/**
 * One method for each tool. Refuses by throwing a ToolFailure (mcp-server.ts). The signal is aborted when the client cancels
 * the call.
 */
export type ToolBackend = {
  check(input: Static<typeof CheckInput>, signal: AbortSignal): Promise<ValidationResult>;
  checkMany(input: Static<typeof CheckManyInput>, signal: AbortSignal): Promise<BulkSummary>;
  explainReply(input: Static<typeof ExplainReplyInput>): Promise<ReplyMeaning>;
  inspectDomain(input: Static<typeof DomainInput>, signal: AbortSignal): Promise<DomainReport>;
  startJob(input: Static<typeof StartJobInput>, signal: AbortSignal): Promise<Job>;
  jobStatus(input: Static<typeof JobStatusInput>, signal: AbortSignal): Promise<Job>;
  /** One page in row order. */
  jobResults(
    input: Static<typeof JobResultsInput> & { limit: number },
    signal: AbortSignal,
  ): Promise<{ items: JobResult[]; total: number }>;
};

type Tool = {
  title: string;
  description: string;
  input: TObject;
  output: TObject;
  /** Whether it changes nothing, and whether it contacts servers of others. */
  hints: { readOnlyHint: boolean; openWorldHint: boolean };
  run(backend: ToolBackend, input: never, signal: AbortSignal): Promise<object>;
};

const ASKS_SERVERS = { readOnlyHint: true, openWorldHint: true };
const READS = { readOnlyHint: true, openWorldHint: false };

export const TOOLS = {
  check: {
    title: "Check an email address",
    description:
      "Finds out whether an email address can receive mail, without sending any: syntax, DNS, and the answer of its mail " +
      "server. Returns a verdict (`status`: valid, invalid, risky or unknown), its reason, and what to do " +
      "(`recommendation`). `unknown` means that nothing was decided: ask again after `metadata.retry_after` seconds. " +
      "At a service it costs one credit.",
    input: CheckInput,
    output: ValidationResult,
    hints: ASKS_SERVERS,
    run: (backend, input: Static<typeof CheckInput>, signal) => backend.check(input, signal),
  },
  check_many: {
    title: "Check up to 1,000 email addresses",
    description:
      "Checks a short list at once and returns one short result per unique address, with counts. For longer lists, and for " +
      "lists that may take more than a minute, use start_job. At a service it costs one credit per unique address.",
    input: CheckManyInput,
    output: BulkSummary,
    hints: ASKS_SERVERS,
    run: (backend, input: Static<typeof CheckManyInput>, signal) => backend.checkMany(input, signal),
  },
  explain_reply: {
    title: "Explain an SMTP reply",
    description:
      "Explains the reply of a mail server, such as one quoted in a bounce: what it means, and what it proves about the " +
      "mailbox. Contacts no server, and costs nothing.",
    input: ExplainReplyInput,
    output: ReplyMeaning,
    hints: READS,
    run: (backend, input: Static<typeof ExplainReplyInput>) => backend.explainReply(input),
  },
  domain: {
    title: "Inspect a mail domain",
    description:
      "Reports on a domain: its mail servers and provider, whether it accepts any mailbox (catch-all), whether it is " +
      "disposable, and its SPF, DMARC and MTA-STS records. At a service it costs one credit.",
    input: DomainInput,
    output: DomainReport,
    hints: ASKS_SERVERS,
    run: (backend, input: Static<typeof DomainInput>, signal) => backend.inspectDomain(input, signal),
  },
  start_job: {
    title: "Start a job for a list",
    description:
      "Starts checking a list of up to 10,000 addresses in the background and returns the job. Follow it with job_status, " +
      "then read job_results. Reserves one credit per unique address. Needs a Mailvet service.",
    input: StartJobInput,
    output: Job,
    hints: { readOnlyHint: false, openWorldHint: true },
    run: (backend, input: Static<typeof StartJobInput>, signal) => backend.startJob(input, signal),
  },
  job_status: {
    title: "Status of a job",
    description:
      "Returns a job with its progress, counts and estimated time (`eta_seconds`). It has ended when `status` is completed, " +
      "failed or cancelled. Needs a Mailvet service.",
    input: JobStatusInput,
    output: Job,
    hints: READS,
    run: (backend, input: Static<typeof JobStatusInput>, signal) => backend.jobStatus(input, signal),
  },
  job_results: {
    title: "Results of a job",
    description:
      "Returns a page of the results of a job, in the order of the list, also while it runs (then with the status pending " +
      "where there is no verdict yet). Needs a Mailvet service.",
    input: JobResultsInput,
    output: JobResults,
    hints: READS,
    async run(backend, input: Static<typeof JobResultsInput>, signal) {
      const { limit = DEFAULT_RESULTS } = input;
      const { items, total } = await backend.jobResults({ ...input, limit }, signal);
      const last = items.length === limit && limit < total ? items.at(-1) : undefined;
      return { results: items, total, next_after_row: last?.cell ?? last?.row ?? null };
    },
  },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof TOOLS;
