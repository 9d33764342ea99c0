/** Presents answers in the shape of the contract. */
import type { BulkItem, Language, ValidationResult } from "@mailvet/contract";
import { listItemOf, reportOf } from "@mailvet/engine";
import type { Caller } from "../base/caller.ts";
import type { RequestCharge } from "../credits/request-charge.ts";
import type { ValidationAnswer } from "./answer.ts";
import type { CheckParameters } from "./check-options.ts";

/** The request that is answered. */
export type PresentOptions = {
  requestId: string;
  /** What it spends. */
  charge: RequestCharge;
  /** Of the texts for people; English by default. */
  language?: Language | undefined;
  /** By performance.now(). */
  startedAtMs: number;
  options?: CheckParameters;
};

export function present(
  answer: ValidationAnswer,
  caller: Pick<Caller, "plan">,
  asking: Pick<PresentOptions, "requestId" | "startedAtMs" | "language">,
): ValidationResult {
  const request = {
    requestId: asking.requestId,
    planTier: caller.plan,
    responseTimeMs: performance.now() - asking.startedAtMs,
    checkedAtMs: answer.checkedAtMs,
    cached: answer.isCached,
    language: asking.language,
    calibration: answer.calibration,
  };
  const result = reportOf(answer.evidence, request, answer.verdict);
  if (answer.isSandbox) result.metadata.sandbox = true;
  return result;
}

export function presentItem(answer: ValidationAnswer, caller: Caller, asking: PresentOptions): BulkItem {
  return listItemOf(present(answer, caller, asking));
}
