/**
 * The network of a client, for attempt limits: an IPv4 address, or the /64 of an IPv6 address, all of which usually belongs
 * to one client.
 */
import { isInRange, parseIp, parseIpRange } from "@mailvet/engine";

const MAPPED_IPV4 = parseIpRange("::ffff:0:0/96");

export function networkOf(ip: string): string {
  const bytes = parseIp(ip.split("%", 1)[0]!);
  if (bytes?.length !== 16) return ip;
  if (isInRange(bytes, MAPPED_IPV4)) return bytes.slice(12).join(".");
  const groups = [0, 2, 4, 6].map((at) => ((bytes[at]! << 8) | bytes[at + 1]!).toString(16));
  return `${groups.join(":")}::/64`;
}
