/**
 * The network of a client, for attempt limits and the audit log: an IPv4 address, or the /64 of an IPv6 address, all of which
 * usually belongs to one client. Also, whether a client is in a list of ranges.
 */
import { isInRange, parseIp, parseIpRange } from "@mailvet/engine";

const MAPPED_IPV4 = parseIpRange("::ffff:0:0/96");

export function networkOf(ip: string): string {
  const bytes = bytesOf(ip);
  if (bytes === undefined) return ip;
  if (bytes.length === 4) return bytes.join(".");
  const groups = [0, 2, 4, 6].map((at) => ((bytes[at]! << 8) | bytes[at + 1]!).toString(16));
  return `${groups.join(":")}::/64`;
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
