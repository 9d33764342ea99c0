/** Prometheus metrics of this process and of the deployment, registered from the table of metric-table.ts. */
import type { JobStatus, Status, SubStatus } from "@mailvet/contract";
import type { MailboxFinding, NetworkEvent } from "@mailvet/engine";
import type { FastifyReply, FastifyRequest } from "fastify";
import type pg from "pg";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AdjudicationOutcome } from "../adjudication/adjudicator.ts";
import type { Log } from "../base/log.ts";
import type { QueueName } from "../queue/task.ts";
import type { DeploymentFigures } from "../system/deployment-figures.ts";
import type { CacheLookupResult } from "../validations/verdict-cache.ts";
import type { DeliveryAttemptOutcome } from "../webhooks/delivery-handler.ts";
import { type LabelOf, METRICS, type MetricName, type MetricOf } from "./metric-table.ts";
import type { LoadShedding } from "./middleware/load-shedding.ts";

export type Metrics = {
  countRequest(request: FastifyRequest, reply: FastifyReply, isAborted: boolean): void;
  countVerdict(status: Status, subStatus: SubStatus, isCached: boolean): void;
  countLookups(result: CacheLookupResult, addresses: number): void;
  countFinding(answer: MailboxFinding["answer"], provider: string): void;
  /** An SMTP session or a lookup has ended. */
  countNetwork(event: NetworkEvent): void;
  countAdjudication(outcome: AdjudicationOutcome, questions: number): void;
  countCredits(kind: "charged" | "refunded", credits: number): void;
  countRows(rows: number, isSandbox: boolean): void;
  countDeferred(subStatus: SubStatus): void;
  countJobEnd(status: JobStatus, credits: { creditsUsed: number; creditsRefunded: number }): void;
  countClaim(queue: QueueName, elapsedMs: number): void;
  countRetry(queue: QueueName): void;
  countDelivery(outcome: DeliveryAttemptOutcome): void;
  /** Of a query for a connection of the pool. */
  countWait(elapsedMs: number): void;
  /** In the text format of Prometheus. */
  render(): Promise<string>;
  contentType: string;
  /** Adds gauges that are read on every scrape. */
  observe(load: LoadShedding, pool: pg.Pool, log: Pick<Log, "droppedLines">): void;
  /** Adds the gauges of the deployment. While `read` has no figures, they have no samples. */
  observeDeployment(read: () => Promise<DeploymentFigures | undefined>, listsMadeAt: () => string): void;
};

const REQUEST_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const SLOT_BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const DATABASE_BUCKETS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Sample<Name extends MetricName> = [labels: Partial<Record<LabelOf<Name>, string>>, value: number];

export function createMetrics(): Metrics {
  const register = new Registry();
  const configOf = <Name extends MetricName>(name: Name) => {
    const { help, labels } = METRICS[name];
    return { name, help, labelNames: labels as readonly LabelOf<Name>[], registers: [register] };
  };
  const counter = <Name extends MetricOf<"counter">>(name: Name) =>
    new Counter<LabelOf<Name>>(configOf(name));
  const histogram = <Name extends MetricOf<"histogram">>(name: Name, buckets: number[]) =>
    new Histogram<LabelOf<Name>>({ ...configOf(name), buckets });
  /** Read on every scrape. */
  const gauge = <Name extends MetricOf<"gauge">>(name: Name, read: () => number) =>
    samples(name, () => [[{}, read()]]);
  const samples = <Name extends MetricOf<"gauge">>(
    name: Name,
    read: () => Sample<Name>[] | Promise<Sample<Name>[]>,
  ): void => {
    new Gauge<LabelOf<Name>>({
      ...configOf(name),
      async collect() {
        const current = await read();
        this.reset();
        if (METRICS[name].labels.length === 0) this.remove(); // reset sets it to 0
        for (const [labels, value] of current) this.set(labels, value);
      },
    });
  };

  let isScraped = false;
  const durations = histogram("mailvet_http_request_duration_seconds", REQUEST_BUCKETS_SECONDS);
  const verdicts = counter("mailvet_verdicts_total");
  const lookups = counter("mailvet_verdict_cache_lookups_total");
  const findings = counter("mailvet_probe_findings_total");
  const sessions = counter("mailvet_smtp_sessions_total");
  const replies = counter("mailvet_smtp_replies_total");
  const slotWaits = histogram("mailvet_smtp_slot_wait_seconds", SLOT_BUCKETS_SECONDS);
  const dnsLookups = counter("mailvet_dns_lookups_total");
  const adjudications = counter("mailvet_adjudicator_questions_total");
  const charged = counter("mailvet_credits_charged_total");
  const refunded = counter("mailvet_credits_refunded_total");
  const endedJobs = counter("mailvet_jobs_ended_total");
  const rowsOfJobs = counter("mailvet_job_rows_total");
  const deferredRows = counter("mailvet_job_rows_deferred_total");
  const claims = histogram("mailvet_queue_claim_duration_seconds", DATABASE_BUCKETS_SECONDS);
  const retries = counter("mailvet_queue_retries_total");
  const deliveries = counter("mailvet_webhook_deliveries_total");
  const waits = histogram("mailvet_database_wait_seconds", DATABASE_BUCKETS_SECONDS);
  const durationOf = withKnownLabels(durations);
  const verdictOf = withKnownLabels(verdicts);
  const findingOf = withKnownLabels(findings);
  const lookupsOf: Readonly<Record<CacheLookupResult, ReturnType<typeof lookups.labels>>> = {
    memory: lookups.labels("memory"),
    database: lookups.labels("database"),
    missing: lookups.labels("missing"),
  };

  return {
    countRequest(request, reply, isAborted) {
      const route = request.routeOptions.url ?? "none";
      const status = isAborted ? "aborted" : `${Math.floor(reply.statusCode / 100)}xx`;
      const seconds = (performance.now() - request.lifetime.startedAtMs) / 1000;
      durationOf(request.method, route, status).observe(seconds);
    },
    countVerdict: (status, subStatus, isCached) => verdictOf(status, subStatus, String(isCached)).inc(),
    countLookups: (result, addresses) => lookupsOf[result].inc(addresses),
    countFinding: (answer, provider) => findingOf(answer, provider).inc(),
    countNetwork(event) {
      if (event.kind === "dns_lookup") {
        dnsLookups.inc({ lookup: event.lookup, outcome: event.outcome });
        return;
      }
      const { provider, outcome } = event;
      sessions.inc({ provider, outcome });
      slotWaits.observe(event.slotWaitMs / 1000);
      for (const [meaning, count] of Object.entries(event.replies)) replies.inc({ meaning, provider }, count);
    },
    countAdjudication: (outcome, questions) => adjudications.inc({ outcome }, questions),
    countCredits: (kind, credits) => (kind === "charged" ? charged : refunded).inc(credits),
    countRows: (rows, isSandbox) => rowsOfJobs.inc({ sandbox: String(isSandbox) }, rows),
    countDeferred: (subStatus) => deferredRows.inc({ sub_status: subStatus }),
    countJobEnd(status, { creditsUsed, creditsRefunded }) {
      endedJobs.inc({ state: status });
      charged.inc(creditsUsed);
      refunded.inc(creditsRefunded);
    },
    countClaim: (queue, elapsedMs) => claims.observe({ queue }, elapsedMs / 1000),
    countRetry: (queue) => retries.inc({ queue }),
    countDelivery: (outcome) => deliveries.inc({ outcome }),
    countWait: (elapsedMs) => waits.observe(elapsedMs / 1000),
    render() {
      // Of the Node.js process, from the first scrape on: they sample the event loop a hundred times a second.
      if (!isScraped) collectDefaultMetrics({ register });
      isScraped = true;
      return register.metrics();
    },
    contentType: register.contentType,
    observe(load, pool, log) {
      new Counter({
        ...configOf("mailvet_log_lines_dropped_total"),
        collect() {
          this.reset();
          this.inc(log.droppedLines);
        },
      });
      gauge("mailvet_http_requests_under_way", () => load.inFlight);
      gauge("mailvet_event_loop_delay_seconds", () => load.eventLoopDelayMs / 1000);
      gauge("mailvet_database_connections", () => pool.totalCount);
      gauge("mailvet_database_connections_idle", () => pool.idleCount);
      gauge("mailvet_database_queries_waiting", () => pool.waitingCount);
    },
    observeDeployment(read, listsMadeAt) {
      const shared = <Name extends MetricOf<"gauge">>(
        name: Name,
        samplesOf: (figures: DeploymentFigures) => Sample<Name>[],
      ) =>
        samples(name, async () => {
          const figures = await read();
          return figures ? samplesOf(figures) : [];
        });
      samples("mailvet_database_ready", async () => [[{}, (await read()) ? 1 : 0]]);
      gauge("mailvet_lists_age_seconds", () => (Date.now() - Date.parse(listsMadeAt())) / 1000);
      shared("mailvet_throttled_hosts", ({ identities }) =>
        identities.map(({ identity, throttled }) => [{ identity }, throttled]),
      );
      shared("mailvet_open_breakers", ({ identities }) =>
        identities.map(({ identity, openBreakers }) => [{ identity }, openBreakers]),
      );
      shared("mailvet_provider_refused_seconds", ({ providers }) =>
        providers.flatMap(({ identity, provider, state, since }) =>
          state !== "refused" || since === null
            ? []
            : [[{ identity, provider }, (Date.now() - Date.parse(since)) / 1000]],
        ),
      );
      shared("mailvet_identity_listed", ({ providers }) =>
        providers.flatMap(({ identity, provider: list, state }) =>
          state === "listed" ? [[{ identity, list }, 1]] : [],
        ),
      );
      shared("mailvet_egress_sessions_today", ({ identities }) =>
        identities.flatMap(({ identity, sessionsToday }) =>
          sessionsToday === undefined ? [] : [[{ identity }, sessionsToday]],
        ),
      );
      shared("mailvet_egress_sessions_per_day", ({ identities }) =>
        identities.flatMap(({ identity, sessionsPerDay }) =>
          sessionsPerDay === undefined ? [] : [[{ identity }, sessionsPerDay]],
        ),
      );
      shared("mailvet_jobs", ({ jobs }) => Object.entries(jobs).map(([state, count]) => [{ state }, count]));
      shared("mailvet_queue_tasks", ({ queues }) =>
        queues.flatMap(({ queue, waiting, due, paused, running }) =>
          Object.entries({ delayed: waiting - due - paused, due, paused, running }).map(
            ([state, count]): Sample<"mailvet_queue_tasks"> => [{ queue, state }, count],
          ),
        ),
      );
      shared("mailvet_queue_oldest_due_seconds", ({ queues }) =>
        queues.map(({ queue, oldestDueSeconds }) => [{ queue }, oldestDueSeconds]),
      );
      shared("mailvet_dead_letters", ({ queues }) =>
        queues.map(({ queue, deadLetters }) => [{ queue }, deadLetters]),
      );
    },
  };
}

/** Resolving a set of labels costs more than counting, and there are few sets. */
function withKnownLabels<Child>(metric: {
  labels(...values: string[]): Child;
}): (...values: string[]) => Child {
  const known = new Map<string, Child>();
  return (...values) => {
    const name = values.join(" ");
    let child = known.get(name);
    if (child === undefined) {
      child = metric.labels(...values);
      known.set(name, child);
    }
    return child;
  };
}
