/**
 * Runs one SMTP session: sends RCPT batches until the queue is empty, a limit is near, or the server ends it, and moves
 * each probe request on according to its reply. What the session learns about the host is kept in learned-limits.ts.
 *
 * Opening sessions and failover between hosts are in host-pool.ts, the commands in client.ts, the meaning of a reply in
 * mailbox-finding.ts, the states of a request in probe-request.ts.
 */
import type { MailHost } from "../dns/mail-route.ts";
import { MAX_TRACES, type SmtpSessionEvent } from "../egress/network-event.ts";
import type { MailboxFinding } from "../evidence.ts";
import type { BatchResult, RcptResult, SessionEnding, SmtpClient, Transaction } from "./client/client.ts";
import type { Identity, IdentitySlots } from "./identity-set.ts";
import { findingWithoutReply, interpretReply } from "./mailbox-finding.ts";
import type { BatchLimits, ProbeQueue } from "./probe-queue.ts";
import type { HostDenial, ProbeRequest } from "./probe-request.ts";
import { confirmAll, RefusalStreak, retractAll } from "./refusal-streak.ts";
import type { Reply } from "./reply.ts";
import { isConnectionCap } from "./throttle/connection-cap.ts";
import type { HostLimiter } from "./throttle/host-limiter.ts";
import {
  type AddressFailure,
  expectedRefusals,
  isBeyondReliable,
  isHangUpByRefusals,
  type LearnedLimits,
  likelyRefusals,
  recordAnswer,
  recordCutOff,
  recordOkSession,
  recordRefusalLimit,
  recordRefusalsTolerated,
  recordReliable,
  refusalBudget,
  refusalShareOf,
} from "./throttle/learned-limits.ts";
import type { ProviderProfile } from "./throttle/provider-profile.ts";
import { type OpenTransaction, planTransactions, type TransactionPlan } from "./transaction-plan.ts";

/** What a session needs of its pool (host-pool.ts). */
export type ProbeSessionDeps = {
  queue: ProbeQueue;
  hosts: readonly MailHost[];
  /** There may be further hosts that DNS could not resolve just now. */
  hasUnknownHosts: boolean;
  profile: ProviderProfile;
  /** Timeout of each batch. */
  probeTimeoutMs: number;
  isClosing(): boolean;
  /** Another pool waits for one of all the sessions of this process. */
  hasGlobalWaiters(): boolean;
  /** Waits a moment for a new request; true when one arrived. */
  nextRequest(): Promise<boolean>;
  /** Another egress identity may ask for a request that was refused from one. */
  hasIdentityFor(request: ProbeRequest): boolean;
};

export type SessionTarget = {
  client: SmtpClient;
  host: string;
  address: string;
  /** The egress identity of the session, and its slots at the host. */
  identity: Identity;
  slots: IdentitySlots;
  limiter: HostLimiter;
  limits: LearnedLimits;
};

const MAX_SESSIONS_WITHOUT_ANSWER = 3;
const MAX_TRANSACTIONS = 8;
/** Recipients per batch: enough to hide the round trip, few enough that interactive requests need not wait. */
const PIPELINED_BATCH = 40;
const SEQUENTIAL_BATCH = 4;
/** After so many recipients, one more at the end of a queue is worth its command, see #mailboxToAskAgain. */
const MIN_TO_ASK_AGAIN = 4;
const MIN_REFUSALS_LEFT = 2;
/** A batch that will probably leave fewer refusals than this is the last one, and is sent with QUIT: four of nine. */
const lastRefusalsLeft = (budget: number) => Math.min(4, (budget - 1) / 2);
/** Postfix sleeps for a second before each reply once a session has had its number of errors. */
const SLEEP_MS = 900;
/** How long a session may keep its slot when it is waited for. */
const TIME_SLICE_MS = 10_000;
const LONG_QUEUE = 20;

/** Counts of one batch. */
type BatchTally = {
  answered: number;
  refused: number;
  /** Refusals about us or our rate. */
  aboutUs: number;
  isRateLimited?: true;
  /** A reply that rejects our address, EHLO name or sender. */
  block?: Reply;
  /** The host refuses this connection because others are open. */
  isBeyondCap?: true;
  /** The host ended the session after a number of refusals. */
  isErrorLimit?: true;
  /** Whether a known mailbox was accepted after the batch. */
  stillAccepts?: boolean | undefined;
  ending?: SessionEnding;
};

export class ProbeSession {
  readonly #deps: ProbeSessionDeps;
  readonly #target: SessionTarget;
  readonly #limits: LearnedLimits;
  #transaction: OpenTransaction | undefined;
  #transactions = 0;
  #recipients = 0;
  #refused = 0;
  #accepted = 0;
  /** Recipients when a mailbox was last named again. */
  #askedAgainAt = 0;
  /** Refusals since the last acceptance, held until they are credible. */
  readonly #streak = new RefusalStreak();
  /** The server refuses everything, or may do so: further replies in this session prove nothing. */
  #isUntrusted = false;
  /** The first recipient, a mailbox that the host accepted some time ago, was refused again. */
  #isRefusedFromStart = false;
  readonly #replies: SmtpSessionEvent["replies"] = {};
  readonly #traces = new Set<string>();
  #outcome: SmtpSessionEvent["outcome"] = "completed";
  #sent = 0;

  constructor(deps: ProbeSessionDeps, target: SessionTarget) {
    this.#deps = deps;
    this.#target = target;
    this.#limits = target.limits;
  }

  /** For the event at the end of the session. */
  get summary(): Pick<SmtpSessionEvent, "replies" | "recipients" | "outcome" | "traces"> {
    const outcome = this.#isUntrusted ? "untrusted" : this.#outcome;
    return { replies: this.#replies, recipients: this.#sent, outcome, traces: [...this.#traces] };
  }

  async run(): Promise<void> {
    const { client, limiter } = this.#target;
    const { profile } = this.#deps;
    const endsAt = performance.now() + profile.lifetimeMs;
    const sliceEndsAt = performance.now() + TIME_SLICE_MS;
    let aboutUs = 0;
    await this.#askDoubtedAgain();
    while (
      client.isOpen &&
      !this.#isUntrusted &&
      !this.#deps.isClosing() &&
      performance.now() < endsAt &&
      !limiter.openBreaker
    ) {
      if (this.#recipients > 0 && this.#shouldYield(sliceEndsAt)) break;
      const fits = this.#batchLimit();
      if (!fits || this.#transactions > MAX_TRANSACTIONS) break;
      const groups = this.#deps.queue.take({
        host: this.#target.host,
        identity: this.#target.identity.index,
        fits,
        recipientsPerTransaction: this.#recipientsPerTransaction,
        withUnneededDecoys: client.usesPipelining,
      });
      if (groups.length === 0) {
        const isSlotWanted = limiter.hasWaiters || this.#deps.hasGlobalWaiters();
        if (!isSlotWanted && (await this.#deps.nextRequest())) continue;
        break;
      }
      const tally = await this.#runBatch(groups);
      this.#recipients += tally.answered;
      this.#refused += tally.refused;
      await this.#resolveStreak(tally.stillAccepts);
      aboutUs += tally.aboutUs;
      if (tally.isBeyondCap) {
        limiter.record({ kind: "too_many_connections", open: this.#limits.sessions - 1 });
        return;
      }
      if (tally.isErrorLimit) recordRefusalLimit(this.#limits, this.#refused, profile);
      else if (tally.ending) this.#learnFromEnding(tally.ending, tally.answered);
    }
    if (aboutUs > 0 || this.#recipients === 0 || (this.#isUntrusted && this.#isRefusedFromStart)) return;
    limiter.record({ kind: "ok" });
    if (!client.isOpen && !client.hasQuit) return;
    recordOkSession(this.#limits, this.#recipients);
    const isBudgetUsed = this.#refused >= this.#refusalBudget / 2;
    if (isBudgetUsed && !this.#isUntrusted && !client.isPostfix)
      recordRefusalsTolerated(this.#limits, profile);
  }

  get #refusalBudget(): number {
    return refusalBudget(this.#limits, this.#deps.profile);
  }

  /** Another pool, or another process, waits for this slot. */
  #shouldYield(sliceEndsAt: number): boolean {
    const { limiter } = this.#target;
    if (performance.now() > sliceEndsAt && limiter.hasWaiters) return true;
    return limiter.hasInteractiveWaiter && !this.#deps.queue.hasInteractive;
  }

  get #recipientsPerTransaction(): number {
    return Math.min(this.#deps.profile.recipientsPerTransaction, this.#limits.recipientsPerTransaction);
  }

  /** What the next batch may contain, by the profile and by what the host has shown. Undefined: time to quit. */
  #batchLimit(): BatchLimits["fits"] | undefined {
    const { recipientsPerSession } = this.#deps.profile;
    const recipientsLeft =
      Math.min(recipientsPerSession, this.#limits.recipientsPerSession) - this.#recipients;
    // Without a known mailbox, nothing would show that the server has begun to refuse everything.
    const verifiable = this.#limits.knownGood ? Number.POSITIVE_INFINITY : this.#limits.reliableUpTo.refusals;
    const refusalsLeft = Math.min(this.#refusalBudget, verifiable) - this.#refused;
    if (recipientsLeft <= 0 || refusalsLeft <= 0) return undefined;
    // With few refusals left, a long queue is done sooner in a new session than by ones and twos.
    const isShort = this.#recipients > 0 && refusalsLeft < MIN_REFUSALS_LEFT;
    if (isShort && this.#deps.queue.count(LONG_QUEUE) >= LONG_QUEUE) return undefined;
    const batch = this.#target.client.usesPipelining ? PIPELINED_BATCH : SEQUENTIAL_BATCH;
    const maxRecipients = Math.min(
      recipientsLeft,
      batch,
      this.#limits.recipientsPerBatch,
      this.#recipientsPerTransaction,
    );
    return (targets, decoys) => {
      const total = targets + decoys;
      return (
        total <= maxRecipients &&
        (total <= refusalsLeft || likelyRefusals(this.#limits, targets, decoys) <= refusalsLeft)
      );
    };
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
    const { client, limiter } = this.#target;
    const plans = planTransactions(this.#transaction, this.#sendable(groups), {
      recipientsPerTransaction: this.#recipientsPerTransaction,
      oneDomainPerTransaction:
        this.#deps.profile.oneDomainPerTransaction || this.#limits.oneDomainPerTransaction,
      refusalShare: refusalShareOf(this.#limits),
    });
    this.#transaction = plans.at(-1)?.transaction ?? this.#transaction;
    this.#transactions += plans.filter(({ isNew }) => isNew).length;
    const transactions: Transaction[] = plans.map(({ transaction, isNew, requests }) => ({
      recipients: requests.map((request) => request.recipient),
      smtpUtf8: transaction.smtpUtf8,
      isNew,
    }));
    const isLast = client.usesPipelining && this.#isLastBatch(plans);
    const known = isLast ? this.#limits.knownGood : this.#mailboxToAskAgain(plans);
    if (known) transactions.push({ ...transactionOf(known), isNew: !this.#hasRoomFor(known) });
    const isFirstAskedAgain = known !== undefined && known !== this.#limits.knownGood;
    const result = await client.sendBatch(transactions, this.#deps.probeTimeoutMs, isLast);

    const tally: BatchTally = { answered: 0, refused: 0, aboutUs: 0 };
    if (result.ending) tally.ending = result.ending;
    if (result.ending) this.#outcome = result.ending;
    if (isLast && result.ending === "protocol_error") this.#limits.pipelining = false;
    if (known && !(isFirstAskedAgain && !isAccepted(result.answers[0]?.[0])))
      tally.stillAccepts = isAccepted(result.answers[plans.length]?.[0]);
    if (known && !isLast) this.#closeAfter(known);
    if (this.#isBeyondCap(result)) {
      tally.isBeyondCap = true;
      this.#outcome = "connection_cap";
      result.answers = [];
    }
    const unanswered: ProbeRequest[] = [];
    for (const [i, plan] of plans.entries()) {
      for (const [j, request] of plan.requests.entries()) {
        this.#sent++;
        if (request.trace !== undefined && this.#traces.size < MAX_TRACES) this.#traces.add(request.trace);
        const answer = result.answers[i]?.[j];
        const isAnswer = answer !== undefined && answer.reply.code !== 421;
        const outcome = isAnswer ? this.#process(request, answer, plan, tally) : "unanswered";
        if (outcome === "unanswered") unanswered.push(request);
        else tally.answered++;
        if (outcome === "accepted") plan.transaction.accepted++;
        if (outcome === "refused") tally.refused++;
        if (outcome !== "unanswered")
          recordAnswer(this.#limits, { isDecoy: request.isDecoy, isRefused: outcome === "refused" });
      }
    }
    if (this.#isErrorLimit(result, tally)) tally.isErrorLimit = true;
    if (result.pauseMs >= SLEEP_MS && this.#refused + tally.refused > this.#deps.profile.refusalsPerSession)
      recordRefusalLimit(this.#limits, this.#deps.profile.refusalsPerSession + 1, this.#deps.profile);
    // Once per batch: a hundred recipients under one refused MAIL are one event.
    if (tally.isRateLimited) limiter.record({ kind: "rate_limited" });
    if (tally.block) limiter.record({ kind: "blocked", reply: tally.block });
    this.#requeueUnanswered(unanswered, tally);
    return tally;
  }

  /**
   * Whether the session is over after this batch, however it is answered: few refusals will be left, and the queue is
   * long enough for another session. A mailbox that the host accepted before ends it, so that no refusal needs a check.
   */
  #isLastBatch(plans: readonly TransactionPlan[]): boolean {
    const { queue, profile } = this.#deps;
    if (!this.#limits.knownGood || profile.isShared || queue.count(LONG_QUEUE) < LONG_QUEUE) return false;
    let decoys = 0;
    let targets = 0;
    for (const { requests } of plans)
      for (const { isDecoy } of requests) {
        if (isDecoy) decoys++;
        else targets++;
      }
    const recipients = this.#recipients + targets + decoys + 1;
    if (recipients > Math.min(profile.recipientsPerSession, this.#limits.recipientsPerSession)) return false;
    const expected = this.#refused + expectedRefusals(this.#limits, targets, decoys);
    return expected > this.#refusalBudget - lastRefusalsLeft(this.#refusalBudget);
  }

  /**
   * A mailbox to name once more after the last recipients of the queue, in the same batch: a host may begin to refuse
   * every recipient just before them. Without a known mailbox it is the first recipient of the batch, if that one is accepted.
   */
  #mailboxToAskAgain(plans: readonly TransactionPlan[]): KnownGood | undefined {
    const { queue, profile } = this.#deps;
    if (!this.#target.client.usesPipelining || profile.isShared || queue.count(1) > 0) return undefined;
    const requests = plans.flatMap((plan) => plan.requests);
    const recipients = this.#recipients + requests.length + 1;
    if (recipients - this.#askedAgainAt <= MIN_TO_ASK_AGAIN) return undefined;
    if (requests.length >= this.#limits.recipientsPerBatch) return undefined;
    if (recipients > Math.min(profile.recipientsPerSession, this.#limits.recipientsPerSession))
      return undefined;
    const first = requests[0]!;
    return this.#limits.knownGood ?? (first.isDecoy ? undefined : first);
  }

  /** The mailbox that was named again used a place in the open transaction, or began one of its own. */
  #closeAfter(known: KnownGood): void {
    this.#askedAgainAt = this.#recipients;
    if (this.#hasRoomFor(known)) this.#transaction!.recipients++;
    else {
      this.#transaction = undefined;
      this.#transactions++;
    }
  }

  /** Whether a recipient may be named in the open transaction. */
  #hasRoomFor({ smtpUtf8 }: KnownGood): boolean {
    if (this.#transaction?.smtpUtf8 !== smtpUtf8 || this.#transaction.isExhausted) return false;
    if (this.#deps.profile.oneDomainPerTransaction || this.#limits.oneDomainPerTransaction) return false;
    return this.#transaction.recipients < this.#recipientsPerTransaction;
  }

  /** Whether the host ended the session because of its refusals, which says nothing about our rate. */
  #isErrorLimit({ ending, closingReply }: BatchResult, { refused }: BatchTally): boolean {
    const { profile } = this.#deps;
    const refusals = this.#refused + refused;
    if (refusals === 0 || (ending !== "closed" && ending !== "service_closing")) return false;
    if (closingReply && ERROR_LIMIT.test(closingReply.lines.join(" "))) return true;
    if (refusals <= profile.refusalsPerSession) return false;
    if (!closingReply) return true;
    const context = { stage: "rcpt", reply: closingReply, mx: this.#target.host } as const;
    return interpretReply(context, profile).finding.answer !== "rate_limited";
  }

  /** Whether the host refuses this session at its first command, because we have other connections open. */
  #isBeyondCap({ answers, closingReply }: BatchResult): boolean {
    if (this.#recipients > 0 || this.#limits.sessions < 2) return false;
    const first = answers[0]?.[0];
    const reply = first?.stage === "mail" ? first.reply : closingReply;
    if (!reply || (first && first.stage !== "mail" && first.reply !== closingReply)) return false;
    const { finding } = interpretReply({ stage: "mail", reply, mx: this.#target.host }, this.#deps.profile);
    return isConnectionCap(finding);
  }

  /** A server without SMTPUTF8 cannot answer for a mailbox name that needs it. */
  #sendable(groups: ProbeRequest[][]): ProbeRequest[][] {
    const { extensions } = this.#target.client;
    return groups.filter((group) => {
      if (!group[0]!.smtpUtf8 || extensions?.has("SMTPUTF8")) return true;
      const finding: MailboxFinding = { answer: "smtputf8_unsupported", mxHost: this.#target.host };
      for (const request of group) this.#deny(request, "smtputf8_unsupported", finding);
      return false;
    });
  }

  /** This host cannot answer. Another may; the finding is certain only when all of them agree. */
  #deny(request: ProbeRequest, denial: HostDenial, finding: MailboxFinding): void {
    request.deny(this.#target.host, denial);
    if (this.#deps.hosts.some(({ name }) => request.isOpenTo(name))) {
      this.#deps.queue.add(request);
      return;
    }
    const isCertain =
      request.isDeniedOnlyAs(denial) &&
      !this.#deps.hasUnknownHosts &&
      this.#target.client.extensions !== undefined;
    request.settle(isCertain ? finding : { ...finding, answer: "temporary_error" });
  }

  /** Settles or holds a request by its reply, or requeues it where another host or transaction may answer. */
  #process(
    request: ProbeRequest,
    { stage, reply }: RcptResult,
    { transaction }: TransactionPlan,
    tally: BatchTally,
  ): "accepted" | "refused" | "unanswered" {
    const { client, host, identity } = this.#target;
    const ourNames = [identity.ehloName, identity.mailFrom]; // which a server may echo
    const { recipient } = request;
    const context = { stage, reply, mx: host, greetedAs: client.bannerName, recipient, ourNames };
    const { finding, meaning } = interpretReply(context, this.#deps.profile);
    this.#replies[meaning.category] = (this.#replies[meaning.category] ?? 0) + 1;
    const { answer } = finding;
    if (answer === "accepted") {
      confirmAll(this.#streak.take()); // the server still distinguishes mailboxes
      recordReliable(this.#limits, this.#recipients + tally.answered, this.#refused + tally.refused);
      this.#accepted++;
      if (!request.isDecoy) {
        this.#limits.knownGood = { recipient, smtpUtf8: request.smtpUtf8 };
        delete this.#limits.doubted;
      }
      request.settle(finding);
      return "accepted";
    }
    // A server that cannot handle pipelining reports bad syntax and closes; that is not about the mailbox.
    if (answer === "protocol_error" && client.usesPipelining && tally.ending) return "unanswered";
    if (stage === "mail") transaction.isExhausted = true;
    if (stage === "rcpt" && this.#needsNewTransaction(finding, transaction, request)) {
      this.#deps.queue.add(request);
      return "refused";
    }
    if (answer === "domain_not_accepted" && meaning.mailbox !== "does_not_exist") {
      this.#deny(request, answer, finding);
      return "refused";
    }
    const isAboutUs = meaning.category === "ip_blocked" || stage === "mail";
    if (answer === "rate_limited" || isAboutUs) tally.aboutUs++;
    if (answer === "rate_limited") tally.isRateLimited = true;
    if (answer === "probe_blocked" && isAboutUs) {
      tally.block = reply;
      request.refuseFrom(identity.index, finding);
      if (this.#deps.hasIdentityFor(request)) {
        this.#deps.queue.add(request);
        return "refused";
      }
    }
    if (answer === "greylisted") identity.hostLimits.markGreylisting(host);
    if (stage === "rcpt" && this.#mayTryNextHost(request, finding)) {
      request.defer(host, finding);
      this.#deps.queue.add(request);
      return "refused";
    }
    const recipients = this.#recipients + tally.answered;
    const isLate = isBeyondReliable(this.#limits, recipients, this.#refused + tally.refused);
    if (stage === "rcpt") this.#streak.hold(request, finding, isLate);
    else request.settle(finding);
    return "refused";
  }

  /** After each batch: confirms the held refusals, or retracts them where the server may refuse everything. */
  async #resolveStreak(wasStillAccepted: boolean | undefined): Promise<void> {
    const { queue, profile } = this.#deps;
    const limits = this.#limits;
    const { isSuspect, isTemporary, permanentTargets } = this.#streak;
    const refusals = this.#streak.take();
    const requeue = (request: ProbeRequest) => queue.add(request);
    const known = this.#target.client.isOpen ? limits.knownGood : undefined;
    const isAskable = known !== undefined || wasStillAccepted !== undefined;
    // A host may also begin to reject every recipient at some moment, whatever it has tolerated before.
    // Only after an acceptance, at the end of a short list, is a single refusal no reason for a round trip.
    const credible = this.#accepted > 0 && queue.count(1) === 0 && !limits.doubted ? 1 : 0;
    const isUnbroken = permanentTargets > credible && (isAskable || limits.doubted !== undefined);
    const isDoubtful = isSuspect || isUnbroken || wasStillAccepted === false;
    // Temporary refusals from the start are no change of behaviour, and at a large provider a session is too short for one.
    const isCredible = !isDoubtful || profile.isShared || (isTemporary && this.#accepted === 0 && !isAskable);
    if (isCredible) return confirmAll(refusals);
    let stillAccepts = wasStillAccepted;
    if (stillAccepts === undefined && known) {
      stillAccepts = await this.#stillAccepts(known).catch((error) => {
        retractAll(refusals, requeue); // none may stay held
        throw error;
      });
    }
    if (stillAccepts) recordReliable(limits, this.#recipients, this.#refused);
    const isUndecided = stillAccepts === undefined && !isSuspect && !limits.doubted;
    if (stillAccepts || isUndecided) return confirmAll(refusals);
    this.#isUntrusted = true;
    const doubted = stillAccepts === false ? (known ?? limits.knownGood) : undefined;
    if (doubted) limits.doubted = doubted;
    delete limits.knownGood; // the mailbox may also have been deleted since
    const isRefuted = stillAccepts === false || known !== undefined || limits.doubted !== undefined;
    confirmAll(refusals.filter(({ isLate }) => !isRefuted && !isLate));
    const retracted = refusals.filter(({ isLate }) => isRefuted || isLate);
    if (this.#isRefusedFromStart) this.#leaveHost();
    else this.#learnFromRetraction(retracted.length);
    retractAll(retracted, requeue);
  }

  /** Where in the session the host began to refuse everything, as far as that is known. */
  #learnFromRetraction(retracted: number): void {
    const { profile } = this.#deps;
    if (this.#accepted === 0 && this.#limits.doubted)
      recordCutOff(this.#limits, Math.max(1, Math.floor(this.#recipients / 2)), false);
    else recordCutOff(this.#limits, Math.max(1, this.#recipients - retracted), true);
    if (this.#refused > profile.refusalsPerSession)
      recordRefusalLimit(this.#limits, profile.refusalsPerSession + 1, profile);
  }

  /** The host rejects every recipient, not only after a number of recipients: nothing is learned from it for a while. */
  #leaveHost(): void {
    this.#target.limiter.record({ kind: "rate_limited" });
    this.#target.identity.hostLimits.markFailed(this.#target.address, "rate_limited");
  }

  /** After a session in which a known mailbox was refused, the next one begins with that mailbox. */
  async #askDoubtedAgain(): Promise<void> {
    const { doubted } = this.#limits;
    if (!doubted) return;
    const isAccepted = await this.#stillAccepts(doubted);
    this.#isRefusedFromStart = isAccepted === false;
    if (!isAccepted) return;
    this.#accepted++;
    this.#limits.knownGood ??= doubted;
    delete this.#limits.doubted;
  }

  /** Whether a recipient that this host accepted before is still accepted; undefined without an answer. */
  async #stillAccepts(known: KnownGood): Promise<boolean | undefined> {
    this.#transaction = undefined;
    this.#transactions++;
    const { client } = this.#target;
    const { answers, ending } = await client.sendBatch([transactionOf(known)], this.#deps.probeTimeoutMs);
    if (ending && this.#recipients === 0) this.#learnFromEnding(ending, 0);
    return isAccepted(answers[0]?.[0]);
  }

  /**
   * After a temporary reply the next host is tried once, as any mail server does. Not at a large provider, whose hosts
   * share their state, and not after a reply about us or our rate.
   */
  #mayTryNextHost(request: ProbeRequest, { answer, reply }: MailboxFinding): boolean {
    if (request.deferral !== undefined || this.#deps.profile.isShared || (reply?.code ?? 0) >= 500)
      return false;
    if (answer !== "greylisted" && answer !== "temporary_error") return false;
    return this.#deps.hosts.some(({ name }) => name !== this.#target.host && request.isOpenTo(name));
  }

  /**
   * Whether the refusal is about the transaction so far: too many recipients, too many bad ones, or ones of another
   * domain. Then the limit is learned, and the request is sent again in a new transaction.
   */
  #needsNewTransaction(
    { answer, reply }: MailboxFinding,
    transaction: OpenTransaction,
    request: ProbeRequest,
  ): boolean {
    if (transaction.recipients < 2) return false;
    const isOtherDomain =
      answer === "temporary_error" &&
      transaction.domain !== request.domain &&
      /\bdomains?\b/i.test(reply?.text ?? "");
    if (answer !== "rate_limited" && !isOtherDomain) return false;
    if (!request.canRetryInNewTransaction()) return false;
    transaction.isExhausted = true;
    if (isOtherDomain) this.#limits.oneDomainPerTransaction = true;
    else if (transaction.accepted > 0) this.#limits.recipientsPerTransaction = transaction.accepted;
    return true;
  }

  /** The first unanswered request may be what ended the session; the others were only behind it. */
  #requeueUnanswered(unanswered: ProbeRequest[], tally: BatchTally): void {
    const { answered, isBeyondCap, isErrorLimit, ending = "closed" } = tally;
    for (const [i, request] of unanswered.entries()) {
      const isCause = !isBeyondCap && !isErrorLimit && (i === 0 || answered === 0);
      if (request.canRetryAfterSessionEnd(isCause)) this.#deps.queue.add(request);
      else request.settle(findingWithoutReply(ANSWER_OF_ENDING[ending], this.#target.host));
    }
  }

  #learnFromEnding(ending: SessionEnding, answered: number): void {
    const { client, address, identity, limiter } = this.#target;
    const limits = this.#limits;
    if (ending === "service_closing") limiter.record({ kind: "rate_limited" });
    if (ending === "closed" && isHangUpByRefusals(limits, this.#recipients, this.#refused)) {
      recordRefusalLimit(limits, this.#refused, this.#deps.profile);
      limits.recipientsPerSession = Number.POSITIVE_INFINITY;
      return;
    }
    if (ending === "timeout" && answered > 0) {
      limits.recipientsPerBatch = Math.max(1, Math.floor(answered / 2));
    } else if (this.#recipients > 0) {
      recordCutOff(limits, this.#recipients, ending === "timeout" || ending === "service_closing");
      limits.okSessionsAtLimit = 0;
    }
    if (this.#recipients > 0) {
      limits.sessionsWithoutAnswer = 0;
      return;
    }
    if (client.usesPipelining && ending !== "service_closing") {
      limits.pipelining = false; // some servers lose pipelined commands: one more try without, before the address fails
      return;
    }
    // No usable reply at all: the address is skipped for a while, and the next host may be better.
    if (ending === "timeout" || ++limits.sessionsWithoutAnswer >= MAX_SESSIONS_WITHOUT_ANSWER) {
      limits.sessionsWithoutAnswer = 0;
      identity.hostLimits.markFailed(address, ANSWER_OF_ENDING[ending]);
    }
  }
}

/** The text of a 421 about errors or unknown recipients, not about our rate: "Error: …" begins many replies. */
const ERROR_LIMIT =
  /\btoo many (?:[\w-]+ ){0,4}errors?\b|\b(?:unknown|invalid|bad|rejected|non-?existent) (?:users?|recipients?|address\w*|rcpts?)\b/i;

type KnownGood = NonNullable<LearnedLimits["knownGood"]>;

function transactionOf({ recipient, smtpUtf8 }: KnownGood): Transaction {
  return { recipients: [recipient], smtpUtf8, isNew: true };
}

/** Undefined for a temporary reply, and for one that is not about the recipient. */
function isAccepted(answer: RcptResult | undefined): boolean | undefined {
  if (answer?.stage !== "rcpt") return undefined;
  const { code } = answer.reply;
  return code < 300 || (code >= 500 ? false : undefined);
}

const ANSWER_OF_ENDING: Record<SessionEnding, AddressFailure> = {
  closed: "protocol_error",
  protocol_error: "protocol_error",
  timeout: "timeout",
  service_closing: "rate_limited",
};
