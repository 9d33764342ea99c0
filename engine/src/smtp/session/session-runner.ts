/**
 * Runs one SMTP session: sends RCPT batches until the queue is empty, a limit is near, or the server ends it, and decides
 * whether its refusals are credible. What the session learns about the host is kept in learned-limits.ts.
 *
 * What becomes of a request by its reply is in reply-handler.ts, what the end of the session says about the host in
 * session-ending.ts, opening sessions in session-opener.ts and host-pool.ts, the commands in client.ts.
 */
import { MAX_TRACES, type SmtpSessionEvent } from "../../egress/network-event.ts";
import type { RcptResult, Transaction } from "../client/client.ts";
import type { BatchRoom } from "../probe-queue.ts";
import type { ProbeRequest } from "../probe-request.ts";
import {
  type KnownMailbox,
  type LearnedLimits,
  recordCutOff,
  recordOkSession,
  recordRefusalLimit,
  recordRefusalsTolerated,
  recordReliable,
  refusalBudget,
} from "../throttle/learned-limits.ts";
import type { RecipientAnswer } from "../throttle/refusal-estimate.ts";
import { inSendingOrder, roomForBatch } from "./batch-room.ts";
import { retractAll } from "./refusal-streak.ts";
import { ReplyHandler } from "./reply-handler.ts";
import type { BatchTally, ProbeSessionDeps, SessionContext, SessionTarget } from "./session-context.ts";
import { isBeyondCap, isErrorLimit, learnFromEnding } from "./session-ending.ts";
import {
  maxRecipients,
  type OpenTransaction,
  planTransactions,
  type TransactionLimits,
  type TransactionPlan,
} from "./transaction-plan.ts";

const MAX_TRANSACTIONS = 8;
/** Recipients per batch: enough to hide the round trip, few enough that interactive requests need not wait. */
export const PIPELINED_BATCH = 40;
const SEQUENTIAL_BATCH = 4;
/** After so many recipients, a known mailbox is worth its command, see #mailboxToAskAgain. */
const MIN_TO_ASK_AGAIN = 4;
/** The share of refusals from which a known mailbox after each batch costs less than the round trips that it saves. */
const FREQUENT_REFUSALS = 0.1;
export const MIN_REFUSALS_LEFT = 2;
/** A batch that will probably leave fewer refusals than this is the last one, and is sent with QUIT: four of nine. */
export const lastRefusalsLeft = (budget: number) => Math.min(4, (budget - 1) / 2);
/** Postfix sleeps for a second before each reply once a session has had its number of errors. */
const SLEEP_MS = 900;
/** How long a session may keep its slot when it is waited for. */
const TIME_SLICE_MS = 10_000;
export const LONG_QUEUE = 20;

export class ProbeSession implements SessionContext {
  readonly deps: ProbeSessionDeps;
  readonly target: SessionTarget;
  readonly counts = { recipients: 0, refused: 0, accepted: 0 };
  /** It quit because what is left in the queue is for another host or identity. */
  hasLeftOthers = false;
  readonly #limits: LearnedLimits;
  #transaction: OpenTransaction | undefined;
  #transactions = 0;
  readonly #handler = new ReplyHandler(this);
  /** Recipients before the batch in which a mailbox was last named again. */
  #askedAgainAt = 0;
  /** The server refuses everything, or may do so: further replies in this session prove nothing. */
  #isUntrusted = false;
  /** The first recipient, a mailbox that the host accepted some time ago, was refused again. */
  #isRefusedFromStart = false;
  readonly #traces = new Set<string>();
  #outcome: SmtpSessionEvent["outcome"] = "completed";
  #sent = 0;

  constructor(deps: ProbeSessionDeps, target: SessionTarget) {
    this.deps = deps;
    this.target = target;
    this.#limits = target.limits;
  }

  /** For the event at the end of the session. */
  get summary(): Pick<SmtpSessionEvent, "replies" | "recipients" | "outcome" | "traces"> {
    const outcome = this.#isUntrusted ? "untrusted" : this.#outcome;
    return { replies: this.#handler.replies, recipients: this.#sent, outcome, traces: [...this.#traces] };
  }

  async run(): Promise<void> {
    const { streak } = this.#handler;
    try {
      await this.#sendBatches();
    } finally {
      // Only an exception in our own code leaves a streak.
      retractAll(streak.take(), (request) => this.deps.queue.add(request));
      streak.confirmUnexplained();
    }
  }

  async #sendBatches(): Promise<void> {
    const { client, limiter } = this.target;
    const { profile } = this.deps;
    const endsAt = performance.now() + profile.lifetimeMs;
    const sliceEndsAt = performance.now() + TIME_SLICE_MS;
    let aboutUs = 0;
    await this.#askDoubtedAgain();
    while (
      client.isOpen &&
      !this.#isUntrusted &&
      !this.deps.isClosing() &&
      performance.now() < endsAt &&
      !limiter.openBreaker
    ) {
      if (this.counts.recipients > 0 && this.#shouldYield(sliceEndsAt)) break;
      const room = this.#roomForBatch();
      if (!room || this.#transactions > MAX_TRANSACTIONS) break;
      const groups = this.deps.queue.take({
        host: this.target.host,
        identity: this.target.identity.index,
        passedOver: this.target.passedOver,
        room,
        recipientsPerTransaction: this.#recipientsPerTransaction,
        withUnneededDecoys: client.usesPipelining,
      });
      if (groups.length === 0) {
        this.hasLeftOthers = this.deps.queue.count(1) > 0;
        const isSlotWanted = this.hasLeftOthers || limiter.hasWaiters || this.deps.hasGlobalWaiters();
        if (!isSlotWanted && (await this.deps.nextRequest())) continue;
        break;
      }
      const tally = await this.#runBatch(groups);
      this.counts.recipients += tally.answered;
      this.counts.refused += tally.refused;
      const isBesideAccepted = await this.#askBesideUnexplained();
      await this.#resolveStreak(isBesideAccepted || tally.stillAccepts);
      this.#handler.streak.confirmUnexplained();
      aboutUs += tally.aboutUs;
      if (tally.isBeyondCap) {
        limiter.record({ kind: "too_many_connections", open: this.target.slots.sessions - 1 });
        return;
      }
      if (tally.isErrorLimit) recordRefusalLimit(this.#limits, this.counts.refused, profile);
      else if (tally.ending) learnFromEnding(this, tally.ending, tally.answered);
    }
    if (aboutUs > 0 || this.counts.recipients === 0 || (this.#isUntrusted && this.#isRefusedFromStart))
      return;
    limiter.record({ kind: "ok" });
    if (!client.isOpen && !client.hasQuit) return;
    recordOkSession(this.#limits, this.counts.recipients);
    const isBudgetUsed = this.counts.refused >= this.#refusalBudget / 2;
    if (isBudgetUsed && !this.#isUntrusted && !client.isPostfix)
      recordRefusalsTolerated(this.#limits, profile);
  }

  get #refusalBudget(): number {
    return refusalBudget(this.#limits, this.deps.profile);
  }

  /** Another pool, or another process, waits for this slot. */
  #shouldYield(sliceEndsAt: number): boolean {
    const { limiter } = this.target;
    if (performance.now() > sliceEndsAt && limiter.hasWaiters) return true;
    return limiter.hasInteractiveWaiter && !this.deps.queue.hasInteractive;
  }

  get #recipientsPerTransaction(): number {
    return Math.min(this.deps.profile.recipientsPerTransaction, this.#limits.recipientsPerTransaction);
  }

  get #transactionLimits(): TransactionLimits {
    return {
      recipientsPerTransaction: this.#recipientsPerTransaction,
      oneDomainPerTransaction:
        this.deps.profile.oneDomainPerTransaction || this.#limits.oneDomainPerTransaction,
      refusalShare: this.#limits.refusals.share,
    };
  }

  /** What the next batch may contain, by the profile and by what the host has shown. Undefined: time to quit. */
  #roomForBatch(): BatchRoom | undefined {
    const { recipientsPerSession } = this.deps.profile;
    const recipientsLeft =
      Math.min(recipientsPerSession, this.#limits.recipientsPerSession) - this.counts.recipients;
    // Without a known mailbox, nothing would show that the server has begun to refuse everything.
    const verifiable = this.#limits.knownGood ? Number.POSITIVE_INFINITY : this.#limits.reliableUpTo.refusals;
    const refusalsLeft = Math.min(this.#refusalBudget, verifiable) - this.counts.refused;
    if (recipientsLeft <= 0 || refusalsLeft <= 0) return undefined;
    // With few refusals left, a long queue is done sooner in a new session than by ones and twos.
    const isShort = this.counts.recipients > 0 && refusalsLeft < MIN_REFUSALS_LEFT;
    if (isShort && this.deps.queue.count(LONG_QUEUE) >= LONG_QUEUE) return undefined;
    const maxRecipients = Math.min(
      recipientsLeft,
      this.target.client.usesPipelining ? PIPELINED_BATCH : SEQUENTIAL_BATCH,
      this.#limits.recipientsPerBatch,
      this.#recipientsPerTransaction,
    );
    return roomForBatch(this.#limits.refusals, {
      maxRecipients,
      maxRefusals: refusalsLeft,
      oneDomainPerTransaction: this.#transactionLimits.oneDomainPerTransaction,
    });
  }

  /** An exception in our own code fails the requests that it left in flight, and no others. */
  async #runBatch(groups: ProbeRequest[][]): Promise<BatchTally> {
    try {
      return await this.#sendBatch(groups);
    } catch (error) {
      const requests = groups.flat();
      for (const request of requests) if (request.state === "in_flight") request.fail(error);
      return { answered: 0, refused: requests.length, aboutUs: 0 };
    }
  }

  async #sendBatch(groups: ProbeRequest[][]): Promise<BatchTally> {
    const { client, limiter } = this.target;
    const sendable = this.#handler.sendable(groups);
    const limits = this.#transactionLimits;
    // Where each domain needs a transaction, the queue's order is kept.
    const ordered = limits.oneDomainPerTransaction
      ? sendable
      : inSendingOrder(sendable, this.#limits.refusals);
    const plans = planTransactions(this.#transaction, ordered, limits);
    this.#transaction = plans.at(-1)?.transaction ?? this.#transaction;
    this.#transactions += plans.filter(({ isNew }) => isNew).length;
    const transactions: Transaction[] = plans.map(({ transaction, isNew, requests }) => ({
      recipients: requests.map((request) => request.recipient),
      smtpUtf8: transaction.smtpUtf8,
      isNew,
    }));
    const isLast = client.usesPipelining && plans.length > 0 && this.#isLastBatch(plans);
    const known = isLast ? this.#knownBeside(plans) : this.#mailboxToAskAgain(plans);
    // The last one cannot be asked again, so no recipient before it may be the reason for its refusal.
    const besideKnown = known && !isLast && this.#hasRoomFor(known) ? this.#transaction : undefined;
    if (known) transactions.push({ ...transactionOf(known), isNew: besideKnown === undefined });
    const isFirstAskedAgain = known !== undefined && known === plans[0]?.requests[0];
    const result = await client.sendBatch(transactions, this.deps.probeTimeoutMs, isLast);

    const tally: BatchTally = { answered: 0, refused: 0, aboutUs: 0 };
    if (result.ending) tally.ending = result.ending;
    if (result.ending) this.#outcome = result.ending;
    if (result.isOutOfStep) this.#limits.pipelining = false;
    if (known && !(isFirstAskedAgain && !isAccepted(result.answers[0]?.[0])))
      tally.stillAccepts = isAccepted(result.answers[plans.length]?.[0]);
    if (known && !isLast) this.#closeAfter(known, tally.stillAccepts === true);
    if (isBeyondCap(this, result)) {
      tally.isBeyondCap = true;
      this.#outcome = "connection_cap";
      result.answers = [];
    }
    const unanswered: ProbeRequest[] = [];
    const answers: RecipientAnswer[] = [];
    for (const [i, plan] of plans.entries()) {
      for (const [j, request] of plan.requests.entries()) {
        this.#sent++;
        if (request.trace !== undefined && this.#traces.size < MAX_TRACES) this.#traces.add(request.trace);
        const answer = result.answers[i]?.[j];
        const isAnswer = answer !== undefined && answer.reply.code !== 421;
        const outcome = isAnswer ? this.#handler.handle(request, answer, plan, tally) : "unanswered";
        if (outcome === "unanswered") {
          unanswered.push(request);
          continue;
        }
        tally.answered++;
        plan.transaction.answered++;
        if (outcome === "accepted") plan.transaction.accepted++;
        else tally.refused++;
        const { domain, isDecoy } = request;
        const isPermanent = answer?.stage === "rcpt" && answer.reply.code >= 500;
        const isRefused = outcome === "refused";
        answers.push({ domain, isDecoy, isRefused, isTemporary: isRefused && !isPermanent });
      }
    }
    if (known && !known.isRole && tally.stillAccepts)
      this.#handler.streak.recordAcceptance(known.domain, besideKnown);
    this.#limits.refusals.record(answers);
    if (isErrorLimit(this, result, tally)) tally.isErrorLimit = true;
    if (
      result.pauseMs >= SLEEP_MS &&
      this.counts.refused + tally.refused > this.deps.profile.refusalsPerSession
    )
      recordRefusalLimit(this.#limits, this.deps.profile.refusalsPerSession + 1, this.deps.profile);
    // Once per batch: a hundred recipients under one refused MAIL are one event.
    if (tally.isRateLimited) limiter.record({ kind: "rate_limited" });
    if (tally.block) limiter.record({ kind: "blocked", reply: tally.block });
    this.#handler.requeueUnanswered(unanswered, tally);
    return tally;
  }

  /**
   * Whether the session is over after this batch, however it is answered: few refusals will be left, and the queue is
   * long enough for another session. A mailbox that the host accepted before ends it, so that no refusal needs a check.
   */
  #isLastBatch(plans: readonly TransactionPlan[]): boolean {
    const { queue, profile } = this.deps;
    if (!this.#knownBeside(plans) || profile.isShared || queue.count(LONG_QUEUE) < LONG_QUEUE) return false;
    if (this.#limits.refusesWithoutReason) return false; // it needs an acceptance in its own transaction
    const batch = this.#limits.refusals.batch();
    for (const { requests } of plans)
      for (const { domain, isDecoy } of requests) batch.add(domain, isDecoy ? 0 : 1, isDecoy ? 1 : 0);
    const recipients = this.counts.recipients + batch.recipients + 1;
    if (recipients > Math.min(profile.recipientsPerSession, this.#limits.recipientsPerSession)) return false;
    const expected = this.counts.refused + batch.expectedRefusals;
    return expected > this.#refusalBudget - lastRefusalsLeft(this.#refusalBudget);
  }

  /**
   * A mailbox to name once more after the recipients of a batch: a host may begin to refuse every recipient just before
   * them. At the end of the queue without a known mailbox it is the first recipient of the batch, if that one is accepted.
   * Before the end only a known one, and where the batch may well end with a refusal, which would cost a round trip.
   */
  #mailboxToAskAgain(plans: readonly TransactionPlan[]): KnownMailbox | undefined {
    const { queue, profile } = this.deps;
    if (!this.target.client.usesPipelining || profile.isShared) return undefined;
    const requests = plans.flatMap((plan) => plan.requests);
    const [first, last] = [requests[0], requests.at(-1)];
    if (!first || !last) return undefined;
    const recipients = this.counts.recipients + requests.length + 1;
    if (recipients - this.#askedAgainAt <= MIN_TO_ASK_AGAIN) return undefined;
    if (requests.length >= this.#limits.recipientsPerBatch) return undefined;
    if (recipients > Math.min(profile.recipientsPerSession, this.#limits.recipientsPerSession))
      return undefined;
    const known = this.#knownBeside(plans);
    if (queue.count(1) === 0) return known ?? (first.isDecoy ? undefined : first);
    const isWorthIt = this.#limits.refusals.shareOfDomain(last.domain) >= FREQUENT_REFUSALS;
    return known && isWorthIt && this.#hasRoomFor(known) ? known : undefined;
  }

  /** A known mailbox that is not asked for in the batch itself. */
  #knownBeside(plans: readonly TransactionPlan[]): KnownMailbox | undefined {
    const { knownGood, knownBefore } = this.#limits;
    return [knownGood, knownBefore].find(
      (known) =>
        known && !plans.some(({ requests }) => requests.some((it) => it.recipient === known.recipient)),
    );
  }

  /** The mailbox that was named again counts as a recipient of the open transaction, or began one of its own. */
  #closeAfter(known: KnownMailbox, wasAccepted: boolean): void {
    this.#askedAgainAt = this.counts.recipients;
    if (this.#hasRoomFor(known)) {
      const transaction = this.#transaction!;
      transaction.recipients++;
      if (wasAccepted) {
        transaction.accepted++;
        transaction.answered++;
      }
    } else {
      this.#transaction = undefined;
      this.#transactions++;
    }
  }

  /** Whether a recipient may be named in the open transaction. */
  #hasRoomFor({ smtpUtf8, domain }: KnownMailbox): boolean {
    if (this.#transaction?.smtpUtf8 !== smtpUtf8 || this.#transaction.isExhausted) return false;
    const limits = this.#transactionLimits;
    if (limits.oneDomainPerTransaction && this.#transaction.domain !== domain) return false;
    return this.#transaction.recipients < maxRecipients(limits);
  }

  /**
   * After refusals without a reason, asks again for a mailbox of the same domain that was accepted before, in the same
   * transaction where there is room. True where one is accepted.
   */
  async #askBesideUnexplained(): Promise<boolean> {
    const { profile, acceptedMailboxes } = this.deps;
    const limit = Math.min(profile.recipientsPerSession, this.#limits.recipientsPerSession);
    let hasAccepted = false;
    for (const domain of this.#handler.streak.unexplainedDomains) {
      const known = acceptedMailboxes.at(domain);
      if (!known || !this.target.client.isOpen || this.counts.recipients >= limit) continue;
      const transaction = this.#hasRoomFor(known) ? this.#transaction : undefined;
      const batch = [{ ...transactionOf(known), isNew: transaction === undefined }];
      const { answers } = await this.target.client.sendBatch(batch, this.deps.probeTimeoutMs);
      const isStillAccepted = isAccepted(answers[0]?.[0]);
      this.#closeAfter(known, isStillAccepted === true);
      this.counts.recipients++;
      if (isStillAccepted) {
        hasAccepted = true;
        this.#handler.streak.recordAcceptance(domain, transaction);
      } else if (isStillAccepted === false) acceptedMailboxes.forget(known);
    }
    return hasAccepted;
  }

  /** After each batch: confirms the held refusals, or retracts them where the server may refuse everything. */
  async #resolveStreak(wasStillAccepted: boolean | undefined): Promise<void> {
    const { queue, profile } = this.deps;
    const limits = this.#limits;
    const { streak } = this.#handler;
    const { isSuspect, isTemporary, permanentTargets } = streak;
    const refusals = streak.take();
    const requeue = (request: ProbeRequest) => queue.add(request);
    const known = this.target.client.isOpen ? limits.knownGood : undefined;
    const isAskable = known !== undefined || wasStillAccepted !== undefined;
    // A host may also begin to reject every recipient at some moment, whatever it has tolerated before.
    // Only after an acceptance, at the end of a short list, is a single refusal no reason for a round trip.
    const credible = this.counts.accepted > 0 && queue.count(1) === 0 && !limits.doubted ? 1 : 0;
    const isUnbroken = permanentTargets > credible && (isAskable || limits.doubted !== undefined);
    const isDoubtful = isSuspect || isUnbroken || wasStillAccepted === false;
    // Temporary refusals from the start are no change of behaviour, and at a large provider a session is too short for one.
    const isCredible =
      !isDoubtful || profile.isShared || (isTemporary && this.counts.accepted === 0 && !isAskable);
    if (isCredible) return streak.confirm(refusals);
    let stillAccepts = wasStillAccepted;
    // In the open transaction it may have been refused for the recipients before it, as by Exim.
    if (!stillAccepts && known) {
      const inNewTransaction = await this.#stillAccepts(known).catch((error) => {
        retractAll(refusals, requeue); // none may stay held
        throw error;
      });
      stillAccepts = inNewTransaction ?? stillAccepts;
    }
    if (stillAccepts) recordReliable(limits, this.counts.recipients, this.counts.refused);
    const isUndecided = stillAccepts === undefined && !isSuspect && !limits.doubted;
    if (stillAccepts || isUndecided) return streak.confirm(refusals);
    this.#isUntrusted = true;
    const doubted = stillAccepts === false ? (known ?? limits.knownGood) : undefined;
    if (doubted) limits.doubted = doubted;
    delete limits.knownGood; // the mailbox may also have been deleted since
    const isRefuted = stillAccepts === false || known !== undefined || limits.doubted !== undefined;
    streak.confirm(refusals.filter(({ isLate }) => !isRefuted && !isLate));
    const retracted = refusals.filter(({ isLate }) => isRefuted || isLate);
    if (this.#isRefusedFromStart) this.#leaveHost();
    else this.#learnFromRetraction(retracted.length);
    retractAll(retracted, requeue);
  }

  /** Where in the session the host began to refuse everything, as far as that is known. */
  #learnFromRetraction(retracted: number): void {
    const { profile } = this.deps;
    if (this.counts.accepted === 0 && this.#limits.doubted)
      recordCutOff(this.#limits, Math.max(1, Math.floor(this.counts.recipients / 2)), false);
    else recordCutOff(this.#limits, Math.max(1, this.counts.recipients - retracted), true);
    if (this.counts.refused > profile.refusalsPerSession)
      recordRefusalLimit(this.#limits, profile.refusalsPerSession + 1, profile);
  }

  /** The host rejects every recipient, not only after a number of recipients: nothing is learned from it for a while. */
  #leaveHost(): void {
    this.target.limiter.record({ kind: "rate_limited" });
    this.target.identity.hostLimits.markFailed(this.target.address, "rate_limited");
  }

  /** After a session in which a known mailbox was refused, the next one begins with that mailbox. */
  async #askDoubtedAgain(): Promise<void> {
    const { doubted } = this.#limits;
    if (!doubted) return;
    const isAccepted = await this.#stillAccepts(doubted);
    this.#isRefusedFromStart = isAccepted === false;
    if (!isAccepted) return;
    this.counts.accepted++;
    this.#limits.knownGood ??= doubted;
    delete this.#limits.doubted;
  }

  /** Whether a recipient that this host accepted before is still accepted; undefined without an answer. */
  async #stillAccepts(known: KnownMailbox): Promise<boolean | undefined> {
    this.#transaction = undefined;
    this.#transactions++;
    const { client } = this.target;
    const { answers, ending } = await client.sendBatch([transactionOf(known)], this.deps.probeTimeoutMs);
    if (ending && this.counts.recipients === 0) learnFromEnding(this, ending, 0);
    return isAccepted(answers[0]?.[0]);
  }
}

function transactionOf({ recipient, smtpUtf8 }: KnownMailbox): Transaction {
  return { recipients: [recipient], smtpUtf8, isNew: true };
}

/** Undefined for a temporary reply, and for one that is not about the recipient. */
function isAccepted(answer: RcptResult | undefined): boolean | undefined {
  if (answer?.stage !== "rcpt") return undefined;
  const { code } = answer.reply;
  return code < 300 || (code >= 500 ? false : undefined);
}
