/** A verdict in a few words, for badges. */
import type { Status, SubStatus } from "@mailvet/contract";

/** "risky · catch all" */
export function verdictLabel(status: Status, subStatus: SubStatus | string): string {
  return subStatus === "" ? status : `${status} · ${subStatus.replaceAll("_", " ")}`;
}
