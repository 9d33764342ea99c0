/**
 * Consecutive refusals in one session. After a number of recipients, or a few unknown users, some servers refuse every
 * recipient alike, so refusals are held until the next acceptance, or a check of a known mailbox, shows that the server
 * still distinguishes mailboxes.
 *
 * Collects, confirms and retracts. Whether the streak is credible is decided in session-runner.ts.
 */
import type { MailboxFinding } from "../../evidence.ts";
import type { ProbeRequest } from "../probe-request.ts";

/** `isLate`: received beyond the number of recipients or refusals up to which the host is known to be reliable. */
export type HeldRefusal = { request: ProbeRequest; isLate: boolean };

export class RefusalStreak {
  #refusals: HeldRefusal[] = [];

  /** Decoys are refused anyway, so they raise no suspicion. */
  get isSuspect(): boolean {
    return this.#refusals.some(({ request, isLate }) => isLate && !request.isDecoy);
  }

  /** Permanent refusals, decoys excluded. */
  get permanentTargets(): number {
    return this.#refusals.filter(
      ({ request }) => !request.isDecoy && (request.heldRefusal?.reply?.code ?? 0) >= 500,
    ).length;
  }

  /** All of them are temporary. */
  get isTemporary(): boolean {
    return this.#refusals.every(({ request }) => (request.heldRefusal?.reply?.code ?? 0) < 500);
  }

  hold(request: ProbeRequest, refusal: MailboxFinding, isLate: boolean): void {
    request.hold(refusal);
    this.#refusals.push({ request, isLate });
  }

  /** Removes and returns all of them. */
  take(): HeldRefusal[] {
    const refusals = this.#refusals;
    this.#refusals = [];
    return refusals;
  }
}

export function confirmAll(refusals: readonly HeldRefusal[]): void {
  for (const { request } of refusals) request.confirm();
}

/** The refusals prove nothing: each request is sent again, or settled as undecided after too many retractions. */
export function retractAll(refusals: readonly HeldRefusal[], requeue: (request: ProbeRequest) => void): void {
  for (const { request } of refusals) {
    if (request.canRetryAfterRetraction()) requeue(request);
    else request.settle(undecided(request.heldRefusal!));
  }
}

function undecided(refusal: MailboxFinding): MailboxFinding {
  const { isUnexplained: _, isSoftRefusal: __, ...rest } = refusal;
  return { ...rest, answer: "temporary_error", retryAfterSeconds: 900 };
}
