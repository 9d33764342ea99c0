/**
 * Several files as one table: columns with the same name are one column, and the first column names the file of a row.
 *
 * A file without a header that has only emails adds them to the email column of the files before it.
 */
import { type ListFile, ListFileError } from "@mailvet/engine/list-file";

export type TableUnion = {
  /** Grows with each file. */
  readonly columns: string[];
  /** Returns how rows of this file become rows of the table. `emailColumn`: of the table so far. */
  add(
    file: Pick<ListFile, "header" | "columns">,
    filename: string,
    emailColumn: number | undefined,
  ): (rows: readonly string[][]) => string[][];
};

const FILE_COLUMN = "source_file";
const MAX_COLUMNS = 1000;

export function createTableUnion(): TableUnion {
  const columns = [FILE_COLUMN];
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    const key = name.trim().toLowerCase();
    const known = numbers.get(key);
    if (known !== undefined) return known;
    if (columns.length === MAX_COLUMNS) {
      throw new ListFileError("not_a_table", `The files have more than ${MAX_COLUMNS} different columns.`);
    }
    numbers.set(key, columns.length);
    columns.push(columns.includes(name) ? `${name} (${columns.length})` : name);
    return columns.length - 1;
  };
  return {
    columns,
    add(file, filename, emailColumn) {
      const isBareList = !file.header && file.columns.length === 1;
      const targets =
        isBareList && emailColumn !== undefined ? [emailColumn] : file.columns.map((name) => numberOf(name));
      const width = Math.max(0, ...targets) + 1;
      return (rows) =>
        rows.map((cells) => {
          const row = Array<string>(width).fill("");
          row[0] = filename;
          targets.forEach((target, n) => {
            row[target] = cells[n] ?? "";
          });
          return row;
        });
    },
  };
}
