/**
 * Which domains have accepted a mailbox of ours to ask for: where others are accepted, a refusal without a reason is
 * not aimed at us.
 */
import { LRUCache } from "lru-cache";

const MAX_DOMAINS = 50_000;
const REMEMBER_MS = 24 * 3600 * 1000;

type Asking = { count: number; waiting: Set<() => void> };

export class AcceptingDomains {
  readonly #accepting = new LRUCache<string, true>({ max: MAX_DOMAINS, ttl: REMEMBER_MS });
  readonly #asking = new Map<string, Asking>();

  /** A mailbox at the domain is being asked for. */
  begin(domain: string): void {
    const asking = this.#asking.get(domain) ?? { count: 0, waiting: new Set() };
    this.#asking.set(domain, asking);
    asking.count++;
  }

  /** It was answered. */
  end(domain: string, isAccepted: boolean): void {
    const asking = this.#asking.get(domain);
    if (isAccepted) this.#accepting.set(domain, true);
    if (!asking) return;
    asking.count--;
    if (asking.count === 0) this.#asking.delete(domain);
    if (asking.count > 0 && !isAccepted) return;
    for (const wake of asking.waiting) wake();
    asking.waiting.clear();
  }

  hasAccepted(domain: string): boolean {
    return this.#accepting.has(domain);
  }

  /** Waits for the first acceptance among those that are being asked for, or for the last of their answers. */
  async someoneAccepted(domain: string): Promise<boolean> {
    const asking = this.#asking.get(domain);
    if (!this.hasAccepted(domain) && asking) {
      await new Promise<void>((resolve) => void asking.waiting.add(resolve));
    }
    return this.hasAccepted(domain);
  }
}
