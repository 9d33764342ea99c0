/**
 * One stay at a mail host: rounds of questions until there are none left, the host's limits are near, or it has
 * shown us out. What the host teaches on the way is kept for the next stay.
 */
import type { MailHost } from "../dns/mail-route.ts";
import type { MailboxFinding } from "../evidence.ts";
import type { BatchResult, RcptResult, SmtpClient } from "./client.ts";
import type { HostLimiter } from "./host-limiter.ts";
import type { DeadAs, HostLimits, LearnedLimits } from "./host-limits.ts";
import { findingWithoutReply, interpretReply } from "./mailbox-finding.ts";
import type { BatchLimits, Denial, ProbeQueue, ProbeRequest } from "./probe-queue.ts";
import type { ProviderProfile } from "./provider-profile.ts";
import { RefusalStreak, retractAll, settleAll } from "./refusal-streak.ts";
import type { Reply } from "./reply.ts";
import { type OpenTransaction, planTransactions, type TransactionPlan } from "./transaction.ts";

/** What the stay needs of the exchange it works for. */
export type ProbeSessionDeps = {
  line: ProbeQueue;
  hosts: readonly MailHost[];
  /** There may be further hosts that DNS did not tell us of just now. */
  hasUnknownHosts: boolean;
  profile: ProviderProfile;
  memory: HostLimits;
  /** Names of ours that a server may echo. */
  ourNames: readonly string[];
  /** Time for each round of questions. */
  probeTimeoutMs: number;
  isClosing(): boolean;
  /** Others wait for a place anywhere. */
  isDoorCrowded(): boolean;
  /** Waits for a new question; true when one came. */
  arrival(timeoutMs: number): Promise<boolean>;
};

export type SessionTarget = { session: SmtpClient; host: string; address: string; pace: HostLimiter };

const MAX_FAILURES = 3;
const MAX_RETURNS = 50;
/** How often a question may hear that there were too many before it counts as answered. */
const MAX_TOO_MANY = 5;
const MAX_BARREN_SESSIONS = 3;
const MAX_ENVELOPES = 8;
/** A session that has nothing to ask waits this long for more before it says goodbye. */
const LINGER_MS = 250;
/** Questions in one packet: enough to hide the round trip, few enough that urgent ones need not wait. */
const PIPELINED_ROUND = 40;
const SEQUENTIAL_ROUND = 4;
const WORTH_STAYING = 3;
/** How long a session stays when others wait for its place. */
const TURN_MS = 10_000;
const LONG_LINE = 20;

/** What one round of questions came to. */
type Tally = {
  answered: number;
  refused: number;
  /** Refusals that were about us or our haste. */
  complaints: number;
  isTooFast?: true;
  refusalOfUs?: Reply;
  ending?: NonNullable<BatchResult["ending"]>;
};

export class ProbeSession {
  readonly #deps: ProbeSessionDeps;
  readonly #visit: SessionTarget;
  readonly #lesson: LearnedLimits;
  #envelope: OpenTransaction | undefined;
  #envelopes = 0;
  #asked = 0;
  #refused = 0;
  #accepted = 0;
  /** What was refused since the last acceptance, kept back for a moment. */
  readonly #run = new RefusalStreak();
  /** The server has turned on us, or may have: what else it says in this session proves nothing. */
  #isMistrusted = false;

  constructor(deps: ProbeSessionDeps, visit: SessionTarget) {
    this.#deps = deps;
    this.#visit = visit;
    this.#lesson = deps.memory.lesson(visit.host);
  }

  async askAround(): Promise<void> {
    const { session, pace } = this.#visit;
    const leaveAt = performance.now() + this.#deps.profile.lifetimeMs;
    const turnEndsAt = performance.now() + TURN_MS;
    let complaints = 0;
    while (
      session.isOpen &&
      !this.#isMistrusted &&
      !this.#deps.isClosing() &&
      performance.now() < leaveAt &&
      !pace.openBreaker
    ) {
      if (this.#asked > 0 && this.#shouldMakeRoom(turnEndsAt)) break;
      const holds = this.#roundLimit();
      if (!holds || this.#envelopes > MAX_ENVELOPES) break;
      const groups = this.#deps.line.take({
        host: this.#visit.host,
        holds,
        recipientsPerTransaction: this.#recipientsPerTransaction,
        decoysRideAlong: session.pipelines,
      });
      if (groups.length === 0) {
        const othersWait = pace.hasWaiters || this.#deps.isDoorCrowded();
        if (!othersWait && (await this.#deps.arrival(LINGER_MS))) continue;
        break;
      }
      const tally = await this.#askRound(groups);
      this.#asked += tally.answered;
      this.#refused += tally.refused;
      await this.#settleRun();
      complaints += tally.complaints;
      if (tally.ending) this.#wasShownOut(tally.ending, tally.answered);
    }
    if (complaints === 0 && this.#asked > 0) {
      pace.record({ kind: "ok" });
      if (session.isOpen) growLimit(this.#lesson, this.#asked);
    }
  }

  /** Questions of another exchange, or another process, wait for this very place. */
  #shouldMakeRoom(turnEndsAt: number): boolean {
    const { pace } = this.#visit;
    if (performance.now() > turnEndsAt && pace.hasWaiters) return true;
    return pace.hasInteractiveWaiter && !this.#deps.line.hasUrgent;
  }

  get #recipientsPerTransaction(): number {
    return Math.min(this.#deps.profile.recipientsPerTransaction, this.#lesson.recipientsPerTransaction);
  }

  /**
   * What the next round may hold: what the profile allows, what the host has taught, and so little that we stay
   * welcome. Undefined when it is time to leave.
   */
  #roundLimit(): BatchLimits["holds"] | undefined {
    const { recipientsPerSession, refusalsPerSession } = this.#deps.profile;
    const room = Math.min(recipientsPerSession, this.#lesson.recipientsPerSession) - this.#asked;
    // Until somebody was accepted, nothing would show that the server has turned on us.
    const bearable = this.#lesson.knownGood ? refusalsPerSession : this.#lesson.honestAfter.refusals;
    const refusalsLeft = Math.min(refusalsPerSession, bearable) - this.#refused;
    if (room <= 0 || refusalsLeft <= 0) return undefined;
    // With little patience left here, a long line is sooner through in a new session than by ones and twos.
    if (refusalsLeft < WORTH_STAYING && this.#deps.line.count(LONG_LINE) >= LONG_LINE) return undefined;
    const round = this.#visit.session.pipelines ? PIPELINED_ROUND : SEQUENTIAL_ROUND;
    const places = Math.min(room, round, this.#lesson.recipientsPerRound, this.#recipientsPerTransaction);
    const share = refusalShareOf(this.#lesson);
    return (targets, decoys) => {
      const total = targets + decoys;
      return (
        total <= places && (total <= refusalsLeft || likelyRefusals(targets, decoys, share) <= refusalsLeft)
      );
    };
  }

  /** If we have a bug, it is told to those whose questions met it, and the others go on. */
  async #askRound(groups: ProbeRequest[][]): Promise<Tally> {
    try {
      return await this.#putQuestions(groups);
    } catch (error) {
      for (const pending of groups.flat()) pending.fail(error);
      return { answered: 0, refused: groups.flat().length, complaints: 0 };
    }
  }

  async #putQuestions(groups: ProbeRequest[][]): Promise<Tally> {
    const { session, host, pace } = this.#visit;
    const filings = planTransactions(this.#envelope, this.#askable(groups), {
      recipientsPerTransaction: this.#recipientsPerTransaction,
      oneDomainPerTransaction:
        this.#deps.profile.oneDomainPerTransaction || this.#lesson.oneDomainPerTransaction,
      refusalShare: refusalShareOf(this.#lesson),
    });
    this.#envelope = filings.at(-1)?.envelope ?? this.#envelope;
    this.#envelopes += filings.filter(({ isNew }) => isNew).length;
    const transactions = filings.map(({ envelope, isNew, pendings }) => ({
      recipients: pendings.map((pending) => pending.recipient),
      smtpUtf8: envelope.smtpUtf8,
      isNew,
    }));
    const round = await session.ask(transactions, this.#deps.probeTimeoutMs);

    const tally: Tally = { answered: 0, refused: 0, complaints: 0 };
    if (round.ending) tally.ending = round.ending;
    const unanswered: ProbeRequest[] = [];
    for (const [i, filing] of filings.entries()) {
      for (const [j, pending] of filing.pendings.entries()) {
        const answer = round.answers[i]?.[j];
        const isAnswer = answer !== undefined && answer.reply.code !== 421;
        const heard = isAnswer ? this.#hear(pending, answer, filing, tally) : "nothing";
        if (heard === "nothing") unanswered.push(pending);
        else tally.answered++;
        if (heard === "accepted") filing.envelope.accepted++;
        if (heard === "refused") tally.refused++;
        if (heard !== "nothing" && !pending.isDecoy) learnRefusal(this.#lesson, heard === "refused");
      }
    }
    // Once for a round: a hundred recipients under one refused MAIL are one complaint.
    if (tally.isTooFast) pace.record({ kind: "rate_limited" });
    if (tally.refusalOfUs) pace.record({ kind: "blocked", reply: tally.refusalOfUs });
    this.#putBack(unanswered, tally, host);
    return tally;
  }

  /** A server without SMTPUTF8 need not be asked for a mailbox name that it cannot spell. */
  #askable(groups: ProbeRequest[][]): ProbeRequest[][] {
    const { features } = this.#visit.session;
    return groups.filter((group) => {
      if (!group[0]!.smtpUtf8 || features?.has("SMTPUTF8")) return true;
      const finding: MailboxFinding = { answer: "smtputf8_unsupported", mxHost: this.#visit.host };
      for (const pending of group) this.#deny(pending, "smtputf8_unsupported", finding);
      return false;
    });
  }

  /** This host will not do. The next one may; only when all of them have said the same is it so. */
  #deny(pending: ProbeRequest, denial: Denial, finding: MailboxFinding): void {
    pending.deniedBy.set(this.#visit.host, denial);
    if (this.#deps.hosts.some(({ name }) => !pending.deniedBy.has(name))) {
      this.#deps.line.add(pending);
      return;
    }
    const allAgree = [...pending.deniedBy.values()].every((other) => other === denial);
    const isCertain = allAgree && !this.#deps.hasUnknownHosts && this.#visit.session.features !== undefined;
    pending.settle(isCertain ? finding : { ...finding, answer: "temporary_error" });
  }

  /** Takes in one answer: settles the question, or puts it back where another host or envelope may help. */
  #hear(
    pending: ProbeRequest,
    { stage, reply }: RcptResult,
    { envelope }: TransactionPlan,
    tally: Tally,
  ): "accepted" | "refused" | "nothing" {
    const { session, host } = this.#visit;
    const { ourNames } = this.#deps;
    const { recipient } = pending;
    const said = { stage, reply, mx: host, greetedAs: session.greetedAs, recipient, ourNames };
    const { finding, meaning } = interpretReply(said, this.#deps.profile);
    const { answer } = finding;
    if (answer === "accepted") {
      settleAll(this.#run.take()); // it is as honest as before
      this.#wasHonestAfter(this.#asked + tally.answered, this.#refused + tally.refused);
      this.#accepted++;
      if (!pending.isDecoy)
        this.#lesson.knownGood = { recipient: pending.recipient, smtpUtf8: pending.smtpUtf8 };
      pending.settle(finding);
      return "accepted";
    }
    // A server that cannot bear pipelining complains of our manners and leaves; that was not about the mailbox.
    if (answer === "protocol_error" && session.pipelines && tally.ending) return "nothing";
    if (stage === "mail") envelope.isSpoiled = true;
    if (stage === "rcpt" && this.#wasTooMany(finding, envelope, pending)) {
      this.#deps.line.add(pending);
      return "refused";
    }
    if (answer === "domain_not_accepted" && meaning.mailbox !== "does_not_exist") {
      this.#deny(pending, answer, finding);
      return "refused";
    }
    const isAboutUs = meaning.category === "ip_blocked" || stage === "mail";
    if (answer === "rate_limited" || isAboutUs) tally.complaints++;
    if (answer === "rate_limited") tally.isTooFast = true;
    if (answer === "probe_blocked" && isAboutUs) tally.refusalOfUs = reply;
    if (stage === "rcpt" && this.#mayAskNextHost(pending, finding)) {
      pending.deferral = finding;
      pending.deniedBy.set(host, "deferred");
      this.#deps.line.add(pending);
      return "refused";
    }
    if (stage === "rcpt") this.#run.add({ pending, finding, isLate: this.#isLate(tally) });
    else pending.settle(finding);
    return "refused";
  }

  /** Whether this host may have had enough of us: so far it has never shown that it bears so much. */
  #isLate({ answered, refused }: Tally): boolean {
    const { recipients, refusals } = this.#lesson.honestAfter;
    return this.#asked + answered >= recipients || this.#refused + refused >= refusals;
  }

  #wasHonestAfter(recipients: number, refusals: number): void {
    const { honestAfter } = this.#lesson;
    honestAfter.recipients = Math.max(honestAfter.recipients, recipients);
    honestAfter.refusals = Math.max(honestAfter.refusals, refusals);
  }

  /** At the end of a round: were these mailboxes refused, or have we been? */
  async #settleRun(): Promise<void> {
    const { line, profile } = this.#deps;
    const { isSuspect, isTemporary } = this.#run;
    const refusals = this.#run.take();
    const askAgain = (pending: ProbeRequest) => line.add(pending);
    const known = this.#visit.session.isOpen ? this.#lesson.knownGood : undefined;
    // Put off from the first word on, it has not turned; and at a giant a session is too short for that.
    const isCredible =
      !isSuspect || profile.isShared || (isTemporary && this.#accepted === 0 && known === undefined);
    if (isCredible) return settleAll(refusals);
    if (known && (await this.#stillAccepts(known))) {
      this.#wasHonestAfter(this.#asked, this.#refused);
      return settleAll(refusals);
    }
    this.#isMistrusted = true;
    delete this.#lesson.knownGood; // or it is gone since
    settleAll(refusals.filter(({ isLate }) => !known && !isLate));
    const retracted = refusals.filter(({ isLate }) => known || isLate);
    this.#lesson.recipientsPerSession = Math.max(1, this.#asked - retracted.length);
    this.#lesson.cutOffs += RULE_AFTER_CUT_OFFS;
    retractAll(retracted, askAgain);
  }

  /** Whether a recipient that was accepted here before still is. */
  async #stillAccepts({ recipient, smtpUtf8 }: { recipient: string; smtpUtf8: boolean }): Promise<boolean> {
    this.#envelope = undefined;
    this.#envelopes++;
    const { answers } = await this.#visit.session.ask(
      [{ recipients: [recipient], smtpUtf8, isNew: true }],
      this.#deps.probeTimeoutMs,
    );
    const reply = answers[0]?.[0]?.reply;
    return reply !== undefined && reply.code < 300;
  }

  /**
   * Put off by this host, as any mail server would we try the next one, once. Not at a giant, whose hosts are one,
   * and not where we were told that we are too fast or not wanted.
   */
  #mayAskNextHost({ deferral, deniedBy }: ProbeRequest, { answer, reply }: MailboxFinding): boolean {
    if (deferral !== undefined || this.#deps.profile.isShared || (reply?.code ?? 0) >= 500) return false;
    if (answer !== "greylisted" && answer !== "temporary_error") return false;
    return this.#deps.hosts.some(({ name }) => name !== this.#visit.host && !deniedBy.has(name));
  }

  /**
   * Whether the refusal was about what stood in the envelope before: too many recipients, too many bad ones, or ones
   * of another domain. Then the question deserves a fresh envelope, and the host has taught us something.
   */
  #wasTooMany({ answer, reply }: MailboxFinding, envelope: OpenTransaction, pending: ProbeRequest): boolean {
    if (envelope.asked < 2) return false;
    const isOtherDomain =
      answer === "temporary_error" &&
      envelope.domain !== pending.domain &&
      /\bdomains?\b/i.test(reply?.text ?? "");
    if (answer !== "rate_limited" && !isOtherDomain) return false;
    if (pending.returns++ >= MAX_TOO_MANY) return false;
    envelope.isSpoiled = true;
    if (isOtherDomain) this.#lesson.oneDomainPerTransaction = true;
    else if (envelope.accepted > 0) this.#lesson.recipientsPerTransaction = envelope.accepted;
    return true;
  }

  /** Questions that a session left open. The first of them may be what ended it; the others are bystanders. */
  #putBack(unanswered: ProbeRequest[], { answered, ending = "closed" }: Tally, host: string): void {
    for (const [i, pending] of unanswered.entries()) {
      if (i === 0 || answered === 0) pending.failures++;
      if (pending.failures >= MAX_FAILURES || ++pending.returns > MAX_RETURNS) {
        pending.settle(findingWithoutReply(ANSWER_OF_ENDING[ending], host));
      } else {
        this.#deps.line.add(pending);
      }
    }
  }

  #wasShownOut(ending: NonNullable<BatchResult["ending"]>, answered: number): void {
    const { session, address, pace } = this.#visit;
    const lesson = this.#lesson;
    if (ending === "dismissed") pace.record({ kind: "rate_limited" });
    if (ending === "timeout" && answered > 0) {
      lesson.recipientsPerRound = Math.max(1, Math.floor(answered / 2));
    } else if (this.#asked > 0) {
      lesson.recipientsPerSession = this.#asked;
      lesson.cutOffs += ending === "closed" || ending === "garbage" ? 1 : RULE_AFTER_CUT_OFFS;
      lesson.quietSessionsAtLimit = 0;
    }
    if (this.#asked > 0) {
      lesson.barrenSessions = 0;
      return;
    }
    if (session.pipelines && ending !== "dismissed") {
      lesson.pipeline = false; // some lose what comes early, and deserve a slower try before they count as dead
      return;
    }
    // Nothing but silence or noise: the address is as good as dead, and the next host may be better.
    if (ending === "timeout" || ++lesson.barrenSessions >= MAX_BARREN_SESSIONS) {
      lesson.barrenSessions = 0;
      this.#deps.memory.markDead(address, ANSWER_OF_ENDING[ending]);
    }
  }
}

/**
 * How many of a round will be refused at the worst: the made-up names, and of the others what the host has refused so
 * far, with four standard deviations to spare. Postfix makes us wait a second for every reply after the tenth refusal,
 * which is dearer than many a round trip.
 */
function likelyRefusals(targets: number, decoys: number, share: number): number {
  return decoys + targets * share + 4 * Math.sqrt(targets * share * (1 - share));
}

/** Cautious at first: of a host that has said nothing yet, everything may be refused. */
function refusalShareOf({ recentlyAsked, recentlyRefused }: LearnedLimits): number {
  return (recentlyRefused + 1) / (recentlyAsked + 1);
}

/**
 * A limit that was kept without trouble may have been a mood. Said with 421 it is a rule, and so is what happened
 * twice or cost us a time-out; a single hang-up was probably an accident, and is soon forgotten.
 */
function growLimit(lesson: LearnedLimits, asked: number): void {
  if (asked < lesson.recipientsPerSession) return;
  const isRule = lesson.cutOffs >= RULE_AFTER_CUT_OFFS;
  if (++lesson.quietSessionsAtLimit < (isRule ? QUIET_SESSIONS_TO_GROW : 2)) return;
  lesson.quietSessionsAtLimit = 0;
  lesson.recipientsPerSession = Math.ceil(lesson.recipientsPerSession * (isRule ? 1.5 : 4));
}

const RULE_AFTER_CUT_OFFS = 2;
const QUIET_SESSIONS_TO_GROW = 5;
const RECENT_QUESTIONS = 200;

function learnRefusal(lesson: LearnedLimits, isRefused: boolean): void {
  lesson.recentlyAsked++;
  if (isRefused) lesson.recentlyRefused++;
  if (lesson.recentlyAsked < RECENT_QUESTIONS) return;
  lesson.recentlyAsked /= 2;
  lesson.recentlyRefused /= 2;
}

const ANSWER_OF_ENDING: Record<NonNullable<BatchResult["ending"]>, DeadAs> = {
  closed: "protocol_error",
  garbage: "protocol_error",
  timeout: "timeout",
  dismissed: "rate_limited",
};
