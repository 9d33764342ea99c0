/** Validates one address: looks for a known answer, charges, and checks what is not known. */
import type { Status, SubStatus, ValidationResult } from "@mailvet/contract";
import type { Evidence } from "@mailvet/engine";
import type { Caller } from "../base/caller.ts";
import type { LogEvent } from "../base/log-events.ts";
import type { Answers, ValidationAnswer } from "./answer.ts";
import { type PaymentDeps, paymentBy } from "./charge-policy.ts";
import { type CheckContext, checkContextOf, checkTimeMs } from "./check-options.ts";
import { type PresentOptions, present } from "./present-result.ts";
import type { Rechecks } from "./rechecks.ts";

export type ValidateDeps = PaymentDeps & {
  answers: Answers;
  /** How long one request may take. */
  budgetMs: number;
  log: LogEvent;
  /** For the metrics; not called for the sandbox. */
  countVerdict: (status: Status, subStatus: SubStatus, isCached: boolean) => void;
  /** Repeats a check whose result was `unknown` (rechecks.ts). */
  planRecheck: Rechecks["plan"];
};

export type Validated = {
  result: ValidationResult;
  /** To be called after the answer was sent: a refunded check is not repeated. */
  planRecheck: (() => void) | undefined;
};

export async function validate(
  deps: ValidateDeps,
  caller: Caller,
  email: string,
  asking: PresentOptions,
): Promise<Validated> {
  const payment = paymentBy(deps, caller, asking);
  const context = checkContextOf(caller, asking.options);
  const inspection = deps.answers.inspect(email);
  const found = deps.answers.known(context, inspection);
  const known = found instanceof Promise ? await found : found;
  await payment.charge(known ? payment.costOf([known]) : 1);
  const answer = known ?? (await check(deps, context, inspection, asking));
  payment.settle([answer]);
  const result = present(answer, caller, asking);
  if (!answer.isSandbox) {
    const { failure } = answer.evidence;
    if (failure !== undefined) deps.log("check_failed", { request_id: asking.requestId, failure });
    deps.countVerdict(result.status, result.sub_status, answer.isCached);
  }
  return { result, planRecheck: recheckOf(deps, context, answer, result, asking) };
}

function recheckOf(
  deps: ValidateDeps,
  context: CheckContext,
  answer: ValidationAnswer,
  result: ValidationResult,
  { requestId }: PresentOptions,
): Validated["planRecheck"] {
  if (result.status !== "unknown" || (context.level ?? "smtp") !== "smtp") return undefined;
  return () => {
    deps.planRecheck(context, answer, result).catch((error: Error) => {
      // Only the recheck is lost: the caller may ask again.
      deps.log("recheck_not_planned", { request_id: requestId, err: error });
    });
  };
}

async function check(
  { answers, budgetMs }: ValidateDeps,
  context: CheckContext,
  inspection: Evidence,
  { startedAtMs, options = {} }: PresentOptions,
): Promise<ValidationAnswer> {
  const withinMs = checkTimeMs(startedAtMs, options, budgetMs);
  const [answer] = await answers.askOpen(context, [inspection], { withinMs, isUrgent: true });
  if (!answer) throw new Error("a check returned no answer");
  return answer;
}
