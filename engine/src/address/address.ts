/**
 * Reads an email address: RFC 5321 mailboxes, RFC 6531 for non-ASCII mailbox names, UTS-46 for domains.
 *
 * The reading is strict where sending is at stake. What only old message headers allow (comments, folding
 * white space, mixed quoting, source routes) is refused, each with a sentence of its own.
 */

import { scanLocalPart } from "./local-part.ts";
import { parseMailDomain } from "./mail-domain.ts";
import { type AddressSyntaxError, syntaxError } from "./syntax-error.ts";

export type Address = {
  /** The mailbox name as the mail server is asked for it: as typed, in Unicode NFC, quotes kept. */
  local: string;
  quoted: boolean;
  /** A-labels in lower case: the name DNS is asked for. For an IP literal the bracketed text. */
  domain: string;
  /** The domain as people read it. */
  unicodeDomain: string;
  isIpLiteral: boolean;
  /** The mailbox name has non-ASCII characters, so the server must speak SMTPUTF8. */
  needsSmtpUtf8: boolean;
  /** One spelling for one mailbox as far as every server agrees: lower case, NFC, no needless quotes. */
  normalized: string;
};

export type ParsedAddress = { ok: true; address: Address } | { ok: false; complaint: AddressSyntaxError };

// No valid address is longer, in any of its forms; what is longer is not even looked at.
const MAX_TYPED_LENGTH = 1024;
const MAX_ADDRESS_OCTETS = 254;

export function parseAddress(typed: string): ParsedAddress {
  const start = firstInk(typed);
  const text = typed.slice(0, endOfInk(typed, start));
  if (start === text.length) return refuse(syntaxError("empty", 0));
  if (text.length - start > MAX_TYPED_LENGTH) return refuse(syntaxError("too_long_to_read", start));

  const local = scanLocalPart(text, start);
  if ("rule" in local) return refuse(local);
  const domain = parseMailDomain(text, local.end + 1);
  if ("rule" in domain) return refuse(domain);

  // A mailbox with U-labels can be sent with U-labels or with A-labels; one of the two must fit.
  const domainOctets =
    domain.ascii === domain.unicode
      ? domain.ascii.length
      : Math.min(domain.ascii.length, Buffer.byteLength(text.slice(local.end + 1)));
  if (local.octets + 1 + domainOctets > MAX_ADDRESS_OCTETS)
    return refuse(syntaxError("address_too_long", start));

  const name = text.slice(start, local.end);
  const composed = local.ascii ? name : compose(name);
  return {
    ok: true,
    address: {
      local: composed,
      quoted: local.quoted,
      domain: domain.ascii,
      unicodeDomain: domain.unicode,
      isIpLiteral: domain.kind === "ip_literal",
      needsSmtpUtf8: !local.ascii,
      normalized: `${lowerCase(local.quoted ? unquote(composed) : composed)}@${domain.ascii}`,
    },
  };
}

function refuse(complaint: AddressSyntaxError): ParsedAddress {
  return { ok: false, complaint };
}

/** Blanks and line ends around an address are a slip of the clipboard, not part of it. */
function firstInk(text: string): number {
  let i = 0;
  while (i < text.length && isBlank(text.charCodeAt(i))) i++;
  return i;
}

function endOfInk(text: string, start: number): number {
  let i = text.length;
  while (i > start && isBlank(text.charCodeAt(i - 1))) i--;
  return i;
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0d || unit === 0x0a;
}

/**
 * Unicode NFC, unless that would spoil the name: U+037E composes to an ASCII semicolon, and a few
 * characters decompose into more octets than a mailbox name may have.
 */
function compose(local: string): string {
  const composed = local.normalize("NFC");
  if (composed === local) return local;
  return "rule" in scanLocalPart(`${composed}@`, 0) ? local : composed;
}

/** Lower-casing can take a composed letter apart (İ), so it is composed again; twice changes nothing more. */
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
