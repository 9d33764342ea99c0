/**
 * The stages of a check in order, derived from its result alone: everything shown is also available to API clients.
 */
import type { ValidationResult } from "@mailvet/contract";
import { dnsStage, listStage, syntaxStage } from "./address-stages.ts";
import { aiStage, catchAllStage, smtpStage } from "./server-stages.ts";
import type { Stage } from "./stage.ts";

export function stagesOf(result: ValidationResult): Stage[] {
  const stages = [syntaxStage(result), listStage(result), dnsStage(result)];
  stages.push(smtpStage(result), catchAllStage(result));
  if (result.ai_enhancement.used) stages.push(aiStage(result));
  return stages;
}
