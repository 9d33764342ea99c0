/**
 * Detects that an egress identity cannot reach any mail host: outbound port 25 is blocked, or its proxy is down.
 *
 * Most clouds and home connections drop port 25 silently, and then every probe would end in a timeout that proves
 * nothing. Once hosts of several owners have timed out and none has ever answered, probes return `egress_blocked` at
 * once, except for one per minute that tests it again. A proxy that is down only makes room for other identities.
 *
 * Counts only what the host pools report; sends nothing itself.
 */
import { getDomain } from "../../address/public-suffix.ts";
import { type Greeting, Interception } from "./interception.ts";

const SILENT_OWNERS_TO_BLOCK = 5;
const RETRY_AFTER_MS = 60_000;
const RETRY_PROXY_AFTER_MS = 10_000;

export class EgressHealth {
  /** Of its connections, by a device in its network. */
  readonly interception = new Interception();
  #silentOwners = new Set<string>();
  #everConnected = false;
  #retryAt = 0;
  #downUntil = Number.NEGATIVE_INFINITY;

  connected(): void {
    this.#everConnected = true;
    this.#downUntil = Number.NEGATIVE_INFINITY;
    this.#silentOwners.clear();
  }

  /** True if it was news about what intercepts its connections. */
  greeted(greeting: Greeting): boolean {
    return this.interception.greeted(greeting);
  }

  /** The connection timed out without a refusal. Hosts of one owner may all be down together, so owners are counted. */
  timedOut(host: string): void {
    if (this.#everConnected || this.#silentOwners.size > SILENT_OWNERS_TO_BLOCK) return;
    this.#silentOwners.add(getDomain(host) ?? host);
    this.#retryAt = performance.now() + RETRY_AFTER_MS;
  }

  /** The connection failed on our own side: the proxy does not answer, or the source address is not ours. */
  failedLocally(): void {
    this.#downUntil = performance.now() + RETRY_PROXY_AFTER_MS;
  }

  /** The last connection failed on our own side, a moment ago. */
  get isDown(): boolean {
    return performance.now() < this.#downUntil;
  }

  /** Another identity is better, if there is one. */
  get isAvoidable(): boolean {
    return this.isDown || (this.#isBlocked && performance.now() < this.#retryAt);
  }

  /** Seconds until the next test; undefined when not blocked, or when the caller is to make that test. */
  get blockedForSeconds(): number | undefined {
    if (!this.#isBlocked) return undefined;
    const left = this.#retryAt - performance.now();
    if (left > 0) return Math.ceil(left / 1000);
    this.#retryAt = performance.now() + RETRY_AFTER_MS;
    return undefined;
  }

  get #isBlocked(): boolean {
    return !this.#everConnected && this.#silentOwners.size >= SILENT_OWNERS_TO_BLOCK;
  }
}

/** Of several identities: undefined while one of them can be used, or is to be tested. */
export function blockedForSeconds(healths: readonly EgressHealth[]): number | undefined {
  if (healths.length === 1) return healths[0]!.blockedForSeconds;
  if (healths.some((health) => !health.isAvoidable)) return undefined;
  const seconds = healths.map((health) => health.blockedForSeconds);
  return seconds.includes(undefined) ? undefined : Math.min(...(seconds as number[]));
}
