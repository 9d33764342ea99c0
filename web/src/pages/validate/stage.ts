/** One step on the way to a verdict: what was looked at, and what it said. */

/** good: speaks for the address. bad: against it. open: nothing either way. skipped: not asked. */
export type Outcome = "good" | "bad" | "warn" | "open" | "skipped";

export type Stage = {
  id: string;
  title: string;
  outcome: Outcome;
  /** What came of it, in a few words. */
  word: string;
  /** What that means. */
  meaning: string;
  facts: Fact[];
  /** A mail server's own words. */
  quote?: { who: string; line: string } | undefined;
};

export type Fact = readonly [label: string, value: string];

export const stage = (id: string, title: string) => (rest: Omit<Stage, "id" | "title">) => ({
  id,
  title,
  ...rest,
});
export const skipped = (meaning: string): Omit<Stage, "id" | "title"> => ({
  outcome: "skipped",
  word: "not asked",
  meaning,
  facts: [],
});
