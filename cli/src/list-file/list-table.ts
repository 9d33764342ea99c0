/** A list as a table: once through it to see what it is, and once more to write it again with its verdicts. */
import {
  createColumnSurvey,
  csvLine,
  type ListFile,
  type ListFileLimits,
  openListFile,
  VERDICT_COLUMNS,
  verdictCells,
} from "@mailvet/engine/list-file";
import type { ListOnDisk } from "./list-on-disk.ts";
import type { ResultsFile } from "./results-file.ts";
import type { VerdictStore } from "./verdict-store.ts";

/** A list on one's own machine may be long; what is longer than this is no list of emails. */
const LIMITS: ListFileLimits = { maxTextBytes: 64 * 1024 ** 3, maxRows: 100_000_000 };

export function openTable(list: ListOnDisk): Promise<ListFile> {
  return openListFile(list.read(), LIMITS);
}

export type TableSurvey = {
  rows: number;
  columns: readonly string[];
  /** Cells that look like an email, by column. */
  emailCounts: readonly number[];
  suggested: number | undefined;
};

export async function surveyTable(list: ListOnDisk): Promise<TableSurvey> {
  const { columns, batches } = await openTable(list);
  const survey = createColumnSurvey(columns);
  let rows = 0;
  for await (const batch of batches) {
    survey.add(batch);
    rows += batch.length;
  }
  return { rows, columns, emailCounts: survey.emailCounts, suggested: survey.suggested };
}

const PIECE_CHARS = 64 * 1024;

/** As the service writes a job's file: our columns behind the last of theirs, in the same form. */
export async function writeTable(list: ListOnDisk, verdicts: VerdictStore, file: ResultsFile): Promise<void> {
  const { header, columns, delimiter, batches } = await openTable(list);
  const names = columns.map((column, n) => header?.[n] ?? column);
  let text = csvLine([...names, ...VERDICT_COLUMNS], delimiter);
  let row = 0;
  for await (const batch of batches) {
    for (const cells of batch) {
      const own = columns.map((_, n) => cells[n] ?? "");
      // Cells beyond the last column come at the end: no heading of theirs says where they belong.
      const more = cells.slice(columns.length);
      text += csvLine([...own, ...verdictCells(verdicts.verdictOf(++row)), ...more], delimiter);
      if (text.length < PIECE_CHARS) continue;
      await file.write(text);
      text = "";
    }
  }
  await file.write(text);
  list.assertUnchanged();
  await file.finish();
}
