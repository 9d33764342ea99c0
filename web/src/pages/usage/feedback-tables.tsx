/** Bounce rates as a table, by week, score or provider. */

import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/SegmentedControl.layer.css";
import type { BounceComparison, FeedbackReport } from "@mailvet/contract";
import { SegmentedControl, Stack, Table } from "@mantine/core";
import { useState } from "react";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { providerName } from "../../components/provider-name.ts";
import { messages } from "./messages.tsx";
import { dayName } from "./usage-days.ts";

type Row = BounceComparison & { name: string };

const ROWS = {
  week: ({ by_week }: FeedbackReport): Row[] => by_week.map((one) => ({ ...one, name: dayName(one.week) })),
  score: ({ by_score }: FeedbackReport): Row[] =>
    by_score.map((one) => ({ ...one, name: `${one.from}–${one.to}` })),
  provider: ({ by_provider }: FeedbackReport): Row[] =>
    by_provider.map((one) => ({ ...one, name: providerName(one.provider) })),
};
type View = keyof typeof ROWS;
const VIEWS = messages.feedback.views;

export function FeedbackTables({ report }: { report: FeedbackReport }) {
  const [view, setView] = useState<View>("score");
  const [label, head] = VIEWS[view] as [string, string];
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label={messages.feedback.groupBy}
        data={Object.entries(VIEWS).map(([value, [label]]) => ({ value, label: label! }))}
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
        aria-label={messages.feedback.table(label)}
      >
        <Table className="tabular" stickyHeader horizontalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col" fz="xs">
                {head}
              </Table.Th>
              {messages.feedback.columns.map((name) => (
                <Table.Th key={name} scope="col" ta="right" fz="xs">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ROWS[view](report).map((row) => (
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
