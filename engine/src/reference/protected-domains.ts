/**
 * Domains that are never disposable, whatever a list says: mailbox providers, privacy relays, agent mailboxes, and the
 * organisations in data/protected-domains.txt.
 *
 * Checked when a list is built, when it is refreshed, and for every match, so that an error in a public list never
 * blocks a company's addresses.
 */

import { isAtOrBelow, readNameSet } from "./domain-set.ts";
import { isFreeProvider } from "./free-providers.ts";
import { isAgentMailbox, isPrivacyRelay } from "./relays-and-agents.ts";

/** `domain` in A-labels, lower case. Subdomains are protected too. */
export function isProtectedDomain(domain: string): boolean {
  if (isPrivacyRelay(domain) || isAgentMailbox(domain) || RESTRICTED_ENDING.test(domain)) return true;
  protectedNames ??= readNameSet(PROTECTED_FILE);
  return isAtOrBelow(domain, protectedNames) || isAtOrBelow(domain, PROVIDERS);
}

const PROTECTED_FILE = new URL("../../data/protected-domains.txt", import.meta.url);

let protectedNames: ReadonlySet<string> | undefined;

// Registries that verify applicants: governments, armed forces, treaty bodies, accredited universities.
const RESTRICTED_ENDING = new RegExp(
  `\\.(?:${[
    "gov|mil|edu|int",
    "(?:gov|gob|gouv|govt|mil|gv)\\.[a-z]{2}",
    "ac\\.(?:at|il|jp|kr|nz|uk|za)",
    "edu\\.(?:au|br|cn|hk|sg|tr|tw)",
  ].join("|")})$`,
);

const PROVIDERS = { has: isFreeProvider };
