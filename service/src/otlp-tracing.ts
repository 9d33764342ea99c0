/**
 * Traces by OpenTelemetry, exported as OTLP over HTTP (JSON). Loaded only when an endpoint is set (config.ts).
 *
 * Endpoint, headers, sampler, batches and resource are set by the standard OTEL_ variables, which the packages read
 * themselves. Spans that cannot be exported are dropped: at most one batch queue (OTEL_BSP_MAX_QUEUE_SIZE, 2,048 spans) is
 * kept in memory, and nothing waits for the export. OpenTelemetry's globals and context manager are not used.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { DnsLookupEvent, SmtpSessionEvent } from "@mailvet/engine";
import {
  type Context,
  type SpanContext as Identity,
  type Link,
  SpanKind as OtlpKind,
  type Span as OtlpSpan,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { LogEvent } from "./base/log-events.ts";
import type { Span, SpanAttributes, SpanKind, Tracing } from "./base/tracing.ts";

/** Of the whole stop (main.ts), for a collector that does not answer. */
const CLOSE_WITHIN_MS = 2_000;
const REPORT_FAILURE_EVERY_MS = 60_000;

const KINDS: Readonly<Record<SpanKind, OtlpKind>> = {
  server: OtlpKind.SERVER,
  consumer: OtlpKind.CONSUMER,
};

export function openTracing({ version, log }: { version: string; log: LogEvent }): Tracing {
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "mailvet", "service.version": version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(reportingFailures(new OTLPTraceExporter(), log))],
  });
  const tracer = provider.getTracer("mailvet", version);
  const currentSpan = new AsyncLocalStorage<OtlpSpan>();

  const observeSession = ({ traces, ...session }: SmtpSessionEvent) => {
    const identities = traces.flatMap((text) => identityOf(text) ?? []);
    const parent = identities.find(isSampled) ?? identities[0];
    if (!parent) return;
    const links = identities.filter((one) => one !== parent).map((context): Link => ({ context }));
    const attributes = {
      "server.address": session.host,
      "mailvet.provider": session.provider,
      "mailvet.identity": session.identity,
      "mailvet.recipients": session.recipients,
      "mailvet.slot_wait_ms": Math.round(session.slotWaitMs),
      "mailvet.outcome": session.outcome,
    };
    recordPast("SMTP session", parent, session, attributes, links);
  };

  const observeLookup = ({ trace: text, lookup, outcome, ...period }: DnsLookupEvent) => {
    const parent = identityOf(text);
    const attributes = { "mailvet.lookup": lookup, "mailvet.outcome": outcome };
    if (parent) recordPast("DNS lookup", parent, period, attributes, []);
  };

  /** A span that is over already. */
  function recordPast(
    name: string,
    parent: Identity,
    { startedAtMs: startTime, endedAtMs }: { startedAtMs: number; endedAtMs: number },
    attributes: SpanAttributes,
    links: Link[],
  ): void {
    const options = { kind: OtlpKind.CLIENT, startTime, links, attributes: { ...attributes } };
    tracer.startSpan(name, options, inside(parent)).end(endedAtMs);
  }

  return {
    start(name, kind, attributes, parent): Span {
      const identity = identityOf(parent) ?? currentSpan.getStore()?.spanContext();
      const options = { kind: KINDS[kind], attributes: { ...attributes } };
      const span = tracer.startSpan(name, options, identity ? inside(identity) : ROOT_CONTEXT);
      return {
        run: (work) => currentSpan.run(span, work),
        end(more = {}, hasFailed = false) {
          span.setAttributes({ ...more });
          if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    current() {
      const span = currentSpan.getStore();
      return span && traceparentOf(span.spanContext());
    },
    observe: (event) => (event.kind === "smtp_session" ? observeSession(event) : observeLookup(event)),
    async close() {
      const isOver = new AbortController();
      const shutdown = provider.shutdown().catch(() => {}); // reported by the exporter
      await Promise.race([
        shutdown.finally(() => isOver.abort()),
        pause(CLOSE_WITHIN_MS, undefined, { signal: isOver.signal }).catch(() => {}),
      ]);
    },
  };
}

/** Logs a failed export, at most once a minute. */
function reportingFailures(exporter: SpanExporter, log: LogEvent): SpanExporter {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        if (result.error && performance.now() - reportedAtMs >= REPORT_FAILURE_EVERY_MS) {
          reportedAtMs = performance.now();
          log("traces_export_failed", { err: result.error, spans: spans.length });
        }
        onResult(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Undefined if it is malformed. */
function identityOf(traceparent: string | undefined): Identity | undefined {
  return parseTraceParent(traceparent ?? "") ?? undefined;
}

function traceparentOf({ traceId, spanId, traceFlags }: Identity): string {
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

const isSampled = ({ traceFlags }: Identity) => (traceFlags & TraceFlags.SAMPLED) !== 0;
const inside = (identity: Identity): Context => trace.setSpanContext(ROOT_CONTEXT, identity);
