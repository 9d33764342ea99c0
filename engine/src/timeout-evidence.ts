/**
 * Completes partial evidence with timeouts, for a caller whose time budget ends while the check goes on.
 *
 * Facts found so far are kept and may have settled the verdict. Stages that have not answered count as timed out,
 * which says nothing about the mailbox, so the verdict is `unknown`.
 */
import type { SubStatus } from "@mailvet/contract";
import type { Level } from "@mailvet/contract/words";
import type { Evidence } from "./evidence.ts";
import { decide } from "./verdict.ts";

/** Verdicts caused by a missing stage. In a check at level `smtp` they mean "not finished yet". */
const NOT_YET: ReadonlySet<SubStatus> = new Set(["smtp_skipped", "internal_error"]);

/** Returns a deep copy, because the check's own evidence still grows. `level` is the level of the check. */
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
    return copy; // SMTP was not requested
  else if (!copy.mailbox) copy.mailbox = silence;
  else copy.decoy = { ...silence, confidence: 0 }; // accepted, but possibly by a catch-all
  return copy;
}
