/**
 * "Did you mean" from a list itself: an address whose domain does not exist or takes no mail, in a list with many
 * addresses at a domain that is one slip away and does.
 */
import { type Evidence, suggestKnownDomain, type Verdict } from "@mailvet/engine";
import { createNeighbourhood, MANY_ADDRESSES, type Neighbourhood } from "./list-neighbours.ts";

/** The evidence with the address that was probably meant; the same evidence where nothing better is known. */
export type ListSlips = (evidence: Evidence, verdict: Verdict) => Evidence;

export function listSlipsOf(list: () => Iterable<Evidence>): ListSlips {
  let known: Known | undefined;
  return (evidence, { subStatus }) => {
    const { address, suggestion, ignoresName } = evidence;
    if (subStatus !== "domain_not_found" && subStatus !== "no_mail_server") return evidence;
    if (!address || suggestion || ignoresName) return evidence;
    known ??= lookAt(list());
    const meant = meantBy(address.domain, known);
    if (meant === undefined) return evidence;
    return { ...evidence, suggestion: { email: `${address.local}@${meant}`, lookAlike: false } };
  };
}

type Known = { addressesAt: ReadonlyMap<string, number>; neighbourhood: Neighbourhood };

/** Domains that can be mailed to. */
function lookAt(list: Iterable<Evidence>): Known {
  const addressesAt = new Map<string, number>();
  for (const { address, route } of list) {
    if (!address || route?.kind !== "mail_hosts") continue;
    addressesAt.set(address.domain, (addressesAt.get(address.domain) ?? 0) + 1);
  }
  const neighbourhood = createNeighbourhood();
  for (const [domain, addresses] of addressesAt) if (addresses >= MANY_ADDRESSES) neighbourhood.add(domain);
  return { addressesAt, neighbourhood };
}

/** Most domains have no neighbour at all, and so the slip itself is seldom looked at. */
function meantBy(failed: string, { addressesAt, neighbourhood }: Known): string | undefined {
  if (neighbourhood.near(failed).length === 0) return undefined;
  return suggestKnownDomain(failed, (domain) => addressesAt.get(domain));
}
