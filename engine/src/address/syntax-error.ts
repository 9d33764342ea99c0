/** Syntax errors of an address: one rule per kind of error, with the message shown to users. */

/** Rule → message. `what` is the offending text, already made printable. */
const SENTENCES = {
  empty: () => "The address is empty.",
  too_long_to_read: () => "The text is too long to be an address.",
  missing_at: () => "The @ between mailbox name and domain is missing.",
  several_at: () => "There is a second @, which is only allowed inside quotes.",
  display_name: () => "Enter only the address, without a display name and < >.",
  several_addresses: (what) => `This looks like more than one address, separated by ${what}.`,
  lone_surrogate: () => "The text contains an incomplete Unicode character.",
  control_character: (what) => `It contains a control character (${what}).`,
  invisible_character: (what) => `It contains an invisible character (${what}).`,
  lost_character: () => "A character was lost in a conversion: U+FFFD is in its place.",

  local_empty: () => "The mailbox name before the @ is missing.",
  local_too_long: () => "The mailbox name before the @ is longer than 64 octets.",
  local_white_space: () => "The mailbox name contains white space; that is only allowed inside quotes.",
  local_character: (what) => `The mailbox name contains ${what}, which is only allowed inside quotes.`,
  local_leading_dot: () => "The mailbox name starts with a dot.",
  local_trailing_dot: () => "The mailbox name ends with a dot.",
  local_double_dot: () => "The mailbox name has two dots in a row.",
  quote_unclosed: () => "The quoted mailbox name has no closing quote.",
  quote_then_text: () =>
    "The closing quote must be followed by the @; mixed quoted and plain parts are obsolete.",
  quote_in_the_middle: () => "A quote is only allowed at the start of the mailbox name.",
  quoted_pair: (what) =>
    `Inside quotes a backslash must be followed by a printable ASCII character, not ${what}.`,
  comment: () => "Comments in parentheses are not allowed.",

  domain_empty: () => "The domain after the @ is missing.",
  domain_too_long: () => "The domain is longer than 255 octets.",
  domain_white_space: () => "The domain contains white space.",
  domain_character: (what) =>
    `The domain contains ${what}; only letters, digits, hyphens and dots are allowed.`,
  domain_leading_dot: () => "The domain starts with a dot.",
  domain_trailing_dot: () => "The domain ends with a dot.",
  domain_double_dot: () => "The domain has two dots in a row.",
  domain_single_label: (what) => `The domain ${what} has no dot; an Internet domain has at least two parts.`,
  domain_not_idna: (what) => `${what} is not a valid internationalised domain name.`,
  label_too_long: (what) => `The part ${what} of the domain is longer than 63 octets.`,
  label_hyphen: (what) => `The part ${what} of the domain starts or ends with a hyphen.`,
  tld_numeric: (what) => `No domain ends in digits like ${what}.`,
  tld_not_alphabetic: (what) => `${what} cannot be a top-level domain; those have two or more letters.`,
  ip_without_brackets: (what) => `${what} is an IP address, not a domain.`,
  literal_malformed: () => "The brackets do not contain a valid IP address.",

  address_too_long: () => "The whole address is longer than 254 octets.",
} as const satisfies Record<string, (what: string) => string>;

export type SyntaxRule = keyof typeof SENTENCES;

/** `position` is an index into the text as typed. */
export type AddressSyntaxError = { rule: SyntaxRule; position: number; message: string };

export function syntaxError(rule: SyntaxRule, position: number, offending = ""): AddressSyntaxError {
  return { rule, position, message: SENTENCES[rule](printable(offending)) };
}

/** What the message quotes, for other languages: empty where it quotes nothing, undefined where it is not of this table. */
export function offendingText({ rule, message }: AddressSyntaxError): string | undefined {
  const [before = "", after] = SENTENCES[rule]("\n").split("\n");
  if (after === undefined) return message === before ? "" : undefined;
  const isOfRule = message.startsWith(before) && message.endsWith(after);
  return isOfRule ? message.slice(before.length, message.length - after.length) : undefined;
}

/** Quotes the offending text for display: no control characters, limited length. */
function printable(text: string): string {
  if (text === " ") return "a space";
  const cut = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  const shown = cut.replace(/[\p{C}\p{Z}]/gu, (character) => {
    const hex = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    return `U+${hex}`;
  });
  return shown.startsWith("U+") ? shown : `“${shown}”`;
}
