/** When two entries of a list are the same email. */
import { parseAddress } from "../address/address.ts";

/** Same key, same email. */
export function emailIdentity(email: string): string {
  const parsed = parseAddress(email);
  return identityOf(email, parsed.ok ? parsed.address : undefined);
}

/**
 * Equal after trimming and lower-casing, with the domain in its A-label form. What is no address never equals one
 * that is, whatever lower-casing makes of it; the blank sets it apart.
 */
export function identityOf(email: string, address: { normalized: string } | undefined): string {
  return address?.normalized ?? ` ${email.trim().toLowerCase()}`;
}
