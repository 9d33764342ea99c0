/** Times as people say them: "15m" on the way in, "2 min 5 s" on the way out. */

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Milliseconds; undefined when it is no such time. */
export function readDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text.trim()) ?? [];
  if (text.trim() === "0") return 0;
  return unit ? Number(count) * UNIT_SECONDS[unit]! * 1000 : undefined;
}

export function sayDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
