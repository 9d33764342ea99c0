/** Validates the texts of an egress identity, for the settings and for EGRESS_FILE. */
import { parseAddress } from "../../address/address.ts";
import { isHostName } from "../../dns/host-name.ts";
import type { SocksProxy } from "./socks.ts";

/** Stricter than for MX names: an underscore in EHLO is rejected by some servers. */
export function isEhloName(value: string): boolean {
  return isHostName(value.toLowerCase()) && !value.includes("_");
}

export function isSender(value: string): boolean {
  return parseAddress(value).ok && !/[^\x21-\x7e]/.test(value);
}

/** From socks5://[user:password@]host:port; undefined for anything else. */
export function proxyFrom(text: string): SocksProxy | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password } = new URL(text);
  if (protocol !== "socks5:" || hostname === "" || !(Number(port) >= 1)) return undefined;
  const proxy = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) };
  if (username === "") return proxy;
  try {
    return { ...proxy, username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined; // a % that is not followed by two hexadecimal digits
  }
}
