/** Reports what goes wrong again and again once per interval, until it is over. */
import { isDatabaseAway } from "../db/database.ts";
import { createRepeats } from "../log-sampling.ts";

export type Troubles = {
  note(what: string, error: unknown): void;
  areOver(): void;
};

export function createTroubles(say: (text: string) => void): Troubles {
  const repeats = createRepeats((kind, occurrences) => say(`${kind}: ${occurrences} more times`));
  return {
    note(what, error) {
      // An outage shows itself in many ways, all of them one trouble.
      const kind = isDatabaseAway(error) ? "the database is away" : `${what}: ${reasonOf(error)}`;
      repeats.note(kind, () => say(`${what}, trying again: ${reasonOf(error)}`));
    },
    areOver: repeats.clear,
  };
}

/** What an error says, and what it wraps: Drizzle's own words are only which statement failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
