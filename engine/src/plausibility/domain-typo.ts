/**
 * "Did you mean" for domains outside the provider tables: `acmecrop.com` in a list with forty mailboxes at
 * `acmecorp.com`.
 *
 * For domains that failed (they do not exist, or accept no mail) and are no typo of a large provider. Candidates are
 * domains with several mailboxes: of the same list, or proven by the deployment.
 */

import { typoCost } from "../address/typo-cost.ts";
import { typoCandidates } from "./typo-candidates.ts";

/** Number of mailboxes known at a domain; undefined or 0 where there are none. */
export type MailboxesAt = (domain: string) => number | undefined;

/**
 * The only domain with enough mailboxes that is one typo away from the failed one. Both in A-labels, lower case. Use
 * with a Map: `suggestKnownDomain(domain, (known) => mailboxes.get(known))`.
 */
export function suggestKnownDomain(failed: string, mailboxesAt: MailboxesAt): string | undefined {
  if (!isCorrectable(failed)) return undefined;
  let found: string | undefined;
  for (const candidate of typoCandidates(failed, ALPHABET)) {
    if ((mailboxesAt(candidate) ?? 0) < MIN_MAILBOXES) continue;
    if (candidate === found || !isPlausibleTypo(failed, candidate)) continue;
    if (found !== undefined) return undefined; // ambiguous
    found = candidate;
  }
  return found;
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789-.";

/** A single mailbox may be a typo itself. */
const MIN_MAILBOXES = 5;

function isCorrectable(domain: string): boolean {
  return domain.length <= LONGEST_DOMAIN && nameOf(domain).length >= SHORTEST_NAME;
}

/** The limit of typo-cost.ts. */
const LONGEST_DOMAIN = 40;
/** `ab.com` and `abc.com` are two companies. */
const SHORTEST_NAME = 4;

function isPlausibleTypo(failed: string, candidate: string): boolean {
  return (
    nameOf(candidate).length >= SHORTEST_NAME &&
    !isOtherNumber(failed, candidate) &&
    typoCost(failed, candidate, MAX_TYPO_COST, ...initialOf(failed)) <= MAX_TYPO_COST
  );
}

const MAX_TYPO_COST = 0.9;

/** In a long name the initial matters little; in a short one, another initial makes another name. */
function initialOf(failed: string): [initial?: number] {
  return nameOf(failed).length >= LONG_NAME ? [0] : [];
}

const LONG_NAME = 8;

/** `shop1` and `shop2` are two shops; `sh0p` is a typo. */
function isOtherNumber(failed: string, candidate: string): boolean {
  const [typed, meant] = [digitsOf(failed), digitsOf(candidate)];
  return typed !== meant && (failed.length !== candidate.length || typed.length === meant.length);
}

function digitsOf(domain: string): string {
  return domain.replace(/\D/g, "");
}

function nameOf(domain: string): string {
  return domain.slice(0, domain.indexOf("."));
}
