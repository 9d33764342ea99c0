/** How the language model is doing, in the contract's shape. */
import type { SystemAdjudicator } from "@mailvet/contract";
import type { AdjudicatorReport } from "../adjudication/adjudicator.ts";

export function presentAdjudicator(report: AdjudicatorReport): SystemAdjudicator {
  const { model, askedToday, questionsPerDay, outcomes, restsUntil } = report;
  return {
    model,
    asked_today: askedToday,
    daily_budget: questionsPerDay,
    answered: outcomes.answered,
    remembered: outcomes.remembered,
    failed: outcomes.failed,
    not_asked: outcomes.resting + outcomes.crowded + outcomes.over_budget,
    rests_until: restsUntil?.toISOString() ?? null,
  };
}
