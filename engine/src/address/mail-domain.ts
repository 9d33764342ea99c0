/**
 * Parses the domain after the @: LDH labels, internationalised names by UTS-46 with all checks on, or an IP literal.
 *
 * Plain ASCII names skip the IDNA library: it is fifty times slower, and it rejects registered names such as
 * ab--cd.com. The result is in A-labels and lower case, as used in DNS.
 */
import { createRequire } from "node:module";
import { isIPv4, isIPv6 } from "node:net";
import { octetsOf } from "./local-part.ts";
import { type AddressSyntaxError, syntaxError } from "./syntax-error.ts";

export type MailDomain = {
  kind: "name" | "ip_literal";
  /** A-labels in lower case; for an IP literal the bracketed text. */
  ascii: string;
  /** U-labels, for display. */
  unicode: string;
};

// 255 octets on the DNS wire, length bytes and root included, are 253 characters of text.
const MAX_DOMAIN_OCTETS = 253;
const MAX_LABEL_OCTETS = 63;

const DOT = 0x2e;
const HYPHEN = 0x2d;

/** 1 where an ASCII code unit may occur in a label: letters, digits, hyphen. */
const LDH = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") {
  LDH[character.charCodeAt(0)] = 1;
}

const IDNA_CHECKS = {
  checkHyphens: false, // checked below: it is a rule for U-labels, and ab--cd.com is none
  checkBidi: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  verifyDNSLength: false, // checked below, so that the error can name the label
  transitionalProcessing: false,
};

/** Parses the domain from `start` to the end of the text. */
export function parseMailDomain(text: string, start: number): MailDomain | AddressSyntaxError {
  if (start >= text.length) return syntaxError("domain_empty", start);
  if (text[start] === "[") return parseLiteral(text, start);

  const shape = scanLabels(text, start);
  if (typeof shape === "object") return shape;
  const typed = text.slice(start);
  if (shape === "ascii") {
    const name = typed.toLowerCase();
    return tldError(name, start) ?? { kind: "name", ascii: name, unicode: name };
  }
  return parseInternational(typed, start);
}

/** Checks the labels as typed, and tells whether the name needs IDNA. */
function scanLabels(text: string, start: number): "ascii" | "international" | AddressSyntaxError {
  let international = false;
  let labelStart = start;
  for (let i = start; i <= text.length; i++) {
    const unit = i < text.length ? text.charCodeAt(i) : DOT;
    if (unit === DOT) {
      const error = labelError(text, start, labelStart, i, international);
      if (error) return error;
      if (i - labelStart >= 4 && isAceLabel(text, labelStart)) international = true;
      labelStart = i + 1;
    } else if (unit >= 0x80) {
      const width = octetsOf(text, i);
      if (width === 0) return syntaxError("lone_surrogate", i);
      if (width === 4) i++;
      international = true;
    } else if (LDH[unit] !== 1) {
      return asciiError(text, i, unit);
    }
  }
  if (!international && text.length - start > MAX_DOMAIN_OCTETS) return syntaxError("domain_too_long", start);
  return international ? "international" : "ascii";
}

function labelError(
  text: string,
  start: number,
  from: number,
  to: number,
  international: boolean,
): AddressSyntaxError | undefined {
  if (from === to) {
    if (from === start) return syntaxError("domain_leading_dot", from);
    return syntaxError(to === text.length ? "domain_trailing_dot" : "domain_double_dot", from - 1);
  }
  if (text.charCodeAt(from) === HYPHEN || text.charCodeAt(to - 1) === HYPHEN) {
    return syntaxError("label_hyphen", from, text.slice(from, to));
  }
  // A label with non-ASCII characters is measured later, in its A-label form.
  if (!international && to - from > MAX_LABEL_OCTETS)
    return syntaxError("label_too_long", from, text.slice(from, to));
  return undefined;
}

function isAceLabel(text: string, at: number): boolean {
  return (
    (text.charCodeAt(at) | 0x20) === 0x78 &&
    (text.charCodeAt(at + 1) | 0x20) === 0x6e &&
    text.charCodeAt(at + 2) === HYPHEN &&
    text.charCodeAt(at + 3) === HYPHEN
  );
}

function asciiError(text: string, i: number, unit: number): AddressSyntaxError {
  const character = text.charAt(i);
  if (character === "@") return syntaxError("several_at", i);
  if (character === " " || character === "\t") return syntaxError("domain_white_space", i);
  if (character === "(" || character === ")") return syntaxError("comment", i);
  if (character === "<" || character === ">") return syntaxError("display_name", i);
  if ((character === "," || character === ";") && text.includes("@", i)) {
    return syntaxError("several_addresses", i, character);
  }
  return syntaxError(unit < 0x20 || unit === 0x7f ? "control_character" : "domain_character", i, character);
}

/** IDNA2008 allows letters, marks and decimal digits; UTS-46 also accepts letter-like numbers (ↀ, ᛮ). */
const LETTER_NUMBERS = /(?!〇)\p{Nl}/u;

function parseInternational(typed: string, start: number): MailDomain | AddressSyntaxError {
  const converted = convert(typed);
  if (!converted) return syntaxError("domain_not_idna", start, typed);
  const { ascii, unicode } = converted;
  for (const label of ascii.split(".")) {
    // Characters that IDNA ignores can leave an empty label.
    if (label === "") return syntaxError("domain_not_idna", start, typed);
    if (label.length > MAX_LABEL_OCTETS) return syntaxError("label_too_long", start, label);
  }
  if (ascii.length > MAX_DOMAIN_OCTETS) return syntaxError("domain_too_long", start);
  return tldError(ascii, start) ?? { kind: "name", ascii, unicode };
}

/** Loaded on first use: its tables take longer to load than everything else that an ASCII name needs. */
const idna = (): typeof import("tr46") => require("tr46");
const require = createRequire(import.meta.url);

type Conversion = { ascii: string; unicode: string };

/** A conversion takes tens of microseconds, and lists repeat the same few domains. */
const conversions = new Map<string, Conversion | undefined>();
const MAX_CONVERSIONS = 2000;

function convert(typed: string): Conversion | undefined {
  if (conversions.has(typed)) return conversions.get(typed);
  const { toASCII, toUnicode } = idna();
  const ascii = toASCII(typed, IDNA_CHECKS);
  const unicode = ascii ? toUnicode(ascii).domain : "";
  const isGood = ascii && !LETTER_NUMBERS.test(unicode) && !hasStrayHyphens(typed, unicode);
  const converted = isGood ? { ascii, unicode } : undefined;
  if (conversions.size >= MAX_CONVERSIONS) conversions.clear();
  conversions.set(typed, converted);
  return converted;
}

/**
 * No label begins or ends with a hyphen, and no label that needed IDNA has hyphens in third and fourth place: those
 * are reserved for A-labels. A plain ASCII label beside it (r3---sn.googlevideo.com) may have them.
 */
function hasStrayHyphens(typed: string, unicode: string): boolean {
  const typedLabels = typed.split(/[.\u3002\uff0e\uff61]/);
  return unicode.split(".").some((label, i) => {
    if (label.startsWith("-") || label.endsWith("-")) return true;
    const [, , third, fourth] = label; // by code points
    return third === "-" && fourth === "-" && /[^\x20-\x7e]|^xn--/i.test(typedLabels[i] ?? "");
  });
}

/** RFC 1123 §2.1 and RFC 3696 §2: a top-level domain is alphabetic (or an A-label), never a number. */
function tldError(name: string, start: number): AddressSyntaxError | undefined {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return syntaxError("domain_single_label", start, name);
  let letters = 0;
  let digits = 0;
  for (let i = dot + 1; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit >= 0x61 && unit <= 0x7a) letters++;
    else if (unit >= 0x30 && unit <= 0x39) digits++;
  }
  const length = name.length - dot - 1;
  if (letters === length && length >= 2) return undefined;
  if (digits === length) {
    if (isIPv4(name)) return syntaxError("ip_without_brackets", start, name);
    return syntaxError("tld_numeric", start + dot, name.slice(dot));
  }
  if (length > 4 && isAceLabel(name, dot + 1)) return undefined;
  return syntaxError("tld_not_alphabetic", start + dot, name.slice(dot));
}

/** RFC 5321 §4.1.3: [192.0.2.1] or [IPv6:2001:db8::1]. */
function parseLiteral(text: string, start: number): MailDomain | AddressSyntaxError {
  const inner = text.slice(start + 1, -1);
  const wellFormed =
    text.endsWith("]") &&
    (isIPv4(inner) || (/^ipv6:/i.test(inner) && isIPv6(inner.slice(5)) && !inner.includes("%")));
  if (!wellFormed) return syntaxError("literal_malformed", start);
  const literal = text.slice(start).toLowerCase();
  return { kind: "ip_literal", ascii: literal, unicode: literal };
}
