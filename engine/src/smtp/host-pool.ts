/**
 * Connection pool for the mail hosts of one route: queues probe requests, opens as many sessions as they need, fails
 * over from host to host, from address to address and from egress identity to egress identity, and settles all requests
 * when no host is available.
 *
 * What an open session sends is in session-runner.ts, how many sessions are allowed in host-limiter.ts, which identity
 * opens the next one in identity-set.ts.
 */
import { setMaxListeners } from "node:events";
import { setImmediate as nextIteration } from "node:timers/promises";
import type { MailHost, MailRoute } from "../dns/mail-route.ts";
import { epochMs, type Observe, type SmtpSessionEvent } from "../egress/network-event.ts";
import type { MailboxFinding } from "../evidence.ts";
import { type GreetingResult, openSmtpClient } from "./client/client.ts";
import type { Connect } from "./client/connect.ts";
import type { HostIdentities, Identity, IdentitySlots } from "./identity-set.ts";
import { findingWithoutReply, interpretReply, moreInformative } from "./mailbox-finding.ts";
import { readReply } from "./meaning.ts";
import { ProbeQueue } from "./probe-queue.ts";
import type { ProbeRequest } from "./probe-request.ts";
import { ProbeSession, type ProbeSessionDeps, type SessionTarget } from "./session-runner.ts";
import { isConnectionCap } from "./throttle/connection-cap.ts";
import type { HostLimiter } from "./throttle/host-limiter.ts";
import type { LearnedLimits } from "./throttle/learned-limits.ts";
import type { ProviderProfile } from "./throttle/provider-profile.ts";

export type HostPoolDeps = {
  /** The identities that connect to these hosts. */
  identities: readonly Identity[];
  /** Limits all sessions of this process together. */
  globalLimiter: HostLimiter;
  /** Limits the sessions of each identity to one host. */
  identitiesAt(host: string): HostIdentities;
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
  "kind" | "host" | "provider" | "identity" | "startedAtMs" | "slotWaitMs"
>;
type OpenSession = SessionTarget & { opened: OpenedSession };

/** A route that has mail hosts. */
export type MailHosts = Pick<Extract<MailRoute, { kind: "mail_hosts" }>, "hosts" | "isPartial">;

const MAX_ADDRESSES_PER_HOST = 3;
const MAX_OPENING_TRIES = 3;
/** Identities that may be refused before the refusal is the answer, of a session as of a request. */
const MAX_IDENTITIES_TRIED = 3;
const MAX_DELAY_MS = 2500;
/** However long the first hosts took, the last one gets at least this fraction of the timeout. */
const MIN_FRACTION_OF_TIMEOUT = 4;
/** Requests that do not yet justify another session. */
const REQUESTS_PER_SESSION = 12;

/** Answers that are about the identity that asked, so another may get a different one. */
const ABOUT_IDENTITY: ReadonlySet<MailboxFinding["answer"]> = new Set([
  "probe_blocked",
  "rate_limited",
  "egress_blocked",
]);

export class HostPool {
  readonly #deps: HostPoolDeps;
  readonly #hosts: readonly MailHost[];
  readonly #profile: ProviderProfile;
  readonly #sessionDeps: ProbeSessionDeps;
  readonly #queue = new ProbeQueue();
  /** Callbacks of idle sessions that wait for a request. */
  readonly #idle = new Set<() => void>();
  readonly #workers = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #isClosed = false;
  #sessions = 0;
  #openingTries = 0;
  /** Requests that were refused from one identity and wait for another, and whether a worker serves them. */
  readonly #moved = new Set<ProbeRequest>();
  #isServingMoved = false;

  constructor(deps: HostPoolDeps, { hosts, isPartial }: MailHosts, profile: ProviderProfile) {
    setMaxListeners(0, this.#closing.signal); // one for each session that waits for a slot
    this.#deps = deps;
    this.#hosts = hosts;
    this.#profile = profile;
    this.#sessionDeps = {
      queue: this.#queue,
      hosts,
      hasUnknownHosts: isPartial,
      profile,
      probeTimeoutMs: deps.probeTimeoutMs,
      isClosing: () => this.#isClosed,
      hasGlobalWaiters: () => deps.globalLimiter.hasWaiters,
      nextRequest: () => this.#nextRequest(deps.idleSessionMs),
      hasIdentityFor: (request) => this.#hasIdentityFor(request),
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
    const limit = Math.max(1, this.#identitiesAtFirstHost.limitOf(this.#deps.identities));
    const queued = this.#queue.count(limit * REQUESTS_PER_SESSION);
    const wanted = Math.min(limit, Math.ceil(queued / REQUESTS_PER_SESSION));
    while (this.#sessions < wanted && !this.#isClosed) this.#startWorker();
  }

  #startWorker(): void {
    this.#sessions++;
    const worker = nextIteration().then(() => this.#work());
    this.#workers.add(worker);
    worker.finally(() => this.#workers.delete(worker));
  }

  /** Not left to #startSessions: the sessions of the refused identity may have work for a long time. */
  #serveMoved(): void {
    if (this.#isServingMoved || this.#isClosed) return;
    this.#isServingMoved = true;
    this.#startWorker();
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
      this.#isServingMoved = false;
      if (target && this.#waitingForMove().length > 0) this.#serveMoved();
      // A worker without a session leaves the requests to those that have one; the last one has settled them.
      if (target || this.#sessions === 0) this.#startSessions();
      if (this.#sessions === 0) {
        for (const request of this.#queue.removeAll()) request.drop(); // decoys that were not needed
        this.onIdle();
      }
    }
  }

  /** Opens a session from the first identity that is not refused; when none can, settles everything in the queue. */
  async #open(): Promise<OpenSession | undefined> {
    const tried = new Set<Identity>();
    const moved = this.#waitingForMove();
    const refused = this.#deps.identities.filter(({ index }) =>
      moved.some((one) => one.isRefusedFrom(index)),
    );
    const time = { leftMs: this.#deps.probeTimeoutMs }; // for all hosts and identities together
    let failure: MailboxFinding | undefined;
    while (tried.size < MAX_IDENTITIES_TRIED) {
      const identity =
        (refused.length > 0 && this.#choose(new Set([...tried, ...refused]))) || this.#choose(tried);
      if (!identity) break;
      tried.add(identity);
      const opened = await this.#openFrom(identity, time);
      if (opened === "nothing to send") return undefined;
      if (opened && "client" in opened) return opened;
      if (!opened) continue; // none of the queued requests is for this identity
      failure = moreInformative(failure, opened);
      if (!ABOUT_IDENTITY.has(opened.answer)) break;
    }
    this.#failToOpen(failure ?? { answer: "unreachable" });
    return undefined;
  }

  #choose(excluded: ReadonlySet<Identity>): Identity | undefined {
    return this.#identitiesAtFirstHost.choose(this.#deps.identities, excluded, {
      maxDelayMs: this.#maxDelayMs,
      isSticky: this.#isGreylisting,
    });
  }

  #waitingForMove(): ProbeRequest[] {
    if (this.#moved.size === 0) return [];
    for (const request of this.#moved) if (request.hasEnded) this.#moved.delete(request);
    return [...this.#moved].filter(({ state }) => state === "queued");
  }

  /** Opens a session at the first host that accepts one. Undefined: there is no request for this identity. */
  async #openFrom(
    identity: Identity,
    time: { leftMs: number },
  ): Promise<OpenSession | MailboxFinding | "nothing to send" | undefined> {
    const { probeTimeoutMs } = this.#deps;
    let failure: MailboxFinding | undefined;
    let triesBeyondCap = 0;
    const dial: Connect = async (address, timeoutMs) =>
      this.#isClosed
        ? { kind: "unreachable", why: "the pool is closing", isLocal: true }
        : identity.dial(address, timeoutMs);
    for (const { name: host, addresses } of this.#hosts) {
      if (!this.#queue.hasRequestsFor(host, identity.index)) continue;
      const slots = this.#deps.identitiesAt(host).slotsOf(identity);
      const { limiter } = slots;
      const candidates = addresses.slice(0, MAX_ADDRESSES_PER_HOST);
      for (let i = 0; i < candidates.length; i++) {
        const address = candidates[i]!;
        const waitingFromMs = epochMs();
        const known =
          this.#knownFailure(host, address, slots) ?? (await this.#acquireSlots(host, address, slots));
        if (known === "nothing to send") return known;
        if (known) {
          failure = moreInformative(failure, known);
          continue;
        }
        const limits = identity.hostLimits.of(host);
        const opened = this.#openedAt(host, identity, waitingFromMs);
        const timeoutMs = Math.max(time.leftMs, probeTimeoutMs / MIN_FRACTION_OF_TIMEOUT);
        const others = limits.connections++;
        const opening = await openSmtpClient(
          { egress: identity, dial },
          { name: host, address },
          limits,
          timeoutMs,
        ).catch((error) => {
          this.#endConnection(slots, limits);
          throw error;
        });
        time.leftMs -= epochMs() - opened.startedAtMs;
        if (opening.kind === "ready") {
          identity.health.connected();
          this.#openingTries = 0;
          Object.assign(limits, opening.learned);
          limits.sessions++;
          return { client: opening.client, host, address, slots, identity, limiter, limits, opened };
        }
        this.#observeRefused(opened, opening);
        const open = Math.max(others, limits.sessions);
        const found = this.#recordFailure(opening, host, address, slots, open);
        this.#endConnection(slots, limits);
        if (found === "beyond cap") {
          if (this.#sessions > 1) return "nothing to send"; // the others do the work
          // The lowered limit makes it wait for the sessions of other pools.
          if (++triesBeyondCap < MAX_OPENING_TRIES) i--;
          else failure = moreInformative(failure, findingWithoutReply("rate_limited", host));
          continue;
        }
        failure = moreInformative(failure, found);
        if (opening.kind === "refused") break; // its other addresses are the same server
      }
    }
    return failure;
  }

  get #identitiesAtFirstHost(): HostIdentities {
    return this.#deps.identitiesAt(this.#hosts[0]!.name);
  }

  /** Greylisting remembers the client address, so a retry must come from the same one. */
  get #isGreylisting(): boolean {
    const { identities } = this.#deps;
    if (identities.length === 1) return false;
    return this.#hosts.some(({ name }) =>
      identities.some(({ hostLimits }) => hostLimits.isGreylisting(name)),
    );
  }

  /** Whether an identity that has not been refused for this request may ask again; then a session for it is started. */
  #hasIdentityFor(request: ProbeRequest): boolean {
    const { identities } = this.#deps;
    if (identities.length === 1 || request.refusedIdentities >= MAX_IDENTITIES_TRIED) return false;
    const here = this.#identitiesAtFirstHost;
    const hasOne = identities.some(
      (identity) => !request.isRefusedFrom(identity.index) && here.isUsable(identity, this.#maxDelayMs),
    );
    if (hasOne) {
      this.#moved.add(request);
      this.#serveMoved();
    }
    return hasOne;
  }

  /** Acquires a slot at the host and a global one, unless what happened meanwhile makes the session pointless. */
  async #acquireSlots(
    host: string,
    address: string,
    slots: IdentitySlots,
  ): Promise<MailboxFinding | "nothing to send" | undefined> {
    const { signal } = this.#closing;
    const { limiter, identity } = slots;
    const isInteractive = () => this.#queue.hasInteractive;
    slots.load++;
    if (!(await limiter.acquire(signal, isInteractive))) {
      slots.load--;
      return "nothing to send";
    }
    // A slot granted behind an open breaker is none: the breaker might close during the wait for the global slot.
    const block = this.#knownBlock(host, slots);
    if (block) {
      this.#releaseHostSlot(slots);
      return block;
    }
    // While the host's slot is waited for, it must not be held idle in the queue for a global one.
    if (!(await this.#deps.globalLimiter.acquire(signal, () => isInteractive() || limiter.hasWaiters))) {
      this.#releaseHostSlot(slots);
      return "nothing to send";
    }
    const isPointless = this.#isClosed || !this.#queue.hasRequestsFor(host, identity.index);
    // The delay is not checked again: what is left of it by now concerns the next session.
    const known = isPointless
      ? "nothing to send"
      : (this.#knownBlock(host, slots) ??
        this.#knownAddressFailure(host, address, slots) ??
        (await this.#askGate(host, slots)));
    if (known) this.#releaseSlots(slots);
    return known;
  }

  /** Last of all, because an admitted session is counted. */
  async #askGate(host: string, { identity }: IdentitySlots): Promise<MailboxFinding | undefined> {
    const refusal = await identity.gate?.admit();
    return (
      refusal && {
        ...findingWithoutReply("rate_limited", host),
        retryAfterSeconds: refusal.retryAfterSeconds,
      }
    );
  }

  /** Above this delay, `rate_limited` is returned instead of blocking the caller. */
  get #maxDelayMs(): number {
    return Math.max(MAX_DELAY_MS, this.#deps.probeTimeoutMs / 4);
  }

  #releaseHostSlot(slots: IdentitySlots): void {
    slots.load--;
    slots.limiter.release();
  }

  #releaseSlots(slots: IdentitySlots): void {
    this.#deps.globalLimiter.release();
    this.#releaseHostSlot(slots);
  }

  #endConnection(slots: IdentitySlots, limits: LearnedLimits): void {
    limits.connections--;
    this.#releaseSlots(slots);
  }

  #knownFailure(host: string, address: string, slots: IdentitySlots): MailboxFinding | undefined {
    const failure = this.#knownAddressFailure(host, address, slots);
    if (failure) return failure;
    const delayMs = slots.limiter.delayLeftMs;
    if (delayMs > this.#maxDelayMs) {
      return { ...findingWithoutReply("rate_limited", host), retryAfterSeconds: Math.ceil(delayMs / 1000) };
    }
    return this.#knownBlock(host, slots);
  }

  #knownAddressFailure(
    host: string,
    address: string,
    { identity }: IdentitySlots,
  ): MailboxFinding | undefined {
    const failure = identity.hostLimits.failureOf(address);
    return failure && findingWithoutReply(failure, host);
  }

  #knownBlock(host: string, { limiter }: IdentitySlots): MailboxFinding | undefined {
    const reply = limiter.openBreaker;
    if (!reply) return undefined;
    const { finding } = interpretReply({ stage: "banner", reply, mx: host }, this.#profile);
    return { ...finding, answer: "probe_blocked" };
  }

  #recordFailure(
    opening: Exclude<GreetingResult, { kind: "ready" }>,
    host: string,
    address: string,
    { identity, limiter }: IdentitySlots,
    open: number,
  ): MailboxFinding | "beyond cap" {
    const { hostLimits, health } = identity;
    if (opening.kind === "refused") {
      health.connected();
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
      if (opening.isLocal) {
        health.failedLocally();
        return findingWithoutReply("egress_blocked", host);
      }
      if (opening.isSilent) health.timedOut(host);
      hostLimits.markFailed(address, "unreachable");
      return findingWithoutReply("unreachable", host);
    }
    health.connected();
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
      else request.settle(moreInformative(request.refusal, failure));
    }
  }

  #openedAt(host: string, { name: identity }: Identity, waitingFromMs: number): OpenedSession {
    const { provider } = this.#deps;
    const startedAtMs = epochMs();
    const slotWaitMs = startedAtMs - waitingFromMs;
    return { kind: "smtp_session", host, provider, identity, startedAtMs, slotWaitMs };
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
      this.#endConnection(target.slots, target.limits);
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
