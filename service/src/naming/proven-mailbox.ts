/**
 * Which checks teach how a domain names its mailboxes, and which mailbox they teach it of.
 *
 * Only what was proven counts: accepted where made-up names are refused. Names that are no person's (roles, relays,
 * throw-away mailboxes, what looks random) have verdicts of their own and so teach nothing; neither does free mail,
 * where people choose as they like.
 */
import { decide, type Evidence, hasNamingHabit } from "@mailvet/engine";

/** One spelling for one mailbox: lower case, without a tag. */
export type ProvenMailbox = { domain: string; local: string };

export function provenMailboxOf(evidence: Evidence): ProvenMailbox | undefined {
  if (evidence.mailbox?.answer !== "accepted" || !hasNamingHabit(evidence)) return undefined;
  const { domain, local } = evidence.address!;
  return decide(evidence).subStatus === "" ? mailboxIn(domain, local) : undefined;
}

/** Undefined for names that only quotes hold together. */
export function mailboxIn(domain: string, local: string): ProvenMailbox | undefined {
  if (local.startsWith('"')) return undefined;
  const plus = local.indexOf("+");
  return { domain, local: (plus > 0 ? local.slice(0, plus) : local).toLowerCase() };
}
