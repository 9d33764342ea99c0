/**
 * Several files as one table: columns of different files with the same name are one column, and the first column names the
 * file of a row.
 *
 * A file without a header that has only emails adds them to the email column of the files before it; where all of these are
 * without a header, the first one with a header adds its emails to theirs. Cells beyond the columns of their file get columns of
 * their own, because further files may add columns behind the present ones.
 */
import { createEmailColumnFinder, type ListFile, ListFileError } from "@mailvet/engine/list-file";

export type TableUnion = {
  /** Grows with each file, and with rows that are longer than the first ones of their file. */
  readonly columns: string[];
  /** Returns how rows of this file become rows of the table. `emailColumn`: of the table so far. */
  add(
    file: Pick<ListFile, "header" | "columns" | "sampleRows">,
    filename: string,
    emailColumn: number | undefined,
  ): (rows: readonly string[][]) => string[][];
};

const FILE_COLUMN = "source_file";
const MAX_COLUMNS = 1000;

export function createTableUnion(): TableUnion {
  const columns = [FILE_COLUMN];
  /** By name. A file may have several columns whose names differ in case only. */
  const numbers = new Map<string, number[]>();
  /** Of one of the files so far. */
  let hasHeader = false;
  const keyOf = (name: string) => name.trim().toLowerCase();
  /** `taken`: by other columns of the same file. */
  const numberOf = (name: string, taken: readonly number[]): number => {
    const key = keyOf(name);
    const named = numbers.get(key) ?? [];
    const known = named.find((number) => !taken.includes(number));
    if (known !== undefined) return known;
    if (columns.length === MAX_COLUMNS) {
      throw new ListFileError("not_a_table", `The files have more than ${MAX_COLUMNS} different columns.`);
    }
    numbers.set(key, [...named, columns.length]);
    columns.push(columns.includes(name) ? `${name} (${columns.length})` : name);
    return columns.length - 1;
  };
  return {
    columns,
    add(file, filename, emailColumn) {
      const isBareList = !file.header && file.columns.length === 1;
      const targets: number[] = isBareList && emailColumn !== undefined ? [emailColumn] : [];
      if (file.header && !hasHeader && emailColumn !== undefined) {
        const name = emailColumnOf(file);
        if (name !== undefined && !columns.includes(name)) {
          columns[emailColumn] = name;
          numbers.set(keyOf(name), [emailColumn]);
        }
      }
      const addTarget = (name: string) => targets.push(numberOf(name, targets));
      for (const name of file.columns.slice(targets.length)) addTarget(name);
      hasHeader ||= file.header !== undefined;
      const asRow = (cells: readonly string[]) => {
        if (cells.length > targets.length) {
          const width = cells.findLastIndex((cell) => cell !== "") + 1;
          while (targets.length < width) addTarget(`column_${targets.length + 1}`);
        }
        const row = [filename];
        targets.forEach((target, n) => {
          while (row.length < target) row.push("");
          row[target] = cells[n] ?? "";
        });
        return row;
      };
      return (rows) => rows.map(asRow);
    },
  };
}

function emailColumnOf({
  columns,
  sampleRows,
}: Pick<ListFile, "columns" | "sampleRows">): string | undefined {
  const finder = createEmailColumnFinder(columns);
  finder.add(sampleRows);
  return finder.suggested === undefined ? undefined : columns[finder.suggested];
}
