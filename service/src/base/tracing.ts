/**
 * Traces as the parts of the service see them. The implementation (otlp-tracing.ts) is loaded only where traces are
 * exported; without it there is no `Tracing`, and callers do nothing.
 *
 * No attribute may contain an address, a key or an account.
 */
import type { NetworkEvent } from "@mailvet/engine";

export type Tracing = {
  /** Starts a span. Its parent is `parent`, a W3C traceparent; if that is missing or malformed, the current span. */
  start(name: string, kind: SpanKind, attributes: SpanAttributes, parent?: string | undefined): Span;
  /** W3C traceparent of the current span. */
  current(): string | undefined;
  /** A span for what the engine has done, in the trace that it was done for. */
  observe(event: NetworkEvent): void;
  /** Exports what is left, within a limited time. */
  close(): Promise<void>;
};

export type Span = {
  /** Runs the work, and what it starts, with this as the current span. */
  run<T>(work: () => T): T;
  end(attributes?: SpanAttributes, hasFailed?: boolean): void;
};

export type SpanKind = "server" | "consumer";
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;
