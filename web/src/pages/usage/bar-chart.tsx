/**
 * A bar chart of plain elements instead of a chart library (docs/decisions/0027-own-charts.md). The values of a column are shown under the pointer,
 * and with the arrow keys while the chart has the focus. The table beside the chart has them too.
 */
import { VisuallyHidden } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import classes from "./chart.module.css";
import { axisOf } from "./chart-axis.ts";

export type ChartColumn = {
  id: string;
  /** Below the column, where there is room. */
  name: string;
  bars: readonly { id: string; value: number; color: string }[];
  /** A line at this height: the same column of the period before. */
  before?: number | undefined;
  tip: ChartTip;
};

export type ChartTip = { title: string; lines: readonly TipLine[] };
type TipLine = readonly [name: string, value: string, color?: string];

const MAX_LABELS = 10;

export function BarChart({ label, columns, isStacked = false, formatTick }: BarChartProps) {
  const [active, setActive] = useState<number>();
  const { top, ticks } = axisOf(Math.max(...columns.map((column) => highest(column, isStacked))));
  const height = (value: number) => `${(value / top) * 100}%`;
  const labelEvery = Math.ceil(columns.length / MAX_LABELS);
  const last = columns.length - 1;
  const choose = (event: KeyboardEvent) => {
    const next = STEPS[event.key]?.(active ?? last, last);
    if (next === undefined) return;
    event.preventDefault();
    setActive(Math.min(last, Math.max(0, next)));
  };
  const tip = active === undefined ? undefined : columns[active]?.tip;
  return (
    <figure
      className={classes.chart}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys show its values
      tabIndex={0}
      onKeyDown={choose}
      onBlur={() => setActive(undefined)}
      onPointerLeave={() => setActive(undefined)}
    >
      {ticks.map((tick) => (
        <div key={tick} className={classes.line} style={{ bottom: height(tick) }}>
          <span className={classes.tick}>{formatTick(tick)}</span>
        </div>
      ))}
      <div className={classes.columns}>
        {columns.map(({ id, name, bars, before }, index) => (
          <div
            key={id}
            className={classes.column}
            data-kind={isStacked ? "stacked" : "grouped"}
            data-active={index === active || undefined}
            onPointerEnter={() => setActive(index)}
          >
            {bars.map((bar) => (
              <div
                key={bar.id}
                className={classes.bar}
                style={{ height: height(bar.value), background: bar.color }}
              />
            ))}
            {before !== undefined && <div className={classes.before} style={{ bottom: height(before) }} />}
            {(last - index) % labelEvery === 0 && (
              <span className={`${classes.name} ${((last - index) / labelEvery) % 2 ? classes.rarely : ""}`}>
                {name}
              </span>
            )}
            {tip && index === active && <Tip tip={tip} isLate={index > last / 2} />}
          </div>
        ))}
      </div>
      <VisuallyHidden aria-live="polite">{tip && textOf(tip)}</VisuallyHidden>
    </figure>
  );
}

type BarChartProps = {
  label: string;
  /** Oldest first. The last one always has its name below. */
  columns: readonly ChartColumn[];
  /** One bar on the other, or side by side. */
  isStacked?: boolean;
  formatTick: (tick: number) => string;
};

/** The next column of each key. */
const STEPS: Readonly<Record<string, (active: number, last: number) => number>> = {
  ArrowLeft: (active) => active - 1,
  ArrowRight: (active) => active + 1,
  Home: () => 0,
  End: (_, last) => last,
};

function highest({ bars, before = 0 }: ChartColumn, isStacked: boolean): number {
  const values = bars.map(({ value }) => value);
  return Math.max(before, isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values));
}

const textOf = ({ title, lines }: ChartTip) =>
  `${title}: ${lines.map(([name, value]) => `${name} ${value}`).join(", ")}`;

/** `isLate`: in the right half, where there is room at the left only. */
function Tip({ tip: { title, lines }, isLate }: { tip: ChartTip; isLate: boolean }) {
  return (
    <div className={classes.tip} data-late={isLate || undefined} aria-hidden="true">
      <div className={classes.tipTitle}>{title}</div>
      {lines.map(([name, value, color]) => (
        <div key={name} className={classes.tipLine}>
          <span className={classes.swatch} style={{ background: color }} />
          <span>{name}</span>
          <span className={classes.tipValue}>{value}</span>
        </div>
      ))}
    </div>
  );
}

/** Names of the colours, with an optional line of figures each. */
export function ChartLegend({ items }: { items: readonly LegendItem[] }) {
  return (
    <ul className={`plain-list tabular ${classes.legend}`}>
      {items.map(({ name, color, isLine = false, detail }) => (
        <li key={name}>
          <span className={isLine ? classes.lineSwatch : classes.swatch} style={{ background: color }} />
          {name}
          {detail && <span className={classes.detail}>{detail}</span>}
        </li>
      ))}
    </ul>
  );
}

export type LegendItem = { name: string; color?: string; isLine?: boolean; detail?: string | undefined };
