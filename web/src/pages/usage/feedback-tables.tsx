/** The same comparison in numbers: by week, by score and by provider. */
import type { BounceComparison, FeedbackReport } from "@mailvet/contract";
import { SegmentedControl, Stack, Table } from "@mantine/core";
import { useState } from "react";
import { formatNumber, formatPercent } from "../../shared/number-format.ts";
import { providerName } from "../../shared/provider-name.ts";
import { dayName } from "./usage-days.ts";

type Row = BounceComparison & { name: string };

const VIEWS = {
  week: {
    label: "By week",
    head: "Week of",
    rows: ({ by_week }: FeedbackReport): Row[] => by_week.map((one) => ({ ...one, name: dayName(one.week) })),
  },
  score: {
    label: "By score",
    head: "Score",
    rows: ({ by_score }: FeedbackReport): Row[] =>
      by_score.map((one) => ({ ...one, name: `${one.from}–${one.to}` })),
  },
  provider: {
    label: "By provider",
    head: "Provider",
    rows: ({ by_provider }: FeedbackReport): Row[] =>
      by_provider.map((one) => ({
        ...one,
        name: one.provider === "other" ? "All others" : providerName(one.provider),
      })),
  },
};
type View = keyof typeof VIEWS;

export function FeedbackTables({ report }: { report: FeedbackReport }) {
  const [view, setView] = useState<View>("score");
  const { head, label, rows } = VIEWS[view];
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label="How to divide the outcomes"
        data={Object.entries(VIEWS).map(([value, { label }]) => ({ value, label }))}
        value={view}
        onChange={(chosen) => setView(chosen as View)}
        style={{ alignSelf: "flex-start", maxWidth: "100%" }}
      />
      <Table.ScrollContainer
        minWidth={290}
        mah={360}
        type="native"
        tabIndex={0}
        role="region"
        aria-label={`Predicted and real bounces, ${label.toLowerCase()}`}
      >
        <Table className="tabular" stickyHeader horizontalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col" fz="xs">
                {head}
              </Table.Th>
              {["Predicted", "After learning", "Real", "Outcomes"].map((name) => (
                <Table.Th key={name} scope="col" ta="right" fz="xs">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows(report).map((row) => (
              <Table.Tr key={row.name}>
                <Table.Th scope="row" fw={400}>
                  {row.name}
                </Table.Th>
                <Table.Td ta="right">{formatPercent(row.predicted_bounce_rate, 1)}</Table.Td>
                <Table.Td ta="right">{formatPercent(row.calibrated_bounce_rate, 1)}</Table.Td>
                <Table.Td ta="right">{formatPercent(row.real_bounce_rate, 1)}</Table.Td>
                <Table.Td ta="right">{formatNumber(row.outcomes)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
