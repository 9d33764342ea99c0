/** The emails of a list, each once: in order of first appearance, and spelled as it was there. */
import type { Evidence } from "@mailvet/engine";
import { inSlices } from "./slices.ts";

export async function uniqueEmails(
  emails: readonly string[],
  glance: (email: string) => Evidence,
): Promise<Evidence[]> {
  const unique = new Map<string, Evidence>();
  await inSlices(emails, (email) => {
    const first = glance(email);
    const key = identityOf(first);
    if (!unique.has(key)) unique.set(key, first);
  });
  return [...unique.values()];
}

/**
 * Equal after trimming and lower-casing, with the domain in its A-label form. What is no address never equals one
 * that is, whatever lower-casing makes of it; the blank sets it apart.
 */
function identityOf({ email, address }: Evidence): string {
  return address?.normalized ?? ` ${email.trim().toLowerCase()}`;
}
