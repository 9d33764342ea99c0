/**
 * One address: paid for at once when the answer is known, else asked for with a credit held meanwhile.
 *
 * A failure of ours is not charged.
 */
import type { Status, SubStatus, ValidationResult } from "@mailvet/contract";
import type { Evidence } from "@mailvet/engine";
import type { Caller } from "../caller.ts";
import type { Ledger } from "../credits/ledger.ts";
import type { Answers, ValidationAnswer } from "./answer.ts";
import { askerOf } from "./asker.ts";
import { type Payment, paymentBy } from "./charge-policy.ts";
import { askingTimeMs } from "./check-options.ts";
import { type PresentOptions, present } from "./present-result.ts";
import type { Rechecks } from "./rechecks.ts";

export type ValidateDeps = {
  answers: Answers;
  ledger: Pick<Ledger, "charge" | "reserve">;
  /** How long one request may take. */
  budgetMs: number;
  /** We have a bug, and this is what it said: for the log, with the request it happened to. */
  sayFailure: (requestId: string, failure: string) => void;
  /** A verdict was given, not counting those of the sandbox: for the metrics. */
  countVerdict: (status: Status, subStatus: SubStatus, isCached: boolean) => void;
  /** Repeats a check that was unknown for the moment (rechecks.ts). */
  planRecheck: Rechecks["plan"];
};

export type Validated = {
  result: ValidationResult;
  /** Undefined where nothing was paid. */
  creditsRemaining: number | undefined;
  /** To be called once the caller has the answer: what is refunded is not checked again. */
  planRecheck: (() => void) | undefined;
};

export async function validate(
  deps: ValidateDeps,
  caller: Caller,
  email: string,
  asking: PresentOptions,
): Promise<Validated> {
  const payment = paymentBy(deps.ledger, caller, asking);
  const { answer, creditsRemaining } = await answerAndPay(deps, payment, caller, email, asking);
  const result = present(answer, caller, asking);
  if (!answer.isSandbox) {
    const { failure } = answer.evidence;
    if (failure !== undefined) deps.sayFailure(asking.requestId, failure);
    deps.countVerdict(result.status, result.sub_status, answer.isCached);
  }
  return { result, creditsRemaining, planRecheck: recheckOf(deps, caller, answer, result, asking) };
}

function recheckOf(
  deps: ValidateDeps,
  caller: Caller,
  answer: ValidationAnswer,
  result: ValidationResult,
  { requestId, options }: PresentOptions,
): Validated["planRecheck"] {
  const asker = askerOf(caller, options);
  if (result.status !== "unknown" || (asker.level ?? "smtp") !== "smtp") return undefined;
  return () => {
    deps.planRecheck(asker, answer, result).catch((error: Error) => {
      // Without Drizzle's own message, which holds the address. The answer stands: the caller may ask again.
      deps.sayFailure(
        requestId,
        `planning a recheck failed: ${(error.cause as Error)?.message ?? error.name}`,
      );
    });
  };
}

type Paid = { answer: ValidationAnswer; creditsRemaining: number | undefined };

async function answerAndPay(
  deps: ValidateDeps,
  payment: Payment,
  caller: Caller,
  email: string,
  asking: PresentOptions,
): Promise<Paid> {
  const glance = deps.answers.glance(email);
  const answer = await deps.answers.known(askerOf(caller, asking.options), glance);
  if (!answer) return askAndPay(deps, payment, caller, glance, asking);
  return { answer, creditsRemaining: isOurFault(answer) ? undefined : await payment.charge([answer]) };
}

/** Apart from the above, because already the means to give something back afterwards have their price. */
async function askAndPay(
  { answers, budgetMs }: ValidateDeps,
  payment: Payment,
  caller: Caller,
  glance: Evidence,
  { startedAtMs, options = {} }: PresentOptions,
): Promise<Paid> {
  await using credit = await payment.reserve(1, options.timeoutMs ?? budgetMs);
  const withinMs = askingTimeMs(startedAtMs, options, budgetMs);
  const [answer] = await answers.ask(askerOf(caller, options), [glance], { withinMs, isUrgent: true });
  if (!answer) throw new Error("A question was not answered.");
  const creditsRemaining = isOurFault(answer) ? undefined : await payment.settle(credit, [answer]);
  return { answer, creditsRemaining };
}

function isOurFault({ evidence }: ValidationAnswer): boolean {
  return evidence.failure !== undefined;
}
