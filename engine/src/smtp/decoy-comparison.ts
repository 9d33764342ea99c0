/**
 * Reads a permanent refusal that gives no reason by comparing it with the refusal of a decoy at the same host: the same
 * reply to both means that the mailbox is as unknown as the decoy, provided that the host refused both of them and not
 * everything.
 *
 * Compares and remembers acceptances; sends nothing. The decoys are in catch-all.ts and decoy-name.ts.
 */
import { LRUCache } from "lru-cache";
import { entriesFor } from "../base/lru-limit.ts";
import type { DecoyFinding, MailboxFinding } from "../evidence.ts";
import type { KnownMailbox } from "./throttle/host-memory.ts";

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

/**
 * The last accepted mailbox of each domain. That it was accepted proves nothing about a later refusal: it is asked again in
 * the session of the refusal (session/session-controls.ts).
 */
export class AcceptedMailboxes {
  readonly #byDomain = new LRUCache<string, KnownMailbox>(entriesFor(REMEMBER_MS, MAX_DOMAINS));

  /** Role mailboxes such as postmaster@ bypass filters, so their acceptance says nothing about others. */
  record({ recipient, smtpUtf8, domain, isRole }: KnownMailbox): void {
    if (!isRole) this.#byDomain.set(domain, { recipient, smtpUtf8, domain, isRole });
  }

  at(domain: string): KnownMailbox | undefined {
    return this.#byDomain.get(domain);
  }

  /** It was refused: for a reason of its own, or because everything is. */
  forget({ recipient, domain }: Pick<KnownMailbox, "recipient" | "domain">): void {
    if (this.at(domain)?.recipient === recipient) this.#byDomain.delete(domain);
  }
}
