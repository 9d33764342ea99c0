/**
 * Reads a permanent refusal that gives no reason by comparing it with the refusal of a decoy at the same host: the same
 * reply to both means that the mailbox is as unknown as the decoy, provided that the domain accepts other mailboxes.
 *
 * Compares and remembers acceptances; sends nothing. The decoys are in catch-all.ts and decoy-name.ts.
 */
import { LRUCache } from "lru-cache";
import { entriesFor } from "../base/lru-limit.ts";
import type { DecoyFinding, MailboxFinding } from "../evidence.ts";

export function isRefusedLikeDecoy(
  mailbox: MailboxFinding,
  decoy: DecoyFinding,
  names: readonly string[],
): boolean {
  if (decoy.answer !== "not_found" || !mailbox.reply || !decoy.reply) return false;
  if (mailbox.mxHost !== decoy.mxHost || mailbox.reply.code !== decoy.reply.code) return false;
  if (mailbox.reply.enhanced !== decoy.reply.enhanced) return false;
  return comparable(mailbox.reply.text, names) === comparable(decoy.reply.text, names);
}

/** The text without addresses, the probed names, and anything with a digit: ids and times of one session. */
function comparable(text: string, names: readonly string[]): string {
  let words = text.toLowerCase().replace(/\S+@\S+/g, " ");
  for (const name of names) words = words.replaceAll(name.toLowerCase(), " ");
  return words
    .split(/\s+/)
    .filter((word) => word !== "" && !/\d/.test(word))
    .join(" ");
}

/** OpenSMTPD's reply to an unknown name. No server uses it to refuse a client. */
export function isUnknownUserCode({ reply }: MailboxFinding): boolean {
  return reply?.code === 524 && reply.enhanced === "5.2.4";
}

const MAX_DOMAINS = 50_000;
const REMEMBER_MS = 24 * 3600 * 1000;

type InFlight = { count: number; waiters: Set<() => void> };

/** Domains that accepted a mailbox: where others are accepted, a refusal without a reason is not aimed at us. */
export class AcceptingDomains {
  readonly #accepting = new LRUCache<string, true>(entriesFor(REMEMBER_MS, MAX_DOMAINS));
  readonly #inFlight = new Map<string, InFlight>();

  /** A probe of a mailbox at the domain begins. */
  begin(domain: string): void {
    const inFlight = this.#inFlight.get(domain) ?? { count: 0, waiters: new Set() };
    this.#inFlight.set(domain, inFlight);
    inFlight.count++;
  }

  end(domain: string, isAccepted: boolean): void {
    const inFlight = this.#inFlight.get(domain);
    if (isAccepted) this.#accepting.set(domain, true);
    if (!inFlight) return;
    inFlight.count--;
    if (inFlight.count === 0) this.#inFlight.delete(domain);
    if (inFlight.count > 0 && !isAccepted) return;
    for (const wake of inFlight.waiters) wake();
    inFlight.waiters.clear();
  }

  hasAccepted(domain: string): boolean {
    return this.#accepting.has(domain);
  }

  /** Waits for the first acceptance among the probes in flight, or for the last of their answers. */
  async waitForAcceptance(domain: string): Promise<boolean> {
    const inFlight = this.#inFlight.get(domain);
    if (!this.hasAccepted(domain) && inFlight) {
      await new Promise<void>((resolve) => void inFlight.waiters.add(resolve));
    }
    return this.hasAccepted(domain);
  }
}
