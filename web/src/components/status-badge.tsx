/** A verdict as a coloured badge. */
import type { Status } from "@mailvet/contract";
import { Badge } from "@mantine/core";
import { STATUS_COLORS } from "../theme.ts";

export function StatusBadge({ status, subStatus = "" }: { status: Status; subStatus?: string }) {
  return (
    <Badge variant="dot" color={STATUS_COLORS[status]}>
      {verdictLabel({ status, sub_status: subStatus })}
    </Badge>
  );
}

/** "risky · catch all" */
export function verdictLabel({ status, sub_status }: { status: Status; sub_status: string }): string {
  return sub_status === "" ? status : `${status} · ${sub_status.replaceAll("_", " ")}`;
}
