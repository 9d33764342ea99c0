/**
 * Opens a session from one egress identity: waits for slots, and fails over from host to host and from address to address.
 *
 * A failure is recorded where the next attempts see it: the address, the host's limiter, the health of the identity.
 */
import type { MailHost } from "../../dns/mail-route.ts";
import { epochMs, type Observe, type SmtpSessionEvent } from "../../egress/network-event.ts";
import type { MailboxFinding } from "../../evidence.ts";
import { type GreetingResult, openSmtpClient } from "../client/client.ts";
import type { Connect } from "../client/connect.ts";
import type { HostIdentities, Identity, IdentitySlots } from "../identity-set.ts";
import { findingWithoutReply, interpretReply, moreInformative } from "../mailbox-finding.ts";
import { readReply } from "../meaning.ts";
import type { ProbeQueue } from "../probe-queue.ts";
import { isConnectionCap } from "../throttle/connection-cap.ts";
import { CountedSession, type GlobalLimiter } from "../throttle/global-limiter.ts";
import type { ProviderProfile } from "../throttle/provider-profile.ts";
import type { SessionTarget } from "./session-context.ts";

export type OpeningDeps = {
  /** Limits all sessions of this process together. */
  globalLimiter: GlobalLimiter;
  /** Limits the sessions of each identity to one host. */
  identitiesAt(host: string): HostIdentities;
  /** Timeout of opening a session, and of each batch in it. */
  probeTimeoutMs: number;
  /** Slug of the provider of the hosts. */
  provider: string;
  observe?: Observe;
};

/** What the opener needs of its pool (host-pool.ts). */
export type OpeningPool = {
  hosts: readonly MailHost[];
  profile: ProviderProfile;
  queue: ProbeQueue;
  /**
   * Host of the last session, where it quit because the queue had requests for others. The next session is for those: new
   * requests for this host could keep them waiting for ever.
   */
  leftHost: string | undefined;
  /** Aborted when the pool is closed. */
  closing: AbortSignal;
  /** Other sessions are open, or about to be. */
  hasOtherWorkers(): boolean;
};

/** What is known of a session when it is opened. */
type OpenedSession = Pick<
  SmtpSessionEvent,
  "kind" | "host" | "provider" | "identity" | "startedAtMs" | "slotWaitMs"
>;
export type OpenSession = SessionTarget & { opened: OpenedSession };

/** `intercepted`: what answered is not the host (../throttle/interception.ts). */
type Opening = GreetingResult | { kind: "intercepted"; learned?: undefined };

export const MAX_ADDRESSES_PER_HOST = 3;
const MAX_TRIES_BEYOND_CAP = 3;
const MAX_DELAY_MS = 2500;
const MINUTE_MS = 60_000;
/** However long the first hosts took, the last one gets at least this fraction of the timeout. */
const MIN_FRACTION_OF_TIMEOUT = 4;

export class SessionOpener {
  readonly #deps: OpeningDeps;
  readonly #pool: OpeningPool;
  /** Above this delay, `rate_limited` is returned instead of blocking the caller. */
  readonly maxDelayMs: number;

  constructor(deps: OpeningDeps, pool: OpeningPool) {
    this.#deps = deps;
    this.#pool = pool;
    this.maxDelayMs = Math.max(MAX_DELAY_MS, deps.probeTimeoutMs / 4);
  }

  /**
   * Opens a session at the first host that accepts one. Undefined: there is no request for this identity. Hosts that no request is
   * for are added to `passedOver`.
   */
  async open(
    identity: Identity,
    time: { leftMs: number },
    passedOver: string[],
  ): Promise<OpenSession | MailboxFinding | "nothing to send" | undefined> {
    const { probeTimeoutMs } = this.#deps;
    let failure: MailboxFinding | undefined;
    let triesBeyondCap = 0;
    const { hosts, queue, leftHost } = this.#pool;
    this.#pool.leftHost = undefined;
    if (leftHost && hosts.some(({ name }) => queue.hasRequestsFor(name, identity.index, [leftHost])))
      passedOver.push(leftHost);
    for (const { name: host, addresses } of hosts) {
      if (!queue.hasRequestsFor(host, identity.index, passedOver)) {
        passedOver.push(host);
        continue;
      }
      const slots = this.#deps.identitiesAt(host).slotsOf(identity);
      const { limiter } = slots;
      const candidates = addresses.slice(0, MAX_ADDRESSES_PER_HOST);
      for (let i = 0; i < candidates.length; i++) {
        const address = candidates[i]!;
        const waitingFromMs = epochMs();
        const counted = new CountedSession({ alwaysCounts: identity.proxy !== undefined });
        const known =
          this.#knownFailure(host, address, slots) ??
          (await this.#acquireSlots(host, address, { slots, counted, passedOver }));
        if (known === "nothing to send") return known;
        if (known) {
          failure = moreInformative(failure, known);
          continue;
        }
        const limits = identity.hostLimits.of(host);
        const opened = this.#openedAt(host, identity, waitingFromMs);
        const timeoutMs = Math.max(time.leftMs, probeTimeoutMs / MIN_FRACTION_OF_TIMEOUT);
        const others = slots.connections++;
        const opening = await this.#greet(identity, { name: host, address }, counted, timeoutMs).catch(
          (error) => {
            this.#endConnection(slots, counted);
            throw error;
          },
        );
        time.leftMs -= epochMs() - opened.startedAtMs;
        Object.assign(limits, opening.learned); // also where the second connection was refused
        if (opening.kind === "ready") {
          slots.sessions++;
          const { client } = opening;
          return { client, host, address, passedOver, slots, identity, limiter, limits, opened, counted };
        }
        this.#observeRefused(opened, opening);
        const open = Math.max(others, slots.sessions);
        const found = this.#recordFailure(opening, host, address, slots, open);
        this.#endConnection(slots, counted);
        if (found === "beyond cap") {
          if (this.#pool.hasOtherWorkers()) return "nothing to send"; // the others do the work
          // The lowered limit makes it wait for the sessions of other pools.
          if (++triesBeyondCap < MAX_TRIES_BEYOND_CAP) i--;
          else failure = moreInformative(failure, findingWithoutReply("rate_limited", host));
          continue;
        }
        failure = moreInformative(failure, found);
        const { kind } = opening;
        if (kind === "refused" || kind === "intercepted") break; // its other addresses are the same server
      }
    }
    return failure;
  }

  /** After the end of a session. */
  release({ slots, counted }: Pick<OpenSession, "slots" | "counted">): void {
    slots.sessions--;
    this.#endConnection(slots, counted);
  }

  async #greet(
    identity: Identity,
    host: { name: string; address: string },
    counted: CountedSession,
    timeoutMs: number,
  ): Promise<Opening> {
    const { health, hostLimits } = identity;
    const deps = { egress: identity, dial: this.#dialFor(identity, counted) };
    const opening = await openSmtpClient(deps, host, hostLimits.of(host.name), timeoutMs);
    if (opening.kind !== "ready") return opening;
    health.connected();
    const greeting = { host: host.name, bannerName: opening.client.bannerName };
    health.greeted(greeting);
    if (!health.interception.isDevice(greeting)) return opening;
    await opening.client.quit();
    return { kind: "intercepted" };
  }

  #dialFor(identity: Identity, counted: CountedSession): Connect {
    return async (address, timeoutMs) => {
      if (this.#pool.closing.aborted)
        return { kind: "unreachable", why: "the pool is closing", isLocal: true };
      const dialled = await identity.dial(address, timeoutMs);
      counted.socket = dialled.kind === "connected" ? dialled.socket : undefined;
      return dialled;
    };
  }

  /** Acquires a slot at the host and a global one, unless what happened meanwhile makes the session pointless. */
  async #acquireSlots(
    host: string,
    address: string,
    { slots, counted, passedOver }: Pick<OpenSession, "slots" | "counted" | "passedOver">,
  ): Promise<MailboxFinding | "nothing to send" | undefined> {
    const { closing: signal } = this.#pool;
    const { limiter, identity } = slots;
    const isInteractive = () => this.#pool.queue.hasInteractive;
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
    const isUrgent = () => isInteractive() || limiter.hasWaiters;
    if (!(await this.#deps.globalLimiter.acquire(counted, signal, isInteractive, isUrgent))) {
      this.#releaseHostSlot(slots);
      return "nothing to send";
    }
    const isPointless =
      this.#pool.closing.aborted || !this.#pool.queue.hasRequestsFor(host, identity.index, passedOver);
    // The delay is not checked again: what is left of it by now concerns the next session.
    const known = isPointless
      ? "nothing to send"
      : (this.#knownBlock(host, slots) ??
        this.#knownAddressFailure(host, address, slots) ??
        (await this.#askGate(host, slots)));
    if (known) this.#releaseSlots(slots, counted);
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

  #releaseHostSlot(slots: IdentitySlots): void {
    slots.load--;
    slots.limiter.release();
  }

  #releaseSlots(slots: IdentitySlots, counted: CountedSession): void {
    this.#deps.globalLimiter.release(counted);
    this.#releaseHostSlot(slots);
  }

  #endConnection(slots: IdentitySlots, counted: CountedSession): void {
    slots.connections--;
    this.#releaseSlots(slots, counted);
  }

  #knownFailure(host: string, address: string, slots: IdentitySlots): MailboxFinding | undefined {
    const failure = this.#knownAddressFailure(host, address, slots);
    if (failure) return failure;
    const delayMs = slots.limiter.delayLeftMs;
    if (delayMs > this.maxDelayMs) {
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
    const breaker = limiter.openBreaker;
    if (!breaker) return undefined;
    return {
      answer: "probe_blocked",
      mxHost: host,
      isAboutUs: true,
      refusedSinceMs: Math.round((epochMs() - breaker.openForMs) / MINUTE_MS) * MINUTE_MS,
      retryAfterSeconds: Math.ceil(breaker.leftMs / 1000),
    };
  }

  #recordFailure(
    opening: Exclude<Opening, { kind: "ready" }>,
    host: string,
    address: string,
    { identity, limiter }: IdentitySlots,
    open: number,
  ): MailboxFinding | "beyond cap" {
    const { hostLimits, health } = identity;
    if (opening.kind === "refused") {
      health.connected();
      const { stage, reply } = opening;
      const { finding } = interpretReply({ stage, reply, mx: host }, this.#pool.profile);
      if (open > 0 && isConnectionCap(finding)) {
        limiter.record({ kind: "too_many_connections", open });
        return "beyond cap";
      }
      if (finding.isAboutUs) limiter.record({ kind: "blocked", reply });
      if (finding.answer === "rate_limited" || reply.code === 421) limiter.record({ kind: "rate_limited" });
      return finding;
    }
    if (opening.kind === "no_route" || opening.kind === "intercepted") {
      hostLimits.markFailed(address, "egress_blocked"); // the identity may reach other hosts
      return findingWithoutReply("egress_blocked", host);
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

  #openedAt(host: string, { name: identity }: Identity, waitingFromMs: number): OpenedSession {
    const { provider } = this.#deps;
    const startedAtMs = epochMs();
    const slotWaitMs = startedAtMs - waitingFromMs;
    return { kind: "smtp_session", host, provider, identity, startedAtMs, slotWaitMs };
  }

  /** Reports a session that could not be opened. */
  #observeRefused(opened: OpenedSession, opening: Exclude<Opening, { kind: "ready" }>): void {
    const { observe } = this.#deps;
    if (!observe) return;
    const replies: SmtpSessionEvent["replies"] = {};
    if (opening.kind === "refused") replies[readReply(opening).category] = 1;
    const { trace } = this.#pool.queue;
    const traces = trace === undefined ? [] : [trace];
    observe({ ...opened, endedAtMs: epochMs(), replies, recipients: 0, outcome: opening.kind, traces });
  }
}
