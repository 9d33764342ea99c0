/**
 * Formats one CSV line that is safe to open in a spreadsheet.
 *
 * A cell that a spreadsheet would treat as a formula gets a leading apostrophe, as people do by hand.
 */

/** Includes the line break. */
export function csvLine(cells: readonly string[], delimiter: string): string {
  if (cells.length === 1 && cells[0] === "") return '""\r\n'; // an empty line would not be a row
  let line = "";
  for (let i = 0; i < cells.length; i++) {
    if (i > 0) line += delimiter;
    line += quoteIfNeeded(neutraliseFormula(cells[i]!), delimiter);
  }
  return `${line}\r\n`;
}

/** A line of a file that we define ourselves: separated by commas, null and undefined as empty cells. */
export function csvRecord(values: readonly (string | number | boolean | null | undefined)[]): string {
  return csvLine(
    values.map((value) => String(value ?? "")),
    ",",
  );
}

// Some spreadsheets ignore leading blanks. Full-width forms count in East Asian editions.
const MAYBE_FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
/** `-5`, `+4.2`, `-1.5e-7`, `+49 170 1234567`, `-`: no letters, no operators, not executable. */
const PLAIN_NUMBER = /^ *[+-][\d ().,]*(?:\d[eE][+-]?\d+)?$/;

function neutraliseFormula(cell: string): string {
  return MAYBE_FORMULA.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
}

// Quoted for every common delimiter: a spreadsheet set to another one must not find a formula behind it.
const NEEDS_QUOTES = /[",;\t|\r\n]/;

function quoteIfNeeded(cell: string, delimiter: string): string {
  return NEEDS_QUOTES.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
