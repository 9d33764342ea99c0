/**
 * A moment in the reader's language: relative to now while that is easy to read, else as a date. The exact moment with its
 * time zone is the tooltip.
 */
import { useSyncExternalStore } from "react";
import { locale } from "../language.ts";
import { common } from "../messages.ts";

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const SHORT = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const LONG = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" });
const RELATIVE = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "long" });

/** `isExact` where a relative time makes no sentence, such as after “until”. */
export function Timestamp({ at, isExact = false }: TimestampProps) {
  const nowMs = useMinute();
  if (!at) return <>{common.none}</>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={LONG.format(date)} style={{ whiteSpace: "nowrap" }}>
      {isExact ? SHORT.format(date) : relativeTime(date.getTime(), nowMs)}
    </time>
  );
}

type TimestampProps = { at: string | null | undefined; isExact?: boolean };

/** From the largest unit that fits. */
const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;
const MAX_RELATIVE_SECONDS = 32 * 86_400;

/** "just now", "5 minutes ago", "tomorrow", or a date when it is more than a month away. */
export function relativeTime(timeMs: number, nowMs: number): string {
  const seconds = Math.round((timeMs - nowMs) / 1000);
  const size = Math.abs(seconds);
  if (size > MAX_RELATIVE_SECONDS) return DAY.format(timeMs);
  const fitting = UNITS.find(([, unitSeconds]) => size >= unitSeconds);
  if (!fitting) return common.justNow;
  const [unit, length] = fitting;
  return RELATIVE.format(Math.trunc(seconds / length), unit);
}

const MINUTE_MS = 60_000;
const listeners = new Set<() => void>();
let currentMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time when it was last looked at: on the first use, and every minute while a time is shown. */
function useMinute(): number {
  return useSyncExternalStore(subscribe, () => currentMs);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    tick();
    timer = setInterval(tick, MINUTE_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  currentMs = Date.now();
  for (const listener of listeners) listener();
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
