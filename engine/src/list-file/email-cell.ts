/**
 * What a cell says the email is.
 *
 * `Ann <ann@example.com>`, `"ann@example.com"`, `mailto:ann@example.com` and ` ann@example.com ` all say the same,
 * and so do those with characters that nobody can see.
 * Nothing is repaired beyond that: what is left is judged as it stands.
 */

/** Pasted along from web pages and documents, where nobody sees them: soft hyphens, zero-width and direction marks. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;
const WRAPPING = /["'<>:]/;
const IN_ANGLE_BRACKETS = /<([^<>]*)>$/;
const MAILTO = /^mailto:([^?]*)(?:\?.*)?$/is;
const IN_QUOTES = /^(?:"([^"]*)"|'([^']*)')$/s;
/** csvLine put the apostrophe there, or a spreadsheet did. */
const NEUTRALISED = /^'(?=[=+\-@])/;

/** The email in a cell; "" when there is nothing. A cell that holds no email comes back as its trimmed text. */
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

// No address is longer, so no longer cell is looked at closely.
const MAX_EMAIL_CHARS = 320;
// Slashes and colons are rather those of a web address, `https://example.com/@ann.b`.
const EMAIL_SHAPE = /^[^\s@,;|<>"/:]+@[^\s@,;|<>"/:]+\.[^\s@,;|<>"/:]+$/;

/** A cheap test for telling columns apart; whether it is an address is for the parser to say. */
export function looksLikeEmail(cell: string): boolean {
  if (!cell.includes("@") || cell.length > 4 * MAX_EMAIL_CHARS) return false;
  const email = emailIn(cell);
  return email.length <= MAX_EMAIL_CHARS && EMAIL_SHAPE.test(email);
}
