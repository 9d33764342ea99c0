/**
 * The network of a client, for attempt limits: an IPv4 address, or the /64 of an IPv6 address, all of which usually belongs
 * to one client.
 */
import { isIPv4, isIPv6 } from "node:net";

const GROUPS = 8;
const NETWORK_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

export function networkOf(ip: string): string {
  const mapped = MAPPED_IPV4.exec(ip)?.[1];
  if (mapped && isIPv4(mapped)) return mapped;
  if (!isIPv6(ip)) return ip;
  const [written = "", afterGap] = ip.split("%", 1)[0]!.toLowerCase().split("::");
  const head = groupsOf(written);
  const tail = groupsOf(afterGap ?? "");
  const gap = afterGap === undefined ? [] : Array<string>(GROUPS - head.length - tail.length).fill("0");
  const groups = [...head, ...gap, ...tail].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

function groupsOf(text: string): string[] {
  if (text === "") return [];
  // A trailing IPv4 address stands for two groups, which are never part of the network.
  return text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
}
