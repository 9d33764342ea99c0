/**
 * A mailbox name in the letters that names are compared in: lower case, without accents, ASCII where that is possible.
 *
 * `José`, `JOSE` and `jose` are one name. What has no Latin form (иван) is left as it is, for whoever reads it to pass over.
 */

export function plainLetters(text: string): string {
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

/** Letters that are not a plain one with an accent on it, as passports and mailbox names write them. */
const LATIN: ReadonlyMap<string, string> = new Map(
  "ß:ss ø:o ł:l đ:d ð:d þ:th æ:ae œ:oe ı:i ə:a ŋ:n ħ:h"
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);
