/** A log that keeps its events for assertions. */
import type { LogEvent, LogEventName } from "../src/base/log-events.ts";

export type RecordedEvent = { event: LogEventName } & Record<string, unknown>;

export function recordEvents(): { log: LogEvent; events: RecordedEvent[] } {
  const events: RecordedEvent[] = [];
  return { events, log: (event, fields) => void events.push({ event, ...fields }) };
}

/** Without those of heartbeats, which a busy machine may delay beyond their limit. */
export const withoutHeartbeats = (events: readonly RecordedEvent[]): RecordedEvent[] =>
  events.filter(({ event }) => !event.startsWith("heartbeat_"));
