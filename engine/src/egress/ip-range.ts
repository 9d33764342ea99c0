/** IP addresses and CIDR ranges as bytes, for exact range checks. */
import { isIPv4, isIPv6 } from "node:net";

/** 4 bytes for IPv4, 16 for IPv6. */
export type IpBytes = readonly number[];
export type IpRange = { bytes: IpBytes; prefixBits: number };

/** `10.0.0.0/8`, `fd00::/8`, or one address. Throws on anything else. */
export function parseIpRange(text: string): IpRange {
  const [address = "", prefix, ...rest] = text.trim().split("/");
  const bytes = parseIp(address);
  const maxBits = (bytes?.length ?? 0) * 8;
  const prefixBits = prefix === undefined ? maxBits : Number(prefix);
  const isPrefix = prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && prefixBits <= maxBits);
  if (!bytes || !isPrefix || rest.length > 0) {
    throw new Error(`"${text}" is not an address range: write it like 127.0.0.0/8 or fd00::/8`);
  }
  if (bytes.some((byte, index) => (byte & ~maskOf(prefixBits, index)) !== 0)) {
    throw new Error(`"${text}" is not an address range: the address has bits beyond its first ${prefixBits}`);
  }
  return { bytes, prefixBits };
}

export function isInRange(bytes: IpBytes, range: IpRange): boolean {
  if (bytes.length !== range.bytes.length) return false;
  return range.bytes.every((byte, index) => ((bytes[index] ?? 0) & maskOf(range.prefixBits, index)) === byte);
}

/** Undefined for anything but standard notation: no zones, no octal, no short forms. */
export function parseIp(text: string): IpBytes | undefined {
  if (isIPv4(text)) return text.split(".").map(Number);
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const [head = "", tail] = text.split("::");
  const headBytes = groupsToBytes(head);
  const tailBytes = groupsToBytes(tail ?? "");
  const gap = Math.max(0, 16 - headBytes.length - tailBytes.length);
  return [...headBytes, ...new Array<number>(gap).fill(0), ...tailBytes];
}

/** `2001:db8` → 4 bytes; a dotted quad at the end (`::ffff:10.0.0.1`) counts as two groups. */
function groupsToBytes(groups: string): number[] {
  if (groups === "") return [];
  return groups.split(":").flatMap((group) => {
    if (group.includes(".")) return group.split(".").map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** The bits of one byte that belong to the prefix. */
function maskOf(prefixBits: number, index: number): number {
  const bits = Math.min(8, Math.max(0, prefixBits - index * 8));
  return 0xff & (0xff << (8 - bits));
}
