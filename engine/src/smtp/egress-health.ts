/**
 * Whether this installation can reach port 25 at all. Most clouds and home lines block it silently; then every
 * mailbox would end in a time-out that says nothing. After hosts of several owners have stayed silent and none has
 * ever answered, we say so at once, and look again from time to time.
 */
import { getDomain } from "tldts";

const SILENT_OWNERS_TO_TELL = 5;
const LOOK_AGAIN_AFTER_MS = 60_000;

export class EgressHealth {
  #silent = new Set<string>();
  #everConnected = false;
  #lookAgainAt = 0;

  connected(): void {
    this.#everConnected = true;
    this.#silent.clear();
  }

  /** Not even a refusal came back from this host. However many hosts one owner has, they may all be down together. */
  heardNothingFrom(host: string): void {
    if (this.#everConnected || this.#silent.size > SILENT_OWNERS_TO_TELL) return;
    this.#silent.add(getDomain(host) ?? host);
    this.#lookAgainAt = performance.now() + LOOK_AGAIN_AFTER_MS;
  }

  /** Seconds until it is worth another try; undefined while we know of no block. One question a minute goes through. */
  get blockedForSeconds(): number | undefined {
    if (this.#everConnected || this.#silent.size < SILENT_OWNERS_TO_TELL) return undefined;
    const left = this.#lookAgainAt - performance.now();
    if (left > 0) return Math.ceil(left / 1000);
    this.#lookAgainAt = performance.now() + LOOK_AGAIN_AFTER_MS;
    return undefined;
  }
}
