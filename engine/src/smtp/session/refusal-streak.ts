/**
 * Consecutive refusals in one session. After a number of recipients, or a few unknown users, some servers refuse every
 * recipient alike, so refusals are held until the next acceptance, or a check of a known mailbox, shows that the server
 * still distinguishes mailboxes.
 *
 * A refusal without a reason also needs an acceptance at its own domain after it, so it is kept until the end of its batch.
 *
 * Collects, confirms and retracts. Whether the streak is credible is decided in refusal-check.ts.
 */
import type { MailboxFinding } from "../../evidence.ts";
import { undecided } from "../mailbox-finding.ts";
import type { ProbeRequest } from "../probe-request.ts";
import type { KnownMailbox } from "../throttle/learned-limits.ts";
import type { OpenTransaction } from "./transaction-plan.ts";

/** `isLate`: received beyond the number of recipients or refusals up to which the host is known to be reliable. */
export type HeldRefusal = {
  request: ProbeRequest;
  isLate: boolean;
  transaction: OpenTransaction;
  /** Of its transaction, so that no recipient before it can be the reason. */
  isFirst: boolean;
};

export class RefusalStreak {
  readonly #confirm: (request: ProbeRequest) => void;
  #refusals: HeldRefusal[] = [];
  /** Credible, but without a reason, and without an acceptance at their domain so far. */
  #unexplained: HeldRefusal[] = [];

  /** `confirm`: lets the refusal of a held request stand. */
  constructor(confirm: (request: ProbeRequest) => void) {
    this.#confirm = confirm;
  }

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

  hold(refusal: HeldRefusal, finding: MailboxFinding): void {
    refusal.request.hold(finding);
    this.#refusals.push(refusal);
  }

  /** Domains with a refusal that needs an acceptance. */
  get unexplainedDomains(): Set<string> {
    const all = [...this.#unexplained, ...this.#refusals];
    return new Set(all.filter(needsAcceptance).map(({ request }) => request.domain));
  }

  /**
   * The host accepted a mailbox. Only within the same transaction does that exclude that the refusals before it were for
   * the number of recipients. Role mailboxes bypass filters, so their acceptance says nothing about others.
   */
  recordAcceptance({ domain, isRole }: KnownMailbox, transaction: OpenTransaction | undefined): void {
    if (isRole) return;
    for (const refusal of [...this.#unexplained, ...this.#refusals]) {
      const isSameCase = refusal.isFirst || refusal.transaction === transaction;
      if (isSameCase && refusal.request.domain === domain && needsAcceptance(refusal))
        refusal.request.markSelective();
    }
  }

  /** Confirms credible refusals, except those that still need an acceptance. */
  confirm(refusals: readonly HeldRefusal[]): void {
    for (const refusal of refusals) if (!needsAcceptance(refusal)) this.#confirm(refusal.request);
    this.#unexplained.push(...refusals.filter(needsAcceptance));
  }

  /** Confirms those that needed an acceptance, with or without one. */
  confirmUnexplained(): void {
    const refusals = this.#unexplained;
    this.#unexplained = [];
    for (const { request } of refusals) this.#confirm(request);
  }

  /** Removes and returns all of them. */
  take(): HeldRefusal[] {
    const refusals = this.#refusals;
    this.#refusals = [];
    return refusals;
  }
}

function needsAcceptance({ request: { heldRefusal } }: HeldRefusal): boolean {
  return heldRefusal?.isUnexplained === true && !heldRefusal.isSelective;
}

/** The refusals prove nothing: each request is sent again, or settled as undecided after too many retractions. */
export function retractAll(refusals: readonly HeldRefusal[], requeue: (request: ProbeRequest) => void): void {
  for (const { request } of refusals) {
    if (request.canRetryAfterRetraction()) requeue(request);
    else request.settle(undecided(request.heldRefusal!));
  }
}
