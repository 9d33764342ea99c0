/**
 * One line of a CSV file, safe to open in a spreadsheet.
 *
 * A cell that a spreadsheet would take for a formula gets an apostrophe in front, which is how people do it by hand.
 */

/** The cells and the line break that ends them. */
export function csvLine(cells: readonly string[], delimiter: string): string {
  if (cells.length === 1 && cells[0] === "") return '""\r\n'; // an empty line would be no row at all
  let line = "";
  for (let i = 0; i < cells.length; i++) {
    if (i > 0) line += delimiter;
    line += quotedWhereNeeded(neutralised(cells[i]!), delimiter);
  }
  return `${line}\r\n`;
}

// Blanks in front hide a formula from us, not from every spreadsheet. The wide forms count in East Asian editions.
const MAYBE_FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
/** `-5`, `+4.2`, `-1.5e-7`, `+49 170 1234567`, `-`: no letters, no operators, nothing to run. */
const PLAIN_NUMBER = /^ *[+-][\d ().,]*(?:\d[eE][+-]?\d+)?$/;

function neutralised(cell: string): string {
  return MAYBE_FORMULA.test(cell) && !PLAIN_NUMBER.test(cell) ? `'${cell}` : cell;
}

// Quoted for every usual delimiter: a spreadsheet set to another one must not find a formula behind it.
const NEEDS_QUOTES = /[",;\t|\r\n]/;

function quotedWhereNeeded(cell: string, delimiter: string): string {
  return NEEDS_QUOTES.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
