/** Validating addresses for a caller, one at a time or many: the parts put together, with their time budgets. */
import type { Caller } from "../caller.ts";
import { type AnswerDeps, type Answers, createAnswers } from "./answer.ts";
import { type InspectedDomain, inspectDomain } from "./inspect-domain.ts";
import type { PresentOptions } from "./present-result.ts";
import { createRechecks, type RecheckDeps, type Rechecks } from "./rechecks.ts";
import { type ValidateDeps, type Validated, validate } from "./validate.ts";
import { type BulkValidated, validateBulk } from "./validate-bulk.ts";
import type { VerdictCache } from "./verdict-cache.ts";

export type Validations = {
  validate(caller: Caller, email: string, asking: PresentOptions): Promise<Validated>;
  validateMany(caller: Caller, emails: readonly string[], asking: PresentOptions): Promise<BulkValidated>;
  inspectDomain(caller: Caller, domain: string, asking: PresentOptions): Promise<InspectedDomain>;
  /** For jobs, which pay in their own way: the same answers. */
  answers: Pick<Answers, "glance" | "knownAmong" | "begin" | "wait" | "calibrationOf">;
  /** For the workers of the line "rechecks". */
  rechecks: Pick<Rechecks, "handler" | "giveUp" | "eraseOld">;
  /** Whoever waits is answered within this time, with what is known by then: the service is about to stop. */
  wrapUp(withinMs: number): void;
  /** Writes what the memory has still to write. The verifier is closed by whoever opened it. */
  close(): Promise<void>;
};

export type ValidationDeps = Omit<AnswerDeps, "memory"> &
  Pick<ValidateDeps, "ledger" | "sayFailure" | "countVerdict"> & {
    memory: VerdictCache;
    rechecking: Omit<RecheckDeps, "answers">;
    singleBudgetMs: number;
    bulkBudgetMs: number;
  };

export function createValidations(deps: ValidationDeps): Validations {
  const { singleBudgetMs, bulkBudgetMs, memory, rechecking, ...rest } = deps;
  const answers = createAnswers({ ...rest, memory });
  const rechecks = createRechecks({ ...rechecking, answers });
  const single = { ...rest, answers, budgetMs: singleBudgetMs, planRecheck: rechecks.plan };
  const bulk = { ...rest, answers, budgetMs: bulkBudgetMs };
  return {
    validate: (caller, email, asking) => validate(single, caller, email, asking),
    validateMany: (caller, emails, asking) => validateBulk(bulk, caller, emails, asking),
    inspectDomain: (caller, domain, asking) => inspectDomain(single, caller, domain, asking),
    answers,
    rechecks,
    wrapUp: answers.wrapUp,
    close: () => memory.close(),
  };
}
