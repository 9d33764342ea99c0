/**
 * Which checks count towards the naming pattern of a domain, and the mailbox they count.
 *
 * Only proven mailboxes count: accepted where the decoy is rejected. Roles, relays, disposable and random names have verdicts
 * of their own and do not count; neither does free mail, where users choose any name.
 */
import { decide, type Evidence, hasNamingPattern } from "@mailvet/engine";

/** One spelling for one mailbox: lower case, without a tag. */
export type ProvenMailbox = { domain: string; local: string };

export function provenMailboxOf(evidence: Evidence): ProvenMailbox | undefined {
  if (evidence.mailbox?.answer !== "accepted" || !hasNamingPattern(evidence)) return undefined;
  const { domain, local } = evidence.address!;
  return decide(evidence).subStatus === "" ? mailboxIn(domain, local) : undefined;
}

/** Undefined for quoted names. */
export function mailboxIn(domain: string, local: string): ProvenMailbox | undefined {
  if (local.startsWith('"')) return undefined;
  const plus = local.indexOf("+");
  return { domain, local: (plus > 0 ? local.slice(0, plus) : local).toLowerCase() };
}
