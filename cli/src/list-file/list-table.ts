/** A list as a table: one pass to detect its columns, a second one to write it with the verdicts appended. */
import {
  createEmailColumnFinder,
  csvLine,
  type ListFile,
  type ListFileLimits,
  openListFile,
  ownColumns,
  VERDICT_COLUMNS,
  verdictCells,
} from "@mailvet/engine/list-file";
import type { ListOnDisk } from "./list-on-disk.ts";
import type { ResultsFile } from "./results-file.ts";
import type { VerdictStore } from "./verdict-store.ts";

/** Generous, because the list is local. Anything larger is not a list of emails. */
const LIMITS: ListFileLimits = { maxTextBytes: 64 * 1024 ** 3, maxRows: 100_000_000 };

/** `sheet`: of a spreadsheet. Default: the first one with emails. */
export function openTable(list: ListOnDisk, sheet?: string): Promise<ListFile> {
  return openListFile(list.read(), { ...LIMITS, sheet });
}

export type TableSurvey = {
  rows: number;
  columns: readonly string[];
  /** Number of cells that look like an email, by column. */
  emailCounts: readonly number[];
  suggested: number | undefined;
};

export async function surveyTable(list: ListOnDisk, sheet?: string): Promise<TableSurvey> {
  const { columns, batches } = await openTable(list, sheet);
  const survey = createEmailColumnFinder(columns);
  let rows = 0;
  for await (const batch of batches) {
    survey.add(batch);
    rows += batch.length;
  }
  return { rows, columns, emailCounts: survey.emailCounts, suggested: survey.suggested };
}

const CHUNK_CHARS = 64 * 1024;

/** Same format as a job download of the service: verdict columns after the columns of the file. */
export async function writeTable(
  list: ListOnDisk,
  verdicts: VerdictStore,
  file: ResultsFile,
  { sheet, column }: { sheet?: string | undefined; column: number },
): Promise<void> {
  const { header, columns, delimiter, batches } = await openTable(list, sheet);
  const kept = ownColumns({ header, columns }, [column]);
  const names = kept.map((n) => header?.[n] ?? columns[n]!);
  let text = csvLine([...names, ...VERDICT_COLUMNS], delimiter);
  let row = 0;
  for await (const batch of batches) {
    for (const cells of batch) {
      const own = kept.map((n) => cells[n] ?? "");
      // Extra cells of a ragged row go last, because no header names them.
      const more = cells.slice(columns.length);
      text += csvLine([...own, ...verdictCells(verdicts.verdictOf(++row)), ...more], delimiter);
      if (text.length < CHUNK_CHARS) continue;
      await file.write(text);
      text = "";
    }
  }
  await file.write(text);
  list.assertUnchanged();
  await file.finish();
}
