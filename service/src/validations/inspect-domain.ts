/**
 * A domain: its mail route, provider, policies and whether it accepts any name. One credit, paid like a single check.
 *
 * What is not settled within the budget is reported as not found out, and the check goes on in the background. The
 * verdict cache has no part in it: it keeps too little of the route.
 */
import type { DomainReport } from "@mailvet/contract";
import { domainReportOf, domainSyntaxError, type Evidence, postmasterOf } from "@mailvet/engine";
import type { Caller } from "../caller.ts";
import { wrongValue } from "../refusal.ts";
import type { Answers } from "./answer.ts";
import { paymentBy } from "./charge-policy.ts";
import { type CheckContext, checkContextOf } from "./check-options.ts";
import type { PresentOptions } from "./present-result.ts";
import { isSandboxDomain, SANDBOX_DOMAIN } from "./sandbox.ts";
import type { ValidateDeps } from "./validate.ts";

/** The balance is undefined where nothing was paid. */
export type InspectedDomain = { report: DomainReport; creditsRemaining: number | undefined };

export async function inspectDomain(
  { answers, ledger, budgetMs }: ValidateDeps,
  caller: Caller,
  domain: string,
  asking: PresentOptions,
): Promise<InspectedDomain> {
  const context = checkContextOf(caller);
  const inspection = answers.inspect(postmasterOf(domain));
  const { domain: ascii = "", unicodeDomain = "" } = inspection.address ?? {};
  const isSandbox = ascii !== "" && isSandboxDomain(context, ascii);
  if (!isSandbox) refuseUnusable(inspection);
  const present = (evidence: Evidence): DomainReport => {
    const responseTimeMs = performance.now() - asking.startedAtMs;
    const { requestId } = asking;
    const asked = { requestId, planTier: caller.plan, responseTimeMs };
    const report = domainReportOf(evidence, { ...asked, domain: { ascii, unicode: unicodeDomain } });
    if (isSandbox) report.metadata.sandbox = true;
    return report;
  };

  if (context.isTest)
    return { report: present(await played(answers, context, ascii)), creditsRemaining: undefined };
  const payment = paymentBy(ledger, caller, asking);
  await using credit = await payment.reserve(1, budgetMs);
  const evidence = isSandbox
    ? await played(answers, context, ascii)
    : await asked(answers, context, inspection, budgetMs);
  const report = present(evidence);
  // No verdict was given, so none is counted: the usage of the day has the credit alone.
  return { report, creditsRemaining: await payment.settle(credit, []) };
}

async function asked(
  answers: Answers,
  context: CheckContext,
  inspection: Evidence,
  withinMs: number,
): Promise<Evidence> {
  const [answer] = await answers.ask(context, [inspection], { withinMs, isUrgent: true });
  return usable(answer?.evidence);
}

async function played(answers: Answers, context: CheckContext, domain: string): Promise<Evidence> {
  const outcome = answers.inspect(`${domain.split(".")[0]}@${SANDBOX_DOMAIN}`);
  const evidence = usable((await answers.known(context, outcome))?.evidence);
  refuseUnusable(evidence);
  return evidence;
}

/** A bug of ours is no report, so nothing is charged. */
function usable(evidence: Evidence | undefined): Evidence {
  if (evidence && evidence.failure === undefined) return evidence;
  throw new Error(`A domain could not be inspected: ${evidence?.failure ?? "there was no answer"}`);
}

function refuseUnusable(evidence: Evidence): void {
  const complaint = domainSyntaxError(evidence);
  if (complaint !== undefined) throw wrongValue("/domain", complaint);
}
