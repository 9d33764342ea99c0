/**
 * Ownership of egress identities: the process that an identity names as its owner takes a lease on the identity itself,
 * and then paces it in memory, without a lease for each session. Should two processes have the same name, such as during a
 * restart, one of them has the lease and the other waits for it.
 */
import { type HostLimiterFor, isUnthrottled, LocalHostLimiter, type ThrottleEvent } from "@mailvet/engine";
import type { LogEvent } from "../base/log-events.ts";
import type { LeaseClient, LeaseHolder } from "./lease-client.ts";
import type { LeaseRequest, LeaseResponse } from "./lease-sql.ts";
import type { ThrottleStore } from "./throttle-store.ts";

type Profile = Parameters<HostLimiterFor>[1];

export const ownershipKeyOf = (identity: string) => `identity ${identity}`;

/** The lease on one identity, wanted as long as this process runs. */
export class IdentityOwnership implements LeaseHolder {
  readonly key: string;
  readonly #identity: string;
  readonly #leases: Pick<LeaseClient, "apply">;
  readonly #log: LogEvent;
  #isOwned = false;

  constructor(identity: string, leases: Pick<LeaseClient, "apply">, log: LogEvent) {
    this.#identity = identity;
    this.key = ownershipKeyOf(identity);
    this.#leases = leases;
    this.#log = log;
  }

  get isOwned(): boolean {
    return this.#isOwned;
  }

  /** Asks for the lease, again and again until this process has it. */
  acquire(): void {
    this.#leases.apply(this, true);
  }

  request(): LeaseRequest | undefined {
    if (this.#isOwned) return undefined;
    return { key: this.key, most: 1, gapMs: 0, wanted: 1, isUrgent: false };
  }

  receive({ numbers }: LeaseResponse): void {
    if (numbers.length === 0) return;
    this.#isOwned = true;
    this.#log("egress_identity_acquired", { identity: this.#identity });
  }

  /** The heartbeat of this process had expired, and another process has the lease. */
  lose(): void {
    this.#isOwned = false;
    this.#log("egress_identity_lost", { identity: this.#identity });
    this.acquire();
  }
}

/** Paces in memory. Throttle events are written as well, so that every process can report them. */
export class OwnedHostLimiter extends LocalHostLimiter {
  readonly #key: string;
  readonly #profile: Profile;
  readonly #throttles: Pick<ThrottleStore, "of" | "record">;

  constructor(key: string, profile: Profile, throttles: Pick<ThrottleStore, "of" | "record">) {
    super(profile);
    this.#key = key;
    this.#profile = profile;
    this.#throttles = throttles;
  }

  override record(event: ThrottleEvent): void {
    super.record(event);
    const state = this.#throttles.of(this.#key);
    if (event.kind === "ok" && (!state || isUnthrottled(state, this.#profile))) return;
    this.#throttles.record(this.#key, this.#profile, event);
  }
}
