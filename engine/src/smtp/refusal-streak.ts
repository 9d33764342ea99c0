/**
 * Refusals in a row, which may be a server that has turned on us: after so many recipients, or a few unknown users,
 * some say the same to everybody. Until that is ruled out they are kept back.
 */
import type { MailboxFinding } from "../evidence.ts";
import type { ProbeRequest } from "./probe-queue.ts";

/** `isLate`: said when the server may have had enough of us. */
export type HeldRefusal = { pending: ProbeRequest; finding: MailboxFinding; isLate: boolean };

/** How often a question is put again before we say that there is no answer to be had. */
const MAX_RETRACTIONS = 3;

export class RefusalStreak {
  #refusals: HeldRefusal[] = [];

  /** A made-up name is refused anyway. */
  get isSuspect(): boolean {
    return this.#refusals.some(({ pending, isLate }) => isLate && !pending.isDecoy);
  }

  /** Put off for now, all of them: nothing is lost by believing it. */
  get isTemporary(): boolean {
    return this.#refusals.every(({ finding }) => (finding.reply?.code ?? 0) < 500);
  }

  add(refusal: HeldRefusal): void {
    this.#refusals.push(refusal);
  }

  /** Takes all of them out. */
  take(): HeldRefusal[] {
    const refusals = this.#refusals;
    this.#refusals = [];
    return refusals;
  }
}

export function settleAll(refusals: readonly HeldRefusal[]): void {
  for (const { pending, finding } of refusals) pending.settle(finding);
}

/** Nothing was proven, in either direction: to be asked again, unless that has happened too often. */
export function retractAll(
  refusals: readonly HeldRefusal[],
  askAgain: (pending: ProbeRequest) => void,
): void {
  for (const { pending, finding } of refusals) {
    pending.retractions = (pending.retractions ?? 0) + 1;
    if (pending.retractions <= MAX_RETRACTIONS) askAgain(pending);
    else pending.settle(undecided(finding));
  }
}

function undecided(finding: MailboxFinding): MailboxFinding {
  const { isUnexplained: _, isSoftRefusal: __, ...rest } = finding;
  return { ...rest, answer: "temporary_error", retryAfterSeconds: 900 };
}
