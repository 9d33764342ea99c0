/** A verdict as a coloured badge. */
import type { Status } from "@mailvet/contract";
import { Badge } from "@mantine/core";
import { STATUS_COLORS } from "../../theme.ts";
import { verdictLabel } from "./messages.ts";

export function StatusBadge({ status, subStatus = "" }: { status: Status; subStatus?: string }) {
  return (
    <Badge variant="dot" color={STATUS_COLORS[status]}>
      {verdictLabel(status, subStatus)}
    </Badge>
  );
}
