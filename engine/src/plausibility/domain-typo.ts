/**
 * "Did you mean" for domains that no table knows: `acmecrop.com` in a list that has forty mailboxes at `acmecorp.com`.
 *
 * For domains that failed (they do not exist, or take no mail), after the table of large providers had nothing to say.
 * What may have been meant are domains with several mailboxes: of the same list, or ones a deployment has proven.
 */

import { typoCost } from "../address/typo-cost.ts";
import { slipsBehind } from "./typo-candidates.ts";

/** How many mailboxes are known at a domain; undefined or 0 where none are. */
export type MailboxesAt = (domain: string) => number | undefined;

/**
 * The one domain with enough mailboxes that a single slip turns into the failed one. Both in A-labels, lower case.
 * A Map's `get` does: `suggestKnownDomain(domain, (known) => mailboxes.get(known))`.
 */
export function suggestKnownDomain(failed: string, mailboxesAt: MailboxesAt): string | undefined {
  if (!isWorthATry(failed)) return undefined;
  let found: string | undefined;
  for (const candidate of slipsBehind(failed, ALPHABET)) {
    if ((mailboxesAt(candidate) ?? 0) < FEWEST_MAILBOXES) continue;
    if (candidate === found || !isPlausibleSlip(failed, candidate)) continue;
    if (found !== undefined) return undefined; // either may have been meant
    found = candidate;
  }
  return found;
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789-.";

/** One mailbox may be a slip itself. */
const FEWEST_MAILBOXES = 5;

function isWorthATry(domain: string): boolean {
  return domain.length <= LONGEST_DOMAIN && nameOf(domain).length >= SHORTEST_NAME;
}

/** typo-cost.ts compares no longer words. */
const LONGEST_DOMAIN = 40;
/** `ab.com` and `abc.com` are two companies. */
const SHORTEST_NAME = 4;

function isPlausibleSlip(failed: string, candidate: string): boolean {
  return (
    nameOf(candidate).length >= SHORTEST_NAME &&
    !isOtherNumber(failed, candidate) &&
    typoCost(failed, candidate, DEAREST_SLIP, ...initialOf(failed)) <= DEAREST_SLIP
  );
}

const DEAREST_SLIP = 0.9;

/** A long name is recognised by its rest; in a short one, another initial makes another name. */
function initialOf(failed: string): [initial?: number] {
  return nameOf(failed).length >= LONG_NAME ? [0] : [];
}

const LONG_NAME = 8;

/** `shop1` and `shop2` are two shops; `sh0p` is a shop. */
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
