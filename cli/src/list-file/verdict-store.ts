/**
 * Stores the verdict of every row of a list: about 150 bytes per unique email on disk, and an 8-byte index entry per
 * row in memory. Verdicts arrive in any order; a later one for the same row replaces the earlier one.
 */
import type { ValidationResult } from "@mailvet/contract";
import { cellsOf, type VerdictCells } from "@mailvet/engine/list-file";
import { openLineFile } from "./temp-file.ts";

export type VerdictStore = Disposable & {
  /** Rows are numbered from 1. */
  set(row: number, result: ValidationResult): void;
  /** The row has the same email as an earlier one. */
  setDuplicate(row: number, firstRow: number): void;
  /** Undefined for an empty cell and for a row that was not checked. */
  verdictOf(row: number): VerdictCells | undefined;
};

export function openVerdictStore(rows: number): VerdictStore {
  const file = openLineFile();
  // 0: no verdict; positive: offset in the file, plus 1; negative: minus the row that has the verdict.
  const index = new Float64Array(rows + 1);
  return {
    set(row, result) {
      index[row] = file.append(JSON.stringify(cellsOf(result))) + 1;
    },
    setDuplicate(row, firstRow) {
      index[row] = -firstRow;
    },
    verdictOf(row) {
      const entry = index[row] ?? 0;
      const isDuplicate = entry < 0;
      const offset = (isDuplicate ? index[-entry]! : entry) - 1;
      if (offset < 0) return undefined;
      return { ...(JSON.parse(file.lineAt(offset)) as VerdictCells), is_duplicate: isDuplicate };
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}
