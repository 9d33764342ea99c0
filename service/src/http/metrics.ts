/** Prometheus metrics of this process: requests, verdicts, event loop, database pool. Labels never hold addresses. */
import type { Status, SubStatus } from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type pg from "pg";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AdjudicationOutcome } from "../adjudication/adjudicator.ts";
import type { Log } from "../base/log.ts";
import type { LoadShedding } from "./middleware/load-shedding.ts";

export type Metrics = {
  countRequest(request: FastifyRequest, reply: FastifyReply, isAborted: boolean): void;
  countVerdict(status: Status, subStatus: SubStatus, isCached: boolean): void;
  countAdjudication(outcome: AdjudicationOutcome, questions: number): void;
  /** In the text format of Prometheus. */
  render(): Promise<string>;
  contentType: string;
  /** Adds gauges that are read on every scrape. */
  observe(load: LoadShedding, pool: pg.Pool, log: Pick<Log, "droppedLines">): void;
};

const DURATION_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createMetrics(): Metrics {
  const register = new Registry();
  let isScraped = false;
  const durations = new Histogram({
    name: "mailvet_http_request_duration_seconds",
    help: "Time from the arrival of a request until its response was sent.",
    labelNames: ["method", "route", "status"] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [register],
  });
  const verdicts = new Counter({
    name: "mailvet_verdicts_total",
    help: "Verdicts returned.",
    labelNames: ["status", "sub_status", "cached"] as const,
    registers: [register],
  });
  const adjudications = new Counter({
    name: "mailvet_adjudicator_questions_total",
    help: "Questions to the language model, by outcome.",
    labelNames: ["outcome"] as const,
    registers: [register],
  });
  // Resolving a set of labels costs more than counting, and there are few sets.
  const durationsOf = new Map<string, ReturnType<typeof durations.labels>>();
  const verdictsOf = new Map<string, ReturnType<typeof verdicts.labels>>();

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [register],
      collect() {
        this.set(read());
      },
    });
  }

  return {
    countRequest(request, reply, isAborted) {
      const route = request.routeOptions.url ?? "none";
      const status = isAborted ? "aborted" : `${Math.floor(reply.statusCode / 100)}xx`;
      const name = `${request.method} ${route} ${status}`;
      let duration = durationsOf.get(name);
      if (!duration) {
        duration = durations.labels(request.method, route, status);
        durationsOf.set(name, duration);
      }
      duration.observe((performance.now() - request.lifetime.startedAtMs) / 1000);
    },
    countVerdict(status, subStatus, isCached) {
      const name = isCached ? `${subStatus} cached` : subStatus; // which implies the status
      let counted = verdictsOf.get(name);
      if (!counted) {
        counted = verdicts.labels(status, subStatus, String(isCached));
        verdictsOf.set(name, counted);
      }
      counted.inc();
    },
    countAdjudication: (outcome, questions) => adjudications.labels(outcome).inc(questions),
    render() {
      // Of the Node.js process, from the first scrape on: they sample the event loop a hundred times a second.
      if (!isScraped) collectDefaultMetrics({ register });
      isScraped = true;
      return register.metrics();
    },
    contentType: register.contentType,
    observe(load, pool, log) {
      new Counter({
        name: "mailvet_log_lines_dropped_total",
        help: "Log lines that could not be written.",
        registers: [register],
        collect() {
          this.reset();
          this.inc(log.droppedLines);
        },
      });
      gauge("mailvet_http_requests_under_way", "Requests in flight.", () => load.inFlight);
      gauge(
        "mailvet_event_loop_delay_seconds",
        "Delay of the event loop.",
        () => load.eventLoopDelayMs / 1000,
      );
      gauge("mailvet_database_connections", "Open connections in the pool.", () => pool.totalCount);
      gauge("mailvet_database_connections_idle", "Idle connections in the pool.", () => pool.idleCount);
      gauge("mailvet_database_queries_waiting", "Queries waiting for a connection.", () => pool.waitingCount);
    },
  };
}
