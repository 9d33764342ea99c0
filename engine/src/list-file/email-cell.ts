/**
 * Extracts the email from a cell.
 *
 * `Ann <ann@example.com>`, `"ann@example.com"`, `mailto:ann@example.com` and ` ann@example.com ` all give the same
 * email, with or without invisible characters. Nothing else is repaired: the rest is validated as it is.
 */

/** Pasted along from web pages and documents: soft hyphens, zero-width and direction marks. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;
const WRAPPING = /["'<>:]/;
const IN_ANGLE_BRACKETS = /<([^<>]*)>$/;
const MAILTO = /^mailto:([^?]*)(?:\?.*)?$/is;
const IN_QUOTES = /^(?:"([^"]*)"|'([^']*)')$/s;
/** Added by csvLine, or by a spreadsheet. */
const NEUTRALISED = /^'(?=[=+\-@])/;

/** Returns "" for an empty cell, and the trimmed text for a cell without an email. */
export function emailIn(cell: string | undefined): string {
  if (cell === undefined) return "";
  const text = cell.replace(INVISIBLE, "").trim();
  if (!WRAPPING.test(text)) return text;
  const outer = unquoted(text);
  const inside = IN_ANGLE_BRACKETS.exec(outer)?.[1]?.trim() || outer;
  const bare = MAILTO.exec(inside)?.[1]?.trim() || inside;
  return unquoted(bare).replace(NEUTRALISED, "");
}

function unquoted(text: string): string {
  const [, double, single] = IN_QUOTES.exec(text) ?? [];
  return (double ?? single ?? text).trim();
}

// No address is shorter or longer, so such cells are not examined.
const MIN_EMAIL_CHARS = "a@b.c".length;
const MAX_EMAIL_CHARS = 320;
// Slashes and colons suggest a URL, `https://example.com/@ann.b`.
const EMAIL_SHAPE = /^[^\s@,;|<>"/:]+@[^\s@,;|<>"/:]+\.[^\s@,;|<>"/:]+$/;

/** A cheap heuristic to tell columns apart; the parser decides whether it is an address. */
export function looksLikeEmail(cell: string): boolean {
  if (cell.length < MIN_EMAIL_CHARS || cell.length > 4 * MAX_EMAIL_CHARS || !cell.includes("@")) return false;
  const email = emailIn(cell);
  return email.length <= MAX_EMAIL_CHARS && EMAIL_SHAPE.test(email);
}
