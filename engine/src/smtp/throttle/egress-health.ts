/**
 * Detects that outbound port 25 is blocked. Most clouds and home connections drop it silently, and then every probe
 * would end in a timeout that proves nothing. Once hosts of several owners have timed out and none has ever answered,
 * probes return `egress_blocked` at once, except for one per minute that tests it again.
 *
 * Counts only what the host pools report; sends nothing itself.
 */
import { getDomain } from "../../address/public-suffix.ts";

const SILENT_OWNERS_TO_BLOCK = 5;
const RETRY_AFTER_MS = 60_000;

export class EgressHealth {
  #silentOwners = new Set<string>();
  #everConnected = false;
  #retryAt = 0;

  connected(): void {
    this.#everConnected = true;
    this.#silentOwners.clear();
  }

  /** The connection timed out without a refusal. Hosts of one owner may all be down together, so owners are counted. */
  timedOut(host: string): void {
    if (this.#everConnected || this.#silentOwners.size > SILENT_OWNERS_TO_BLOCK) return;
    this.#silentOwners.add(getDomain(host) ?? host);
    this.#retryAt = performance.now() + RETRY_AFTER_MS;
  }

  /** Seconds until the next test; undefined when not blocked, or when the caller is to make that test. */
  get blockedForSeconds(): number | undefined {
    if (this.#everConnected || this.#silentOwners.size < SILENT_OWNERS_TO_BLOCK) return undefined;
    const left = this.#retryAt - performance.now();
    if (left > 0) return Math.ceil(left / 1000);
    this.#retryAt = performance.now() + RETRY_AFTER_MS;
    return undefined;
  }
}
