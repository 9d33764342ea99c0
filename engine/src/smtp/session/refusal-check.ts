/**
 * Checks whether the refusals of one session are credible: a server that has begun to refuse every recipient also refuses
 * a mailbox that it accepted before. Such a mailbox is asked for before the first batch, as the last recipient of a batch,
 * or after the batch. Its reply confirms or retracts the held refusals, and changes the limits of the host.
 *
 * Refusals are held in refusal-streak.ts. Batches are sent in session-runner.ts, which ends the session when its refusals
 * are not credible. The known mailboxes and the limits are in learned-limits.ts.
 */
import type { BatchResult, RcptResult, Transaction } from "../client/client.ts";
import type { ProbeRequest } from "../probe-request.ts";
import {
  isExemptFromFilters,
  type KnownMailbox,
  type LearnedLimits,
  recordCutOff,
  recordRefusalLimit,
  recordReliable,
} from "../throttle/learned-limits.ts";
import { type RefusalStreak, retractAll } from "./refusal-streak.ts";
import type { SessionContext } from "./session-context.ts";
import { learnFromEnding } from "./session-ending.ts";
import type { OpenTransaction, SessionTransactions, TransactionPlan } from "./transaction-plan.ts";

/** After so many recipients, a known mailbox is worth its command, see #mailboxAfter. */
const MIN_TO_ASK_AGAIN = 4;
/** The share of refusals from which a known mailbox after each batch costs less than the round trips that it saves. */
const FREQUENT_REFUSALS = 0.1;

/** A mailbox that is named once more after the recipients of a batch. */
export type AskedAgain = {
  known: KnownMailbox;
  transaction: Transaction;
  /** The transaction of the batch in which it is named; undefined where it begins one of its own. */
  beside: OpenTransaction | undefined;
  isFirst: boolean; // it is also the first recipient of the batch
  isLast: boolean; // QUIT is sent along
};

export class RefusalCheck {
  /** The server refuses everything, or may do so: further replies in this session prove nothing. */
  isUntrusted = false;
  /** The first recipient, a mailbox that the host accepted some time ago, was refused again. */
  isRefusedFromStart = false;
  readonly #session: SessionContext;
  readonly #streak: RefusalStreak;
  readonly #transactions: SessionTransactions;
  readonly #limits: LearnedLimits;
  /** Recipients before the batch in which a mailbox was last named again. */
  #askedAgainAt = 0;

  constructor(session: SessionContext, streak: RefusalStreak, transactions: SessionTransactions) {
    this.#session = session;
    this.#streak = streak;
    this.#transactions = transactions;
    this.#limits = session.target.limits;
  }

  /** After a session in which a known mailbox was refused, the next one begins with that mailbox. */
  async askDoubtedAgain(): Promise<void> {
    const { doubted } = this.#limits;
    if (!doubted) return;
    const isAccepted = await this.#stillAccepts(doubted);
    this.isRefusedFromStart = isAccepted === false;
    if (!isAccepted) return;
    this.#session.counts.accepted++;
    this.#limits.knownGood ??= doubted;
    delete this.#limits.doubted;
  }

  /** The mailbox to name after the recipients of a batch, if any. `isLast`: the session ends with it. */
  mailboxToAskAgain(plans: readonly TransactionPlan[], isLast: boolean): AskedAgain | undefined {
    const known = isLast ? this.knownBeside(plans) : this.#mailboxAfter(plans);
    if (!known) return undefined;
    // The last one cannot be asked again, so no recipient before it may be the reason for its refusal.
    const beside = isLast ? undefined : this.#transactions.openFor(known);
    const isFirst = known === plans[0]?.requests[0];
    return { known, transaction: transactionOf(known, beside), beside, isFirst, isLast };
  }

  /** A known mailbox that is not asked for in the batch itself. */
  knownBeside(plans: readonly TransactionPlan[]): KnownMailbox | undefined {
    const { knownGood, knownBefore } = this.#limits;
    return [knownGood, knownBefore].find(
      (known) =>
        known && !plans.some(({ requests }) => requests.some((it) => it.recipient === known.recipient)),
    );
  }

  /**
   * A mailbox to name once more after the recipients of a batch: a host may begin to refuse every recipient just before
   * them. At the end of the queue without a known mailbox it is the first recipient of the batch, if that one is accepted.
   * Before the end only a known one, and where the batch may well end with a refusal, which would cost a round trip.
   */
  #mailboxAfter(plans: readonly TransactionPlan[]): KnownMailbox | undefined {
    const { deps, target, counts } = this.#session;
    const { queue, profile } = deps;
    if (!target.client.usesPipelining || profile.isShared) return undefined;
    const requests = plans.flatMap((plan) => plan.requests);
    const [first, last] = [requests[0], requests.at(-1)];
    if (!first || !last) return undefined;
    const recipients = counts.recipients + requests.length + 1;
    if (recipients - this.#askedAgainAt <= MIN_TO_ASK_AGAIN) return undefined;
    if (requests.length >= this.#limits.recipientsPerBatch) return undefined;
    if (recipients > Math.min(profile.recipientsPerSession, this.#limits.recipientsPerSession))
      return undefined;
    const known = this.knownBeside(plans);
    const isFirstUsable = !first.isDecoy && !isExemptFromFilters(first);
    if (queue.count(1) === 0) return known ?? (isFirstUsable ? first : undefined);
    const isWorthIt = this.#limits.refusals.shareOfDomain(last.domain) >= FREQUENT_REFUSALS;
    return known && isWorthIt && this.#transactions.openFor(known) ? known : undefined;
  }

  /**
   * Whether the mailbox was accepted after the recipients of the batch. Undefined where that is not known, and for the first
   * recipient of the batch unless it was accepted there: its refusal would be its own.
   */
  readAnswer({ known, isFirst, isLast }: AskedAgain, answers: BatchResult["answers"]): boolean | undefined {
    const isFirstRefused = isFirst && !isAccepted(answers[0]?.[0]);
    const stillAccepts = isFirstRefused ? undefined : isAccepted(answers.at(-1)?.[0]);
    if (!isLast) this.#countAsked(known, stillAccepts === true);
    return stillAccepts;
  }

  #countAsked(known: KnownMailbox, wasAccepted: boolean): void {
    this.#askedAgainAt = this.#session.counts.recipients;
    this.#transactions.add(known, wasAccepted);
  }

  /** After each batch. `stillAccepts`: whether the mailbox that the batch named again was accepted. */
  async resolve(stillAccepts: boolean | undefined): Promise<void> {
    const isBesideAccepted = await this.#askBesideUnexplained();
    await this.#resolveStreak(isBesideAccepted || stillAccepts);
    this.#streak.confirmUnexplained();
  }

  /**
   * After refusals without a reason, asks again for a mailbox of the same domain that was accepted before, in the same
   * transaction where there is room. True where one is accepted.
   */
  async #askBesideUnexplained(): Promise<boolean> {
    const { deps, target, counts } = this.#session;
    const { profile, acceptedMailboxes } = deps;
    const limit = Math.min(profile.recipientsPerSession, this.#limits.recipientsPerSession);
    let hasAccepted = false;
    for (const domain of this.#streak.unexplainedDomains) {
      const known = acceptedMailboxes.at(domain);
      if (!known || !target.client.isOpen || counts.recipients >= limit) continue;
      const beside = this.#transactions.openFor(known);
      const batch = [transactionOf(known, beside)];
      const { answers } = await target.client.sendBatch(batch, deps.probeTimeoutMs);
      const isStillAccepted = isAccepted(answers[0]?.[0]);
      this.#countAsked(known, isStillAccepted === true);
      counts.recipients++;
      if (isStillAccepted) {
        hasAccepted = true;
        this.#streak.recordAcceptance(known, beside);
      } else if (isStillAccepted === false) acceptedMailboxes.forget(known);
    }
    return hasAccepted;
  }

  /** Confirms the held refusals, or retracts them where the server may refuse everything. */
  async #resolveStreak(wasStillAccepted: boolean | undefined): Promise<void> {
    const { deps, target, counts } = this.#session;
    const { queue, profile } = deps;
    const limits = this.#limits;
    const streak = this.#streak;
    const { isSuspect, isTemporary, permanentTargets } = streak;
    const refusals = streak.take();
    const known = target.client.isOpen ? limits.knownGood : undefined;
    const isAskable = known !== undefined || wasStillAccepted !== undefined;
    // A host may also begin to reject every recipient at some moment, whatever it has tolerated before.
    // Only after an acceptance, at the end of a short list, is a single refusal no reason for a round trip.
    const credible = counts.accepted > 0 && queue.count(1) === 0 && !limits.doubted ? 1 : 0;
    const isUnbroken = permanentTargets > credible && (isAskable || limits.doubted !== undefined);
    // It may also have begun just before it hung up, when nothing can be asked. A single refusal may be why it did.
    const isCutOff = () => permanentTargets > 1 && limits.knownGood !== undefined && target.client.hasHungUp;
    const isUnasked = wasStillAccepted === undefined && isCutOff();
    const isDoubtful = isSuspect || isUnbroken || wasStillAccepted === false || isUnasked;
    // Temporary refusals from the start are no change of behaviour, and at a large provider a session is too short for one.
    const isCredible =
      !isDoubtful || profile.isShared || (isTemporary && counts.accepted === 0 && !isAskable);
    if (isCredible) return streak.confirm(refusals);
    let stillAccepts = wasStillAccepted;
    // In the open transaction it may have been refused for the recipients before it, as by Exim.
    if (!stillAccepts && known) {
      const inNewTransaction = await this.#stillAccepts(known).catch((error) => {
        retractAll(refusals, this.#requeue); // none may stay held
        throw error;
      });
      stillAccepts = inNewTransaction ?? stillAccepts;
    }
    if (stillAccepts) recordReliable(limits, counts.recipients, counts.refused);
    const isHungUp = stillAccepts === undefined && isCutOff();
    const isUndecided = stillAccepts === undefined && !isSuspect && !limits.doubted && !isHungUp;
    if (stillAccepts || isUndecided) return streak.confirm(refusals);
    this.isUntrusted = true;
    const doubted = stillAccepts === false || isHungUp ? (known ?? limits.knownGood) : undefined;
    if (doubted) limits.doubted = doubted;
    delete limits.knownGood; // the mailbox may also have been deleted since
    const isRefuted = stillAccepts === false || known !== undefined || limits.doubted !== undefined;
    streak.confirm(refusals.filter(({ isLate }) => !isRefuted && !isLate));
    const retracted = refusals.filter(({ isLate }) => isRefuted || isLate);
    if (this.isRefusedFromStart) this.#leaveHost();
    else if (!isHungUp) this.#learnFromRetraction(retracted.length); // else from the end of the session
    retractAll(retracted, this.#requeue);
  }

  /** Where in the session the host began to refuse everything, as far as that is known. */
  #learnFromRetraction(retracted: number): void {
    const { deps, counts } = this.#session;
    if (counts.accepted === 0 && this.#limits.doubted)
      recordCutOff(this.#limits, Math.max(1, Math.floor(counts.recipients / 2)), false);
    else recordCutOff(this.#limits, Math.max(1, counts.recipients - retracted), true);
    if (counts.refused > deps.profile.refusalsPerSession)
      recordRefusalLimit(this.#limits, deps.profile.refusalsPerSession + 1, deps.profile);
  }

  /** The host rejects every recipient, not only after a number of recipients: nothing is learned from it for a while. */
  #leaveHost(): void {
    const { limiter, identity, address } = this.#session.target;
    limiter.record({ kind: "rate_limited" });
    identity.hostLimits.markFailed(address, "rate_limited");
  }

  /** Whether a recipient that this host accepted before is still accepted; undefined without an answer. */
  async #stillAccepts(known: KnownMailbox): Promise<boolean | undefined> {
    const { deps, target, counts } = this.#session;
    this.#transactions.addOwn();
    const { answers, ending } = await target.client.sendBatch([transactionOf(known)], deps.probeTimeoutMs);
    if (ending && counts.recipients === 0) learnFromEnding(this.#session, ending, 0);
    return isAccepted(answers[0]?.[0]);
  }

  /** At the end of the session. Only an exception in our own code has left a streak. */
  end(): void {
    retractAll(this.#streak.take(), this.#requeue);
    this.#streak.confirmUnexplained();
  }

  readonly #requeue = (request: ProbeRequest) => this.#session.deps.queue.add(request);
}

/** In a transaction of its own, or as a further recipient of the open one. */
function transactionOf({ recipient, smtpUtf8 }: KnownMailbox, beside?: OpenTransaction): Transaction {
  return { recipients: [recipient], smtpUtf8, isNew: beside === undefined };
}

/** Undefined for a temporary reply, and for one that is not about the recipient. */
function isAccepted(answer: RcptResult | undefined): boolean | undefined {
  if (answer?.stage !== "rcpt") return undefined;
  const { code } = answer.reply;
  return code < 300 || (code >= 500 ? false : undefined);
}
