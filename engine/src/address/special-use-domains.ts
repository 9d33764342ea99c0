/**
 * Domains that never carry public mail: special-use names (IANA registry, RFC 6761) and the suffixes of private
 * networks.
 */

/** Domain or suffix → why it has no public mail. */
const SPECIAL_USE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // RFC 6761 and RFC 2606: documentation, tests, and names that must never exist.
    test: "is reserved for testing",
    example: "is reserved for documentation",
    "example.com": "is reserved for documentation",
    "example.net": "is reserved for documentation",
    "example.org": "is reserved for documentation",
    "example.edu": "is reserved for documentation",
    invalid: "is reserved and never exists",
    localhost: "always refers to the local machine",
    // Names resolved by other means than the public DNS.
    local: "is for devices on a local network (RFC 6762)",
    onion: "exists inside Tor only (RFC 7686)",
    alt: "is for naming systems outside DNS (RFC 9476)",
    internal: "is reserved for private networks",
    // Infrastructure names. home.arpa, in-addr.arpa, ip6.arpa, ipv4only.arpa and the rest of arpa hold no mailboxes.
    arpa: "is for the Internet's own infrastructure",
    // Never delegated, because private networks use them (RFC 6762 appendix G, ICANN 2018).
    home: "is used by private networks and not by the Internet",
    corp: "is used by private networks and not by the Internet",
    mail: "is used by private networks and not by the Internet",
    lan: "is used by private networks and not by the Internet",
    intranet: "is used by private networks and not by the Internet",
    private: "is used by private networks and not by the Internet",
    localdomain: "is used by private networks and not by the Internet",
    domain: "is a placeholder and not on the Internet",
  }),
);

export const SPECIAL_USE_NAMES = [...SPECIAL_USE.keys()];

/** Why no public mail exists at this domain (A-label form); undefined for an ordinary name. */
export function specialUseOf(domain: string, exempt: readonly string[] = []): string | undefined {
  const lastDot = domain.lastIndexOf(".");
  const topLevel = domain.slice(lastDot + 1);
  const secondLevel = domain.slice(domain.lastIndexOf(".", lastDot - 1) + 1);
  for (const name of [topLevel, secondLevel]) {
    const why = SPECIAL_USE.get(name);
    if (why !== undefined)
      return exempt.includes(name) ? undefined : `${name.includes(".") ? name : `.${name}`} ${why}`;
  }
  return undefined;
}
