/** Bounce rates as a table, by week, score or provider. */

import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/SegmentedControl.layer.css";
import type { BounceComparison, FeedbackReport } from "@mailvet/contract";
import { SegmentedControl, Stack } from "@mantine/core";
import { useState } from "react";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { providerName } from "../../components/provider-name.ts";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
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
        style={{ alignSelf: "flex-start" }}
      />
      <DataTable
        label={messages.feedback.table(label)}
        rows={ROWS[view](report)}
        rowKey={({ name }) => name}
        columns={columnsOf(head)}
        isPlain
        isScrolled
      />
    </Stack>
  );
}

const VALUES = [
  (row: Row) => formatPercent(row.predicted_bounce_rate, 1),
  (row: Row) => formatPercent(row.calibrated_bounce_rate, 1),
  (row: Row) => formatPercent(row.real_bounce_rate, 1),
  (row: Row) => formatNumber(row.outcomes),
];

const columnsOf = (head: string): Column<Row>[] => [
  { name: head, cell: ({ name }) => name },
  ...VALUES.map((cell, index) => ({ name: messages.feedback.columns[index]!, cell, isNumber: true })),
];
