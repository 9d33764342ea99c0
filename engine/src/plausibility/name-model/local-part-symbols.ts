/**
 * A local part as the symbols that the name model distinguishes: letters without case and accents, one symbol for all
 * digits, three separators, and one for the rest.
 */
import { normaliseLetters } from "../normalise-letters.ts";

/** Reused for every local part, so that scoring a list allocates nothing. */
export type Symbols = {
  /** 0 edge, 1–26 letters, 27 digit, 28–30 the separators . _ -, 31 anything else. One edge before, one after. */
  codes: Uint8Array;
  /** The value of each digit, which the codes hide; used for years only. */
  digits: Uint8Array;
  length: number;
};

export function createSymbols(): Symbols {
  return { codes: new Uint8Array(MAX_SYMBOLS + 2), digits: new Uint8Array(MAX_SYMBOLS + 2), length: 0 };
}

/** The maximum length of a local part. */
export const MAX_SYMBOLS = 64;
/** Three characters or fewer can be anyone's initials. */
const FEWEST_SYMBOLS = 4;

const EDGE = 0;
export const DIGIT = 27;
const OTHER = 31;
const PLUS = 0x2b;

/** False if it is too short, or has a letter without a Latin form. */
export function readSymbols(local: string, symbols: Symbols): boolean {
  const { codes, digits } = symbols;
  let at = 0;
  const end = Math.min(local.length, MAX_SYMBOLS);
  for (let i = 0; i < end; i++) {
    const code = local.charCodeAt(i);
    if (code === PLUS) break; // the rest is a tag chosen by the owner
    if (code > 0x7f) return readAccented(local, symbols);
    at++;
    codes[at] = SYMBOL_OF[code]!;
    digits[at] = code & 15;
  }
  codes[0] = EDGE;
  codes[at + 1] = EDGE;
  symbols.length = at;
  return at >= FEWEST_SYMBOLS;
}

/** Accents are rare enough to allow a copy. */
function readAccented(local: string, symbols: Symbols): boolean {
  const plus = local.indexOf("+");
  const plain = normaliseLetters(local.slice(0, Math.min(plus < 0 ? local.length : plus, MAX_SYMBOLS)));
  return isPlain(plain) && readSymbols(plain, symbols);
}

function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

export const SYMBOL_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  if (character >= "a" && character <= "z") return character.charCodeAt(0) - 0x60;
  if (character >= "0" && character <= "9") return DIGIT;
  const separator = "._-".indexOf(character);
  return separator < 0 ? OTHER : DIGIT + 1 + separator;
});
