/** Says what goes wrong again and again once, until it is over. */
import { isDatabaseAway } from "../db/database.ts";

export type Troubles = {
  note(what: string, error: unknown): void;
  areOver(): void;
};

export function createTroubles(say: (text: string) => void): Troubles {
  const said = new Set<string>();
  return {
    note(what, error) {
      // An outage shows itself in many ways, all of them one trouble.
      const name = isDatabaseAway(error) ? "away" : `${what}: ${reasonOf(error)}`;
      if (said.has(name)) return;
      said.add(name);
      say(`${what}, trying again: ${reasonOf(error)}`);
    },
    areOver: () => said.clear(),
  };
}

/** What an error says, and what it wraps: Drizzle's own words are only which statement failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
