/** What one examination of the installation came to, in words for the operator. */

/** `unknown`: we could not find out, which is no reproach to the installation. */
export type FindingStatus = "good" | "warning" | "bad" | "unknown";

export type Finding = {
  /** What was examined; the same in every run, so that a program can look for it. */
  name: string;
  outcome: FindingStatus;
  /** What is so, in a sentence. */
  found: string;
  /** What to do about it. */
  advice?: string;
};

/** The case that was met: the outcome, what was found, and what to do, all told from the same facts. */
export type Case<Facts> = {
  outcome: FindingStatus;
  when(facts: Facts): boolean;
  found(facts: Facts): string;
  advice?(facts: Facts): string;
};

/** The first case that applies decides, so the order of the cases is the policy; the last one always applies. */
export function judge<Facts>(name: string, cases: readonly Case<Facts>[], facts: Facts): Finding {
  const met = cases.find((one) => one.when(facts));
  if (!met) throw new Error(`no case applies to ${name}`);
  const finding: Finding = { name, outcome: met.outcome, found: met.found(facts) };
  return met.advice ? { ...finding, advice: met.advice(facts) } : finding;
}
