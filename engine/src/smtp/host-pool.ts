/**
 * The mail hosts that serve one route: the questions that wait for them, and getting sessions in at the door.
 *
 * How many sessions the questions are worth, which host will have us, and what to tell everybody when none will.
 * What a session does once it is in is session-runner.ts.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { MailHost, MailRoute } from "../dns/mail-route.ts";
import type { MailboxFinding } from "../evidence.ts";
import { type GreetingResult, openSmtpClient, type SmtpClientDeps } from "./client.ts";
import { abandon, type ConnectResult } from "./connect-result.ts";
import type { EgressHealth } from "./egress-health.ts";
import type { HostLimiter } from "./host-limiter.ts";
import type { HostLimits } from "./host-limits.ts";
import { findingWithoutReply, interpretReply, moreInformative } from "./mailbox-finding.ts";
import { ProbeQueue, type ProbeRequest } from "./probe-queue.ts";
import type { ProviderProfile } from "./provider-profile.ts";
import { ProbeSession, type ProbeSessionDeps, type SessionTarget } from "./session-runner.ts";

export type HostPoolDeps = SmtpClientDeps & {
  memory: HostLimits;
  health: EgressHealth;
  /** One place per session to any host, and the pace at each host. */
  door: HostLimiter;
  paceOf(host: string): HostLimiter;
  /** Time for opening a session, and for each round of questions in it. */
  probeTimeoutMs: number;
};

/** A route that has mail hosts. */
export type MailHosts = Pick<Extract<MailRoute, { kind: "mail_hosts" }>, "hosts" | "isPartial">;

const MAX_ADDRESSES_PER_HOST = 3;
const MAX_OPENING_TRIES = 3;
const LONGEST_REST_MS = 2500;
/** However long the first hosts took, the last one gets this part of the time. */
const LEAST_SHARE_OF_TIME = 4;
/** Questions that one session can be left alone with. */
const QUESTIONS_PER_SESSION = 12;
/** When we close, whoever is on the line has this long to say goodbye; then we hang up. */
const GOODBYE_MS = 700;

export class HostPool {
  readonly #deps: HostPoolDeps;
  readonly #hosts: readonly MailHost[];
  readonly #profile: ProviderProfile;
  readonly #stayDeps: ProbeSessionDeps;
  readonly #line = new ProbeQueue();
  readonly #arrivals = new Set<() => void>();
  readonly #workers = new Set<Promise<void>>();
  /** What ends each call that is being made or going on. */
  readonly #hangUps = new Set<() => void>();
  readonly #sessionDeps: SmtpClientDeps;
  #sessions = 0;
  #openingTries = 0;
  readonly #closing = new AbortController();

  constructor(deps: HostPoolDeps, { hosts, isPartial }: MailHosts, profile: ProviderProfile) {
    this.#deps = deps;
    this.#hosts = hosts;
    this.#profile = profile;
    this.#sessionDeps = { egress: deps.egress, dial: (address, timeoutMs) => this.#dial(address, timeoutMs) };
    this.#stayDeps = {
      line: this.#line,
      hosts,
      hasUnknownHosts: isPartial,
      profile,
      memory: deps.memory,
      ourNames: [deps.egress.ehloName, deps.egress.mailFrom],
      probeTimeoutMs: deps.probeTimeoutMs,
      isClosing: () => this.#isClosed,
      isDoorCrowded: () => deps.door.hasWaiters,
      arrival: (timeoutMs) => this.#arrival(timeoutMs),
    };
  }

  /** Called whenever nobody works here and nothing waits. */
  onIdle: () => void = () => {};

  add(pending: ProbeRequest): void {
    if (this.#isClosed) {
      pending.drop();
      return;
    }
    this.#line.add(pending);
    this.notice();
  }

  /** Somebody waits for the answer in person now: in the line, and with it at the doors we wait at. */
  hurry(pending: ProbeRequest): void {
    this.#line.hurry(pending);
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

  /** Takes no more questions and waits until every session has said goodbye, but not for long. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const wake of this.#arrivals) wake();
    for (const pending of this.#line.takeAll()) pending.drop();
    const timer = setTimeout(() => {
      for (const hangUp of this.#hangUps) hangUp();
    }, GOODBYE_MS);
    await Promise.all(this.#workers);
    clearTimeout(timer);
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
    let visit: SessionTarget | undefined;
    try {
      visit = await this.#open();
      if (visit) await this.#stay(visit);
    } catch (error) {
      for (const pending of this.#line.takeAll()) pending.fail(error); // a bug of ours keeps nobody waiting
    } finally {
      this.#sessions--;
      // Whoever did not get in leaves the questions to those who did, and the last one tells them why.
      if (visit || this.#sessions === 0) this.#staff();
      if (this.#sessions === 0) {
        for (const pending of this.#line.takeAll()) pending.drop(); // made-up names that nobody asked about
        this.onIdle();
      }
    }
  }

  /** A session at the best host that will have us; when there is none, everything that waits is told why. */
  async #open(): Promise<SessionTarget | undefined> {
    const { probeTimeoutMs } = this.#deps;
    let failure: MailboxFinding | undefined;
    let leftMs = probeTimeoutMs; // for all hosts together
    for (const { name: host, addresses } of this.#hosts) {
      if (!this.#line.hasQuestionsFor(host)) continue;
      const pace = this.#deps.paceOf(host);
      for (const address of addresses.slice(0, MAX_ADDRESSES_PER_HOST)) {
        const known =
          this.#knownFailure(host, address, pace) ?? (await this.#waitForPlace(host, address, pace));
        if (known === "nothing to ask") return undefined;
        if (known) {
          failure = moreInformative(failure, known);
          continue;
        }
        const lesson = this.#deps.memory.lesson(host);
        const at = { name: host, address };
        const startedAt = performance.now();
        const timeoutMs = Math.max(leftMs, probeTimeoutMs / LEAST_SHARE_OF_TIME);
        const opening = await openSmtpClient(this.#sessionDeps, at, lesson, timeoutMs).catch((error) => {
          this.#giveUpPlace(pace);
          throw error;
        });
        leftMs -= performance.now() - startedAt;
        if (opening.kind === "ready") {
          this.#deps.health.connected();
          this.#openingTries = 0;
          Object.assign(lesson, opening.taught);
          return { session: opening.session, host, address, pace };
        }
        failure = moreInformative(failure, this.#couldNotOpen(opening, host, address, pace));
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
    pace: HostLimiter,
  ): Promise<MailboxFinding | "nothing to ask" | undefined> {
    const { signal } = this.#closing;
    const isUrgent = () => this.#line.hasUrgent;
    if (!(await pace.acquire(signal, isUrgent))) return "nothing to ask";
    // Behind an open breaker nobody has a place, so nobody may go on to the door, where the breaker might close.
    const refusal = this.#knownRefusal(host, pace);
    if (refusal) {
      pace.release();
      return refusal;
    }
    // Whoever keeps a place that somebody else wants must not dawdle at the door with it.
    if (!(await this.#deps.door.acquire(signal, () => isUrgent() || pace.hasWaiters))) {
      pace.release();
      return "nothing to ask";
    }
    const isPointless = this.#isClosed || !this.#line.hasQuestionsFor(host);
    // The rest that is left by now is the next one's.
    const known = isPointless
      ? "nothing to ask"
      : (this.#knownRefusal(host, pace) ?? this.#knownDead(host, address));
    if (known) this.#giveUpPlace(pace);
    return known;
  }

  /** Connects so that closing can hang up: a host that keeps us waiting must not keep us from going. */
  async #dial(address: string, timeoutMs: number): Promise<ConnectResult> {
    if (this.#isClosed) return { kind: "unreachable", why: "we are closing", isOurs: true };
    const givingUp = new AbortController();
    const giveUp = () => givingUp.abort();
    this.#hangUps.add(giveUp);
    const dialled = await this.#deps.dial(address, timeoutMs, givingUp.signal);
    this.#hangUps.delete(giveUp);
    if (dialled.kind === "connected") {
      const hangUp = () => abandon(dialled.socket);
      this.#hangUps.add(hangUp);
      dialled.socket.once("close", () => this.#hangUps.delete(hangUp));
    }
    return dialled;
  }

  /** Whoever asked would rather hear that we are told to wait than wait so long with us. */
  get #longestRestMs(): number {
    return Math.max(LONGEST_REST_MS, this.#deps.probeTimeoutMs / 4);
  }

  #giveUpPlace(pace: HostLimiter): void {
    this.#deps.door.release();
    pace.release();
  }

  #knownFailure(host: string, address: string, pace: HostLimiter): MailboxFinding | undefined {
    const dead = this.#knownDead(host, address);
    if (dead) return dead;
    const restMs = pace.delayLeftMs;
    if (restMs > this.#longestRestMs) {
      return { ...findingWithoutReply("rate_limited", host), retryAfterSeconds: Math.ceil(restMs / 1000) };
    }
    return this.#knownRefusal(host, pace);
  }

  #knownDead(host: string, address: string): MailboxFinding | undefined {
    const dead = this.#deps.memory.deadAs(address);
    return dead && findingWithoutReply(dead, host);
  }

  #knownRefusal(host: string, pace: HostLimiter): MailboxFinding | undefined {
    const refusal = pace.openBreaker;
    if (!refusal) return undefined;
    const { finding } = interpretReply({ stage: "banner", reply: refusal, mx: host }, this.#profile);
    return { ...finding, answer: "probe_blocked" };
  }

  #couldNotOpen(
    opening: Exclude<GreetingResult, { kind: "ready" }>,
    host: string,
    address: string,
    pace: HostLimiter,
  ) {
    const { memory, health } = this.#deps;
    if (opening.kind === "refused") {
      health.connected();
      const { stage, reply } = opening;
      const { finding } = interpretReply({ stage, reply, mx: host }, this.#profile);
      if (finding.answer === "probe_blocked") pace.record({ kind: "blocked", reply });
      if (finding.answer === "rate_limited" || reply.code === 421) pace.record({ kind: "rate_limited" });
      return finding;
    }
    if (opening.kind === "unreachable") {
      if (opening.isOurs) return findingWithoutReply("egress_blocked", host);
      if (opening.isSilent) health.heardNothingFrom(host);
      memory.markDead(address, "unreachable");
      return findingWithoutReply("unreachable", host);
    }
    health.connected();
    const answer = opening.kind === "timeout" ? "timeout" : "protocol_error";
    memory.markDead(address, answer);
    return findingWithoutReply(answer, host);
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

  async #stay(visit: SessionTarget): Promise<void> {
    try {
      await new ProbeSession(this.#stayDeps, visit).askAround();
    } finally {
      await visit.session.quit();
      this.#giveUpPlace(visit.pace);
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
