/** Log events as a test reads them. */
import type { LogEvent } from "../src/log-events.ts";

export type LoggedEvent = { event: string } & Record<string, unknown>;

export function recordEvents(): { events: LoggedEvent[]; log: LogEvent } {
  const events: LoggedEvent[] = [];
  return { events, log: (event, fields) => void events.push({ event, ...fields }) };
}
