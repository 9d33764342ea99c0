/** An address as the tables know it: by a hash that differs from account to account. */
import { createHash } from "node:crypto";

/** Hexadecimal. The account is part of it, so that equal hashes never tell of equal addresses. */
export function addressHash(accountId: string, normalized: string): string {
  return createHash("sha256").update(`${accountId} ${normalized}`).digest("hex");
}
