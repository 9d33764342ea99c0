/**
 * Every metric of /metrics besides those of the Node.js process: its type, its labels, and what it tells the operator.
 *
 * metrics.ts registers metrics by name, so a new one does not compile until it has a row here. docs/operating.md lists the
 * same rows (npm run docs:tables), and ops/ uses these names only; tests hold both to this table. Label values are from fixed sets, such as the
 * names of egress identities: never an address, a domain or an account.
 */

type MetricRow = {
  type: "counter" | "gauge" | "histogram";
  labels: readonly string[];
  help: string;
  /** Of all processes together, read from the database: every process reports the same. */
  isShared?: true;
};

export const METRICS = {
  // http
  mailvet_http_request_duration_seconds: {
    type: "histogram",
    labels: ["method", "route", "status"],
    help: "Time from the arrival of a request until its response was sent.",
  },
  mailvet_http_requests_under_way: { type: "gauge", labels: [], help: "Requests in flight." },
  mailvet_event_loop_delay_seconds: { type: "gauge", labels: [], help: "Delay of the event loop." },
  mailvet_log_lines_dropped_total: {
    type: "counter",
    labels: [],
    help: "Log lines that could not be written.",
  },

  // validations
  mailvet_verdicts_total: {
    type: "counter",
    labels: ["status", "sub_status", "cached"],
    help: "Verdicts returned.",
  },
  mailvet_verdict_cache_lookups_total: {
    type: "counter",
    labels: ["result"],
    help: "Addresses looked up in the verdict cache: found in memory, found in the database, or missing.",
  },
  mailvet_probe_findings_total: {
    type: "counter",
    labels: ["answer", "provider"],
    help: "Probed mailboxes, by what the probe found and by mail provider.",
  },
  mailvet_smtp_sessions_total: {
    type: "counter",
    labels: ["provider", "outcome"],
    help: "SMTP sessions, by how they ended or why they could not be opened.",
  },
  mailvet_smtp_replies_total: {
    type: "counter",
    labels: ["meaning", "provider"],
    help: "Replies about recipients, and those that refused a session, by meaning.",
  },
  mailvet_smtp_slot_wait_seconds: {
    type: "histogram",
    labels: [],
    help: "Time that SMTP sessions waited for a slot at their host, and for one of this process.",
  },
  mailvet_dns_lookups_total: {
    type: "counter",
    labels: ["lookup", "outcome"],
    help: "Lookups of the mail route and of the policies of a domain, by outcome.",
  },
  mailvet_adjudicator_questions_total: {
    type: "counter",
    labels: ["outcome"],
    help: "Questions to the language model, by outcome.",
  },
  mailvet_lists_age_seconds: {
    type: "gauge",
    labels: [],
    help: "Time since the list of disposable domains was made.",
  },
  mailvet_throttled_hosts: {
    type: "gauge",
    labels: ["identity"],
    help: "Mail hosts and providers with throttle state, by egress identity.",
    isShared: true,
  },
  mailvet_open_breakers: {
    type: "gauge",
    labels: ["identity"],
    help: "Of these, those with an open breaker, which are not contacted.",
    isShared: true,
  },
  mailvet_provider_refused_seconds: {
    type: "gauge",
    labels: ["identity", "provider"],
    help: "Time since a mail provider began to refuse an egress identity; no sample while none does.",
    isShared: true,
  },
  mailvet_identity_listed: {
    type: "gauge",
    labels: ["identity", "list"],
    help: "1 for each blocklist that has the address of an egress identity, as of the last look; no sample otherwise.",
    isShared: true,
  },
  mailvet_egress_sessions_today: {
    type: "gauge",
    labels: ["identity"],
    help: "Sessions with mail hosts since midnight UTC, by egress identity; only with EGRESS_FILE.",
    isShared: true,
  },
  mailvet_egress_sessions_per_day: {
    type: "gauge",
    labels: ["identity"],
    help: "Daily cap of the egress identities that have one.",
    isShared: true,
  },

  // credits
  mailvet_credits_charged_total: { type: "counter", labels: [], help: "Credits charged." },
  mailvet_credits_refunded_total: {
    type: "counter",
    labels: [],
    help: "Charged credits that were refunded, because the answer was not delivered or by UNKNOWN_REFUND.",
  },

  // jobs
  mailvet_jobs: {
    type: "gauge",
    labels: ["state"],
    help: "Jobs that have not ended: queued, processing, paused.",
    isShared: true,
  },
  mailvet_jobs_ended_total: {
    type: "counter",
    labels: ["state"],
    help: "Jobs that ended: completed, cancelled, failed.",
  },
  mailvet_job_rows_total: {
    type: "counter",
    labels: ["sandbox"],
    help: "Rows of jobs whose verdict was saved.",
  },
  mailvet_job_rows_deferred_total: {
    type: "counter",
    labels: ["sub_status"],
    help: "Rows of jobs that are checked again later, by the reason: greylisted, rate limited and the like.",
  },

  // queue
  mailvet_queue_tasks: {
    type: "gauge",
    labels: ["queue", "state"],
    help: "Tasks: delayed until their time, due, running, or paused with their job.",
    isShared: true,
  },
  mailvet_queue_oldest_due_seconds: {
    type: "gauge",
    labels: ["queue"],
    help: "Time that the oldest due task has waited for a worker; 0 if none is due.",
    isShared: true,
  },
  mailvet_dead_letters: {
    type: "gauge",
    labels: ["queue"],
    help: "Tasks that failed for good and were not redriven.",
    isShared: true,
  },
  mailvet_queue_claim_duration_seconds: {
    type: "histogram",
    labels: ["queue"],
    help: "Time of one claim of tasks, whether it found any or not.",
  },
  mailvet_queue_retries_total: {
    type: "counter",
    labels: ["queue"],
    help: "Attempts at tasks that failed with an error and are retried.",
  },

  // webhooks
  mailvet_webhook_deliveries_total: {
    type: "counter",
    labels: ["outcome"],
    help: "Attempts to deliver a webhook: delivered, retried later, or failed for good.",
  },

  // database
  mailvet_database_ready: {
    type: "gauge",
    labels: [],
    help: "1 if the database responded to this process and is writable, otherwise 0.",
  },
  mailvet_database_connections: { type: "gauge", labels: [], help: "Open connections in the pool." },
  mailvet_database_connections_idle: { type: "gauge", labels: [], help: "Idle connections in the pool." },
  mailvet_database_queries_waiting: {
    type: "gauge",
    labels: [],
    help: "Queries waiting for a connection.",
  },
  mailvet_database_wait_seconds: {
    type: "histogram",
    labels: [],
    help: "Time that queries and transactions waited because no connection of the pool was free.",
  },
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof METRICS;
/** Names of the metrics of one type. */
export type MetricOf<Type extends MetricRow["type"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["type"] extends Type ? Name : never;
}[MetricName];
export type LabelOf<Name extends MetricName> = (typeof METRICS)[Name]["labels"][number];
