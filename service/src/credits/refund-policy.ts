/**
 * Which verdicts are refunded. A verdict costs a credit like any other and is returned by a ledger entry of its own, so that
 * `credits_used` is one per unique email whatever was found.
 */
import { STATUS_OF, type SubStatus } from "@mailvet/contract";

/** UNKNOWN_REFUND: no verdict, those that are the fault of this installation, or every `unknown`. */
export const UNKNOWN_REFUNDS = ["never", "own_fault", "always"] as const;
export type UnknownRefund = (typeof UNKNOWN_REFUNDS)[number];

const OWN_FAULT: ReadonlySet<SubStatus> = new Set(["internal_error", "egress_blocked", "smtp_skipped"]);

/** Of a check up to SMTP: `smtp_skipped` is what a request for less asked for. */
export function isRefunded(policy: UnknownRefund, subStatus: SubStatus): boolean {
  if (policy === "always") return STATUS_OF[subStatus] === "unknown";
  return policy === "own_fault" && OWN_FAULT.has(subStatus);
}
