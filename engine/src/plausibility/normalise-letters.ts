/**
 * Normalises a local part for comparing names: lower case, without accents, ASCII where possible.
 *
 * `José`, `JOSE` and `jose` are one name. Text without a Latin form (иван) is left as it is.
 */

export function normaliseLetters(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .normalize("NFKD")
    .replace(MARKS, "")
    .replace(UNDIVIDED, (letter) => LATIN.get(letter) ?? letter);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what ASCII is.
const ASCII = /^[\x00-\x7f]*$/;
const MARKS = /\p{M}+/gu;
const UNDIVIDED = /[ßøłđðþæœıəŋħ]/g;

/** Letters that are not a base letter with an accent, as written in passports and mailbox names. */
const LATIN: ReadonlyMap<string, string> = new Map(
  "ß:ss ø:o ł:l đ:d ð:d þ:th æ:ae œ:oe ı:i ə:a ŋ:n ħ:h"
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);
