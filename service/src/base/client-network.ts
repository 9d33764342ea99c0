/**
 * The network of a client, for attempt limits and the audit log: an IPv4 address, or the /64 of an IPv6 address, all of which
 * usually belongs to one client. Also, whether a client is in a list of ranges.
 */
import { isInRange, parseIp, parseIpRange } from "@mailvet/engine";

const MAPPED_IPV4 = parseIpRange("::ffff:0:0/96");

export function networkOf(ip: string): string {
  return rangeOf(ip, { ipv4Bytes: 4, ipv6Groups: 4 });
}

/** The /24 or /48 around it: usually one provider at one place. */
export function areaOf(ip: string): string {
  return rangeOf(ip, { ipv4Bytes: 3, ipv6Groups: 3 });
}

function rangeOf(ip: string, { ipv4Bytes, ipv6Groups }: { ipv4Bytes: number; ipv6Groups: number }): string {
  const bytes = bytesOf(ip);
  if (bytes === undefined) return ip;
  if (bytes.length === 4) return [...bytes].slice(0, ipv4Bytes).join(".");
  const groups = Array.from({ length: ipv6Groups }, (_, at) =>
    ((bytes[2 * at]! << 8) | bytes[2 * at + 1]!).toString(16),
  );
  return `${groups.join(":")}::/${16 * ipv6Groups}`;
}

/** An IPv4 address that a dual-stack socket reports as IPv6 is the IPv4 address. */
export function isInRanges(ip: string, ranges: readonly string[]): boolean {
  const bytes = bytesOf(ip);
  return bytes !== undefined && ranges.some((range) => isInRange(bytes, parseIpRange(range)));
}

function bytesOf(ip: string) {
  const bytes = parseIp(ip.split("%", 1)[0]!);
  return bytes?.length === 16 && isInRange(bytes, MAPPED_IPV4) ? bytes.slice(12) : bytes;
}
