/** Reports what goes wrong again and again once per interval, until it is over. */
import { isDatabaseUnavailable } from "../db/database.ts";
import { createLogSampling } from "../log-sampling.ts";

export type LogOnce = {
  note(what: string, error: unknown): void;
  areOver(): void;
};

export function createLogOnce(say: (text: string) => void): LogOnce {
  const repeats = createLogSampling((kind, occurrences) => say(`${kind}: ${occurrences} more times`));
  return {
    note(what, error) {
      // An outage shows itself in many ways, all of them one trouble.
      const kind = isDatabaseUnavailable(error) ? "the database is away" : `${what}: ${errorMessage(error)}`;
      repeats.note(kind, () => say(`${what}, trying again: ${errorMessage(error)}`));
    },
    areOver: repeats.clear,
  };
}

/** What an error says, and what it wraps: Drizzle's own words are only which statement failed. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
