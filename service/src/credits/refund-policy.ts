/**
 * Which verdicts are refunded. A verdict costs a credit like any other and is returned by a ledger entry of its own, so that
 * `credits_used` is one per unique email whatever was found.
 */
import { type Level, STATUS_OF, type SubStatus } from "@mailvet/contract";
import { type Evidence, refusalOfUs, type Verdict } from "@mailvet/engine";

/** UNKNOWN_REFUND: no verdict, those that are the fault of this installation, or every `unknown`. */
export const UNKNOWN_REFUNDS = ["never", "own_fault", "always"] as const;
export type UnknownRefund = (typeof UNKNOWN_REFUNDS)[number];

const OWN_FAULT: ReadonlySet<SubStatus> = new Set(["internal_error", "egress_blocked", "smtp_skipped"]);

/** The mail host refuses the address of this installation. A check that it refuses for other reasons is paid for. */
export function isRefusalOfUs(policy: UnknownRefund, { evidence, verdict }: Answered): boolean {
  return policy !== "never" && verdict.subStatus === "probe_blocked" && refusalOfUs(evidence) !== undefined;
}

type Answered = { evidence: Evidence; verdict: Pick<Verdict, "subStatus"> };

/** A request for less than SMTP got what it asked for with `smtp_skipped`. */
export function isRefunded(
  policy: UnknownRefund,
  subStatus: SubStatus,
  level: Level | null | undefined,
): boolean {
  if (subStatus === "smtp_skipped" && level && level !== "smtp") return false;
  if (policy === "always") return STATUS_OF[subStatus] === "unknown";
  return policy === "own_fault" && OWN_FAULT.has(subStatus);
}
