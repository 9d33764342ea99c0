/**
 * Connection pool for the mail hosts of one route: queues probe requests, opens as many sessions as they need, fails
 * over from host to host and from address to address, and settles all requests when no host is available.
 *
 * What an open session sends is in session-runner.ts, how many sessions are allowed in host-limiter.ts.
 */
import { setImmediate as nextIteration } from "node:timers/promises";
import type { MailHost, MailRoute } from "../dns/mail-route.ts";
import { epochMs, type Observe, type SmtpSessionEvent } from "../egress/network-event.ts";
import type { MailboxFinding } from "../evidence.ts";
import { type GreetingResult, openSmtpClient, type SmtpClientDeps } from "./client/client.ts";
import type { ConnectResult } from "./client/connect.ts";
import { findingWithoutReply, interpretReply, moreInformative } from "./mailbox-finding.ts";
import { readReply } from "./meaning.ts";
import { ProbeQueue } from "./probe-queue.ts";
import type { ProbeRequest } from "./probe-request.ts";
import { ProbeSession, type ProbeSessionDeps, type SessionTarget } from "./session-runner.ts";
import { isConnectionCap } from "./throttle/connection-cap.ts";
import type { EgressHealth } from "./throttle/egress-health.ts";
import type { HostLimiter } from "./throttle/host-limiter.ts";
import type { HostLimits, LearnedLimits } from "./throttle/learned-limits.ts";
import type { ProviderProfile } from "./throttle/provider-profile.ts";

export type HostPoolDeps = SmtpClientDeps & {
  hostLimits: HostLimits;
  egressHealth: EgressHealth;
  /** Limits all sessions of this process together. */
  globalLimiter: HostLimiter;
  /** Limits the sessions to one host. */
  limiterOf(host: string): HostLimiter;
  /** Timeout of opening a session, and of each batch in it. */
  probeTimeoutMs: number;
  /** Slug of the provider of the hosts. */
  provider: string;
  observe?: Observe;
  /** How long an idle session waits for more requests before it quits. */
  idleSessionMs: number;
};

/** What is known of a session when it is opened. */
type OpenedSession = Pick<
  SmtpSessionEvent,
  "kind" | "host" | "provider" | "ehloName" | "startedAtMs" | "slotWaitMs"
>;
type OpenSession = SessionTarget & { opened: OpenedSession };

/** A route that has mail hosts. */
export type MailHosts = Pick<Extract<MailRoute, { kind: "mail_hosts" }>, "hosts" | "isPartial">;

const MAX_ADDRESSES_PER_HOST = 3;
const MAX_OPENING_TRIES = 3;
const MAX_DELAY_MS = 2500;
/** However long the first hosts took, the last one gets at least this fraction of the timeout. */
const MIN_FRACTION_OF_TIMEOUT = 4;
/** Requests that do not yet justify another session. */
const REQUESTS_PER_SESSION = 12;

export class HostPool {
  readonly #deps: HostPoolDeps;
  readonly #hosts: readonly MailHost[];
  readonly #profile: ProviderProfile;
  readonly #sessionDeps: ProbeSessionDeps;
  readonly #clientDeps: SmtpClientDeps;
  readonly #queue = new ProbeQueue();
  /** Callbacks of idle sessions that wait for a request. */
  readonly #idle = new Set<() => void>();
  readonly #workers = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #isClosed = false;
  #sessions = 0;
  #openingTries = 0;

  constructor(deps: HostPoolDeps, { hosts, isPartial }: MailHosts, profile: ProviderProfile) {
    this.#deps = deps;
    this.#hosts = hosts;
    this.#profile = profile;
    this.#clientDeps = { egress: deps.egress, dial: (address, timeoutMs) => this.#dial(address, timeoutMs) };
    this.#sessionDeps = {
      queue: this.#queue,
      hosts,
      hasUnknownHosts: isPartial,
      profile,
      hostLimits: deps.hostLimits,
      ourNames: [deps.egress.ehloName, deps.egress.mailFrom],
      probeTimeoutMs: deps.probeTimeoutMs,
      isClosing: () => this.#isClosed,
      hasGlobalWaiters: () => deps.globalLimiter.hasWaiters,
      nextRequest: () => this.#nextRequest(deps.idleSessionMs),
    };
  }

  /** Called whenever there is no session and no request left. */
  onIdle: () => void = () => {};

  add(request: ProbeRequest): void {
    if (this.#isClosed) {
      request.drop();
      return;
    }
    this.#queue.add(request);
    this.wake();
  }

  /** Moves a request ahead in the queue, and with it this pool's sessions among the waiters for a slot. */
  raisePriority(request: ProbeRequest): void {
    this.#queue.raisePriority(request);
  }

  /** A request was added, or a queued decoy is needed now. */
  wake(): void {
    for (const wake of this.#idle) wake();
    this.#startSessions();
  }

  /** Settles all queued targets of a domain: it is catch-all, so they need not be probed. */
  settleTargets(domain: string, finding: MailboxFinding): void {
    for (const request of this.#queue.removeTargets(domain)) request.settle(finding);
  }

  /** Takes no more requests, drops the queued ones and waits for every session to quit. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    for (const wake of this.#idle) wake();
    for (const request of this.#queue.removeAll()) request.drop();
    await Promise.all(this.#workers);
  }

  /** Starts as many sessions as the requests justify, one event-loop iteration later, when a burst has arrived. */
  #startSessions(): void {
    const limit = Math.max(1, this.#deps.limiterOf(this.#hosts[0]!.name).limit);
    const queued = this.#queue.count(limit * REQUESTS_PER_SESSION);
    const wanted = Math.min(limit, Math.ceil(queued / REQUESTS_PER_SESSION));
    while (this.#sessions < wanted && !this.#isClosed) {
      this.#sessions++;
      const worker = nextIteration().then(() => this.#work());
      this.#workers.add(worker);
      worker.finally(() => this.#workers.delete(worker));
    }
  }

  async #work(): Promise<void> {
    let target: OpenSession | undefined;
    try {
      target = await this.#open();
      if (target) await this.#runSession(target);
    } catch (error) {
      for (const request of this.#queue.removeAll()) request.fail(error); // a bug must not leave callers waiting
    } finally {
      this.#sessions--;
      // A worker without a session leaves the requests to those that have one; the last one has settled them.
      if (target || this.#sessions === 0) this.#startSessions();
      if (this.#sessions === 0) {
        for (const request of this.#queue.removeAll()) request.drop(); // decoys that were not needed
        this.onIdle();
      }
    }
  }

  /** Opens a session at the first host that accepts one; when none does, settles everything in the queue. */
  async #open(): Promise<OpenSession | undefined> {
    const { probeTimeoutMs } = this.#deps;
    let failure: MailboxFinding | undefined;
    let leftMs = probeTimeoutMs; // for all hosts together
    let triesBeyondCap = 0;
    for (const { name: host, addresses } of this.#hosts) {
      if (!this.#queue.hasRequestsFor(host)) continue;
      const limiter = this.#deps.limiterOf(host);
      const candidates = addresses.slice(0, MAX_ADDRESSES_PER_HOST);
      for (let i = 0; i < candidates.length; i++) {
        const address = candidates[i]!;
        const waitingFromMs = epochMs();
        const known =
          this.#knownFailure(host, address, limiter) ?? (await this.#acquireSlots(host, address, limiter));
        if (known === "nothing to send") return undefined;
        if (known) {
          failure = moreInformative(failure, known);
          continue;
        }
        const limits = this.#deps.hostLimits.of(host);
        const opened = this.#openedAt(host, waitingFromMs);
        const timeoutMs = Math.max(leftMs, probeTimeoutMs / MIN_FRACTION_OF_TIMEOUT);
        const others = limits.connections++;
        const opening = await openSmtpClient(
          this.#clientDeps,
          { name: host, address },
          limits,
          timeoutMs,
        ).catch((error) => {
          this.#endConnection(limiter, limits);
          throw error;
        });
        leftMs -= epochMs() - opened.startedAtMs;
        if (opening.kind === "ready") {
          this.#deps.egressHealth.connected();
          this.#openingTries = 0;
          Object.assign(limits, opening.learned);
          limits.sessions++;
          return { client: opening.client, host, address, limiter, limits, opened };
        }
        this.#observeRefused(opened, opening);
        const open = Math.max(others, limits.sessions);
        const found = this.#recordFailure(opening, host, address, limiter, open);
        this.#endConnection(limiter, limits);
        if (found === "beyond cap") {
          if (this.#sessions > 1) return undefined; // the others do the work
          // The lowered limit makes it wait for the sessions of other pools.
          if (++triesBeyondCap < MAX_OPENING_TRIES) i--;
          else failure = moreInformative(failure, findingWithoutReply("rate_limited", host));
          continue;
        }
        failure = moreInformative(failure, found);
        if (opening.kind === "refused") break; // its other addresses are the same server
      }
    }
    this.#failToOpen(failure ?? { answer: "unreachable" });
    return undefined;
  }

  /** Acquires a slot at the host and a global one, unless what happened meanwhile makes the session pointless. */
  async #acquireSlots(
    host: string,
    address: string,
    limiter: HostLimiter,
  ): Promise<MailboxFinding | "nothing to send" | undefined> {
    const { signal } = this.#closing;
    const isInteractive = () => this.#queue.hasInteractive;
    if (!(await limiter.acquire(signal, isInteractive))) return "nothing to send";
    // A slot granted behind an open breaker is none: the breaker might close during the wait for the global slot.
    const block = this.#knownBlock(host, limiter);
    if (block) {
      limiter.release();
      return block;
    }
    // While the host's slot is waited for, it must not be held idle in the queue for a global one.
    if (!(await this.#deps.globalLimiter.acquire(signal, () => isInteractive() || limiter.hasWaiters))) {
      limiter.release();
      return "nothing to send";
    }
    const isPointless = this.#isClosed || !this.#queue.hasRequestsFor(host);
    // The delay is not checked again: what is left of it by now concerns the next session.
    const known = isPointless
      ? "nothing to send"
      : (this.#knownBlock(host, limiter) ?? this.#knownAddressFailure(host, address));
    if (known) this.#releaseSlots(limiter);
    return known;
  }

  async #dial(address: string, timeoutMs: number): Promise<ConnectResult> {
    if (this.#isClosed) return { kind: "unreachable", why: "the pool is closing", isLocal: true };
    return this.#deps.dial(address, timeoutMs);
  }

  /** Above this delay, `rate_limited` is returned instead of blocking the caller. */
  get #maxDelayMs(): number {
    return Math.max(MAX_DELAY_MS, this.#deps.probeTimeoutMs / 4);
  }

  #releaseSlots(limiter: HostLimiter): void {
    this.#deps.globalLimiter.release();
    limiter.release();
  }

  #endConnection(limiter: HostLimiter, limits: LearnedLimits): void {
    limits.connections--;
    this.#releaseSlots(limiter);
  }

  #knownFailure(host: string, address: string, limiter: HostLimiter): MailboxFinding | undefined {
    const failure = this.#knownAddressFailure(host, address);
    if (failure) return failure;
    const delayMs = limiter.delayLeftMs;
    if (delayMs > this.#maxDelayMs) {
      return { ...findingWithoutReply("rate_limited", host), retryAfterSeconds: Math.ceil(delayMs / 1000) };
    }
    return this.#knownBlock(host, limiter);
  }

  #knownAddressFailure(host: string, address: string): MailboxFinding | undefined {
    const failure = this.#deps.hostLimits.failureOf(address);
    return failure && findingWithoutReply(failure, host);
  }

  #knownBlock(host: string, limiter: HostLimiter): MailboxFinding | undefined {
    const reply = limiter.openBreaker;
    if (!reply) return undefined;
    const { finding } = interpretReply({ stage: "banner", reply, mx: host }, this.#profile);
    return { ...finding, answer: "probe_blocked" };
  }

  #recordFailure(
    opening: Exclude<GreetingResult, { kind: "ready" }>,
    host: string,
    address: string,
    limiter: HostLimiter,
    open: number,
  ): MailboxFinding | "beyond cap" {
    const { hostLimits, egressHealth } = this.#deps;
    if (opening.kind === "refused") {
      egressHealth.connected();
      const { stage, reply } = opening;
      const { finding } = interpretReply({ stage, reply, mx: host }, this.#profile);
      if (open > 0 && isConnectionCap(finding)) {
        limiter.record({ kind: "too_many_connections", open });
        return "beyond cap";
      }
      if (finding.answer === "probe_blocked") limiter.record({ kind: "blocked", reply });
      if (finding.answer === "rate_limited" || reply.code === 421) limiter.record({ kind: "rate_limited" });
      return finding;
    }
    if (opening.kind === "unreachable") {
      if (opening.isLocal) return findingWithoutReply("egress_blocked", host);
      if (opening.isSilent) egressHealth.timedOut(host);
      hostLimits.markFailed(address, "unreachable");
      return findingWithoutReply("unreachable", host);
    }
    egressHealth.connected();
    const answer = opening.kind === "timeout" ? "timeout" : "protocol_error";
    hostLimits.markFailed(address, answer);
    return findingWithoutReply(answer, host);
  }

  #failToOpen(failure: MailboxFinding): void {
    if (this.#sessions > 1) return; // another worker has, or may still get, a session
    if (failure.answer === "rate_limited" && ++this.#openingTries < MAX_OPENING_TRIES) return; // retried after the delay
    this.#openingTries = 0;
    for (const request of this.#queue.removeAll()) {
      if (request.isDecoy && !request.isNeeded) request.drop();
      else request.settle(failure);
    }
  }

  #openedAt(host: string, waitingFromMs: number): OpenedSession {
    const { provider, egress } = this.#deps;
    const startedAtMs = epochMs();
    const slotWaitMs = startedAtMs - waitingFromMs;
    return { kind: "smtp_session", host, provider, ehloName: egress.ehloName, startedAtMs, slotWaitMs };
  }

  /** Reports a session that could not be opened. */
  #observeRefused(opened: OpenedSession, opening: Exclude<GreetingResult, { kind: "ready" }>): void {
    const { observe } = this.#deps;
    if (!observe) return;
    const replies: SmtpSessionEvent["replies"] = {};
    if (opening.kind === "refused") replies[readReply(opening).category] = 1;
    const { trace } = this.#queue;
    const traces = trace === undefined ? [] : [trace];
    observe({ ...opened, endedAtMs: epochMs(), replies, recipients: 0, outcome: opening.kind, traces });
  }

  async #runSession({ opened, ...target }: OpenSession): Promise<void> {
    const session = new ProbeSession(this.#sessionDeps, target);
    try {
      await session.run();
    } finally {
      await target.client.quit();
      target.limits.sessions--;
      this.#endConnection(target.limiter, target.limits);
      this.#deps.observe?.({ ...opened, endedAtMs: epochMs(), ...session.summary });
    }
  }

  /** Waits for a new request; true when one arrived. */
  #nextRequest(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (hasArrived: boolean) => {
        clearTimeout(timer);
        this.#idle.delete(wake);
        resolve(hasArrived);
      };
      const wake = () => done(true);
      const timer = setTimeout(() => done(false), timeoutMs);
      this.#idle.add(wake);
    });
  }
}
