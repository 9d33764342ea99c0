/** An upload in the shape of the API, before it is confirmed. */
import type { UploadPreview } from "@mailvet/contract";
import type { uploads } from "./schema.ts";

export type UploadRow = typeof uploads.$inferSelect;

/** How long an upload waits for confirmation. */
export const UNCONFIRMED_HOURS = 24;

/** Per cell. */
const MAX_SAMPLE_CHARS = 1000;

/** `uniqueCounts`: unique emails by column, for counted columns. */
export function uploadPreview(row: UploadRow, uniqueCounts: ReadonlyMap<number, number>): UploadPreview {
  const nameOf = (column: number) => row.columns[column] ?? "";
  const readyAtMs = (row.readyAt ?? row.createdAt).getTime();
  return {
    upload_id: row.id,
    ...(row.isTest && { sandbox: true as const }),
    filename: row.filename,
    ...(row.isGroup && { is_group: true }),
    ...(row.sheet !== null && { sheet: row.sheet, sheets: row.sheets ?? [] }),
    columns: row.columns,
    suggested_email_column: nameOf(row.suggestedColumn),
    total_rows: row.totalRows,
    sample_rows: row.sampleRows.map((cells) => cells.map(truncated)),
    email_count_by_column: Object.fromEntries(
      row.emailCounts.map((count, column) => [nameOf(column), count]),
    ),
    unique_count_by_column: Object.fromEntries(
      [...uniqueCounts].sort(([a], [b]) => a - b).map(([column, count]) => [nameOf(column), count]),
    ),
    has_header: row.header !== null,
    // Not row.expiresAt, which confirmation clears: a replayed request returns the same preview.
    expires_at: new Date(readyAtMs + UNCONFIRMED_HOURS * 3_600_000).toISOString(),
  };
}

function truncated(cell: string): string {
  return cell.length > MAX_SAMPLE_CHARS ? `${cell.slice(0, MAX_SAMPLE_CHARS)}…` : cell;
}
