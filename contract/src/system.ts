/** State of the installation for its operator: processes, queue, jobs, throttling, outbound connectivity and storage. */
import { type Static, Type } from "typebox";
import { Count, Moment, Nullable, OneOf, Uuid } from "./shape.ts";

export const PROCESS_ROLES = ["all", "api", "worker"] as const;

export const SystemProcess = Type.Object({
  id: Uuid("Random, assigned at start."),
  role: OneOf(PROCESS_ROLES, { description: "API, worker, or both." }),
  host: Type.String({ description: "Host name." }),
  pid: Type.Integer({ description: "Process ID." }),
  started_at: Moment("Start time."),
  beat_at: Moment("Last heartbeat; sent every few seconds."),
});
export type SystemProcess = Static<typeof SystemProcess>;

export const QueueLine = Type.Object({
  waiting: Count("Waiting tasks."),
  due: Count("Waiting tasks that a worker could claim now; the others are scheduled for later, or paused."),
  in_hand: Count("Running tasks."),
  oldest_due_at: Nullable(Moment("Since when the oldest due task has been waiting.")),
});
export type QueueLine = Static<typeof QueueLine>;

/** Throttle state of a mail host, or of a provider that counts all its hosts together, for one egress identity. */
export const HostPace = Type.Object({
  key: Type.String({ description: 'Host name, or "provider" and its name.' }),
  provider: Type.String({ description: 'Its provider, such as outlook; "other" if it is not known.' }),
  identity: Type.String({ description: "Egress identity that is throttled there." }),
  limit: Count("Maximum concurrent sessions."),
  rest_ms: Type.Number({ minimum: 0, description: "Delay between two sessions." }),
  refused_since: Nullable(Moment("Since when it rejects the identity."), "null unless it does."),
  breaker_open_until: Nullable(
    Moment("Until then the host is not contacted, because it rejected repeated attempts."),
  ),
  last_reply: Nullable(Type.String(), "Last rejecting reply of the server."),
});
export type HostPace = Static<typeof HostPace>;

export const MAX_PACES_SHOWN = 50;

/** How a mail provider treats an egress identity, unless it works as usual. */
export const ProviderState = Type.Object({
  identity: Type.String({ description: "Egress identity." }),
  provider: Type.String({ description: "As in the results, such as microsoft_365." }),
  state: OneOf(["slowed", "refused", "listed"], {
    description:
      "slowed: it limits our rate; refused: it rejects the address, host name or sender; listed: `provider` is a blocklist that has the address.",
  }),
  since: Nullable(
    Moment("Since when it refuses, or the listing is known."),
    "Since when it refuses, or the listing is known; null if slowed.",
  ),
  retry_at: Nullable(Moment("Until then it is not contacted."), "null: the next check tries again."),
  reply: Nullable(Type.String(), "The reply that refuses, or what the blocklist says."),
  removal_url: Nullable(Type.String(), "Where removal is requested, if a page is known."),
});
export type ProviderState = Static<typeof ProviderState>;

/** A source address or proxy with its names, and its use today. */
export const EgressIdentityStatus = Type.Object({
  name: Type.String({ description: 'Name in EGRESS_FILE; "default" without the file.' }),
  origin: Nullable(
    Type.String(),
    "Source address, or proxy without its password; null for the address of the machine.",
  ),
  ehlo_name: Type.String({ description: "Host name sent in EHLO." }),
  mail_from: Type.String({ description: "Address sent in MAIL FROM." }),
  providers: Nullable(Type.Array(Type.String()), "Mail providers that it connects to; null for all."),
  share: Type.Number({ minimum: 0, description: "Relative weight among the identities." }),
  owner: Nullable(Type.String(), "PROCESS_NAME of the only process that uses it; null if all share it."),
  sessions_today: Nullable(
    Count("Sessions since midnight UTC, of all processes."),
    "Sessions since midnight UTC, of all processes; null without EGRESS_FILE.",
  ),
  sessions_per_day: Nullable(Count("Daily cap."), "Maximum sessions a day; null if there is none."),
  is_down: Type.Boolean({
    description: "In the responding process, its last connection failed before any mail host was reached.",
  }),
  throttled: Count("Hosts and providers with throttle state."),
  open_breakers: Count("Of these, those that it does not contact because they rejected it."),
  blocked_at: Type.Array(Type.String(), {
    description: `The hosts and providers with an open breaker, as far as they are among the ${MAX_PACES_SHOWN} in \`pacing\`.`,
  }),
});
export type EgressIdentityStatus = Static<typeof EgressIdentityStatus>;

export const FINDING_OUTCOMES = ["good", "warning", "bad", "unknown"] as const;

export const DoctorFinding = Type.Object({
  name: Type.String({ description: "Name of the check; the same in every run." }),
  identity: Nullable(Type.String(), "Egress identity that was examined; null for what concerns all."),
  outcome: OneOf(FINDING_OUTCOMES),
  found: Type.String({ description: "What was found." }),
  advice: Nullable(Type.String(), "What to do about it."),
});
export type DoctorFinding = Static<typeof DoctorFinding>;

export const DoctorReport = Type.Object({
  checked_at: Moment("Completion time."),
  findings: Type.Array(DoctorFinding, { description: "In the same order in every run." }),
});
export type DoctorReport = Static<typeof DoctorReport>;

/** Counts are those of the responding process since its start, except `asked_today`. */
export const SystemAdjudicator = Type.Object({
  model: Type.String({ description: "Value of AI_MODEL." }),
  asked_today: Count("Requests since midnight UTC, by all processes."),
  daily_budget: Count("Maximum requests per day."),
  answered: Count("Answered requests."),
  remembered: Count("Answers from the cache."),
  failed: Count("Requests without an answer."),
  not_asked: Count("Requests not sent: after failures, over the budget, or too many at once."),
  rests_until: Nullable(Moment("Until then this process sends no requests, because of failures.")),
});
export type SystemAdjudicator = Static<typeof SystemAdjudicator>;

export const LIST_REFRESHES = ["daily", "off"] as const;

/** The list of disposable domains in the responding process. */
export const SystemLists = Type.Object({
  source: OneOf(["packaged", "refreshed"], {
    description: "Whether the packaged list is in use, or a refreshed one.",
  }),
  made_at: Moment("Creation time of the list."),
  age_days: Count("Age in days."),
  names: Count("Number of domains."),
  refresh: OneOf(LIST_REFRESHES, { description: "Value of LISTS_REFRESH." }),
  last_failure: Nullable(
    Type.Object({ at: Moment("Time of the attempt."), reason: Type.String() }),
    "Why the last refresh failed; null if it succeeded.",
  ),
});
export type SystemLists = Static<typeof SystemLists>;

export const System = Type.Object({
  version: Type.String({ description: "Version of the service." }),
  storage: OneOf(["embedded", "external"], {
    description: "Embedded database, or the one of DATABASE_URL.",
  }),
  database_bytes: Count("Size of the database."),
  processes: Type.Array(SystemProcess, { description: "Oldest first." }),
  queue: Type.Object({ jobs: QueueLine, rechecks: QueueLine, webhooks: QueueLine }),
  jobs: Type.Object({
    queued: Count("Jobs not started yet."),
    processing: Count("Running jobs."),
    paused: Count("Paused jobs."),
    rows_per_second: Nullable(
      Type.Number({ minimum: 0 }),
      "Current verdicts of jobs per second; null unless this report was requested in the last minute.",
    ),
  }),
  pacing: Type.Array(HostPace, {
    description: `Throttled hosts and providers, most restricted first, at most ${MAX_PACES_SHOWN}.`,
  }),
  providers: Type.Array(ProviderState, {
    description: "Providers that slow an identity down or refuse it; refused ones first.",
  }),
  identities: Type.Array(EgressIdentityStatus, {
    description: "Egress identities, in the order of EGRESS_FILE.",
  }),
  adjudicator: Nullable(
    SystemAdjudicator,
    "Language model for doubtful mailbox names; null if none is configured.",
  ),
  lists: SystemLists,
  egress: Nullable(DoctorReport, "Last diagnostics report; null if not run since start."),
});
export type System = Static<typeof System>;
