/**
 * Parses an email address: RFC 5321 mailboxes, RFC 6531 for non-ASCII local parts, UTS-46 for domains.
 *
 * Strict, because the address is used as an SMTP recipient. Forms that only message headers allow (comments, folding
 * white space, mixed quoting, source routes) are rejected, each with its own error.
 */

import { scanLocalPart } from "./local-part.ts";
import { parseMailDomain } from "./mail-domain.ts";
import { type AddressSyntaxError, syntaxError } from "./syntax-error.ts";

export type Address = {
  /**
   * The local part as sent in RCPT: as typed, in Unicode NFC, without quotes that are not needed. Some servers do not know
   * a mailbox in quotes that they know without.
   */
  local: string;
  /** Typed in quotes, or sent in quotes that it needs. */
  quoted: boolean;
  /** A-labels in lower case, as used in DNS. For an IP literal the bracketed text. */
  domain: string;
  /** The domain in U-labels, for display. */
  unicodeDomain: string;
  isIpLiteral: boolean;
  /** The local part has non-ASCII characters, so the server must support SMTPUTF8. */
  needsSmtpUtf8: boolean;
  /** The same for all spellings that every server treats alike: lower case, NFC, no redundant quotes. */
  normalized: string;
};

export type ParsedAddress = { ok: true; address: Address } | { ok: false; error: AddressSyntaxError };

// No valid address is longer in any form; longer input is not parsed.
const MAX_TYPED_LENGTH = 1024;
const MAX_ADDRESS_OCTETS = 254;

export function parseAddress(typed: string): ParsedAddress {
  const start = trimmedStart(typed);
  const text = typed.slice(0, trimmedEnd(typed, start));
  if (start === text.length) return fail(syntaxError("empty", 0));
  if (text.length - start > MAX_TYPED_LENGTH) return fail(syntaxError("too_long_to_read", start));

  const local = scanLocalPart(text, start);
  if ("rule" in local) {
    const quoted = inQuotes(text.slice(start));
    const parsed = quoted === undefined ? undefined : parseAddress(quoted);
    return parsed?.ok ? parsed : fail(local);
  }
  const domain = parseMailDomain(text, local.end + 1);
  if ("rule" in domain) return fail(domain);

  // A mailbox with U-labels can be sent with U-labels or with A-labels; one of the two must fit.
  const domainOctets =
    domain.ascii === domain.unicode
      ? domain.ascii.length
      : Math.min(domain.ascii.length, Buffer.byteLength(text.slice(local.end + 1)));
  if (local.octets + 1 + domainOctets > MAX_ADDRESS_OCTETS)
    return fail(syntaxError("address_too_long", start));

  const name = text.slice(start, local.end);
  const composed = local.ascii ? name : compose(name);
  const sent = local.quoted ? unquote(composed) : composed;
  return {
    ok: true,
    address: {
      local: sent,
      quoted: local.quoted,
      domain: domain.ascii,
      unicodeDomain: domain.unicode,
      isIpLiteral: domain.kind === "ip_literal",
      needsSmtpUtf8: !local.ascii,
      normalized: `${lowerCase(sent)}@${domain.ascii}`,
    },
  };
}

/**
 * Until 2009 these carriers issued names with dots in a row or at the end, which still receive mail, and which a client has to
 * quote: https://www.docomo.ne.jp/service/docomo_mail/rfc_add/
 */
const ISSUED_WITH_DOTS = /^([a-z0-9_-][a-z0-9._-]*)(@(?:docomo|ezweb)\.ne\.jp)$/i;

function inQuotes(text: string): string | undefined {
  const issued = ISSUED_WITH_DOTS.exec(text);
  return issued ? `"${issued[1]}"${issued[2]}` : undefined;
}

function fail(error: AddressSyntaxError): ParsedAddress {
  return { ok: false, error };
}

/** White space around an address comes from copy and paste and is ignored. */
function trimmedStart(text: string): number {
  let i = 0;
  while (i < text.length && isBlank(text.charCodeAt(i))) i++;
  return i;
}

function trimmedEnd(text: string, start: number): number {
  let i = text.length;
  while (i > start && isBlank(text.charCodeAt(i - 1))) i--;
  return i;
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0d || unit === 0x0a;
}

/**
 * Unicode NFC, unless the result is no longer a local part: U+037E composes to an ASCII semicolon, and a few
 * characters decompose into more octets than a local part may have.
 */
function compose(local: string): string {
  const composed = local.normalize("NFC");
  if (composed === local) return local;
  return "rule" in scanLocalPart(`${composed}@`, 0) ? local : composed;
}

/** Lower-casing can decompose a letter (İ), so the result is composed again. The function is idempotent. */
function lowerCase(local: string): string {
  return compose(local.toLowerCase());
}

/** "ann" and ann are the same mailbox; so are "a\b" and "ab". */
function unquote(quoted: string): string {
  const bare = quoted.slice(1, -1).replace(/\\(.)/g, "$1");
  const plain = scanLocalPart(`${bare}@`, 0);
  if (bare.length > 0 && !("rule" in plain) && !plain.quoted && plain.end === bare.length) return bare;
  return `"${bare.replace(/["\\]/g, "\\$&")}"`;
}
