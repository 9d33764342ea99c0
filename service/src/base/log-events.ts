/**
 * Every event the service logs: its level, its short message, and what it tells the operator.
 *
 * Code logs by name (`log.event("heartbeat_failed", { err })`), so a new event does not compile until it has a row here.
 * docs/operating.md lists the same rows (npm run docs:tables), and a test holds it to this table.
 */
import type { Logger } from "pino";

type LogEventRow = { level: "info" | "warn" | "error"; message: string };

export const LOG_EVENTS = {
  // service: start, stop, maintenance
  stop_failed: { level: "error", message: "stopping failed" },
  postgres_exited: { level: "error", message: "the embedded PostgreSQL has exited and is restarted" },
  postgres_restarted: { level: "info", message: "the embedded PostgreSQL runs again" },
  postgres_restart_failed: { level: "error", message: "the embedded PostgreSQL could not be restarted" },
  postgres_outdated: { level: "warn", message: "PostgreSQL lacks security fixes" },
  engine_thread_exited: { level: "error", message: "an engine thread has exited and is replaced" },
  maintenance_failed: { level: "error", message: "a maintenance task failed" },
  event_repeated: {
    level: "error",
    message: "an event has repeated; occurrences were not logged one by one",
  },
  notification_failed: { level: "warn", message: "an email to an account could not be sent" },
  // db, queue
  heartbeat_failed: { level: "warn", message: "heartbeat failed" },
  heartbeat_restored: { level: "info", message: "heartbeat restored" },
  own_lease_expired: { level: "warn", message: "the lease of this process expired" },
  process_lease_expired: { level: "warn", message: "the lease of a process expired" },
  process_cleanup_failed: { level: "warn", message: "expired processes could not be removed" },
  process_unregister_failed: { level: "warn", message: "this process could not unregister" },
  expired_tasks_released: { level: "warn", message: "tasks without heartbeats released" },
  queue_poll_failed: { level: "warn", message: "the look for due tasks and expired claims failed, retrying" },
  unfinished_tasks_released: { level: "warn", message: "tasks unfinished at shutdown released" },
  task_claim_failed: { level: "warn", message: "tasks could not be claimed" },
  task_release_failed: { level: "warn", message: "tasks could not be released at shutdown" },
  task_interrupted: {
    level: "warn",
    message: "task postponed because of an error of the database or the blob store",
  },
  task_stopped: { level: "warn", message: "task stopped at shutdown" },
  task_failed: { level: "warn", message: "task failed, will be retried" },
  task_exhausted: { level: "warn", message: "task failed for good; it is a dead letter now" },
  task_exhausted_handler_failed: { level: "warn", message: "the end of a failed task could not be saved" },
  task_settle_failed: { level: "warn", message: "the outcome of a task could not be saved" },
  egress_identity_acquired: { level: "info", message: "this process owns an egress identity" },
  egress_refused: {
    level: "warn",
    message: "a mail provider refuses an egress identity, or a blocklist has it",
  },
  egress_accepted: { level: "info", message: "a mail provider or blocklist has relented" },
  egress_identity_lost: { level: "warn", message: "another process has an egress identity of this one" },
  notifications_lost: { level: "warn", message: "not listening for database notifications, reconnecting" },
  notifications_restored: { level: "info", message: "listening for database notifications again" },

  // http
  request_completed: { level: "info", message: "request completed" },
  request_aborted: { level: "info", message: "request aborted by the client" },
  request_malformed: { level: "info", message: "not a valid HTTP request" },
  request_failed: { level: "error", message: "request failed" },
  download_failed: { level: "error", message: "a download failed after it had begun" },
  idempotent_response_not_stored: { level: "error", message: "an idempotent response was not stored" },

  // jobs, uploads, downloads
  blob_not_deleted: { level: "warn", message: "a blob could not be deleted, will be retried" },
  upload_file_missing: {
    level: "error",
    message: "the file of an upload is not in the blob store of this process",
  },
  job_checks_failed: { level: "error", message: "checks of a job failed because of an internal error" },

  // validations, credits, keys, accounts, webhooks
  webhook_disabled: { level: "warn", message: "webhook endpoint disabled" },
  webhook_disabled_email_failed: {
    level: "warn",
    message: "the email about a disabled webhook endpoint failed",
  },
  low_credits_publish_failed: { level: "warn", message: "the event credits.low could not be published" },
  check_failed: { level: "error", message: "a check failed with an internal error" },
  recheck_not_planned: { level: "error", message: "a recheck could not be planned" },
  verdicts_write_failed: { level: "warn", message: "cached verdicts could not be written" },
  write_given_up: {
    level: "error",
    message: "a refund, or a response with an Idempotency-Key, could not be written and is lost",
  },
  background_task_failed: { level: "warn", message: "a background task failed" },
  background_task_dropped: { level: "warn", message: "a background task was dropped: too many are waiting" },

  // pacing, naming, feedback, adjudication
  pacing_sync_failed: {
    level: "warn",
    message: "shared throttling is not in sync with the database, retrying",
  },
  pacing_sync_restored: { level: "info", message: "shared throttling is in sync with the database again" },
  naming_patterns_read_failed: { level: "warn", message: "naming patterns could not be read" },
  naming_patterns_write_failed: { level: "warn", message: "naming patterns could not be written" },
  adjudicator_paused: { level: "warn", message: "the language model does not answer and is paused" },
  adjudicator_budget_used_up: { level: "warn", message: "AI_DAILY_BUDGET is used up until midnight UTC" },
  adjudicator_budget_unknown: {
    level: "warn",
    message: "the daily budget of the language model could not be read",
  },

  // system
  traces_export_failed: { level: "warn", message: "traces could not be exported and were dropped" },
  lists_refreshed: { level: "info", message: "lists refreshed" },
  lists_refresh_failed: { level: "warn", message: "lists could not be refreshed" },
  lists_reloaded: { level: "info", message: "lists reloaded" },
} as const satisfies Record<string, LogEventRow>;

export type LogEventName = keyof typeof LOG_EVENTS;

/** Writes one event; `fields` go into the line as they are, `err` with its stack. Implementation: log.ts. */
export type LogEvent = (event: LogEventName, fields?: Record<string, unknown>) => void;

export function createLogEvent(logger: Logger, masked: (text: string) => string): LogEvent {
  return (event, fields) => {
    const { level, message } = LOG_EVENTS[event];
    logger[level]({ event, ...maskTexts(fields, masked) }, message);
  };
}

/** Texts may quote a server's reply or a request, and so an address. Errors are masked by their serializer. */
function maskTexts(fields: Record<string, unknown> | undefined, masked: (text: string) => string) {
  if (!fields) return undefined;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? masked(value) : value]),
  );
}
