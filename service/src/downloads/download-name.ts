/** Name of a download, which says what is in it: `newsletter-valid.csv`, `customers-safe-partial.xlsx`. */
import type { DownloadFormat, ResultFilter } from "@mailvet/contract";

export type NameOptions = {
  format: DownloadFormat;
  isPartial: boolean;
  /** What is in it without a filter. */
  all?: string;
};

export function downloadName(
  filename: string,
  filter: ResultFilter,
  { format, isPartial, all = format === "zip" ? "by-verdict" : "results" }: NameOptions,
): string {
  const parts = [withoutExtensions(filename), ...contentOf(filter, all), ...(isPartial ? ["partial"] : [])];
  return `${parts.join("-")}.${format}`;
}

function contentOf(filter: ResultFilter, all: string): string[] {
  const { status, sub_status, safe_to_send, min_score, max_score, provider, domain, q } = filter;
  const parts = [
    safe_to_send === undefined ? undefined : safe_to_send ? "safe" : "not-safe",
    status?.replaceAll(",", "-"),
    sub_status
      ?.split(",")
      .map((word) => (word === "" ? "accepted" : word.replaceAll("_", "-")))
      .join("-"),
    min_score === undefined ? undefined : `score-from-${min_score}`,
    max_score === undefined ? undefined : `score-to-${max_score}`,
    provider,
    domain,
    q === undefined ? undefined : "search", // the text may be personal
  ].flatMap((part) => part || []);
  return parts.length > 0 ? parts : [all];
}

/** "list.csv.gz" → "list". */
function withoutExtensions(filename: string): string {
  return filename.replace(/\.gz$/i, "").replace(/\.(csv|tsv|tab|txt|xlsx|ods)$/i, "") || "list";
}
