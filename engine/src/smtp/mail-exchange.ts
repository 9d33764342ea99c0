/**
 * The mail hosts that serve one route, the questions that wait for them, and the sessions that work on them.
 *
 * A session stays as long as there are questions and the host's limits allow; it leaves before a server would
 * show it out. Questions that a dying session left unanswered go back into the line, a bounded number of times.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { MailHost } from "../dns/mail-route.ts";
import type { MailboxFinding } from "../evidence.ts";
import type { EgressHealth } from "./egress-health.ts";
import { aboutTheHost, moreTelling, understand, withoutReply } from "./finding.ts";
import type { DeadAs, HostLesson, HostMemory } from "./host-memory.ts";
import type { Pace } from "./pace.ts";
import type { Profile } from "./profile.ts";
import type { Reply } from "./reply.ts";
import {
  type Answer,
  type Opening,
  openSession,
  type Round,
  type Session,
  type SessionDeps,
} from "./session.ts";
import { type Pending, WaitingLine } from "./waiting-line.ts";

export type ExchangeDeps = SessionDeps & {
  memory: HostMemory;
  health: EgressHealth;
  /** One place per session to any host, and the pace at each host. */
  door: Pace;
  paceOf(host: string): Pace;
  /** Time for opening a session, and for each round of questions in it. */
  probeTimeoutMs: number;
};

const MAX_FAILURES = 3;
const MAX_RETURNS = 50;
const MAX_ADDRESSES_PER_HOST = 3;
const MAX_OPENING_TRIES = 3;
const MAX_BARREN_SESSIONS = 3;
const LIFETIME_MS = 5 * 60_000;
/** A session that has nothing to ask waits this long for more before it says goodbye. */
const LINGER_MS = 250;
/** Questions in one packet: enough to hide the round trip, few enough that urgent ones need not wait. */
const PIPELINED_ROUND = 40;
const SEQUENTIAL_ROUND = 4;
/** Refusals beyond our own limit that a server bears without hanging up. */
const TOLERATED_SURPLUS = 10;
/** Questions that one session can be left alone with. */
const QUESTIONS_PER_SESSION = 12;

type Stay = { session: Session; host: string; address: string; pace: Pace };

/** What one round of questions came to. */
type Tally = {
  answered: number;
  refused: number;
  /** Refusals that were about us or our haste. */
  complaints: number;
  isTooFast?: true;
  refusalOfUs?: Reply;
  ending?: NonNullable<Round["ending"]>;
};

export class MailExchange {
  readonly #deps: ExchangeDeps;
  readonly #hosts: readonly MailHost[];
  readonly #profile: Profile;
  readonly #line = new WaitingLine();
  readonly #arrivals = new Set<() => void>();
  readonly #workers = new Set<Promise<void>>();
  #sessions = 0;
  #openingTries = 0;
  #barrenSessions = 0;
  readonly #closing = new AbortController();

  constructor(deps: ExchangeDeps, hosts: readonly MailHost[], profile: Profile) {
    this.#deps = deps;
    this.#hosts = hosts;
    this.#profile = profile;
  }

  /** Called whenever nobody works here and nothing waits. */
  onIdle: () => void = () => {};

  add(pending: Pending): void {
    if (this.#isClosed) {
      pending.drop();
      return;
    }
    this.#line.add(pending);
    this.notice();
  }

  /** Something waits, or what waited is wanted now. */
  notice(): void {
    for (const wake of this.#arrivals) wake();
    this.#staff();
  }

  /** The domain takes anyone: what still waits for it need not be asked. */
  settleTargets(domain: string, finding: MailboxFinding): void {
    for (const pending of this.#line.takeTargets(domain)) pending.settle(finding);
  }

  /** Takes no more questions and waits until every session has said goodbye. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const wake of this.#arrivals) wake();
    for (const pending of this.#line.takeAll()) pending.drop();
    await Promise.all(this.#workers);
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** As many sessions as the questions are worth. A session is opened in the next turn, when all have arrived. */
  #staff(): void {
    const limit = Math.max(1, this.#deps.paceOf(this.#hosts[0]!.name).limit);
    const waiting = this.#line.count(limit * QUESTIONS_PER_SESSION);
    const wanted = Math.min(limit, Math.ceil(waiting / QUESTIONS_PER_SESSION));
    while (this.#sessions < wanted && !this.#isClosed) {
      this.#sessions++;
      const worker = nextTurn().then(() => this.#work());
      this.#workers.add(worker);
      worker.finally(() => this.#workers.delete(worker));
    }
  }

  async #work(): Promise<void> {
    let stay: Stay | undefined;
    try {
      stay = await this.#open();
      if (stay) await this.#stay(stay);
    } catch (error) {
      for (const pending of this.#line.takeAll()) pending.fail(error); // a bug of ours keeps nobody waiting
    } finally {
      this.#sessions--;
      // Whoever did not get in leaves the questions to those who did, and the last one tells them why.
      if (stay || this.#sessions === 0) this.#staff();
      if (this.#sessions === 0) {
        for (const pending of this.#line.takeAll()) pending.drop(); // made-up names that nobody asked about
        this.onIdle();
      }
    }
  }

  /** A session at the best host that will have us; when there is none, everything that waits is told why. */
  async #open(): Promise<Stay | undefined> {
    let failure: MailboxFinding | undefined;
    for (const { name: host, addresses } of this.#hosts) {
      if (!this.#line.hasQuestionsFor(host)) continue;
      const pace = this.#deps.paceOf(host);
      for (const address of addresses.slice(0, MAX_ADDRESSES_PER_HOST)) {
        const known =
          this.#knownFailure(host, address, pace) ?? (await this.#waitForPlace(host, address, pace));
        if (known === "nothing to ask") return undefined;
        if (known) {
          failure = moreTelling(failure, known);
          continue;
        }
        const lesson = this.#deps.memory.lesson(host);
        const at = { name: host, address };
        const opening = await openSession(this.#deps, at, lesson, this.#deps.probeTimeoutMs).catch(
          (error) => {
            this.#giveUpPlace(pace);
            throw error;
          },
        );
        if (opening.kind === "ready") {
          this.#deps.health.connected();
          this.#openingTries = 0;
          if (opening.encryptionFailed) lesson.encrypt = false;
          return { session: opening.session, host, address, pace };
        }
        failure = moreTelling(failure, this.#couldNotOpen(opening, host, address, pace));
        this.#giveUpPlace(pace);
        if (opening.kind === "refused") break; // its other addresses are the same server
      }
    }
    this.#failToOpen(failure ?? { answer: "unreachable" });
    return undefined;
  }

  /** Takes a place at the host, unless what others have met in the meantime makes that pointless. */
  async #waitForPlace(
    host: string,
    address: string,
    pace: Pace,
  ): Promise<MailboxFinding | "nothing to ask" | undefined> {
    const { signal } = this.#closing;
    if (!(await pace.enter(signal))) return "nothing to ask";
    if (!(await this.#deps.door.enter(signal))) {
      pace.leave();
      return "nothing to ask";
    }
    const isPointless = this.#isClosed || !this.#line.hasQuestionsFor(host);
    const known = isPointless ? "nothing to ask" : this.#knownFailure(host, address, pace);
    if (known) this.#giveUpPlace(pace);
    return known;
  }

  #giveUpPlace(pace: Pace): void {
    this.#deps.door.leave();
    pace.leave();
  }

  #knownFailure(host: string, address: string, pace: Pace): MailboxFinding | undefined {
    const dead = this.#deps.memory.deadAs(address);
    if (dead) return withoutReply(dead, host);
    const refusal = pace.openBreaker;
    if (!refusal) return undefined;
    const { finding } = understand({ stage: "banner", reply: refusal, mx: host }, this.#profile);
    return { ...finding, answer: "probe_blocked" };
  }

  #couldNotOpen(opening: Exclude<Opening, { kind: "ready" }>, host: string, address: string, pace: Pace) {
    const { memory, health } = this.#deps;
    if (opening.kind === "refused") {
      health.connected();
      const { stage, reply } = opening;
      const { finding } = understand({ stage, reply, mx: host }, this.#profile);
      if (finding.answer === "probe_blocked") pace.refusedUs(reply);
      if (finding.answer === "rate_limited" || reply.code === 421) pace.slowDown();
      // Before RCPT nobody can speak of a mailbox; a host that takes no mail at all speaks of the domain.
      return aboutTheHost(finding);
    }
    if (opening.kind === "unreachable") {
      if (opening.isSilent) health.heardNothingFrom(address);
      memory.markDead(address, "unreachable");
      return withoutReply("unreachable", host);
    }
    health.connected();
    const answer = opening.kind === "timeout" ? "timeout" : "protocol_error";
    memory.markDead(address, answer);
    return withoutReply(answer, host);
  }

  #failToOpen(failure: MailboxFinding): void {
    if (this.#sessions > 1) return; // somebody else got in and will see to the questions
    if (failure.answer === "rate_limited" && ++this.#openingTries < MAX_OPENING_TRIES) return; // rested, then again
    this.#openingTries = 0;
    for (const pending of this.#line.takeAll()) {
      if (pending.isDecoy && !pending.isWanted) pending.drop();
      else pending.settle(failure);
    }
  }

  async #stay(stay: Stay): Promise<void> {
    try {
      await this.#askAround(stay);
    } finally {
      await stay.session.quit();
      this.#giveUpPlace(stay.pace);
    }
  }

  async #askAround(stay: Stay): Promise<void> {
    const { session, host, pace } = stay;
    const lesson = this.#deps.memory.lesson(host);
    const leaveAt = performance.now() + LIFETIME_MS;
    let asked = 0;
    let refused = 0;
    let complaints = 0;
    while (session.isOpen && !this.#isClosed) {
      const { recipientsPerSession, refusalsPerSession, recipientsPerTransaction } = this.#profile;
      const room = Math.min(recipientsPerSession, lesson.recipientsPerSession) - asked;
      if (room <= 0 || refused >= refusalsPerSession || performance.now() > leaveAt) break;
      if (pace.openBreaker) break;

      const round = session.pipelines
        ? pipelinedRound(refusalsPerSession - refused, lesson)
        : SEQUENTIAL_ROUND;
      const groups = this.#line.take({
        host,
        recipients: Math.min(room, round, lesson.recipientsPerRound),
        recipientsPerTransaction: Math.min(recipientsPerTransaction, lesson.recipientsPerTransaction),
        decoysRideAlong: session.pipelines,
      });
      if (groups.length === 0) {
        const isCrowded = pace.isCrowded || this.#deps.door.isCrowded;
        if (!isCrowded && (await this.#arrival(LINGER_MS))) continue;
        break;
      }
      const result = await this.#askRound(stay, groups);
      asked += result.answered;
      refused += result.refused;
      complaints += result.complaints;
      if (result.answered > 0) {
        lesson.refusalShare += (result.refused / result.answered - lesson.refusalShare) / 4;
      }
      if (result.ending) this.#sessionEnded(stay, result.ending, asked, result.answered);
    }
    if (complaints === 0 && asked > 0) pace.wentWell();
  }

  /** If we have a bug, it is told to those whose questions met it, and the others go on. */
  async #askRound(stay: Stay, groups: Pending[][]): Promise<Tally> {
    try {
      return await this.#putQuestions(stay, groups);
    } catch (error) {
      for (const pending of groups.flat()) pending.fail(error);
      return { answered: 0, refused: groups.flat().length, complaints: 0 };
    }
  }

  async #putQuestions(stay: Stay, groups: Pending[][]): Promise<Tally> {
    const { session, host, pace } = stay;
    const tally: Tally = { answered: 0, refused: 0, complaints: 0 };
    const askable = groups.filter((group) => {
      const isAskable = !group[0]!.smtpUtf8 || session.features.has("SMTPUTF8");
      if (!isAskable)
        for (const pending of group) pending.settle({ answer: "smtputf8_unsupported", mxHost: host });
      return isAskable;
    });
    const transactions = askable.map((group) => ({
      recipients: group.map((pending) => pending.recipient),
      smtpUtf8: group[0]!.smtpUtf8,
    }));
    const round = await session.ask(transactions, this.#deps.probeTimeoutMs);
    if (round.ending) tally.ending = round.ending;

    const unanswered: Pending[] = [];
    for (const [i, group] of askable.entries()) {
      let acceptedInTransaction = 0;
      for (const [j, pending] of group.entries()) {
        const answer = round.answers[i]?.[j];
        const isAnswer = answer !== undefined && answer.reply.code !== 421;
        const heard = isAnswer ? this.#hear(stay, pending, answer, acceptedInTransaction, tally) : "nothing";
        if (heard === "nothing") unanswered.push(pending);
        else tally.answered++;
        if (heard === "accepted") acceptedInTransaction++;
        if (heard === "refused") tally.refused++;
      }
    }
    // Once for a round: a hundred recipients under one refused MAIL are one complaint.
    if (tally.isTooFast) pace.slowDown();
    if (tally.refusalOfUs) pace.refusedUs(tally.refusalOfUs);
    this.#putBack(unanswered, tally.answered, round.ending, host);
    return tally;
  }

  /** Takes in one answer: settles the question, or puts it back where another host or a smaller round may help. */
  #hear(
    { session, host }: Stay,
    pending: Pending,
    { stage, reply }: Answer,
    acceptedBefore: number,
    tally: Tally,
  ): "accepted" | "refused" | "nothing" {
    const { finding, meaning } = understand(
      { stage, reply, mx: host, recipient: pending.recipient },
      this.#profile,
    );
    const { answer } = finding;
    if (answer === "accepted") {
      pending.settle(finding);
      return "accepted";
    }
    // A server that cannot bear pipelining complains of our manners and leaves; that was not about the mailbox.
    if (answer === "protocol_error" && session.pipelines && tally.ending) return "nothing";
    if (answer === "rate_limited" && acceptedBefore > 0 && pending.returns++ < MAX_RETURNS) {
      // Too many recipients for one transaction: that is how many it takes.
      this.#deps.memory.lesson(host).recipientsPerTransaction = acceptedBefore;
      this.#line.add(pending);
      return "refused";
    }
    if (answer === "domain_not_accepted" && meaning.mailbox !== "does_not_exist") {
      pending.deniedBy.add(host);
      const otherHosts = this.#hosts.some(({ name }) => !pending.deniedBy.has(name));
      if (otherHosts) {
        this.#line.add(pending);
        return "refused";
      }
    }
    const isAboutUs = meaning.category === "ip_blocked" || stage === "mail";
    if (answer === "rate_limited" || isAboutUs) tally.complaints++;
    if (answer === "rate_limited") tally.isTooFast = true;
    if (answer === "probe_blocked" && isAboutUs) tally.refusalOfUs = reply;
    pending.settle(stage === "mail" ? aboutTheHost(finding) : finding);
    return "refused";
  }

  /** Questions that a session left open. The first of them may be what ended it; the others are bystanders. */
  #putBack(unanswered: Pending[], answered: number, ending: Round["ending"], host: string): void {
    for (const [i, pending] of unanswered.entries()) {
      if (i === 0 || answered === 0) pending.failures++;
      if (pending.failures >= MAX_FAILURES || ++pending.returns > MAX_RETURNS) {
        pending.settle(withoutReply(ANSWER_OF_ENDING[ending ?? "closed"], host));
      } else {
        this.#line.add(pending);
      }
    }
  }

  #sessionEnded(stay: Stay, ending: NonNullable<Round["ending"]>, asked: number, answered: number): void {
    const lesson = this.#deps.memory.lesson(stay.host);
    if (ending === "dismissed") stay.pace.slowDown();
    if (ending === "timeout" && answered > 0)
      lesson.recipientsPerRound = Math.max(1, Math.floor(answered / 2));
    else if (asked > 0) lesson.recipientsPerSession = asked;
    if (asked > 0) {
      this.#barrenSessions = 0;
      return;
    }
    if (stay.session.pipelines && ending !== "dismissed") {
      lesson.pipeline = false; // some lose what comes early, and deserve a slower try before they count as dead
      return;
    }
    // Nothing but silence or noise: the address is as good as dead, and the next host may be better.
    if (ending === "timeout" || ++this.#barrenSessions >= MAX_BARREN_SESSIONS) {
      this.#barrenSessions = 0;
      this.#deps.memory.markDead(stay.address, ANSWER_OF_ENDING[ending]);
    }
  }

  /** Waits for a new question; true when one came. */
  #arrival(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (came: boolean) => {
        clearTimeout(timer);
        this.#arrivals.delete(wake);
        resolve(came);
      };
      const wake = () => done(true);
      const timer = setTimeout(() => done(false), timeoutMs);
      this.#arrivals.add(wake);
    });
  }
}

/**
 * How many to ask for in one packet when we want to be refused `refusalsLeft` times at the most: as many as that
 * will probably take, and never so many that refusing them all would be twice what we meant, where servers hang up.
 */
function pipelinedRound(refusalsLeft: number, { refusalShare }: HostLesson): number {
  const probable = Math.floor((0.7 * refusalsLeft) / Math.max(refusalShare, 0.05));
  return Math.max(1, Math.min(PIPELINED_ROUND, refusalsLeft + TOLERATED_SURPLUS, probable));
}

const ANSWER_OF_ENDING: Record<NonNullable<Round["ending"]>, DeadAs> = {
  closed: "protocol_error",
  garbage: "protocol_error",
  timeout: "timeout",
  dismissed: "rate_limited",
};
