/** Domain names as used in queries: lower case, no final dot, within the length limits. */
import { isIP } from "node:net";

const MAX_NAME_LENGTH = 253;
const QUERYABLE = /^(?:[!-\-/-~]{1,63}\.)*[!-\-/-~]{1,63}$/; // printable ASCII in labels of at most 63
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** `Mail.Example.COM.` → `mail.example.com`; the root stays ".". */
export function normaliseName(name: string): string {
  const lower = name.toLowerCase();
  return lower.length > 1 && lower.endsWith(".") ? lower.slice(0, -1) : lower;
}

/** Whether the name can be encoded in a DNS query. */
export function isQueryable(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && QUERYABLE.test(name);
}

/**
 * Whether the name may be a mail exchanger's. Underscores violate RFC 1123 but are in use; an IP address in place of
 * a name (forbidden by RFC 5321, 5.1) is not a host name, and neither is anything else that ends in a number, such as
 * `127.1`.
 */
export function isHostName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH || isIP(name) !== 0 || !HOST.test(name)) return false;
  return !/(?:^|\.)[0-9]+$/.test(name);
}
