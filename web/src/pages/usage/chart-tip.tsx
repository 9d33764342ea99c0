/** The values of a column, shown while the pointer is over it. Screen readers have the table below the chart. */
import chart from "./chart.module.css";

export type TipLine = readonly [name: string, value: string, color?: string];

export function ChartTip({ title, lines, isLate }: ChartTipProps) {
  return (
    <div className={chart.tip} data-late={isLate || undefined} aria-hidden="true">
      <div className={chart.tipTitle}>{title}</div>
      {lines.map(([name, value, color]) => (
        <div key={name} className={chart.tipLine}>
          <span className={chart.tipDot} style={{ background: color }} />
          <span>{name}</span>
          <span className={chart.tipValue}>{value}</span>
        </div>
      ))}
    </div>
  );
}

type ChartTipProps = {
  title: string;
  lines: readonly TipLine[];
  /** In the right half, where there is room at the left only. */
  isLate: boolean;
};
