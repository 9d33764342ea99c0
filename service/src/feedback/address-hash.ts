/** Hash of an address, salted with the account: equal addresses of two accounts have different hashes. */
import { hash } from "node:crypto";

/** Hexadecimal. */
export function addressHash(accountId: string, normalized: string): string {
  return hash("sha256", `${accountId} ${normalized}`, "hex");
}
