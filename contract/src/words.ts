/** The enumerations of the API without their schemas, for programs that need to start quickly. */
import { STATUSES } from "./verdict.ts";

export * from "./languages.ts";
export * from "./verdict.ts";

/** queued → processing → completed | failed | cancelled; processing ⇄ paused. */
export const JOB_STATUSES = ["queued", "processing", "paused", "completed", "failed", "cancelled"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Plans of an account. Their limits are a table of the service. */
export const PLANS = ["free", "payg", "starter", "growth", "enterprise"] as const;
export type Plan = (typeof PLANS)[number];

/** Depth of a check: syntax only, also DNS, or also SMTP. */
export const LEVELS = ["syntax", "dns", "smtp"] as const;
export type Level = (typeof LEVELS)[number];

/** Of a row of a job: a verdict, or none yet. */
export const RESULT_STATUSES = [...STATUSES, "pending"] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

export const RESULT_SORTS = [
  "row",
  "-row",
  "email",
  "-email",
  "domain",
  "-domain",
  "score",
  "-score",
  "checked_at",
  "-checked_at",
] as const;
export type ResultSort = (typeof RESULT_SORTS)[number];

/** Columns that downloads append to the customer's own, as `mailvet_…`. New ones are added at the end. */
export const RESULT_COLUMNS = [
  "status",
  "sub_status",
  "confidence",
  "is_valid",
  "safe_to_send",
  "score",
  "suggestion",
  "provider",
  "is_catchall",
  "is_disposable",
  "is_role_based",
  "is_free",
  "smtp_code",
  "checked_at",
  "is_duplicate",
  "reason",
  "flags",
  "mx_host",
  "ai_reasons",
  "recommendation",
] as const;
export type ResultColumn = (typeof RESULT_COLUMNS)[number];

export const CSV_DIALECTS = ["plain", "excel"] as const;
export type CsvDialect = (typeof CSV_DIALECTS)[number];

/** `zip`: a CSV file for each status, and one for rows without a verdict. */
export const DOWNLOAD_FORMATS = ["csv", "ndjson", "xlsx", "zip"] as const;
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number];

/** Delivery outcome of a message. */
export const OUTCOMES = ["delivered", "bounced", "complained"] as const;
export type DeliveryOutcome = (typeof OUTCOMES)[number];

/** How often a saved list is checked again. */
export const LIST_SCHEDULES = ["daily", "weekly", "monthly"] as const;
export type ListSchedule = (typeof LIST_SCHEDULES)[number];

const SCHEDULE_DAYS: Readonly<Record<ListSchedule, number>> = { daily: 1, weekly: 7, monthly: 30 };

/** Within how many days each email is checked once: results that are not old enough at one run are checked at a later one. */
export function recheckDays(schedule: ListSchedule, staleAfterDays: number): number {
  const days = SCHEDULE_DAYS[schedule];
  return Math.ceil(staleAfterDays / days) * days;
}
