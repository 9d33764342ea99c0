/** Hash of an address, salted with the account: equal addresses of two accounts have different hashes. */
import { createHash } from "node:crypto";

/** Hexadecimal. */
export function addressHash(accountId: string, normalized: string): string {
  return createHash("sha256").update(`${accountId} ${normalized}`).digest("hex");
}
