/**
 * Half-done evidence, made fit to be judged: for a caller who cannot wait any longer while the check goes on.
 *
 * What has been found stays and may have settled the verdict already. What nobody has answered yet is put down as
 * silence, which says nothing about the mailbox: so the verdict is an unknown, and never better or worse than that.
 */
import type { SubStatus } from "@mailvet/contract";
import type { Level } from "@mailvet/contract/words";
import type { Evidence } from "./evidence.ts";
import { decide } from "./verdict.ts";

/** Verdicts that rest on what was not asked. From a check that is to ask everyone, they mean: not yet. */
const NOT_YET: ReadonlySet<SubStatus> = new Set(["smtp_skipped", "internal_error"]);

/** A copy that shares nothing with the evidence of the check, which is still growing; the check is one of this level. */
export function timeoutEvidence(
  evidence: Evidence,
  retryAfterSeconds: number,
  level: Level = "smtp",
): Evidence {
  const copy = structuredClone(evidence);
  if (copy.failure !== undefined || !NOT_YET.has(decide(copy).subStatus)) return copy;
  const silence = { answer: "timeout", retryAfterSeconds } as const;
  if (!copy.route) copy.route = { kind: "dns_error", hosts: [], reason: "timeout" };
  else if (level !== "smtp")
    return copy; // no mail server was to be asked
  else if (!copy.mailbox) copy.mailbox = silence;
  else copy.decoy = { ...silence, confidence: 0 }; // accepted, but by a host that may accept anyone
  return copy;
}
