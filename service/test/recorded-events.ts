/** A log that keeps its events for assertions. */
import type { LogEvent, LogEventName } from "../src/log-events.ts";

export type RecordedEvent = { event: LogEventName } & Record<string, unknown>;

export function recordEvents(): { log: LogEvent; events: RecordedEvent[] } {
  const events: RecordedEvent[] = [];
  return { events, log: (event, fields) => void events.push({ event, ...fields }) };
}
