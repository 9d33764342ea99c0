/**
 * The egress guard: which addresses we may connect to. Strangers choose where their mail exchangers and
 * webhooks point, so we go only where the public Internet is, and never to a neighbour of ours.
 *
 * It judges addresses, never names: whoever connects must connect to the very address that was judged.
 */
import { type IpBytes, type IpRange, isInRange, parseIp, parseIpRange } from "./ip-range.ts";

export type EgressGuard = {
  permits(address: string): boolean;
  /** Why an address is refused, in a word or two; undefined when it is permitted. */
  refusal(address: string): string | undefined;
};

/** Opens ranges that are shut otherwise, such as `127.0.0.0/8`; throws on a range it cannot read. */
export function createEgressGuard({ allow = [] }: { allow?: readonly string[] } = {}): EgressGuard {
  const opened = allow.map(parseIpRange);

  const refusal = (address: string): string | undefined => {
    const bytes = parseIp(address);
    if (!bytes) return "not an IP address";
    const reached = embeddedIpv4(bytes) ?? bytes;
    if (opened.some((range) => isInRange(bytes, range) || isInRange(reached, range))) return undefined;
    const shut = SHUT.find(([range]) => isInRange(reached, range));
    if (shut) return shut[1];
    return reached.length === 4 || isInRange(reached, GLOBAL_UNICAST_V6) ? undefined : "not global unicast";
  };

  return { refusal, permits: (address) => refusal(address) === undefined };
}

/** IPv6 notations that end up at an IPv4 address: that address is what has to be judged. */
function embeddedIpv4(bytes: IpBytes): IpBytes | undefined {
  return EMBEDS_IPV4.some((range) => isInRange(bytes, range)) ? bytes.slice(12) : undefined;
}

const EMBEDS_IPV4: readonly IpRange[] = [
  parseIpRange("::ffff:0:0/96"), // IPv4-mapped
  parseIpRange("64:ff9b::/96"), //  NAT64, the well-known prefix
];

const GLOBAL_UNICAST_V6 = parseIpRange("2000::/3");

/** The special-purpose registries of IANA, as far as they are not global unicast; the first match is named. */
const SHUT: readonly (readonly [IpRange, string])[] = (
  [
    ["0.0.0.0/8", "this network"],
    ["10.0.0.0/8", "private"],
    ["100.64.0.0/10", "carrier-grade NAT"],
    ["127.0.0.0/8", "loopback"],
    ["169.254.0.0/16", "link-local"], // cloud metadata services live here
    ["172.16.0.0/12", "private"],
    ["192.0.0.0/24", "protocol assignments"],
    ["192.0.2.0/24", "documentation"],
    ["192.88.99.0/24", "6to4 relay"],
    ["192.168.0.0/16", "private"],
    ["198.18.0.0/15", "benchmarking"],
    ["198.51.100.0/24", "documentation"],
    ["203.0.113.0/24", "documentation"],
    ["224.0.0.0/4", "multicast"],
    ["255.255.255.255/32", "broadcast"],
    ["240.0.0.0/4", "reserved"],
    ["::/128", "unspecified"],
    ["::1/128", "loopback"],
    ["::/96", "IPv4-compatible"],
    ["64:ff9b:1::/48", "local NAT64"], // where the IPv4 address sits in it is the operator's own choice
    ["100::/64", "discard"],
    ["2001::/32", "Teredo"],
    ["2001::/23", "protocol assignments"],
    ["2001:db8::/32", "documentation"],
    ["2002::/16", "6to4"],
    ["3fff::/20", "documentation"],
    ["fc00::/7", "private"],
    ["fe80::/10", "link-local"],
    ["fec0::/10", "site-local"],
    ["ff00::/8", "multicast"],
  ] as const
).map(([range, name]) => [parseIpRange(range), name] as const);
