/** One stage of a check: what was examined, its outcome, and what that means. */
import { messages } from "./messages.tsx";

/** good: evidence for the address. bad: evidence against it. open: no evidence. skipped: not examined. */
export type Outcome = "good" | "bad" | "warn" | "open" | "skipped";

export type Stage = {
  id: string;
  title: string;
  outcome: Outcome;
  /** The outcome in one or two words. */
  word: string;
  meaning: string;
  facts: Fact[];
  /** The reply of a mail server, verbatim. */
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
  word: messages.stages.skipped,
  meaning,
  facts: [],
});
