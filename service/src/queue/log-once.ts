/** Logs an event that keeps repeating once per interval, with a count of the repetitions. */
import { isDatabaseUnavailable } from "../db/database.ts";
import type { LogEvent, LogEventName } from "../log-events.ts";
import { createLogSampling } from "../log-sampling.ts";

export type LogOnce = {
  note(event: LogEventName, fields: { err: unknown; [field: string]: unknown }): void;
  /** The cause is over: the next occurrence is logged at once. */
  clear(): void;
};

export function createLogOnce(log: LogEvent): LogOnce {
  const repeats = createLogSampling((kind, count) => log("event_repeated", { kind, count }));
  return {
    note(event, fields) {
      // An outage causes many different errors; they count as one kind.
      const kind = isDatabaseUnavailable(fields.err)
        ? "database_unavailable"
        : `${event}: ${messageOf(fields.err)}`;
      repeats.note(kind, () => log(event, fields));
    },
    clear: repeats.clear,
  };
}

/** The cause included: Drizzle's own message only names the statement. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
