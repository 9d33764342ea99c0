/** The emails of a list, each once: in order of first appearance, and spelled as it was there. */
import type { Evidence } from "@mailvet/engine";
import { identityOf } from "@mailvet/engine/list-file";
import { inTimeSlices } from "../event-loop-yield.ts";

export async function uniqueEmails(
  emails: readonly string[],
  glance: (email: string) => Evidence,
): Promise<Evidence[]> {
  const unique = new Map<string, Evidence>();
  await inTimeSlices(emails, (email) => {
    const first = glance(email);
    const key = identityOf(first.email, first.address);
    if (!unique.has(key)) unique.set(key, first);
  });
  return [...unique.values()];
}
