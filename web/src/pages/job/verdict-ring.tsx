/** The ring of verdicts. The list beside it says the same. */
import type { Status } from "@mailvet/contract";
import { RingProgress, Text } from "@mantine/core";
import { formatPercent } from "../../shared/number-format.ts";
import { STATUS_CHART_COLORS } from "../../theme.ts";
import classes from "../bulk/bulk.module.css";

export function VerdictRing({ counts, total, order }: VerdictRingProps) {
  const sections = order
    .filter((status) => counts[status] > 0)
    .map((status) => ({ value: (counts[status] / total) * 100, color: STATUS_CHART_COLORS[status] }));
  return (
    <RingProgress
      size={210}
      thickness={24}
      aria-hidden="true"
      sections={sections}
      label={
        <div className={classes.ringLabel}>
          <Text fz={30} fw={650} lh={1.1} className="tabular">
            {total === 0 ? "–" : formatPercent(counts.valid / total)}
          </Text>
          <Text size="sm" c="dimmed">
            {total === 0 ? "none yet" : "valid"}
          </Text>
        </div>
      }
    />
  );
}

type VerdictRingProps = {
  counts: Readonly<Record<Status, number>>;
  /** All that have a verdict. */
  total: number;
  /** Clockwise. */
  order: readonly Status[];
};
