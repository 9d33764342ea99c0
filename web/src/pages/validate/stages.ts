/**
 * The stages of a check in order, derived from its result alone: everything shown is also available to API clients.
 */
import type { SubStatus, ValidationResult } from "@mailvet/contract";
import { dnsStage, listStage, syntaxStage } from "./address-stages.ts";
import { aiStage, catchAllStage, smtpStage } from "./server-stages.ts";
import type { Stage } from "./stage.ts";

export function stagesOf(result: ValidationResult): Stage[] {
  const stages = [syntaxStage(result), listStage(result), dnsStage(result)];
  stages.push(smtpStage(result), catchAllStage(result));
  if (result.ai_enhancement.used) stages.push(aiStage(result));
  return stages;
}

/** The stage that decided, where it was not the server's response. */
const DECIDED_BY: Partial<Record<SubStatus, string>> = {
  syntax_error: "syntax",
  provider_syntax: "syntax",
  reserved_domain: "syntax",
  role_based: "syntax",
  disposable: "lists",
  domain_not_found: "dns",
  no_mail_server: "dns",
  null_mx: "dns",
  unroutable_mail_server: "dns",
  dns_error: "dns",
  possible_typo: "dns",
  catch_all: "catch-all",
  low_quality: "ai",
};

export function decidingStage({ sub_status }: Pick<ValidationResult, "sub_status">): string {
  return DECIDED_BY[sub_status] ?? "smtp";
}
