/**
 * Inspects a domain: its mail route, provider, policies and whether it is catch-all. Costs one credit, like a single check.
 *
 * What is not known within the time budget is reported as unknown, and the check continues in the background. The verdict
 * cache is not used: it stores too little of the route.
 */
import type { DomainReport } from "@mailvet/contract";
import { domainReportOf, domainSyntaxError, type Evidence, postmasterOf } from "@mailvet/engine";
import type { Caller } from "../base/caller.ts";
import { wrongValue } from "../base/refusal.ts";
import type { Answers } from "./answer.ts";
import { paymentBy } from "./charge-policy.ts";
import { type CheckContext, checkContextOf } from "./check-options.ts";
import type { PresentOptions } from "./present-result.ts";
import { isSandboxDomain, SANDBOX_DOMAIN } from "./sandbox.ts";
import type { ValidateDeps } from "./validate.ts";

export async function inspectDomain(
  { answers, budgetMs, ...paying }: ValidateDeps,
  caller: Caller,
  domain: string,
  asking: PresentOptions,
): Promise<DomainReport> {
  const context = checkContextOf(caller);
  const inspection = answers.inspect(postmasterOf(domain));
  const { domain: ascii = "", unicodeDomain = "" } = inspection.address ?? {};
  const isSandbox = ascii !== "" && isSandboxDomain(context, ascii);
  if (!isSandbox) refuseUnusable(inspection);
  const present = (evidence: Evidence): DomainReport => {
    const responseTimeMs = performance.now() - asking.startedAtMs;
    const { requestId } = asking;
    const request = { requestId, planTier: caller.plan, responseTimeMs };
    const report = domainReportOf(evidence, { ...request, domain: { ascii, unicode: unicodeDomain } });
    if (isSandbox) report.metadata.sandbox = true;
    return report;
  };

  const simulated = isSandbox ? await simulate(answers, context, ascii) : undefined;
  const payment = paymentBy(paying, caller, asking);
  const isFree = isSandbox && caller.by.kind === "session";
  await payment.charge(isFree ? 0 : 1);
  // There is no verdict to count: daily usage has the credit only.
  return present(simulated ?? (await check(answers, context, inspection, budgetMs)));
}

async function check(
  answers: Answers,
  context: CheckContext,
  inspection: Evidence,
  withinMs: number,
): Promise<Evidence> {
  const [answer] = await answers.ask(context, [inspection], { withinMs, isUrgent: true });
  return usable(answer?.evidence);
}

async function simulate(answers: Answers, context: CheckContext, domain: string): Promise<Evidence> {
  const outcome = answers.inspect(`${domain.split(".")[0]}@${SANDBOX_DOMAIN}`);
  const evidence = usable((await answers.known(context, outcome))?.evidence);
  refuseUnusable(evidence);
  return evidence;
}

/** Internal errors are not charged. */
function usable(evidence: Evidence | undefined): Evidence {
  if (evidence && evidence.failure === undefined) return evidence;
  throw new Error(`inspecting a domain failed: ${evidence?.failure ?? "no answer"}`);
}

function refuseUnusable(evidence: Evidence): void {
  const message = domainSyntaxError(evidence);
  if (message !== undefined) throw wrongValue("/domain", message);
}
