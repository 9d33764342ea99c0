/** Date and time in the reader's time zone, with the full form as a tooltip. */
import { common } from "../messages.ts";

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

export function Timestamp({ at, format = SHORT }: TimestampProps) {
  if (!at) return <>{common.none}</>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={LONG.format(date)}>
      {format.format(date)}
    </time>
  );
}

type TimestampProps = { at: string | null | undefined; format?: Intl.DateTimeFormat };

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** Without the time, for dense tables. */
export function Day({ at }: { at: string | null }) {
  return <Timestamp at={at} format={DAY} />;
}

export function formatDay(at: string): string {
  return DAY.format(new Date(at));
}

/** "3 min" */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return common.duration.underSecond;
  if (seconds < 90) return common.duration.seconds(Math.round(seconds));
  if (seconds < 5400) return common.duration.minutes(Math.round(seconds / 60));
  if (seconds < 129_600) return common.duration.hours(Math.round(seconds / 360) / 10);
  return common.duration.days(Math.round(seconds / 86_400));
}
