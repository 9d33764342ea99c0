/**
 * Normalises reply text for matching: lower case, no accents, no punctuation, single spaces. A sentence ends in " .
 * ", clauses are separated by " , ", and a slash between words becomes "or".
 *
 * Most replies are plain ASCII, so every replacement names a character without which it is skipped.
 */

/** `what` is replaced if the character occurs in the text at all. */
type Change = readonly [sign: string, what: RegExp, by: string];

export function normaliseText(text: string): string {
  const isAscii = isPlainAscii(text);
  const letters = changed((isAscii ? text : withoutAccents(text)).toLowerCase(), LETTER_CHANGES);
  const words = letters.length > 64 ? letters.replace(ENDLESS_WORD, " ") : letters;
  const marked = changed(isAscii ? words : withPlainSigns(words), SIGN_CHANGES);
  return changed(marked.replace(PUNCTUATION, " ").replace(CLAUSE_MARKS, " , "), HYPHEN_CHANGES)
    .replace(/\s{2,}|[\t-\r]/g, " ")
    .trim();
}

export function isPlainAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function changed(text: string, changes: readonly Change[]): string {
  let now = text;
  for (const [sign, what, by] of changes) if (now.includes(sign)) now = now.replace(what, by);
  return now;
}

const LETTER_CHANGES: readonly Change[] = [
  ["'", /(?<!\p{L})(l|d|n|s|c|qu|un|all|dell|nell|sull)'(?=\p{L})/gu, "$1 "], // l'adresse, n'existe
  ["'", /(?<=\p{L})'(?=\p{L})/gu, ""], // doesn't
  ["-", /(?<=\b(?:invalid|unknown|bad|no|block|blocked|not|user|recipient|mailbox|domain))-(?=\p{L})/gu, " "],
  ["_", /_/g, " "],
];

/** Longer than any word: a queue id, a session id, or an attempt to waste time. */
const ENDLESS_WORD = /(?<![!-~])[!-~]{65,}/g;

const SIGN_CHANGES: readonly Change[] = [
  [".", /\.+[;!?.]*(?=\s|$)/g, " . "],
  [";", /;+[;!?.]*(?=\s|$)/g, " . "],
  ["!", /!+[;!?.]*(?=\s|$)/g, " . "],
  ["?", /\?+[;!?.]*(?=\s|$)/g, " . "],
  ["/", /(?<=\p{L})\/(?=\p{L})/gu, " or "],
];

const PUNCTUATION = /["'`<>=*#~^!?;$/\\]/g;

/** What separates clauses becomes a word of its own. A colon before a digit is kept, for clock times. */
const CLAUSE_MARKS = /:(?!\d)|[,()[\]{}|]/g;

const HYPHEN_CHANGES: readonly Change[] = [
  ["-", / -+(?= )/g, " , "],
  ["-", /(?<![\p{L}\d])-+|-+(?=\s|$)/gu, " "],
];

/** The text without the marks between clauses and in place of echoes. */
export function withoutMarks(text: string): string {
  if (!text.includes(",") && !text.includes("@")) return text;
  return text.replace(/(?:^| )(?:,|@to|@us|@sender)(?= |$)/g, "").trim();
}

const COMBINING_MARKS = /[\u0300-\u036f]/g;

/** Letters that do not decompose into a base letter and a mark. */
const PLAIN_LETTER: Record<string, string> = { ł: "l", ø: "o", đ: "d", ß: "ss", æ: "ae", œ: "oe", ı: "i" };

function withoutAccents(text: string): string {
  return text
    .normalize("NFKD")
    .replace(COMBINING_MARKS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => PLAIN_LETTER[letter] ?? letter)
    .replace(/[´‘’ʼ]/g, "'")
    .replace(/[\u2010-\u2015]/g, "-")
    .replace(/\u00a0/g, " ");
}

/** Sentences without spaces (Chinese, Japanese) are split, so that no rule searches far for a word's end. */
const ENDLESS_SENTENCE = /\S{100}/gu;

function withPlainSigns(text: string): string {
  return text
    .replace(ENDLESS_SENTENCE, "$& ")
    .replace(/[。！？]+/g, " . ")
    .replace(/[，、：（）]/g, " , ")
    .replace(/[´‘’“”«»]/g, " ");
}
