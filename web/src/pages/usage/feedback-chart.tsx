/** Predicted, calibrated and actual bounce rates per week as a bar chart of plain elements. */

import type { FeedbackReport } from "@mailvet/contract";
import { ColorSwatch, Group, Text } from "@mantine/core";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import chart from "./chart.module.css";
import { axisOf } from "./chart-axis.ts";
import { ChartTip } from "./chart-tip.tsx";
import classes from "./feedback-chart.module.css";
import { messages } from "./messages.tsx";
import { dayName } from "./usage-days.ts";

type Week = FeedbackReport["by_week"][number];

const BARS = [
  ["predicted", messages.feedback.bars.predicted, (week: Week) => week.predicted_bounce_rate],
  ["calibrated", messages.feedback.bars.calibrated, (week: Week) => week.calibrated_bounce_rate],
  ["real", messages.feedback.bars.real, (week: Week) => week.real_bounce_rate],
] as const;
/** More bars are too narrow on a phone. */
const WEEKS_SHOWN = 12;

export function FeedbackChart({ weeks }: { weeks: readonly Week[] }) {
  const shown = weeks.slice(0, WEEKS_SHOWN).reverse();
  const highest = Math.max(...shown.flatMap((week) => BARS.map(([, , rateOf]) => 100 * rateOf(week))));
  const { top, ticks } = axisOf(highest);
  return (
    <div>
      <Group gap="lg" mb="md" style={{ rowGap: 6 }}>
        {BARS.map(([kind, name]) => (
          <Group key={kind} gap={8} wrap="nowrap">
            <ColorSwatch
              size={12}
              withShadow={false}
              color={`var(--feedback-${kind})`}
              className={classes.colors}
            />
            <Text size="sm">{name}</Text>
          </Group>
        ))}
      </Group>
      <div role="img" aria-label={chartLabel(shown)} className={`${chart.chart} ${classes.colors}`}>
        {ticks.map((tick) => (
          <div key={tick} className={chart.line} style={{ bottom: `${(tick / top) * 100}%` }}>
            <span className={chart.tick}>{tick}%</span>
          </div>
        ))}
        <div className={chart.columns}>
          {shown.map((week, index) => (
            <div key={week.week} className={`${chart.column} ${classes.week}`}>
              {BARS.map(([kind, , rateOf]) => (
                <div
                  key={kind}
                  className={classes.bar}
                  style={{
                    height: `${((100 * rateOf(week)) / top) * 100}%`,
                    background: `var(--feedback-${kind})`,
                  }}
                />
              ))}
              <span className={`${chart.name} ${(shown.length - 1 - index) % 3 === 0 ? "" : chart.rarely}`}>
                {dayName(week.week)}
              </span>
              <ChartTip
                title={messages.feedback.week(dayName(week.week))}
                isLate={index > shown.length / 2}
                lines={[
                  ...BARS.map(
                    ([kind, name, rateOf]) =>
                      [name, formatPercent(rateOf(week), 1), `var(--feedback-${kind})`] as const,
                  ),
                  [messages.feedback.results, formatNumber(week.outcomes)],
                ]}
              />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
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
