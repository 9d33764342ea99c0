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
  const list = withinBytes(withoutExtensions(filename), MAX_LIST_BYTES);
  const content = withinBytes(contentOf(filter, all).join("-"), MAX_CONTENT_BYTES);
  return `${[list, content, ...(isPartial ? ["partial"] : [])].join("-")}.${format}`;
}

/** Together with the rest less than 255 bytes, the most that file systems take. */
const MAX_LIST_BYTES = 120;
const MAX_CONTENT_BYTES = 110;

/** Cut between two characters. */
function withinBytes(text: string, most: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
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
