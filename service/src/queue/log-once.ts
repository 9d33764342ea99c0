/** Logs an event that keeps repeating once per interval, with a count of the repetitions. */

import { messageOf } from "../base/error-chain.ts";
import type { LogEvent, LogEventName } from "../base/log-events.ts";
import { createLogSampling } from "../base/log-sampling.ts";
import { isDatabaseUnavailable } from "../db/database.ts";

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
