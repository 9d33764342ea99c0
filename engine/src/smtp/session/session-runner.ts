/**
 * Runs one SMTP session: sends RCPT batches until the queue is empty, a limit is near, or the server ends it, and the controls
 * that are due. What the session learns about the host is kept in learned-limits.ts and host-memory.ts.
 *
 * What is left to a session is in session-budget.ts, which replies are believed in session-controls.ts, what becomes of a
 * request in reply-handler.ts, what the end of the session says about the host in session-ending.ts, opening sessions in
 * session-opener.ts and host-pool.ts, the commands in client.ts.
 */
import { MAX_TRACES, type SmtpSessionEvent } from "../../egress/network-event.ts";
import type { RcptResult, Transaction } from "../client/client.ts";
import { decoyName } from "../decoy-name.ts";
import { untrusted } from "../mailbox-finding.ts";
import type { ProbeRequest } from "../probe-request.ts";
import { type HostMemory, type KnownMailbox, TOLERATED_REFUSALS } from "../throttle/host-memory.ts";
import {
  type LearnedLimits,
  recordAnswer,
  recordCutOff,
  recordOkSession,
  recordRefusalLimit,
  recordRefusalsTolerated,
} from "../throttle/learned-limits.ts";
import { ReplyHandler, replyOf } from "./reply-handler.ts";
import { CONTROLS, SessionBudget } from "./session-budget.ts";
import type { BatchTally, ProbeSessionDeps, SessionContext, SessionTarget } from "./session-context.ts";
import { type Control, type Place, postmasterAt, SessionControls } from "./session-controls.ts";
import { isBeyondCap, isErrorLimit, learnFromEnding } from "./session-ending.ts";
import { SessionTransactions, type TransactionPlan } from "./transaction-plan.ts";

const MAX_TRANSACTIONS = 8;
/** Postfix sleeps for a second before each reply once a session has had its number of errors. */
const SLEEP_MS = 900;
/** How long a session may keep its slot when it is waited for. */
const TIME_SLICE_MS = 10_000;
/** After so many recipients, a known mailbox is worth its command: it saves a round trip if the last one is refused. */
const MIN_TO_ASK_KNOWN = 4;
/** A control may have to be asked again in a transaction of its own, or another one instead. */
const MAX_CONTROL_ROUNDS = 3;

type PlannedControl = { control: Control; place: Place; transaction: Transaction };

export class ProbeSession implements SessionContext {
  readonly deps: ProbeSessionDeps;
  readonly target: SessionTarget;
  readonly counts = { recipients: 0, refused: 0, accepted: 0 };
  readonly controls: SessionControls;
  /** It quit because what is left in the queue is for another host or identity. */
  hasLeftOthers = false;
  readonly #budget: SessionBudget;
  readonly #limits: LearnedLimits;
  readonly #memory: HostMemory;
  readonly #transactions: SessionTransactions;
  readonly #handler = new ReplyHandler(this);
  readonly #traces = new Set<string>();
  /** Its last reply was a rejection of us. */
  #isBlocked = false;
  #outcome: SmtpSessionEvent["outcome"] = "completed";
  #sent = 0;
  /** As the last control was good. */
  #proven = { recipients: 0, refused: 0 };
  /** Recipients as a known mailbox was last asked. */
  #askedKnownAt = 0;

  constructor(deps: ProbeSessionDeps, target: SessionTarget) {
    this.deps = deps;
    this.target = target;
    this.#limits = target.limits;
    const { hostLimits } = target.identity;
    this.#memory = hostLimits.memoryOf(target.host);
    this.#budget = new SessionBudget(this, this.#memory);
    this.#transactions = new SessionTransactions(deps.profile, target.limits);
    this.controls = new SessionControls({
      memory: this.#memory,
      domainAnswers: (domain) => hostLimits.domainAnswers(target.host, domain),
      isExempt: () => this.#budget.isExempt,
      acceptedAt: (domain) => deps.acceptedMailboxes.at(domain),
      confirm: (request) => this.#handler.confirm(request),
      requeue: (request) => deps.queue.add(request),
      park: (request) => deps.queue.park(request),
    });
  }

  /** For the event at the end of the session. */
  get summary(): Pick<SmtpSessionEvent, "replies" | "recipients" | "outcome" | "traces"> {
    const outcome = this.controls.isUntrusted
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
    let isDoubted = false;
    try {
      await this.#askDoubted();
      isDoubted = this.#memory.doubt !== undefined;
      await this.#sendBatches();
      await this.#conclude(true);
    } finally {
      this.controls.end(true);
      this.#unpark();
      if (isDoubted && this.#memory.doubt) this.#leaveHost();
      this.#memory.save();
    }
  }

  async #sendBatches(): Promise<void> {
    const { client, limiter } = this.target;
    const { profile } = this.deps;
    const endsAt = performance.now() + profile.lifetimeMs;
    const sliceEndsAt = performance.now() + TIME_SLICE_MS;
    let aboutUs = 0;
    while (
      client.isOpen &&
      !this.controls.isUntrusted &&
      !this.deps.isClosing() &&
      !this.isIntercepted &&
      performance.now() < endsAt &&
      !limiter.openBreaker
    ) {
      if (this.counts.recipients > 0 && this.#shouldYield(sliceEndsAt)) break;
      if (this.#memory.isLeftForAnotherHour && !this.#budget.isExempt) {
        this.#leaveRest();
        break;
      }
      let room = this.#budget.roomForBatch(this.#transactions.limits);
      if (!room && this.controls.unaskedDomains.length > 0) {
        await this.#conclude(false); // as many refusals were kept free as there are domains, which may be catch-all
        room = this.#budget.roomForBatch(this.#transactions.limits);
      }
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
        if (isSlotWanted) break;
        await this.#conclude(false);
        if (client.isOpen && !this.controls.isUntrusted && (await this.deps.nextRequest())) continue;
        break;
      }
      const tally = await this.#runBatch(groups);
      this.counts.recipients += tally.answered;
      this.counts.refused += tally.refused;
      aboutUs += tally.aboutUs;
      if (tally.isBeyondCap) {
        limiter.record({ kind: "too_many_connections", open: this.target.slots.sessions - 1 });
        return;
      }
      const ending = tally.ending ?? (client.hasHungUp ? "closed" : undefined); // it may have answered all before
      if (tally.isErrorLimit) recordRefusalLimit(this.#limits, this.counts.refused, profile);
      else if (ending) learnFromEnding(this, ending, tally.answered);
      else this.#limits.batchesAnswered++;
      if (tally.isClosing) await this.#conclude(false);
      if (!this.controls.hasHeld) this.#proven = { ...this.counts };
      for (const domain of this.controls.unaskedDomains) this.deps.queue.needDecoy(domain);
    }
    if (aboutUs > 0 || this.counts.recipients === 0) return;
    limiter.record({ kind: "ok" });
    if (client.hasHungUp) return;
    if (this.controls.isUntrusted) return;
    recordOkSession(this.#limits, this.counts.recipients + (this.#budget.isExempt ? 0 : CONTROLS));
    const isBudgetUsed = this.counts.refused >= this.#budget.refusals / 2;
    if (isBudgetUsed && !client.isPostfix) recordRefusalsTolerated(this.#limits, profile);
  }

  /** Asks the controls that are due, and lets what is held stand or fall. `isLast`: QUIT is sent along. */
  async #conclude(isLast: boolean): Promise<void> {
    const { client } = this.target;
    const due = () => this.controls.due((domain) => this.#madeUpAt(domain));
    const isDelayed = this.#budget.isDelayed;
    for (let round = 0; round < MAX_CONTROL_ROUNDS && client.isOpen && this.controls.hasHeld; round++) {
      const controls = isDelayed ? due().filter(({ role }, index) => index === 0 && role === "known") : due();
      if (controls.length === 0) break;
      // Where a domain may turn out to be catch-all, further controls may be due.
      await this.#askControls(controls, isLast && this.controls.unaskedDomains.length === 0);
      if (isDelayed) break;
    }
    const isRetracted = this.controls.hasHeld && this.controls.end(due().length > 0);
    if (isRetracted && (this.controls.isUntrusted || !(client.hasHungUp || isDelayed)))
      this.#learnFromFailure();
    if (!isRetracted) this.#proven = { ...this.counts };
    this.#unpark();
  }

  /** Once the host has accepted a mailbox, what it refused before can be asked again; without one, it waits for another hour. */
  #unpark(): void {
    const { queue, isClosing } = this.deps;
    if (!this.#memory.known && queue.count(1) > 0 && !isClosing()) return;
    const seconds = this.#memory.secondsToTolerated;
    for (const request of queue.takeParked())
      if (this.#memory.known) queue.add(request);
      else request.settle(untrusted(request.heldFinding!, seconds));
  }

  async #askControls(due: readonly Control[], isLast: boolean): Promise<void> {
    const { client } = this.target;
    const decoys = new Map<Control, ProbeRequest>();
    const planned = due.map((control): PlannedControl => {
      // The decoy of the domain is a made-up name for which the planner waits.
      const decoy = control.role === "made_up" ? this.#decoyOf(control.mailbox.domain) : undefined;
      if (decoy) decoys.set(control, decoy);
      // Before QUIT it cannot be asked again, so no recipient before it may be the reason for its refusal.
      const isAlone = control.isAlone || (isLast && control.role === "known");
      return this.#planned({ ...control, isAlone, ...(decoy && { mailbox: decoy }) });
    });
    const result = await client.sendBatch(
      planned.map(({ transaction }) => transaction),
      this.deps.probeTimeoutMs,
      isLast && client.usesPipelining,
    );
    const { answers, ending } = result;
    const tally: BatchTally = { answered: 0, refused: 0, aboutUs: 0 };
    for (const [i, one] of planned.entries()) {
      const answer = answers[i]?.[0];
      const decoy = decoys.get(due[i]!);
      if (!decoy) {
        this.#readControl(one, answer, tally);
        continue;
      }
      const plan = { transaction: one.place.transaction, isNew: one.transaction.isNew, requests: [decoy] };
      if (!this.#readAnswer(decoy, answer, plan, tally)) this.#handler.requeueUnanswered([decoy], tally);
    }
    this.counts.recipients += tally.answered;
    this.counts.refused += tally.refused;
    if (result.isOutOfStep) this.#limits.pipelining = false;
    if (isErrorLimit(this, result, tally))
      recordRefusalLimit(this.#limits, this.counts.refused, this.deps.profile);
    else if (ending) learnFromEnding(this, ending, tally.answered);
  }

  /** Another pool, or another process, waits for this slot. Those of the reserve are for interactive requests only. */
  #shouldYield(sliceEndsAt: number): boolean {
    const { limiter, counted } = this.target;
    if (performance.now() > sliceEndsAt && limiter.hasWaiters) return true;
    const isWaitedFor = limiter.hasInteractiveWaiter || (counted.isReserved && this.deps.hasGlobalWaiters());
    return isWaitedFor && !this.deps.queue.hasInteractive;
  }

  #domainAnswers(domain: string) {
    return this.target.identity.hostLimits.domainAnswers(this.target.host, domain);
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
    const tally: BatchTally = { answered: 0, refused: 0, aboutUs: 0 };
    const before = this.#controlsBefore(sendable.flat());
    const plans = this.#transactions.plan(sendable);
    const isClosing = this.deps.queue.count(1) === 0 || sendable.flat().some((one) => one.isInteractive);
    if (isClosing) tally.isClosing = true;
    const after = isClosing ? this.#controlsAfter(plans) : [];
    const transactions = plans.map(({ transaction, isNew, requests }) => ({
      recipients: requests.map((request) => request.recipient),
      smtpUtf8: transaction.smtpUtf8,
      isNew,
    }));
    const toSend = [...before, ...after].map(({ transaction }) => transaction);
    const result = await client.sendBatch(
      [...toSend.slice(0, before.length), ...transactions, ...toSend.slice(before.length)],
      this.deps.probeTimeoutMs,
    );

    if (result.ending) tally.ending = result.ending;
    if (result.ending) this.#outcome = result.ending;
    if (result.isOutOfStep) this.#limits.pipelining = false;
    if (isBeyondCap(this, result)) {
      tally.isBeyondCap = true;
      this.#outcome = "connection_cap";
      result.answers = [];
    }
    for (const [i, one] of before.entries()) this.#readControl(one, result.answers[i]?.[0], tally);
    const unanswered: ProbeRequest[] = [];
    for (const [i, plan] of plans.entries()) {
      for (const [j, request] of plan.requests.entries()) {
        this.#sent++;
        if (request.trace !== undefined && this.#traces.size < MAX_TRACES) this.#traces.add(request.trace);
        const answer = result.answers[before.length + i]?.[j];
        if (!this.#readAnswer(request, answer, plan, tally)) unanswered.push(request);
      }
    }
    for (const [i, one] of after.entries())
      this.#readControl(one, result.answers[before.length + plans.length + i]?.[0], tally);
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

  #count({ domain, isDecoy }: ProbeRequest, isRefused: boolean): void {
    const { mailboxes, madeUp } = this.#limits.recent;
    recordAnswer(isDecoy ? madeUp : mailboxes, isRefused);
    if (isDecoy) return;
    const answers = this.#domainAnswers(domain);
    answers.asked++;
    if (isRefused) answers.refused++;
  }

  #readControl({ control, place }: PlannedControl, answer: RcptResult | undefined, tally: BatchTally): void {
    if (!answer || answer.reply.code === 421) return;
    tally.answered++;
    if (answer.reply.code >= 400) tally.refused++;
    this.#handler.handleControl(control, answer, place);
  }

  #planned(control: Control): PlannedControl {
    const { recipient, smtpUtf8 } = control.mailbox;
    const { transaction, isNew } = this.#transactions.planOne(control.mailbox, control.isAlone);
    if (control.role === "known") this.#askedKnownAt = this.counts.recipients;
    return {
      control: { ...control, isAlone: transaction.recipients === 1 },
      place: { transaction, isFirst: transaction.recipients === 1 },
      transaction: { recipients: [recipient], smtpUtf8, isNew },
    };
  }

  /** postmaster@, before as many mailboxes could be refused as need a control. */
  #controlsBefore(requests: readonly ProbeRequest[]): PlannedControl[] {
    const [first] = requests;
    if (!first || this.#budget.isExempt || this.controls.hasAcceptance) return [];
    if (this.#memory.isPostmasterAccepted !== undefined) return [];
    if (this.#memory.refusals + requests.length <= TOLERATED_REFUSALS) return [];
    return [this.#planned({ ...postmasterAt(first.domain), isAlone: false })];
  }

  /** What will be due after the last batch, sent along to save a round trip. */
  #controlsAfter(plans: readonly TransactionPlan[]): PlannedControl[] {
    const requests = plans.flatMap((plan) => plan.requests);
    const last = requests.at(-1);
    if (!last || last.isDecoy || this.#budget.isExempt || !this.target.client.usesPipelining) return [];
    const { known, refusals, isSteady } = this.#memory;
    const recipients = this.counts.recipients + requests.length;
    const isWatched = refusals >= TOLERATED_REFUSALS;
    const isWorthIt = recipients + 1 - this.#askedKnownAt > MIN_TO_ASK_KNOWN || isWatched;
    const isUsable = known && isWorthIt && !requests.some(({ recipient }) => recipient === known.recipient);
    const again: Control[] = isUsable ? [{ role: "known", mailbox: known, isAlone: false }] : [];
    const isDue = this.#domainAnswers(last.domain).madeUp === "refused" && !isSteady;
    const madeUp: Control = { role: "made_up", mailbox: this.#madeUpAt(last.domain), isAlone: false };
    const room = this.#limits.recipientsPerSession - recipients;
    const controls = [...again, ...(isDue ? [madeUp] : []), ...(isDue && isWatched ? again : [])];
    if (controls.length > room) controls.shift(); // it is asked after it, too
    if (controls.length > room) return [];
    return controls.map((control) => this.#planned(control));
  }

  #madeUpAt(domain: string): KnownMailbox {
    const { madeUpNames } = this.#domainAnswers(domain);
    const name = decoyName(domain, Date.now(), "name", madeUpNames);
    return { recipient: `${name}@${domain}`, smtpUtf8: false, domain, isRole: false };
  }

  #decoyOf(domain: string): ProbeRequest | undefined {
    const { host, identity } = this.target;
    return this.deps.queue.takeDecoy(domain, host, identity.index);
  }

  /** False if it has none. */
  #readAnswer(
    request: ProbeRequest,
    answer: RcptResult | undefined,
    plan: TransactionPlan,
    tally: BatchTally,
  ): boolean {
    if (!answer || answer.reply.code === 421) return false;
    const outcome = this.#handler.handle(request, answer, plan, tally);
    if (outcome === "unanswered") return false;
    tally.answered++;
    plan.transaction.answered++;
    if (outcome === "accepted") {
      plan.transaction.accepted++;
      this.counts.accepted++;
    } else tally.refused++;
    const isPermanent = answer.stage === "rcpt" && answer.reply.code >= 500;
    if (outcome === "accepted" || isPermanent) this.#count(request, isPermanent);
    return true;
  }

  async #askDoubted(): Promise<void> {
    const control = this.controls.opening((domain) => this.#madeUpAt(domain));
    if (!control) return;
    const one = this.#planned(control);
    const { answers, ending } = await this.target.client.sendBatch(
      [one.transaction],
      this.deps.probeTimeoutMs,
    );
    if (ending) learnFromEnding(this, ending, 0);
    const answer = answers[0]?.[0];
    if (!answer || answer.reply.code === 421) return;
    if (control.role === "made_up") this.#handler.handleControl(one.control, answer, one.place);
    else this.controls.opened(control.mailbox, replyOf(answer));
    if (answer.reply.code >= 400) this.counts.refused++;
  }

  /** Where in the session the host began to answer every recipient alike, as far as that is known. */
  #learnFromFailure(): void {
    const { recipients, refused, accepted } = this.counts;
    const upTo = Math.max(CONTROLS + 1, this.#proven.recipients, Math.floor(recipients / 2));
    recordCutOff(this.#limits, upTo, accepted > 0);
    const between = Math.floor((this.#proven.refused + refused) / 2);
    if (accepted > 0) recordRefusalLimit(this.#limits, between + 1, this.deps.profile);
  }

  /** No mailbox was accepted here for so long that the rest of the queue waits for another hour. */
  #leaveRest(): void {
    const { queue } = this.deps;
    const { host, identity } = this.target;
    const isElsewhere = (request: ProbeRequest) => !request.isOpenTo(host, identity.index);
    const seconds = this.#memory.secondsToTolerated;
    for (const request of queue.removeAll(isElsewhere))
      if (request.isDecoy && !request.isNeeded) request.drop();
      else request.settle(untrusted({ answer: "untrusted", mxHost: host }, seconds));
  }

  /** It does so from the start of a session: its other recipients wait. */
  #leaveHost(): void {
    const { identity, address } = this.target;
    identity.hostLimits.markFailed(address, "untrusted");
  }
}
