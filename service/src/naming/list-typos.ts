/**
 * "Did you mean" from the list itself: for an address whose domain does not exist or accepts no mail, in a list with many
 * addresses at a domain that is one typo away and does.
 */
import { type Evidence, suggestKnownDomain, type Verdict } from "@mailvet/engine";
import { createNeighbourhood, MANY_ADDRESSES, type Neighbourhood } from "./similar-domain-index.ts";

/** The evidence with a suggested address; the same evidence without one. */
export type ListTypos = (evidence: Evidence, verdict: Verdict) => Evidence;

export function listTyposOf(list: () => Iterable<Evidence>): ListTypos {
  let known: Known | undefined;
  return (evidence, { subStatus }) => {
    const { address, suggestion, ignoresName } = evidence;
    if (subStatus !== "domain_not_found" && subStatus !== "no_mail_server") return evidence;
    if (!address || suggestion || ignoresName) return evidence;
    known ??= indexOf(list());
    const suggested = suggestedFor(address.domain, known);
    if (suggested === undefined) return evidence;
    return { ...evidence, suggestion: { email: `${address.local}@${suggested}`, lookAlike: false } };
  };
}

type Known = { addressesAt: ReadonlyMap<string, number>; neighbourhood: Neighbourhood };

/** Domains that accept mail. */
function indexOf(list: Iterable<Evidence>): Known {
  const addressesAt = new Map<string, number>();
  for (const { address, route } of list) {
    if (!address || route?.kind !== "mail_hosts") continue;
    addressesAt.set(address.domain, (addressesAt.get(address.domain) ?? 0) + 1);
  }
  const neighbourhood = createNeighbourhood();
  for (const [domain, addresses] of addressesAt) if (addresses >= MANY_ADDRESSES) neighbourhood.add(domain);
  return { addressesAt, neighbourhood };
}

/** Most domains have no neighbour, so the comparison itself is rare. */
function suggestedFor(failed: string, { addressesAt, neighbourhood }: Known): string | undefined {
  if (neighbourhood.near(failed).length === 0) return undefined;
  return suggestKnownDomain(failed, (domain) => addressesAt.get(domain));
}
