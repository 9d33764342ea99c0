/** Turns pasted text into a list: one entry per row, whatever separates them. */

const SEPARATORS = /[\n\r,;|]/;

/**
 * Cells copied from a spreadsheet (tabs) are a table already. Otherwise entries are separated by line breaks, commas,
 * semicolons or bars, and by blanks where each word is an address. `"Doe, Ann" <ann@example.com>` is one entry.
 */
export function pastedList(text: string): string {
  if (text.includes("\t")) return text;
  const entries = splitEntries(text).flatMap(addressesIn);
  return entries.map((entry) => `"${entry.replaceAll('"', '""')}"\r\n`).join("");
}

/** Separators in quotes belong to the entry. An unclosed quote is an ordinary character. */
function splitEntries(text: string): string[] {
  const entries: string[] = [];
  let entry = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    const closing = char === '"' ? text.indexOf('"', at + 1) : -1;
    if (closing > at && !text.slice(at, closing).includes("\n")) {
      entry += text.slice(at, closing + 1);
      at = closing;
    } else if (SEPARATORS.test(char)) {
      entries.push(entry.trim());
      entry = "";
    } else entry += char;
  }
  return [...entries, entry.trim()].filter((one) => one !== "");
}

function addressesIn(entry: string): string[] {
  const words = entry.split(/\s+/);
  return words.length > 1 && words.every((word) => word.includes("@")) ? words : [entry];
}
