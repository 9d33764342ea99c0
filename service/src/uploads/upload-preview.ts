/** An upload as its owner sees it before confirming: what it holds, and which column is probably meant. */
import type { UploadPreview } from "@mailvet/contract";
import type { uploads } from "./schema.ts";

export type UploadRow = typeof uploads.$inferSelect;

/** How long a file is kept for somebody to confirm it. */
export const UNCONFIRMED_HOURS = 24;

/** Of a cell: enough to see what it is. */
const MAX_SAMPLE_CHARS = 1000;

/** `uniqueCounts`: different entries by column, of the columns that were counted. */
export function uploadPreview(row: UploadRow, uniqueCounts: ReadonlyMap<number, number>): UploadPreview {
  const nameOf = (column: number) => row.columns[column] ?? "";
  const readyAtMs = (row.readyAt ?? row.createdAt).getTime();
  return {
    upload_id: row.id,
    filename: row.filename,
    columns: row.columns,
    suggested_email_column: nameOf(row.suggestedColumn),
    total_rows: row.totalRows,
    sample_rows: row.sampleRows.map((cells) => cells.map(shortened)),
    email_count_by_column: Object.fromEntries(
      row.emailCounts.map((count, column) => [nameOf(column), count]),
    ),
    unique_count_by_column: Object.fromEntries(
      [...uniqueCounts].sort(([a], [b]) => a - b).map(([column, count]) => [nameOf(column), count]),
    ),
    has_header: row.header !== null,
    // Not the row's own: that one is lifted when it is confirmed, and the same preview may be asked for again.
    expires_at: new Date(readyAtMs + UNCONFIRMED_HOURS * 3_600_000).toISOString(),
  };
}

function shortened(cell: string): string {
  return cell.length > MAX_SAMPLE_CHARS ? `${cell.slice(0, MAX_SAMPLE_CHARS)}…` : cell;
}
