/** IP addresses as DNS names (RFC 1035, 3.5; RFC 3596, 2.5; RFC 5782, 2): the parts in reverse order. */
import { parseIp } from "../egress/ip-range.ts";

/** `192.0.2.7` under `list.example` → `7.2.0.192.list.example`; IPv6 by nibbles. */
export function ipNameUnder(zone: string, address: string): string {
  return [...partsOf(address).reverse(), zone].join(".");
}

/** The name that holds the PTR records of an address. */
export function reverseNameOf(address: string): string {
  return ipNameUnder(address.includes(":") ? "ip6.arpa" : "in-addr.arpa", address);
}

/** Compares two addresses regardless of notation. */
export function isSameAddress(one: string, other: string): boolean {
  const bytes = parseIp(one);
  return bytes !== undefined && bytes.join() === parseIp(other)?.join();
}

function partsOf(address: string): string[] {
  const bytes = parseIp(address);
  if (!bytes) throw new Error(`"${address}" is not an IP address`);
  if (bytes.length === 4) return bytes.map(String);
  return bytes.flatMap((byte) => [(byte >> 4).toString(16), (byte & 15).toString(16)]);
}
