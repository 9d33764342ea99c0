/** Verdicts per day as stacked bars: plain boxes, so that nothing large is fetched for them. */
import type { Status } from "@mailvet/contract";
import { Tooltip } from "@mantine/core";
import { formatCompact, formatNumber } from "../../shared/number-format.ts";
import { STATUS_CHART_COLORS } from "../../theme.ts";
import chart from "./chart.module.css";
import { axisOf } from "./chart-axis.ts";
import { checked, type DayCounts, dayName } from "./usage-days.ts";
import classes from "./verdicts-chart.module.css";

/** From the ground upwards. */
const STACK = Object.keys(STATUS_CHART_COLORS) as Status[];
const MAX_DAYS_NAMED = 10;

export function VerdictsChart({ days }: { days: DayCounts[] }) {
  const { top, ticks } = axisOf(Math.max(...days.map(checked)));
  const height = (count: number) => `${(count / top) * 100}%`;
  const namedEvery = Math.ceil(days.length / MAX_DAYS_NAMED);
  return (
    <div className={chart.chart}>
      {ticks.map((tick) => (
        <div key={tick} className={chart.line} style={{ bottom: height(tick) }}>
          <span className={chart.tick}>{formatCompact(tick)}</span>
        </div>
      ))}
      <div className={chart.columns}>
        {days.map((day, index) => (
          <Tooltip key={day.date} label={inWords(day)} multiline withArrow className={chart.words}>
            <div className={`${chart.column} ${classes.day}`}>
              {STACK.map((status) => (
                <div
                  key={status}
                  className={classes.bar}
                  style={{ height: height(day[status]), background: colorOf(status) }}
                />
              ))}
              <DayName day={day} daysBack={days.length - 1 - index} namedEvery={namedEvery} />
            </div>
          </Tooltip>
        ))}
      </div>
    </div>
  );
}

/** Counted from today, which is always named. */
function DayName({ day, daysBack, namedEvery }: { day: DayCounts; daysBack: number; namedEvery: number }) {
  if (daysBack % namedEvery !== 0) return null;
  const isEveryOther = (daysBack / namedEvery) % 2 === 1;
  return <span className={`${chart.name} ${isEveryOther ? chart.rarely : ""}`}>{dayName(day.date)}</span>;
}

function inWords(day: DayCounts): string {
  const lines = STACK.map((status) => `${formatNumber(day[status])} ${status}`);
  return [dayName(day.date), ...lines].join("\n");
}

function colorOf(status: Status): string {
  return `var(--mantine-color-${STATUS_CHART_COLORS[status].replace(".", "-")})`;
}
