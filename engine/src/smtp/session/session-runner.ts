/**
 * Runs one SMTP session: sends RCPT batches until the queue is empty, a limit is near, or the server ends it. What the
 * session learns about the host is kept in learned-limits.ts.
 *
 * What becomes of a request by its reply is in reply-handler.ts, whether refusals are credible in refusal-check.ts, what the
 * end of the session says about the host in session-ending.ts, opening sessions in session-opener.ts and host-pool.ts, the
 * commands in client.ts.
 */
import { MAX_TRACES, type SmtpSessionEvent } from "../../egress/network-event.ts";
import type { Transaction } from "../client/client.ts";
import type { BatchRoom } from "../probe-queue.ts";
import type { ProbeRequest } from "../probe-request.ts";
import {
  type LearnedLimits,
  recordOkSession,
  recordRefusalLimit,
  recordRefusalsTolerated,
  refusalBudget,
} from "../throttle/learned-limits.ts";
import type { RecipientAnswer } from "../throttle/refusal-estimate.ts";
import { inSendingOrder, riskAmong, roomForBatch } from "./batch-room.ts";
import { RefusalCheck } from "./refusal-check.ts";
import { ReplyHandler } from "./reply-handler.ts";
import type { BatchTally, ProbeSessionDeps, SessionContext, SessionTarget } from "./session-context.ts";
import { isBeyondCap, isErrorLimit, learnFromEnding } from "./session-ending.ts";
import { SessionTransactions, type TransactionPlan } from "./transaction-plan.ts";

const MAX_TRANSACTIONS = 8;
/** Recipients per batch: enough to hide the round trip, few enough that interactive requests need not wait. */
export const PIPELINED_BATCH = 40;
const SEQUENTIAL_BATCH = 4;
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
  readonly #transactions: SessionTransactions;
  readonly #handler = new ReplyHandler(this);
  readonly #check: RefusalCheck;
  readonly #traces = new Set<string>();
  /** Its last reply was a rejection of us. */
  #isBlocked = false;
  #outcome: SmtpSessionEvent["outcome"] = "completed";
  #sent = 0;

  constructor(deps: ProbeSessionDeps, target: SessionTarget) {
    this.deps = deps;
    this.target = target;
    this.#limits = target.limits;
    this.#transactions = new SessionTransactions(deps.profile, target.limits);
    this.#check = new RefusalCheck(this, this.#handler.streak, this.#transactions);
  }

  /** For the event at the end of the session. */
  get summary(): Pick<SmtpSessionEvent, "replies" | "recipients" | "outcome" | "traces"> {
    const outcome = this.#check.isUntrusted
      ? "untrusted"
      : this.isIntercepted
        ? "intercepted"
        : this.#outcome;
    return { replies: this.#handler.replies, recipients: this.#sent, outcome, traces: [...this.#traces] };
  }

  get isIntercepted(): boolean {
    const { host, client, identity } = this.target;
    return identity.health.interception.isDevice({ host, bannerName: client.bannerName });
  }

  async run(): Promise<void> {
    try {
      await this.#sendBatches();
    } finally {
      this.#check.end();
    }
  }

  async #sendBatches(): Promise<void> {
    const { client, limiter } = this.target;
    const { profile } = this.deps;
    const endsAt = performance.now() + profile.lifetimeMs;
    const sliceEndsAt = performance.now() + TIME_SLICE_MS;
    let aboutUs = 0;
    await this.#check.askDoubtedAgain();
    while (
      client.isOpen &&
      !this.#check.isUntrusted &&
      !this.deps.isClosing() &&
      !this.isIntercepted &&
      performance.now() < endsAt &&
      !limiter.openBreaker
    ) {
      if (this.counts.recipients > 0 && this.#shouldYield(sliceEndsAt)) break;
      const room = this.#roomForBatch();
      if (!room || this.#transactions.count > MAX_TRANSACTIONS) break;
      const groups = this.deps.queue.take({
        host: this.target.host,
        identity: this.target.identity.index,
        passedOver: this.target.passedOver,
        room,
        recipientsPerTransaction: this.#transactions.limits.recipientsPerTransaction,
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
      await this.#check.resolve(tally.stillAccepts);
      aboutUs += tally.aboutUs;
      if (tally.isBeyondCap) {
        limiter.record({ kind: "too_many_connections", open: this.target.slots.sessions - 1 });
        return;
      }
      const ending = tally.ending ?? (client.hasHungUp ? "closed" : undefined); // it may have answered all before
      if (tally.isErrorLimit) recordRefusalLimit(this.#limits, this.counts.refused, profile);
      else if (ending) learnFromEnding(this, ending, tally.answered);
    }
    const { isUntrusted, isRefusedFromStart } = this.#check;
    if (aboutUs > 0 || this.counts.recipients === 0 || (isUntrusted && isRefusedFromStart)) return;
    limiter.record({ kind: "ok" });
    if (client.hasHungUp) return;
    recordOkSession(this.#limits, this.counts.recipients);
    const isBudgetUsed = this.counts.refused >= this.#refusalBudget / 2;
    if (isBudgetUsed && !isUntrusted && !client.isPostfix) recordRefusalsTolerated(this.#limits, profile);
  }

  get #refusalBudget(): number {
    return refusalBudget(this.#limits, this.deps.profile);
  }

  /** Another pool, or another process, waits for this slot. Those of the reserve are for interactive requests only. */
  #shouldYield(sliceEndsAt: number): boolean {
    const { limiter, counted } = this.target;
    if (performance.now() > sliceEndsAt && limiter.hasWaiters) return true;
    const isWaitedFor = limiter.hasInteractiveWaiter || (counted.isReserved && this.deps.hasGlobalWaiters());
    return isWaitedFor && !this.deps.queue.hasInteractive;
  }

  /** What the next batch may contain, by the profile and by what the host has shown. Undefined: time to quit. */
  #roomForBatch(): BatchRoom | undefined {
    const { recipientsPerSession } = this.deps.profile;
    const recipientsLeft =
      Math.min(recipientsPerSession, this.#limits.recipientsPerSession) - this.counts.recipients;
    // Without a known mailbox, nothing would show that the server has begun to refuse everything.
    const confirmable = this.#limits.knownGood
      ? Number.POSITIVE_INFINITY
      : this.#limits.reliableUpTo.refusals;
    const maxRefusals = this.#refusalBudget - this.counts.refused;
    const maxUnconfirmed = confirmable - this.counts.refused;
    const refusalsLeft = Math.min(maxRefusals, maxUnconfirmed);
    if (recipientsLeft <= 0 || refusalsLeft <= 0) return undefined;
    // With few refusals left, a long queue is done sooner in a new session than by ones and twos.
    const isShort = this.counts.recipients > 0 && refusalsLeft < MIN_REFUSALS_LEFT;
    if (isShort && this.deps.queue.count(LONG_QUEUE) >= LONG_QUEUE) return undefined;
    const { recipientsPerTransaction, oneDomainPerTransaction } = this.#transactions.limits;
    const maxRecipients = Math.min(
      recipientsLeft,
      this.target.client.usesPipelining ? PIPELINED_BATCH : SEQUENTIAL_BATCH,
      this.#limits.recipientsPerBatch,
      recipientsPerTransaction,
    );
    const risk = riskAmong(this.deps.hostsAtWork());
    const limits = { maxRecipients, maxRefusals, maxUnconfirmed, oneDomainPerTransaction, risk };
    return roomForBatch(this.#limits.refusals, limits);
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
    // Where each domain needs a transaction, the queue's order is kept.
    const ordered = this.#transactions.limits.oneDomainPerTransaction
      ? sendable
      : inSendingOrder(sendable, this.#limits.refusals);
    const plans = this.#transactions.plan(ordered);
    const transactions: Transaction[] = plans.map(({ transaction, isNew, requests }) => ({
      recipients: requests.map((request) => request.recipient),
      smtpUtf8: transaction.smtpUtf8,
      isNew,
    }));
    const isLast = client.usesPipelining && plans.length > 0 && this.#isLastBatch(plans);
    const askedAgain = this.#check.mailboxToAskAgain(plans, isLast);
    if (askedAgain) transactions.push(askedAgain.transaction);
    const result = await client.sendBatch(transactions, this.deps.probeTimeoutMs, isLast);

    const tally: BatchTally = { answered: 0, refused: 0, aboutUs: 0 };
    if (result.ending) tally.ending = result.ending;
    if (result.ending) this.#outcome = result.ending;
    if (result.isOutOfStep) this.#limits.pipelining = false;
    if (askedAgain) tally.stillAccepts = this.#check.readAnswer(askedAgain, result.answers);
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
    if (askedAgain && tally.stillAccepts)
      this.#handler.streak.recordAcceptance(askedAgain.known, askedAgain.beside);
    this.#limits.refusals.record(answers);
    if (isErrorLimit(this, result, tally)) tally.isErrorLimit = true;
    if (
      result.pauseMs >= SLEEP_MS &&
      this.counts.refused + tally.refused > this.deps.profile.refusalsPerSession
    )
      recordRefusalLimit(this.#limits, this.deps.profile.refusalsPerSession + 1, this.deps.profile);
    // Once per batch: a hundred recipients under one refused MAIL are one event.
    if (tally.isRateLimited) limiter.record({ kind: "rate_limited" });
    // Only rejections of us in a row give up a host: one that judges recipients in between still answers.
    const wasBlocked = this.#isBlocked || tally.block !== undefined;
    if (wasBlocked && tally.isJudged && !tally.isRateLimited) limiter.record({ kind: "ok" });
    this.#isBlocked = tally.block !== undefined;
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
    if (profile.isShared || queue.count(LONG_QUEUE) < LONG_QUEUE) return false;
    if (!this.#check.knownBeside(plans)) return false;
    if (this.#limits.refusesWithoutReason) return false; // it needs an acceptance in its own transaction
    const batch = this.#limits.refusals.batch();
    for (const { requests } of plans)
      for (const { domain, isDecoy } of requests) batch.add(domain, isDecoy ? 0 : 1, isDecoy ? 1 : 0);
    const recipients = this.counts.recipients + batch.recipients + 1;
    if (recipients > Math.min(profile.recipientsPerSession, this.#limits.recipientsPerSession)) return false;
    const expected = this.counts.refused + batch.expectedRefusals;
    return expected > this.#refusalBudget - lastRefusalsLeft(this.#refusalBudget);
  }
}
