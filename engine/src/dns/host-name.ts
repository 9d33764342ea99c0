/**
 * Names as DNS takes them: lower case, without a final dot, and short enough to ask for.
 */
import { isIP } from "node:net";

const MAX_NAME_LENGTH = 253;
const ASKABLE = /^(?:[!-\-/-~]{1,63}\.)*[!-\-/-~]{1,63}$/; // printable ASCII in labels of at most 63
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** `Mail.Example.COM.` → `mail.example.com`; the root stays ".". */
export function plainName(name: string): string {
  const plain = name.toLowerCase();
  return plain.length > 1 && plain.endsWith(".") ? plain.slice(0, -1) : plain;
}

/** Whether a question about this name fits into a DNS message at all. */
export function isAskable(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && ASKABLE.test(name);
}

/**
 * Whether a mail exchanger may bear this name. Underscores are against the letter of RFC 1123 but live in the
 * wild; an IP address in place of a name (forbidden by RFC 5321, 5.1) is not a name, and neither is anything
 * else that ends in a number, such as `127.1`.
 */
export function isHostName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH || isIP(name) !== 0 || !HOST.test(name)) return false;
  return !/(?:^|\.)[0-9]+$/.test(name);
}
