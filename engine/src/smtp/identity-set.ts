/**
 * The egress identities of a planner, and which of them opens the next session.
 *
 * Everything that is learned about a mail host is kept per identity: slots, delays and breaker (a HostLimiter for each),
 * learned limits, failed addresses. An identity is avoided while it cannot be used: its daily cap is used up, its proxy is
 * down, its breaker at the host is open, or the host has asked it for a long delay. Of the others:
 *
 * - At a host of its own, the first that has a free slot, in an order that depends on host, names and shares only. So a
 *   host is asked by the same identity again, which greylisting requires, and hosts are divided by share.
 * - At a provider that counts all its hosts together, sessions are divided by share (start-time fair queueing).
 * - Without a free slot, the one with the fewest sessions and waiters for its limit.
 */
import { LRUCache } from "lru-cache";
import { entriesUpTo } from "../base/lru-limit.ts";
import { type EgressIdentity, limiterKeyOf, servesProvider } from "../egress/identity.ts";
import type { Connect } from "./client/connect.ts";
import { blockedForSeconds, EgressHealth } from "./throttle/egress-health.ts";
import { type HostLimiter, type HostLimiterFor, LocalHostLimiter } from "./throttle/host-limiter.ts";
import { HostMemories } from "./throttle/host-memories.ts";
import { createHostLimits, type HostLimits } from "./throttle/learned-limits.ts";
import type { ProviderProfile } from "./throttle/provider-profile.ts";
import { LocalSessionGate, type SessionGate, type SessionGateFor } from "./throttle/session-gate.ts";

/** An identity, and what is known of it. */
export type Identity = EgressIdentity & {
  readonly index: number;
  /** Names that a server may echo. */
  readonly ourNames: readonly string[];
  readonly dial: Connect;
  readonly hostLimits: HostLimits;
  readonly health: EgressHealth;
  readonly gate: SessionGate | undefined;
};

/** The limiter of one identity at a host or provider. */
export type IdentitySlots = {
  readonly identity: Identity;
  readonly limiter: HostLimiter;
  /** Sessions of this planner that have a slot or wait for one. */
  load: number;
  /** Connections of this planner that are open or being opened, and those of them that the host has accepted. */
  connections: number;
  sessions: number;
  /** Virtual time at which its last session ends, for the division by share. */
  finish: number;
};

export type IdentitySetOptions = {
  identities: readonly EgressIdentity[];
  connectFrom: (identity: EgressIdentity) => Connect;
  /** Creates the limiter of each host or provider; by default one that limits this process alone. */
  limiterFor?: HostLimiterFor;
  /** By default one of this process alone. */
  gateFor?: SessionGateFor;
  /** One for each identity; by default of this planner alone. */
  egressHealths?: readonly EgressHealth[];
  /** By default of this planner alone, and empty. */
  hostMemories?: HostMemories;
};

const MAX_IDLE = 20_000;

export class IdentitySet {
  readonly #limiterFor: HostLimiterFor;
  readonly #identities: readonly Identity[];
  readonly #byProvider = new Map<string, readonly Identity[]>();
  /** Not forgotten: further limiters would grant the same slots again. */
  readonly #inUse = new Map<string, HostIdentities>();
  readonly #idle = new LRUCache<string, HostIdentities>({ ...entriesUpTo(MAX_IDLE) });

  constructor(options: IdentitySetOptions) {
    const { limiterFor, gateFor, egressHealths, hostMemories = new HostMemories(), connectFrom } = options;
    this.#limiterFor = limiterFor ?? ((_key, profile) => new LocalHostLimiter(profile));
    const gateOf = gateFor ?? ((identity) => new LocalSessionGate(identity));
    this.#identities = options.identities.map((identity, index) => ({
      ...identity,
      index,
      ourNames: [identity.ehloName, identity.mailFrom],
      dial: connectFrom(identity),
      hostLimits: createHostLimits((host) => hostMemories.memoryOf(identity.name, host)),
      health: egressHealths?.[index] ?? new EgressHealth(),
      gate: identity.isCounted ? gateOf(identity) : undefined,
    }));
  }

  /** Those that connect to this provider. */
  for(provider: string): readonly Identity[] {
    if (this.#identities.length === 1) return this.#identities;
    const known = this.#byProvider.get(provider);
    if (known) return known;
    const found = this.#identities.filter((identity) => servesProvider(identity, provider));
    this.#byProvider.set(provider, found);
    return found;
  }

  /** Seconds for which no identity can reach mail hosts of this provider; undefined if one can, or is to be tested. */
  blockedForSeconds(provider: string): number | undefined {
    return blockedForSeconds(this.for(provider).map(({ health }) => health));
  }

  /** The limiters of a host or provider. */
  at(key: string, profile: ProviderProfile): HostIdentities {
    const known = this.#inUse.get(key) ?? this.#idle.get(key);
    if (known) return known;
    const fresh = new HostIdentities(key, profile, this.#limiterFor, (isInUse) => {
      if (isInUse) this.#idle.delete(key);
      else this.#inUse.delete(key);
      (isInUse ? this.#inUse : this.#idle).set(key, fresh);
    });
    this.#idle.set(key, fresh);
    return fresh;
  }
}

export class HostIdentities {
  readonly #key: string;
  readonly #profile: ProviderProfile;
  readonly #limiterFor: HostLimiterFor;
  readonly #slots: (IdentitySlots | undefined)[] = [];
  readonly #onUse: (isInUse: boolean) => void;
  /** Sessions of all identities that have a slot or wait for one. */
  #load = 0;
  /** Virtual time of the session that was started last. */
  #clock = 0;

  /** `onUse` is called before the first session here, and after the last one. */
  constructor(
    key: string,
    profile: ProviderProfile,
    limiterFor: HostLimiterFor,
    onUse: (isInUse: boolean) => void,
  ) {
    this.#key = key;
    this.#profile = profile;
    this.#limiterFor = limiterFor;
    this.#onUse = onUse;
  }

  slotsOf(identity: Identity): IdentitySlots {
    const known = this.#slots[identity.index];
    if (known) return known;
    const limiter = this.#limiterFor(limiterKeyOf(this.#key, identity.name), this.#profile);
    const addLoad = (change: number) => this.#addLoad(change);
    let ownLoad = 0;
    const fresh: IdentitySlots = {
      identity,
      limiter,
      get load() {
        return ownLoad;
      },
      set load(load) {
        addLoad(load - ownLoad);
        ownLoad = load;
      },
      connections: 0,
      sessions: 0,
      finish: 0,
    };
    this.#slots[identity.index] = fresh;
    return fresh;
  }

  #addLoad(change: number): void {
    const wasInUse = this.#load > 0;
    this.#load += change;
    const isInUse = this.#load > 0;
    if (isInUse !== wasInUse) this.#onUse(isInUse);
  }

  /** Concurrent sessions that all these identities may have. A limiter is not created for it. */
  limitOf(identities: readonly Identity[]): number {
    let limit = 0;
    for (const { index } of identities)
      limit += this.#slots[index]?.limiter.limit ?? this.#profile.connections;
    return limit;
  }

  /**
   * The identity for the next session, of those not yet tried. One that cannot be used is returned only when there is no
   * other and none was tried, so that its own failure is reported. `isSticky`: it should be the same as ever.
   */
  choose(
    identities: readonly Identity[],
    tried: ReadonlySet<Identity>,
    { maxDelayMs, isSticky }: { maxDelayMs: number; isSticky: boolean },
  ): Identity | undefined {
    if (identities.length === 1) return tried.size === 0 ? identities[0] : undefined;
    const ordered = this.#inOrder(identities);
    const usable = ordered.filter((one) => !tried.has(one) && this.isUsable(one, maxDelayMs));
    if (usable.length === 0) return tried.size === 0 ? ordered[0] : undefined;
    const chosen = this.#best(usable, isSticky);
    void chosen.health.blockedForSeconds; // a test that is due is made by this session
    if (this.#profile.isShared) {
      const slots = this.slotsOf(chosen);
      this.#clock = Math.max(this.#clock, slots.finish);
      slots.finish = this.#clock + 1 / chosen.share;
    }
    return chosen;
  }

  /** Whether an identity may open a session here now, as far as is known. */
  isUsable(identity: Identity, maxDelayMs: number): boolean {
    if (identity.gate?.refusal || identity.health.isAvoidable) return false;
    const limiter = this.#slots[identity.index]?.limiter;
    return !limiter || (!limiter.openBreaker && limiter.delayLeftMs <= maxDelayMs);
  }

  #best(usable: readonly Identity[], isSticky: boolean): Identity {
    if (isSticky) return usable[0]!;
    const free = usable.filter((one) => this.#loadOf(one) < 1);
    if (free.length === 0) return least(usable, (one) => this.#loadOf(one));
    if (!this.#profile.isShared) return free[0]!;
    return least(free, (one) => Math.max(this.#clock, this.slotsOf(one).finish));
  }

  /** Sessions and waiters in proportion to the limit. */
  #loadOf({ index }: Identity): number {
    const slots = this.#slots[index];
    return slots ? slots.load / Math.max(1, slots.limiter.limit) : 0;
  }

  /** Weighted rendezvous hashing: an identity comes first at as many hosts as its share says. */
  #inOrder(identities: readonly Identity[]): readonly Identity[] {
    const weight = new Map(
      identities.map((one) => [one, -Math.log(fractionOf(`${this.#key} ${one.name}`)) / one.share]),
    );
    return identities.toSorted((one, other) => weight.get(one)! - weight.get(other)!);
  }
}

function least<Item>(items: readonly Item[], of: (item: Item) => number): Item {
  return items.reduce((best, item) => (of(item) < of(best) ? item : best));
}

/** FNV-1a with a final mix, as a number between 0 and 1, both excluded. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32 + 2 ** -33;
}
