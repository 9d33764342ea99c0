/**
 * Connection pool for the mail hosts of one route: queues probe requests, opens as many sessions as they need, fails
 * over from egress identity to egress identity, and settles all requests when no host is available.
 *
 * How a session is opened is in session-opener.ts, what it sends in session-runner.ts, how many sessions are allowed in
 * host-limiter.ts, which identity opens the next one in identity-set.ts.
 */
import { setMaxListeners } from "node:events";
import { setImmediate as nextIteration } from "node:timers/promises";
import type { MailHost, MailRoute } from "../dns/mail-route.ts";
import { epochMs } from "../egress/network-event.ts";
import type { MailboxFinding } from "../evidence.ts";
import type { AcceptedMailboxes } from "./decoy-comparison.ts";
import type { HostIdentities, Identity } from "./identity-set.ts";
import { moreInformative, untrusted } from "./mailbox-finding.ts";
import { ProbeQueue } from "./probe-queue.ts";
import type { ProbeRequest } from "./probe-request.ts";
import type { ProbeSessionDeps } from "./session/session-context.ts";
import {
  type OpeningDeps,
  type OpeningPool,
  type OpenSession,
  SessionOpener,
} from "./session/session-opener.ts";
import { ProbeSession } from "./session/session-runner.ts";
import type { ProviderProfile } from "./throttle/provider-profile.ts";

export type HostPoolDeps = OpeningDeps & {
  /** The identities that connect to these hosts. */
  identities: readonly Identity[];
  /** How long an idle session waits for more requests before it quits. */
  idleSessionMs: number;
  acceptedMailboxes: AcceptedMailboxes;
  /** Mailboxes of a catch-all domain that are still to be asked. */
  leftAtCatchAll(domain: string): number;
  /** A mailbox of the domain was refused for good, as far as the session can tell. */
  onRefused(domain: string): void;
};

/** A route that has mail hosts. */
export type MailHosts = Pick<
  Extract<MailRoute, { kind: "mail_hosts" }>,
  "hosts" | "isPartial" | "unresolved"
>;

const MAX_OPENING_TRIES = 3;
/** Identities that may be refused before the refusal is the answer, of a session as of a request. */
const MAX_IDENTITIES_TRIED = 3;
/** Requests that do not yet justify another session. */
const REQUESTS_PER_SESSION = 12;
/** Listeners of a signal beyond which Node warns, by default. */
const MAX_LISTENERS = 10;

/** Answers that are about the identity that asked, so another may get a different one. */
const ABOUT_IDENTITY: ReadonlySet<MailboxFinding["answer"]> = new Set([
  "probe_blocked",
  "rate_limited",
  "egress_blocked",
]);

export class HostPool {
  readonly #deps: HostPoolDeps;
  readonly #openingPool: OpeningPool;
  readonly #sessionDeps: ProbeSessionDeps;
  readonly #opener: SessionOpener;
  readonly #queue = new ProbeQueue();
  /** Callbacks of idle sessions that wait for a request. */
  readonly #idle = new Set<() => void>();
  readonly #workers = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #sessions = 0;
  #openingTries = 0;
  /** Requests that were refused from one identity and wait for another, and whether a worker serves them. */
  readonly #moved = new Set<ProbeRequest>();
  #isServingMoved = false;

  constructor(deps: HostPoolDeps, { hosts, isPartial }: MailHosts, profile: ProviderProfile) {
    this.#deps = deps;
    this.#openingPool = {
      hosts,
      profile,
      queue: this.#queue,
      leftHost: undefined,
      closing: this.#closing.signal,
      hasOtherWorkers: () => this.#sessions > 1,
    };
    this.#opener = new SessionOpener(deps, this.#openingPool);
    this.#sessionDeps = {
      queue: this.#queue,
      hosts,
      hasUnknownHosts: isPartial,
      profile,
      acceptedMailboxes: deps.acceptedMailboxes,
      probeTimeoutMs: deps.probeTimeoutMs,
      leftAtCatchAll: deps.leftAtCatchAll,
      onRefused: deps.onRefused,
      isClosing: () => this.#closing.signal.aborted,
      hasGlobalWaiters: () => deps.globalLimiter.hasWaiters,
      nextRequest: () => this.#nextRequest(deps.idleSessionMs),
      hasIdentityFor: (request) => this.#hasIdentityFor(request),
    };
  }

  /** Called whenever there is no session and no request left. */
  onIdle: () => void = () => {};

  /** The same hosts, perhaps at other addresses, for the sessions that are opened from now on. */
  updateHosts(hosts: readonly MailHost[]): void {
    this.#openingPool.hosts = hosts;
  }

  add(request: ProbeRequest): void {
    if (this.#closing.signal.aborted) {
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

  /** Drops a decoy that waits and is not needed; false if it was sent, or is needed. */
  dropUnneeded(decoy: ProbeRequest): boolean {
    const isRemoved = this.#queue.removeUnneeded(decoy);
    if (isRemoved) decoy.drop();
    return isRemoved;
  }

  /** Takes no more requests, drops the queued ones and waits for every session to quit. */
  async close(): Promise<void> {
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
    while (this.#sessions < wanted && !this.#closing.signal.aborted) this.#startWorker();
  }

  #startWorker(): void {
    // A session that waits for a slot listens to it. Not at once: most pools have one session.
    if (++this.#sessions === MAX_LISTENERS) setMaxListeners(0, this.#closing.signal);
    const worker = nextIteration().then(() => this.#work());
    this.#workers.add(worker);
    worker.finally(() => this.#workers.delete(worker));
  }

  /** Not left to #startSessions: the sessions of the refused identity may have work for a long time. */
  #serveMoved(): void {
    if (this.#isServingMoved || this.#closing.signal.aborted) return;
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
        for (const request of this.#queue.takeParked()) request.settle(untrusted(request.heldFinding!));
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
    const isLeftOut: ((request: ProbeRequest) => boolean)[] = [];
    while (tried.size < MAX_IDENTITIES_TRIED) {
      const identity =
        (refused.length > 0 && this.#choose(new Set([...tried, ...refused]))) || this.#choose(tried);
      if (!identity) break;
      tried.add(identity);
      const passedOver: string[] = [];
      isLeftOut.push((request) => passedOver.some((host) => request.isOpenTo(host, identity.index)));
      const opened = await this.#opener.open(identity, time, passedOver);
      if (opened === "nothing to send") return undefined;
      if (opened && "client" in opened) {
        this.#openingTries = 0;
        return opened;
      }
      if (!opened) continue; // none of the queued requests is for this identity
      failure = moreInformative(failure, opened);
      if (!ABOUT_IDENTITY.has(opened.answer)) break;
    }
    this.#failToOpen(failure ?? { answer: "unreachable" }, (request) =>
      isLeftOut.some((test) => test(request)),
    );
    return undefined;
  }

  #choose(excluded: ReadonlySet<Identity>): Identity | undefined {
    return this.#identitiesAtFirstHost.choose(this.#deps.identities, excluded, {
      maxDelayMs: this.#opener.maxDelayMs,
      isSticky: this.#isGreylisting,
    });
  }

  #waitingForMove(): ProbeRequest[] {
    if (this.#moved.size === 0) return [];
    for (const request of this.#moved) if (request.hasEnded) this.#moved.delete(request);
    return [...this.#moved].filter(({ state }) => state === "queued");
  }

  get #identitiesAtFirstHost(): HostIdentities {
    return this.#deps.identitiesAt(this.#openingPool.hosts[0]!.name);
  }

  /** Greylisting remembers the client address, so a retry must come from the same one. */
  get #isGreylisting(): boolean {
    const { identities } = this.#deps;
    if (identities.length === 1) return false;
    return this.#openingPool.hosts.some(({ name }) =>
      identities.some(({ hostLimits }) => hostLimits.isGreylisting(name)),
    );
  }

  /** Whether an identity that has not been refused for this request may ask again; then a session for it is started. */
  #hasIdentityFor(request: ProbeRequest): boolean {
    const { identities } = this.#deps;
    if (identities.length === 1 || request.refusedIdentities >= MAX_IDENTITIES_TRIED) return false;
    const here = this.#identitiesAtFirstHost;
    const hasOne = identities.some(
      (identity) =>
        !request.isRefusedFrom(identity.index) && here.isUsable(identity, this.#opener.maxDelayMs),
    );
    if (hasOne) {
      this.#moved.add(request);
      this.#serveMoved();
    }
    return hasOne;
  }

  /** Requests that have arrived since for a host that was passed over are left to the next worker. */
  #failToOpen(failure: MailboxFinding, isLeftOut: (request: ProbeRequest) => boolean): void {
    if (this.#sessions > 1) return; // another worker has, or may still get, a session
    if (failure.answer === "rate_limited" && ++this.#openingTries < MAX_OPENING_TRIES) return; // retried after the delay
    this.#openingTries = 0;
    for (const request of this.#queue.removeAll(isLeftOut)) {
      if (request.isDecoy && !request.isNeeded) request.drop();
      else request.settle(moreInformative(request.refusal, failure));
    }
  }

  async #runSession({ opened, ...target }: OpenSession): Promise<void> {
    const session = new ProbeSession(this.#sessionDeps, target);
    try {
      await session.run();
      if (session.hasLeftOthers) this.#openingPool.leftHost = target.host;
    } finally {
      await target.client.quit();
      this.#opener.release(target);
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
