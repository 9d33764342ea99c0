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
import { type Asker, askerOf } from "./asker.ts";
import { paymentBy } from "./charge-policy.ts";
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
  const asker = askerOf(caller);
  const glance = answers.glance(postmasterOf(domain));
  const { domain: ascii = "", unicodeDomain = "" } = glance.address ?? {};
  const isSandbox = ascii !== "" && isSandboxDomain(asker, ascii);
  if (!isSandbox) refuseUnusable(glance);
  const present = (evidence: Evidence): DomainReport => {
    const responseTimeMs = performance.now() - asking.startedAtMs;
    const { requestId } = asking;
    const asked = { requestId, planTier: caller.plan, responseTimeMs };
    const report = domainReportOf(evidence, { ...asked, domain: { ascii, unicode: unicodeDomain } });
    if (isSandbox) report.metadata.sandbox = true;
    return report;
  };

  if (asker.isTest)
    return { report: present(await played(answers, asker, ascii)), creditsRemaining: undefined };
  const payment = paymentBy(ledger, caller, asking);
  await using credit = await payment.reserve(1, budgetMs);
  const evidence = isSandbox
    ? await played(answers, asker, ascii)
    : await asked(answers, asker, glance, budgetMs);
  const report = present(evidence);
  // No verdict was given, so none is counted: the usage of the day has the credit alone.
  return { report, creditsRemaining: await payment.settle(credit, []) };
}

async function asked(answers: Answers, asker: Asker, glance: Evidence, withinMs: number): Promise<Evidence> {
  const [answer] = await answers.ask(asker, [glance], { withinMs, isUrgent: true });
  return usable(answer?.evidence);
}

async function played(answers: Answers, asker: Asker, domain: string): Promise<Evidence> {
  const outcome = answers.glance(`${domain.split(".")[0]}@${SANDBOX_DOMAIN}`);
  const evidence = usable((await answers.known(asker, outcome))?.evidence);
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
