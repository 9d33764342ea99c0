/**
 * What became of earlier messages, as far as that still speaks for the mailbox.
 *
 * It never overrules what the mail servers say now. Where they leave it open, it is the best there is.
 */
import type { DeliveryOutcome } from "@mailvet/contract";
import type { Evidence } from "./evidence.ts";

const DAYS = 24 * 60 * 60_000;

/** People leave and mailboxes are opened again; but whoever complained once does not want to be asked twice. */
const SPEAKS_FOR_MS: Record<DeliveryOutcome, number> = {
  delivered: 180 * DAYS,
  bounced: 180 * DAYS,
  complained: Number.POSITIVE_INFINITY,
};

export function knownOutcome({ outcome }: Evidence, nowMs = Date.now()): DeliveryOutcome | undefined {
  if (outcome === undefined) return undefined;
  return nowMs - outcome.reportedAtMs < SPEAKS_FOR_MS[outcome.outcome] ? outcome.outcome : undefined;
}
