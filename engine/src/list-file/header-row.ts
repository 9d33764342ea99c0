/** Detects a header row and derives column names. */
import { looksLikeEmail } from "./email-cell.ts";

/** Column names are neither emails nor numbers, and not all empty. */
export function isHeader(first: readonly string[], below: readonly string[][]): boolean {
  if (first.every((cell) => cell.trim() === "") || first.some(isEmailLike)) return false;
  return !first.some((cell, column) => isNumber(cell) && isMostlyNumbers(below, column));
}

/** An email, or a word that was meant to be one. */
function isEmailLike(cell: string): boolean {
  const word = cell.trim();
  return looksLikeEmail(cell) || (word.length > 1 && word.includes("@") && !/\s/.test(word));
}

/** Also dates, times and telephone numbers. */
function isNumber(cell: string): boolean {
  return cell.length < 40 && /\d/.test(cell) && /^[\d\s.,:/+()-]+$/.test(cell);
}

function isMostlyNumbers(rows: readonly string[][], column: number): boolean {
  const cells = rows.map((row) => row[column] ?? "").filter((cell) => cell.trim() !== "");
  return cells.length > 0 && cells.filter(isNumber).length > 0.8 * cells.length;
}

const MAX_NAME_CHARS = 200;

/** Unique, non-empty column names. */
export function columnNames(header: readonly string[] | undefined, width: number): string[] {
  const taken = new Set<string>();
  const repetitions = new Map<string, number>();
  return Array.from({ length: width }, (_, column) => {
    const text = (header?.[column] ?? "").replace(/\s+/g, " ").trim();
    const base = [...text].slice(0, MAX_NAME_CHARS).join("") || `column_${column + 1}`;
    let name = base;
    let count = repetitions.get(base) ?? 1;
    while (taken.has(name)) name = `${base} (${++count})`;
    repetitions.set(base, count);
    taken.add(name);
    return name;
  });
}
