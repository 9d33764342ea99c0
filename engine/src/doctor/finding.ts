/** The result of one diagnostic check, as text for the operator. */

/** `unknown`: the check could not be completed. */
export type FindingStatus = "good" | "warning" | "bad" | "unknown";

export type Diagnosis = {
  /** What was checked; the same in every run, so that programs can rely on it. */
  name: string;
  /** The egress identity it is about, where they come from EGRESS_FILE. */
  identity?: string;
  outcome: FindingStatus;
  /** The result, as a sentence. */
  found: string;
  /** What to do about it. */
  advice?: string;
};

/** A row of a check's rule table: status, result and advice, all derived from the same facts. */
export type FindingRule<Facts> = {
  outcome: FindingStatus;
  when(facts: Facts): boolean;
  found(facts: Facts): string;
  advice?(facts: Facts): string;
};

/** The first rule that applies decides, so row order is the policy; the last one always applies. */
export function judge<Facts>(name: string, rules: readonly FindingRule<Facts>[], facts: Facts): Diagnosis {
  const rule = rules.find((candidate) => candidate.when(facts));
  if (!rule) throw new Error(`no rule applies to ${name}`);
  const finding: Diagnosis = { name, outcome: rule.outcome, found: rule.found(facts) };
  return rule.advice ? { ...finding, advice: rule.advice(facts) } : finding;
}
