/** A moment in the reader's own time zone; the whole of it on hover. */
const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

export function Timestamp({ at, otherwise = "–" }: { at: string | null | undefined; otherwise?: string }) {
  if (!at) return <>{otherwise}</>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={LONG.format(date)}>
      {SHORT.format(date)}
    </time>
  );
}

/** "about 3 minutes", for how long something still takes or took. */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 360) / 10} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
