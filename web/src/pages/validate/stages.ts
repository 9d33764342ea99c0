/**
 * A result told as the way to it: what was looked at, in order, and what each stage found.
 *
 * Everything is read off the result; nothing here knows more than a program that calls the API.
 */
import type { ValidationResult } from "@mailvet/contract";
import { listStage, nameStage, textStage } from "./address-stages.ts";
import { aiStage, madeUpStage, serverStage } from "./server-stages.ts";
import type { Stage } from "./stage.ts";

export function stagesOf(result: ValidationResult): Stage[] {
  const stages = [textStage(result), listStage(result), nameStage(result)];
  stages.push(serverStage(result), madeUpStage(result));
  if (result.ai_enhancement.used) stages.push(aiStage(result));
  return stages;
}
