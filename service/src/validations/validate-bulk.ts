/**
 * A list of addresses in one request: each unique one answered and paid for once, in order of first appearance.
 *
 * All that are not known are asked for together, so that those at one mail host share conversations.
 */
import type { BulkSummary } from "@mailvet/contract";
import type { Caller } from "../caller.ts";
import { inTimeSlices } from "../event-loop-yield.ts";
import { listViewOf } from "../naming/list-view.ts";
import { amongList, type ValidationAnswer } from "./answer.ts";
import { askerOf } from "./asker.ts";
import { countStatuses, type Payment, paymentBy } from "./charge-policy.ts";
import { askingTimeMs } from "./check-options.ts";
import { type PresentOptions, presentItem } from "./present-result.ts";
import { uniqueEmails } from "./unique-emails.ts";
import type { ValidateDeps } from "./validate.ts";

export type BulkDeps = Omit<ValidateDeps, "planRecheck">;

export type BulkValidated = { summary: BulkSummary; creditsRemaining: number | undefined };

export async function validateBulk(
  deps: BulkDeps,
  caller: Caller,
  emails: readonly string[],
  asking: PresentOptions,
): Promise<BulkValidated> {
  const payment = paymentBy(deps.ledger, caller, asking);
  const { answers, creditsRemaining } = await answerAndPay(deps, payment, caller, emails, asking);
  sayFailures(deps, asking, answers);
  const counts = countStatuses(answers);
  const view = listViewOf(() => answers.map(({ evidence }) => evidence));
  const summary: BulkSummary = {
    total: emails.length,
    valid_count: counts.valid,
    invalid_count: counts.invalid,
    risky_count: counts.risky,
    unknown_count: counts.unknown,
    duplicate_count: emails.length - answers.length,
    credits_used: answers.length,
    results: await inTimeSlices(answers, (answer) => {
      const item = presentItem(amongList(answer, view), caller, asking);
      if (!answer.isSandbox) deps.countVerdict(item.status, item.sub_status, answer.isCached);
      return item;
    }),
  };
  return { summary, creditsRemaining };
}

async function answerAndPay(
  { answers, budgetMs }: BulkDeps,
  payment: Payment,
  caller: Caller,
  emails: readonly string[],
  { startedAtMs, options = {} }: PresentOptions,
): Promise<{ answers: ValidationAnswer[]; creditsRemaining: number | undefined }> {
  const glances = await uniqueEmails(emails, answers.glance);
  const asker = askerOf(caller, options);
  const known = await answers.knownAmong(asker, glances);
  const open = glances.filter((_, index) => known[index] === undefined);
  if (open.length === 0) {
    const all = known.filter((answer) => answer !== undefined);
    return { answers: all, creditsRemaining: await payment.charge(all) };
  }
  await using credit = await payment.reserve(glances.length, options.timeoutMs ?? budgetMs);
  const withinMs = askingTimeMs(startedAtMs, options, budgetMs);
  const asked = (await answers.ask(asker, open, { withinMs, isUrgent: false })).values();
  const all = known.map((answer) => answer ?? asked.next().value!);
  return { answers: all, creditsRemaining: await payment.settle(credit, all) };
}

/** One bug can hit a thousand addresses: the first is told, the others are counted. */
function sayFailures(
  { sayFailure }: BulkDeps,
  { requestId }: PresentOptions,
  answers: readonly ValidationAnswer[],
): void {
  const failures = answers.filter(({ evidence, isSandbox }) => evidence.failure !== undefined && !isSandbox);
  const first = failures[0]?.evidence.failure;
  if (first !== undefined) sayFailure(requestId, `${first}\n(in ${failures.length} of ${answers.length})`);
}
