/**
 * The egress guard: which IP addresses may be connected to.
 *
 * Remote parties choose where their MX records and webhooks point, so connections go to global unicast addresses
 * only. The guard checks addresses, never names: the connection must use the address that was checked.
 */
import { type IpBytes, type IpRange, isInRange, parseIp, parseIpRange } from "./ip-range.ts";

export type EgressGuard = {
  permits(address: string): boolean;
  /** Why an address is refused; undefined when it is permitted. */
  refusal(address: string): string | undefined;
};

/** `allow` opens ranges that are closed by default, such as `127.0.0.0/8`; throws on an invalid range. */
export function createEgressGuard({ allow = [] }: { allow?: readonly string[] } = {}): EgressGuard {
  const opened = allow.map(parseIpRange);

  const refusal = (address: string): string | undefined => {
    const bytes = parseIp(address);
    if (!bytes) return "not an IP address";
    const effective = embeddedIpv4(bytes) ?? bytes;
    if (opened.some((range) => isInRange(bytes, range) || isInRange(effective, range))) return undefined;
    const closed = CLOSED.find(([range]) => isInRange(effective, range));
    if (closed) return closed[1];
    return effective.length === 4 || isInRange(effective, GLOBAL_UNICAST_V6)
      ? undefined
      : "not global unicast";
  };

  return { refusal, permits: (address) => refusal(address) === undefined };
}

/** IPv6 notations that lead to an IPv4 address: the embedded address is checked. */
function embeddedIpv4(bytes: IpBytes): IpBytes | undefined {
  return EMBEDS_IPV4.some((range) => isInRange(bytes, range)) ? bytes.slice(12) : undefined;
}

const EMBEDS_IPV4: readonly IpRange[] = [
  parseIpRange("::ffff:0:0/96"), // IPv4-mapped
  parseIpRange("64:ff9b::/96"), // NAT64, the well-known prefix
];

const GLOBAL_UNICAST_V6 = parseIpRange("2000::/3");

/** The IANA special-purpose registries as far as they are not global unicast; the first match is reported. */
const CLOSED: readonly (readonly [IpRange, string])[] = (
  [
    ["0.0.0.0/8", "this network"],
    ["10.0.0.0/8", "private"],
    ["100.64.0.0/10", "carrier-grade NAT"],
    ["127.0.0.0/8", "loopback"],
    ["169.254.0.0/16", "link-local"], // includes cloud metadata services
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
    ["64:ff9b:1::/48", "local NAT64"], // the position of the IPv4 address in it is the operator's choice
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
