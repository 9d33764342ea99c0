/** Validation of addresses for a caller, one at a time or many: assembles the parts with their time budgets. */
import type { BulkSummary, DomainReport } from "@mailvet/contract";
import type { Caller } from "../base/caller.ts";
import { type AnswerDeps, type Answers, createAnswers } from "./answer.ts";
import { inspectDomain } from "./inspect-domain.ts";
import type { PresentOptions } from "./present-result.ts";
import { createRechecks, type RecheckDeps, type Rechecks } from "./rechecks.ts";
import { type ValidateDeps, type Validated, validate } from "./validate.ts";
import { validateBulk } from "./validate-bulk.ts";
import type { VerdictCache } from "./verdict-cache.ts";

export type Validations = {
  validate(caller: Caller, email: string, asking: PresentOptions): Promise<Validated>;
  validateMany(caller: Caller, emails: readonly string[], asking: PresentOptions): Promise<BulkSummary>;
  inspectDomain(caller: Caller, domain: string, asking: PresentOptions): Promise<DomainReport>;
  /** For jobs, which are charged differently, and estimates, which are free. */
  answers: Pick<Answers, "inspect" | "knownAmong" | "ask" | "begin" | "wait" | "calibrationOf">;
  /** For the workers of the queue "rechecks". */
  rechecks: Pick<Rechecks, "handler" | "redrive" | "waiting" | "eraseOld">;
  /** Shutdown: all requests are answered within this time, with the evidence so far. */
  wrapUp(withinMs: number): void;
  /** Writes what the verdict cache has still to write. Does not close the verifier. */
  close(): Promise<void>;
};

export type ValidationDeps = Omit<AnswerDeps, "verdictCache"> &
  Pick<ValidateDeps, "ledger" | "unknownRefund" | "log" | "countVerdict"> & {
    verdictCache: VerdictCache;
    rechecking: Omit<RecheckDeps, "answers">;
    singleBudgetMs: number;
    bulkBudgetMs: number;
  };

export function createValidations(deps: ValidationDeps): Validations {
  const { singleBudgetMs, bulkBudgetMs, verdictCache, rechecking, ...rest } = deps;
  const answers = createAnswers({ ...rest, verdictCache });
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
    close: () => verdictCache.close(),
  };
}
