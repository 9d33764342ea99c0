/** Verdicts per day as a stacked bar chart of plain elements, without a chart library in the bundle. */

import { formatCompact, formatNumber } from "../../components/number-format.ts";
import { common } from "../../messages.ts";
import { STATUSES, statusFill } from "../../theme.ts";
import chart from "./chart.module.css";
import { axisOf } from "./chart-axis.ts";
import { ChartTip } from "./chart-tip.tsx";
import { messages } from "./messages.tsx";
import { checked, type DayCounts, dayName } from "./usage-days.ts";
import classes from "./verdicts-chart.module.css";

const MAX_LABELS = 10;

export function VerdictsChart({ days }: { days: DayCounts[] }) {
  const { top, ticks } = axisOf(Math.max(...days.map(checked)));
  const height = (count: number) => `${(count / top) * 100}%`;
  const labelEvery = Math.ceil(days.length / MAX_LABELS);
  return (
    <div className={chart.chart}>
      {ticks.map((tick) => (
        <div key={tick} className={chart.line} style={{ bottom: height(tick) }}>
          <span className={chart.tick}>{formatCompact(tick)}</span>
        </div>
      ))}
      <div className={chart.columns}>
        {days.map((day, index) => (
          <div key={day.date} className={`${chart.column} ${classes.day}`}>
            {STATUSES.map((status) => (
              <div
                key={status}
                className={classes.bar}
                style={{ height: height(day[status]), background: statusFill(status) }}
              />
            ))}
            <DayLabel day={day} daysBack={days.length - 1 - index} labelEvery={labelEvery} />
            <ChartTip
              title={dayName(day.date)}
              isLate={index > days.length / 2}
              lines={[
                ...STATUSES.map(
                  (status) => [common.status[status], formatNumber(day[status]), statusFill(status)] as const,
                ),
                [messages.chart.total, formatNumber(checked(day))],
              ]}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

/** Counted from today, which always has a label. */
function DayLabel({ day, daysBack, labelEvery }: { day: DayCounts; daysBack: number; labelEvery: number }) {
  if (daysBack % labelEvery !== 0) return null;
  const isEveryOther = (daysBack / labelEvery) % 2 === 1;
  return <span className={`${chart.name} ${isEveryOther ? chart.rarely : ""}`}>{dayName(day.date)}</span>;
}
