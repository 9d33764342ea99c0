/**
 * The delivery outcome an account reported for a mailbox, while it is still relevant.
 *
 * It never overrules the mail server's current answer, and decides where that is inconclusive.
 */
import type { DeliveryOutcome } from "@mailvet/contract";
import type { Evidence } from "./evidence.ts";

const DAYS = 24 * 60 * 60_000;

/** Mailboxes are closed and reopened, so deliveries and bounces expire. A spam complaint does not. */
const RELEVANT_FOR_MS: Record<DeliveryOutcome, number> = {
  delivered: 180 * DAYS,
  bounced: 180 * DAYS,
  complained: Number.POSITIVE_INFINITY,
};

export function knownOutcome({ outcome }: Evidence, nowMs = Date.now()): DeliveryOutcome | undefined {
  if (outcome === undefined) return undefined;
  return nowMs - outcome.reportedAtMs < RELEVANT_FOR_MS[outcome.outcome] ? outcome.outcome : undefined;
}
