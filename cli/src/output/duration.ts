/** Parses durations such as "15m" and formats them as "2 min 5 s". */

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Milliseconds; undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text.trim()) ?? [];
  if (text.trim() === "0") return 0;
  return unit ? Number(count) * UNIT_SECONDS[unit]! * 1000 : undefined;
}

export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
