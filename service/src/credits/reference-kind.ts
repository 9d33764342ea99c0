/**
 * What an entry's reference names: a job, a request, or nothing but words.
 *
 * Jobs and requests both have ids of the same form. What a job holds and settles happens once, so it is written under
 * an idempotency key, and by that it is told from a request, also when the job has long been deleted.
 */
import type { LedgerEntry, ReferenceKind } from "@mailvet/contract";

export function referenceKindOf(kind: LedgerEntry["kind"], idempotencyKey: string | null): ReferenceKind {
  if (kind === "grant" || kind === "adjust") return "note";
  return idempotencyKey?.startsWith(JOB) ? "job" : "request";
}

/** No request is called like this: those are hexadecimal (http/middleware/idempotency.ts). */
const JOB = "job ";

export function jobIdempotencyKey(kind: LedgerEntry["kind"], reservationId: string): string {
  return `${JOB}${kind} ${reservationId}`;
}
