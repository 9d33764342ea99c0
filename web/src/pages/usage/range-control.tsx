/** Choice of the number of days that a chart shows. Kept in the URL as `days`. */
import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/SegmentedControl.layer.css";
import { SegmentedControl } from "@mantine/core";
import { messages } from "./messages.tsx";

const RANGES = [7, 30, 90];
const DEFAULT_RANGE = 30;

/** The number of days in the URL. */
export function parseRange(text: string | undefined): number {
  return RANGES.find((days) => String(days) === text) ?? DEFAULT_RANGE;
}

export function RangeControl({ days, onChange }: { days: number; onChange: (days: string) => void }) {
  return (
    <SegmentedControl
      aria-label={messages.usage.range}
      data={RANGES.map((count) => ({ value: String(count), label: messages.usage.days(count) }))}
      value={String(days)}
      onChange={onChange}
    />
  );
}
