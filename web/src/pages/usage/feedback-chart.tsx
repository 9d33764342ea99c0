/** Predicted, calibrated and actual bounce rates per week as a bar chart. */

import type { FeedbackReport } from "@mailvet/contract";
import { Stack } from "@mantine/core";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { BarChart, type ChartColumn, ChartLegend } from "./bar-chart.tsx";
import { messages } from "./messages.tsx";
import { dayName } from "./usage-days.ts";

type Week = FeedbackReport["by_week"][number];

const { bars } = messages.feedback;
const BARS = [
  {
    name: bars.predicted,
    color: "var(--mantine-color-gray-5)",
    rateOf: (week: Week) => week.predicted_bounce_rate,
  },
  {
    name: bars.calibrated,
    color: "var(--mantine-color-brand-6)",
    rateOf: (week: Week) => week.calibrated_bounce_rate,
  },
  { name: bars.real, color: "var(--mantine-color-red-6)", rateOf: (week: Week) => week.real_bounce_rate },
];
/** More bars are too narrow on a phone. */
const WEEKS_SHOWN = 12;

export function FeedbackChart({ weeks }: { weeks: readonly Week[] }) {
  const shown = weeks.slice(0, WEEKS_SHOWN).reverse();
  return (
    <Stack gap="md">
      <ChartLegend items={BARS} />
      <BarChart
        label={chartLabel(shown)}
        columns={shown.map(columnOf)}
        formatTick={(percent) => formatPercent(percent / 100)}
      />
    </Stack>
  );
}

function columnOf(week: Week): ChartColumn {
  return {
    id: week.week,
    name: dayName(week.week),
    bars: BARS.map(({ name, color, rateOf }) => ({ id: name, value: 100 * rateOf(week), color })),
    tip: {
      title: messages.feedback.week(dayName(week.week)),
      lines: [
        ...BARS.map(({ name, color, rateOf }) => [name, formatPercent(rateOf(week), 1), color] as const),
        [messages.feedback.results, formatNumber(week.outcomes)],
      ],
    },
  };
}

function chartLabel(weeks: readonly Week[]): string {
  const last = weeks.at(-1);
  if (!last) return messages.feedback.noChart;
  return messages.feedback.chart(
    weeks.length,
    formatPercent(last.predicted_bounce_rate, 1),
    formatPercent(last.calibrated_bounce_rate, 1),
    formatPercent(last.real_bounce_rate, 1),
  );
}
