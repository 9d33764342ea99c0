/** How the installation is doing, for its operator: processes, queue, jobs, pacing, the way out, and storage. */
import { type Static, Type } from "typebox";
import { Count, Moment, Nullable, OneOf, Uuid } from "./shape.ts";

export const PROCESS_ROLES = ["all", "api", "worker"] as const;

export const SystemProcess = Type.Object({
  id: Uuid("Made up at its start."),
  role: OneOf(PROCESS_ROLES, { description: "What it does: everything, or its part beside others." }),
  host: Type.String({ description: "The machine it runs on." }),
  pid: Type.Integer({ description: "Its number there." }),
  started_at: Moment("When it was started."),
  beat_at: Moment("Its last sign of life; they come every few seconds."),
});
export type SystemProcess = Static<typeof SystemProcess>;

export const QueueLine = Type.Object({
  waiting: Count("Tasks that nobody has taken."),
  due: Count(
    "Of these, tasks that a worker could take now; the others have their time later, or are paused.",
  ),
  in_hand: Count("Tasks that a worker has."),
  oldest_due_at: Nullable(Moment("Since when the first of the due ones could have been taken.")),
});
export type QueueLine = Static<typeof QueueLine>;

/** How we get along with a mail host, or with a provider that counts all its hosts together. */
export const HostPace = Type.Object({
  key: Type.String({ description: 'The host, or "provider" and its name.' }),
  limit: Count("Sessions at once, at most."),
  rest_ms: Type.Number({ minimum: 0, description: "Between two sessions." }),
  breaker_open_until: Nullable(
    Moment("Until then nobody asks there, because they refused us again and again."),
  ),
  last_reply: Nullable(Type.String(), "What they said when they refused us."),
});
export type HostPace = Static<typeof HostPace>;

export const MAX_PACES_SHOWN = 50;

export const FINDING_OUTCOMES = ["good", "warning", "bad", "unknown"] as const;

export const DoctorFinding = Type.Object({
  name: Type.String({ description: "What was examined; the same in every run." }),
  outcome: OneOf(FINDING_OUTCOMES),
  found: Type.String({ description: "What is so." }),
  advice: Nullable(Type.String(), "What to do about it."),
});
export type DoctorFinding = Static<typeof DoctorFinding>;

export const DoctorReport = Type.Object({
  checked_at: Moment("When the doctor was done."),
  findings: Type.Array(DoctorFinding, { description: "In the same order in every run." }),
});
export type DoctorReport = Static<typeof DoctorReport>;

/** Counts without a day are those of the process that answers, since its start. */
export const SystemAdjudicator = Type.Object({
  model: Type.String({ description: "As AI_MODEL names it." }),
  asked_today: Count("Questions put to it since midnight UTC, by all processes."),
  daily_budget: Count("How many there may be on a day."),
  answered: Count("Questions that it answered, in this process since its start."),
  remembered: Count("Questions that it had answered before."),
  failed: Count("Questions that were put to it and got no answer."),
  not_asked: Count(
    "Questions that were not put to it: after failures, over the budget, or too many at once.",
  ),
  rests_until: Nullable(Moment("Until then this process does not ask it, because of failures.")),
});
export type SystemAdjudicator = Static<typeof SystemAdjudicator>;

export const LIST_REFRESHES = ["daily", "off"] as const;

/** The list of disposable domains, in the process that answers. */
export const SystemLists = Type.Object({
  source: OneOf(["packaged", "refreshed"], {
    description: "Whether the list that came with the release is in use, or a newer one.",
  }),
  made_at: Moment("When that list was made."),
  age_days: Count("Whole days since then."),
  names: Count("Domains on it."),
  refresh: OneOf(LIST_REFRESHES, { description: "As LISTS_REFRESH says." }),
  last_failure: Nullable(
    Type.Object({ at: Moment("When it was tried."), reason: Type.String() }),
    "Why the last refresh failed; null when it did not.",
  ),
});
export type SystemLists = Static<typeof SystemLists>;

export const System = Type.Object({
  version: Type.String({ description: "Of the service." }),
  storage: OneOf(["embedded", "external"], {
    description: "Whether the database is ours alone, or the one that DATABASE_URL names.",
  }),
  database_bytes: Count("Size of the database."),
  processes: Type.Array(SystemProcess, { description: "The oldest first." }),
  queue: Type.Object({ jobs: QueueLine, rechecks: QueueLine, webhooks: QueueLine }),
  jobs: Type.Object({
    queued: Count("Jobs that have not begun."),
    processing: Count("Jobs under way."),
    paused: Count("Jobs that their owners have paused."),
    rows_per_second: Nullable(
      Type.Number({ minimum: 0 }),
      "Verdicts of jobs per second, lately; null when nobody has looked in the last minute or so.",
    ),
  }),
  pacing: Type.Array(HostPace, {
    description: `Hosts and providers that made themselves felt, the worst first, at most ${MAX_PACES_SHOWN}.`,
  }),
  adjudicator: Nullable(
    SystemAdjudicator,
    "The language model that is asked where mailbox names leave room for doubt; null when none is set.",
  ),
  lists: SystemLists,
  egress: Nullable(DoctorReport, "What the doctor last found; null when it was not asked since the start."),
});
export type System = Static<typeof System>;
