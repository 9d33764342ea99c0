/**
 * Domains that are never disposable, whatever a list says: mailbox providers, masking relays, and the
 * organisations in data/protected-domains.txt.
 *
 * Asked when a list is built, again when it is refreshed, and once more for every name found in it, so that
 * a bad day of a list somewhere never turns a company's customers away.
 */

import { isAtOrBelow, readNameSet } from "./domain-set.ts";
import { isFreeProvider } from "./free-providers.ts";
import { isPrivacyRelay } from "./privacy-relays.ts";

/** Names in lower case, A-label form. A protected name protects what is below it. */
export function isProtectedDomain(domain: string): boolean {
  if (isPrivacyRelay(domain) || RESTRICTED_ENDING.test(domain)) return true;
  protectedNames ??= readNameSet(PROTECTED_FILE);
  return isAtOrBelow(domain, protectedNames) || isAtOrBelow(domain, PROVIDERS);
}

const PROTECTED_FILE = new URL("../../data/protected-domains.txt", import.meta.url);

let protectedNames: ReadonlySet<string> | undefined;

// Registries that check who applies: governments, armed forces, treaty bodies, accredited universities.
const RESTRICTED_ENDING = new RegExp(
  `\\.(?:${[
    "gov|mil|edu|int",
    "(?:gov|gob|gouv|govt|mil|gv)\\.[a-z]{2}",
    "ac\\.(?:at|il|jp|kr|nz|uk|za)",
    "edu\\.(?:au|br|cn|hk|sg|tr|tw)",
  ].join("|")})$`,
);

const PROVIDERS = { has: isFreeProvider };
