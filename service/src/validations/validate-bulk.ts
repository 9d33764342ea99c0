/**
 * Validates a list of addresses in one request: each unique address is answered and charged once, in order of first
 * appearance.
 *
 * All that are not known are checked together, so that addresses at one mail host share SMTP sessions.
 */
import type { BulkSummary } from "@mailvet/contract";
import type { Evidence } from "@mailvet/engine";
import { identityOf } from "@mailvet/engine/list-file";
import type { Caller } from "../base/caller.ts";
import { inTimeSlices } from "../base/event-loop-yield.ts";
import { listViewOf } from "../naming/list-evidence.ts";
import { amongList, type ValidationAnswer } from "./answer.ts";
import { countStatuses, type Payment, paymentBy } from "./charge-policy.ts";
import { checkContextOf, checkTimeMs } from "./check-options.ts";
import { type PresentOptions, presentItem } from "./present-result.ts";
import type { ValidateDeps } from "./validate.ts";

export type BulkDeps = Omit<ValidateDeps, "planRecheck">;

export async function validateBulk(
  deps: BulkDeps,
  caller: Caller,
  emails: readonly string[],
  asking: PresentOptions,
): Promise<BulkSummary> {
  const payment = paymentBy(deps, caller, asking);
  const answers = await chargeAndAnswer(deps, payment, caller, emails, asking);
  payment.settle(answers);
  logFailures(deps, asking, answers);
  const counts = countStatuses(answers);
  const view = listViewOf(() => answers.map(({ evidence }) => evidence));
  return {
    total: emails.length,
    valid_count: counts.valid,
    invalid_count: counts.invalid,
    risky_count: counts.risky,
    unknown_count: counts.unknown,
    duplicate_count: emails.length - answers.length,
    credits_used: payment.costOf(answers),
    credits_refunded: payment.refundOf(answers),
    results: await inTimeSlices(answers, (answer) => {
      const item = presentItem(amongList(answer, view), caller, asking);
      if (!answer.isSandbox) deps.countVerdict(item.status, item.sub_status, answer.isCached);
      return item;
    }),
  };
}

async function chargeAndAnswer(
  { answers, budgetMs }: BulkDeps,
  payment: Payment,
  caller: Caller,
  emails: readonly string[],
  { startedAtMs, options = {} }: PresentOptions,
): Promise<ValidationAnswer[]> {
  const inspections = await uniqueEmails(emails, answers.inspect);
  const context = checkContextOf(caller, options);
  const known = await answers.knownAmong(context, inspections);
  const open = inspections.filter((_, index) => known[index] === undefined);
  await payment.charge(open.length + payment.costOf(known.filter((answer) => answer !== undefined)));
  const withinMs = checkTimeMs(startedAtMs, options, budgetMs);
  const asked = open.length === 0 ? [] : await answers.askOpen(context, open, { withinMs, isUrgent: false });
  const next = asked.values();
  return known.map((answer) => answer ?? next.next().value!);
}

/** One bug can affect a thousand addresses: the first is logged, the others are counted. */
function logFailures(
  { log }: BulkDeps,
  { requestId }: PresentOptions,
  answers: readonly ValidationAnswer[],
): void {
  const failures = answers.filter(({ evidence, isSandbox }) => evidence.failure !== undefined && !isSandbox);
  const first = failures[0]?.evidence.failure;
  if (first === undefined) return;
  log("check_failed", {
    request_id: requestId,
    failure: first,
    failed: failures.length,
    checked: answers.length,
  });
}

/** Each email once: in order of first appearance, as it is spelled there. */
async function uniqueEmails(
  emails: readonly string[],
  inspect: (email: string) => Evidence,
): Promise<Evidence[]> {
  const unique = new Map<string, Evidence>();
  await inTimeSlices(emails, (email) => {
    const first = inspect(email);
    const key = identityOf(first.email, first.address);
    if (!unique.has(key)) unique.set(key, first);
  });
  return [...unique.values()];
}
