/**
 * The verdict of every row of a list, kept on disk: some 150 bytes for each different email there, and 8 bytes a row
 * in memory that say where. Verdicts come in any order, a later one for the same row takes the place of the earlier.
 */
import type { ValidationResult } from "@mailvet/contract";
import type { VerdictCells } from "@mailvet/engine/list-file";
import { openLineFile } from "./temp-file.ts";

export type VerdictStore = Disposable & {
  /** Rows count from 1. */
  keep(row: number, result: ValidationResult): void;
  /** The row has the same email as an earlier one. */
  repeat(row: number, firstRow: number): void;
  /** Undefined when the row has none: an empty cell, or one that was not reached. */
  verdictOf(row: number): VerdictCells | undefined;
};

export function openVerdictStore(rows: number): VerdictStore {
  const file = openLineFile();
  // Nothing is 0; an offset in the file, plus 1; or the row that has the verdict, as a negative number.
  const places = new Float64Array(rows + 1);
  return {
    keep(row, result) {
      places[row] = file.append(JSON.stringify(cellsOf(result))) + 1;
    },
    repeat(row, firstRow) {
      places[row] = -firstRow;
    },
    verdictOf(row) {
      const place = places[row] ?? 0;
      const isDuplicate = place < 0;
      const offset = (isDuplicate ? places[-place]! : place) - 1;
      if (offset < 0) return undefined;
      return { ...(JSON.parse(file.lineAt(offset)) as VerdictCells), is_duplicate: isDuplicate };
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

function cellsOf({ details, catchall, metadata, ...result }: ValidationResult): VerdictCells {
  return {
    status: result.status,
    sub_status: result.sub_status,
    confidence: result.confidence,
    is_valid: result.is_valid,
    safe_to_send: result.safe_to_send,
    score: result.score,
    suggestion: result.suggestion,
    provider: details.provider,
    is_catchall: catchall.is_catchall,
    is_disposable: details.is_disposable,
    is_role_based: details.is_role_based,
    is_free: details.is_free,
    smtp_code: details.smtp_code,
    checked_at: new Date(metadata.checked_at * 1000).toISOString(),
    is_duplicate: false,
  };
}
