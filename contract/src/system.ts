/** System status for the operator: processes, queue, jobs, throttling, egress, storage. */
import { type Static, Type } from "typebox";
import { Count, Moment, Nullable, OneOf, Uuid } from "./shape.ts";

export const PROCESS_ROLES = ["all", "api", "worker"] as const;

export const SystemProcess = Type.Object({
  id: Uuid("ID of the process, new at every start."),
  role: OneOf(PROCESS_ROLES, { description: "Role of the process." }),
  host: Type.String({ description: "Host name." }),
  pid: Type.Integer({ description: "Process ID." }),
  started_at: Moment("When the process started."),
  beat_at: Moment("Last heartbeat. Heartbeats are sent every few seconds."),
});
export type SystemProcess = Static<typeof SystemProcess>;

export const QueueLine = Type.Object({
  waiting: Count("Tasks waiting."),
  due: Count("Waiting tasks that are ready to run. The others are scheduled for later or paused."),
  in_hand: Count("Tasks running."),
  oldest_due_at: Nullable(Moment("When the oldest ready task became ready.")),
});
export type QueueLine = Static<typeof QueueLine>;

/** Throttle state of a mail host, or of a provider whose hosts share one limit. */
export const HostPace = Type.Object({
  key: Type.String({ description: 'Host name, or "provider" and the name of the provider.' }),
  limit: Count("Maximum concurrent sessions."),
  rest_ms: Type.Number({ minimum: 0, description: "Delay between two sessions, in milliseconds." }),
  breaker_open_until: Nullable(Moment("The circuit breaker is open until then, after repeated refusals.")),
  last_reply: Nullable(Type.String(), "Last refusal of the server."),
});
export type HostPace = Static<typeof HostPace>;

export const MAX_PACES_SHOWN = 50;

export const FINDING_OUTCOMES = ["good", "warning", "bad", "unknown"] as const;

export const DoctorFinding = Type.Object({
  name: Type.String({ description: "Name of the check. Stable across runs." }),
  outcome: OneOf(FINDING_OUTCOMES),
  found: Type.String({ description: "What was found." }),
  advice: Nullable(Type.String(), "How to fix it."),
});
export type DoctorFinding = Static<typeof DoctorFinding>;

export const DoctorReport = Type.Object({
  checked_at: Moment("When the diagnostics finished."),
  findings: Type.Array(DoctorFinding, { description: "Findings in a stable order." }),
});
export type DoctorReport = Static<typeof DoctorReport>;

/** Counts are those of the process that responds, since its start, unless stated otherwise. */
export const SystemAdjudicator = Type.Object({
  model: Type.String({ description: "Model name, from AI_MODEL." }),
  asked_today: Count("Questions sent since midnight UTC, by all processes."),
  daily_budget: Count("Maximum questions per day."),
  answered: Count("Questions answered."),
  remembered: Count("Questions answered from the cache."),
  failed: Count("Questions sent without an answer."),
  not_asked: Count("Questions not sent: circuit breaker open, budget used up, or too many at once."),
  rests_until: Nullable(Moment("The circuit breaker is open until then, after failures.")),
});
export type SystemAdjudicator = Static<typeof SystemAdjudicator>;

export const LIST_REFRESHES = ["daily", "off"] as const;

/** The list of disposable domains in the process that responds. */
export const SystemLists = Type.Object({
  source: OneOf(["packaged", "refreshed"], {
    description: "Whether the packaged list is in use, or a refreshed one.",
  }),
  made_at: Moment("When the list was built."),
  age_days: Count("Age of the list in days."),
  names: Count("Number of domains."),
  refresh: OneOf(LIST_REFRESHES, { description: "Setting LISTS_REFRESH." }),
  last_failure: Nullable(
    Type.Object({ at: Moment("When the refresh was attempted."), reason: Type.String() }),
    "Why the last refresh failed. Null if it succeeded.",
  ),
});
export type SystemLists = Static<typeof SystemLists>;

export const System = Type.Object({
  version: Type.String({ description: "Version of the service." }),
  storage: OneOf(["embedded", "external"], {
    description: "Whether the embedded database is used, or the one of DATABASE_URL.",
  }),
  database_bytes: Count("Size of the database in bytes."),
  processes: Type.Array(SystemProcess, { description: "Running processes, oldest first." }),
  queue: Type.Object({ jobs: QueueLine, rechecks: QueueLine, webhooks: QueueLine }),
  jobs: Type.Object({
    queued: Count("Jobs not started yet."),
    processing: Count("Jobs being processed."),
    paused: Count("Paused jobs."),
    rows_per_second: Nullable(
      Type.Number({ minimum: 0 }),
      "Recent verdicts of jobs per second. Null on the first request after a minute or more.",
    ),
  }),
  pacing: Type.Array(HostPace, {
    description: `Throttled hosts and providers, most throttled first, up to ${MAX_PACES_SHOWN}.`,
  }),
  adjudicator: Nullable(
    SystemAdjudicator,
    "Language model that rates ambiguous mailbox names. Null if not configured.",
  ),
  lists: SystemLists,
  egress: Nullable(DoctorReport, "Latest diagnostics. Null if not run since start."),
});
export type System = Static<typeof System>;
