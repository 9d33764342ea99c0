/**
 * Scans the local part: a dot-atom or a quoted string (RFC 5321 §4.1.2) with the non-ASCII characters of RFC 6531
 * §3.3, except those that cannot be seen and U+FFFD. One pass over the code units, and another over non-ASCII names.
 */
import { type AddressSyntaxError, syntaxError } from "./syntax-error.ts";

export type LocalPart = {
  /** Index just past the local part: the position of the @. */
  end: number;
  octets: number;
  quoted: boolean;
  ascii: boolean;
};

const MAX_LOCAL_OCTETS = 64;

const AT = 0x40;
const DOT = 0x2e;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** 1 where an ASCII code unit is atext: letters, digits and !#$%&'*+-/=?^_`{|}~ */
const ATEXT = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~") {
  ATEXT[character.charCodeAt(0)] = 1;
}

/** Scans the local part that starts at `start`. On success there is an @ at its `end`. */
export function scanLocalPart(text: string, start: number): LocalPart | AddressSyntaxError {
  const found = text.charCodeAt(start) === QUOTE ? scanQuoted(text, start) : scanDotAtom(text, start);
  if ("rule" in found) return found;
  if (found.octets > MAX_LOCAL_OCTETS) return syntaxError("local_too_long", start);
  return (found.ascii ? undefined : unseenError(text, start, found)) ?? found;
}

/**
 * RFC 6531 allows every non-ASCII character. Those that end a line, reorder the text around them or are not visible at all
 * serve only to make an address look like another one.
 */
function unseenError(
  text: string,
  start: number,
  { end, quoted }: LocalPart,
): AddressSyntaxError | undefined {
  const name = text.slice(start, end);
  const found = LINE_CONTROL.exec(name) ?? INVISIBLE.exec(name);
  if (found) {
    const rule = LINE_CONTROL.test(found[0]) ? "control_character" : "invisible_character";
    return syntaxError(rule, start + found.index, found[0]);
  }
  // No mailbox has it: programs write it in place of what they could not read.
  const lost = name.indexOf("\u{fffd}");
  if (lost >= 0) return syntaxError("lost_character", start + lost);
  const space = quoted ? null : /\p{Zs}/u.exec(name);
  return space ? syntaxError("local_white_space", start + space.index) : undefined;
}

/** Controls, C1 included, and the line and paragraph separators. */
const LINE_CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

const JOINING_SCRIPTS =
  "Adlm Arab Beng Deva Gujr Guru Khmr Knda Mand Mlym Mong Mymr Nkoo Orya Rohg Sinh Syrc Taml Telu Tibt"
    .split(" ")
    .map((script) => `\\p{scx=${script}}`)
    .join("");

/**
 * Direction marks, zero-width and filler characters. Joiners are part of the spelling in the scripts above and in emoji
 * sequences, variation selectors of ideographs and emoji.
 */
const INVISIBLE = new RegExp(
  [
    "(?![\\u180e\\u200c\\u200d]|\\p{VS})\\p{DI}",
    `(?<![${JOINING_SCRIPTS}\\p{Emoji_Presentation}\\p{ExtPict}\\p{EMod}\\ufe0f])[\\u180e\\u200c\\u200d]`,
    "\\u200c(?![\\p{L}\\p{M}])", // it separates two letters
    "(?<![\\p{Ideo}\\p{scx=Mong}\\p{scx=Mymr}\\p{Emoji}])\\p{VS}",
    "[\\ufff9-\\ufffb]",
  ].join("|"),
  "u",
);

function scanDotAtom(text: string, start: number): LocalPart | AddressSyntaxError {
  let octets = 0;
  let ascii = true;
  let previous = DOT; // makes a leading dot fail like a double one
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      if (ATEXT[unit] === 1) {
        octets++;
      } else if (unit === DOT) {
        if (previous === DOT) return syntaxError(i === start ? "local_leading_dot" : "local_double_dot", i);
        octets++;
      } else if (unit === AT) {
        if (i === start) return syntaxError("local_empty", i);
        if (previous === DOT) return syntaxError("local_trailing_dot", i - 1);
        return { end: i, octets, quoted: false, ascii };
      } else {
        return asciiError(text, i, unit);
      }
    } else {
      ascii = false;
      const width = octetsOf(text, i);
      if (width === 0) return syntaxError("lone_surrogate", i);
      octets += width;
      if (width === 4) i++;
    }
    previous = unit;
  }
  return syntaxError("missing_at", text.length);
}

function scanQuoted(text: string, start: number): LocalPart | AddressSyntaxError {
  let octets = 1;
  let ascii = true;
  for (let i = start + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      const next = text.charCodeAt(i + 1);
      if (next === AT) return { end: i + 1, octets: octets + 1, quoted: true, ascii };
      if (i + 1 === text.length) return syntaxError("missing_at", text.length);
      return syntaxError("quote_then_text", i + 1);
    }
    if (unit === BACKSLASH) {
      const escaped = text.charCodeAt(i + 1); // NaN at the end of the text
      if (Number.isNaN(escaped)) return syntaxError("quote_unclosed", start);
      // RFC 6531 extends qtext, not quoted-pair.
      if (escaped < SPACE || escaped > 0x7e)
        return syntaxError("quoted_pair", i + 1, characterAt(text, i + 1));
      octets += 2;
      i++;
    } else if (unit < SPACE || unit === 0x7f) {
      return syntaxError("control_character", i, text[i]);
    } else if (unit < 0x80) {
      octets++;
    } else {
      ascii = false;
      const width = octetsOf(text, i);
      if (width === 0) return syntaxError("lone_surrogate", i);
      octets += width;
      if (width === 4) i++;
    }
  }
  return syntaxError("quote_unclosed", start);
}

/** The error for an ASCII character that is not atext. */
function asciiError(text: string, i: number, unit: number): AddressSyntaxError {
  const character = text.charAt(i);
  switch (character) {
    case " ":
    case "\t":
      return syntaxError(looksLikeDisplayName(text) ? "display_name" : "local_white_space", i);
    case "<":
    case ">":
      return syntaxError("display_name", i);
    case "(":
    case ")":
      return syntaxError("comment", i);
    case '"':
      return syntaxError("quote_in_the_middle", i);
    case ",":
    case ";":
      return syntaxError(
        text.indexOf("@", i) >= 0 && text.lastIndexOf("@", i) >= 0 ? "several_addresses" : "local_character",
        i,
        character,
      );
    default:
      return syntaxError(
        unit < SPACE || unit === 0x7f ? "control_character" : "local_character",
        i,
        character,
      );
  }
}

function looksLikeDisplayName(text: string): boolean {
  return text.endsWith(">") && text.includes("<");
}

/** UTF-8 length in octets of the non-ASCII character at `i`; 0 for an unpaired surrogate. */
export function octetsOf(text: string, i: number): 0 | 2 | 3 | 4 {
  const unit = text.charCodeAt(i);
  if (unit < 0x800) return 2;
  if (unit < 0xd800 || unit > 0xdfff) return 3;
  const low = text.charCodeAt(i + 1);
  return unit < 0xdc00 && low >= 0xdc00 && low <= 0xdfff ? 4 : 0;
}

function characterAt(text: string, i: number): string {
  return String.fromCodePoint(text.codePointAt(i) ?? 0);
}
