/** What Prometheus may know of this process: requests, verdicts, the event loop, the database pool. No addresses. */
import type { Status, SubStatus } from "@mailvet/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type pg from "pg";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AdjudicationOutcome } from "../adjudication/adjudicator.ts";
import type { Log } from "../log.ts";
import type { LoadShedding } from "./middleware/load-shedding.ts";

export type Metrics = {
  countRequest(request: FastifyRequest, reply: FastifyReply, isAborted: boolean): void;
  countVerdict(status: Status, subStatus: SubStatus, isCached: boolean): void;
  countAdjudication(outcome: AdjudicationOutcome, questions: number): void;
  /** The text that Prometheus reads. */
  show(): Promise<string>;
  contentType: string;
  /** What is measured whenever somebody looks. */
  watch(load: LoadShedding, pool: pg.Pool, log: Pick<Log, "droppedLines">): void;
};

const DURATION_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createMetrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const durations = new Histogram({
    name: "mailvet_http_request_duration_seconds",
    help: "Time from routing a request until its answer was sent.",
    labelNames: ["method", "route", "status"] as const,
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [register],
  });
  const verdicts = new Counter({
    name: "mailvet_verdicts_total",
    help: "Verdicts given.",
    labelNames: ["status", "sub_status", "cached"] as const,
    registers: [register],
  });
  const adjudications = new Counter({
    name: "mailvet_adjudicator_questions_total",
    help: "Questions for the language model, by how they ended.",
    labelNames: ["outcome"] as const,
    registers: [register],
  });
  // Looking up a set of labels costs more than counting, and there are few sets.
  const durationsOf = new Map<string, ReturnType<typeof durations.labels>>();

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
      duration.observe((performance.now() - request.visit.startedAt) / 1000);
    },
    countVerdict: (status, subStatus, isCached) => verdicts.labels(status, subStatus, String(isCached)).inc(),
    countAdjudication: (outcome, questions) => adjudications.labels(outcome).inc(questions),
    show: () => register.metrics(),
    contentType: register.contentType,
    watch(load, pool, log) {
      new Counter({
        name: "mailvet_log_lines_dropped_total",
        help: "Log lines that could not be written.",
        registers: [register],
        collect() {
          this.reset();
          this.inc(log.droppedLines);
        },
      });
      gauge("mailvet_http_requests_under_way", "Requests being worked on.", () => load.underWay);
      gauge(
        "mailvet_event_loop_delay_seconds",
        "How late the event loop is.",
        () => load.eventLoopDelayMs / 1000,
      );
      gauge("mailvet_database_connections", "Open connections of the pool.", () => pool.totalCount);
      gauge("mailvet_database_connections_idle", "Those that nobody uses.", () => pool.idleCount);
      gauge(
        "mailvet_database_queries_waiting",
        "Queries that wait for a connection.",
        () => pool.waitingCount,
      );
    },
  };
}
