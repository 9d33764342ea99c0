/**
 * The text of a reply, prepared for matching: echoes removed, letters normalised.
 *
 * Servers repeat our recipient, our host and their own links in replies. Mailboxes named quota@, blocked@ or full@
 * exist, so echoes must be removed before matching. Links and addresses that carry the reason themselves are
 * available in `asWritten`.
 */

import { type Reply, shortened } from "../reply.ts";
import { isPlainAscii, normaliseText, withoutMarks } from "./normalise-text.ts";

export type ReplyText = {
  /**
   * Lower case words with single spaces: no accents, punctuation, echoes or links. A sentence ends in " . ", and each
   * IP address is the word "@ip".
   */
  clean: string;
  /** The same words with "," between clauses, and markers in place of our sender, our names and other addresses. */
  marked: string;
  /** Words of `marked` that are domain names and not related to the domain of the recipient. */
  otherDomains: readonly string[];
  /** The recipient's domain is a word of `marked`; any domain name if the recipient is not known. */
  namesRecipientDomain: boolean;
  /** Local parts in the reply, normalised. */
  locals: readonly string[];
  /** All lines joined, lower case, otherwise as the server wrote them. */
  asWritten: string;
};

export type Echoes = {
  /** The probed address. */
  recipient?: string | undefined;
  /** Our names that the server may echo: EHLO name, sender, PTR name. */
  ourNames?: readonly string[] | undefined;
};

/** Stands in `marked` for an address or a bracketed word. */
export const ECHO = "@to";
const ECHO_WORD = ` ${ECHO} `;
/** Stand in `marked` for our sender and for other names of the client: what is said of them is not said of the recipient. */
export const OUR_SENDER = "@sender";
export const OUR_NAME = "@us";

/** Of longer replies the beginning and the last line are read. */
const MAX_CHARACTERS = 4096;

/** Line separators that are no line ends of SMTP. */
const SEPARATORS = /[\u0085\u2028\u2029]/g;
const URL = /\b(?:https?:\/\/|www\.)[^\s<>"')\]]{1,512}/g;
// Begins where a word begins, so that other words are passed over quickly.
const ADDRESS = /<?(?<![^\s<>()[\]:;,"'])[^\s<>()[\]:;,"']{1,128}@[a-z0-9.-]{1,255}>?/gi;
const BRACKETED_WORD = /<[^<>\s]{0,320}>/g;
// Documentation and anonymised logs write x.x.x.x or {IP}.
const IPV4 =
  /\[?\b(?:\d{1,3}|x{1,3})(?:\.(?:\d{1,3}|x{1,3})){3}\b\]?(?:\/\d{1,2}\b)?(?::\d{1,5}\b)?|\{ip\}/gi;
const MAYBE_IPV4 = /[\dx]\.[\dx]|\{ip\}/i;
const IPV6 = /\[?(?:ipv6:)?\b[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,7}\b\]?/gi;
// "...address rejected.Please contact us", but not <Ann.Baker>
const GLUED_SENTENCE = /(?<=\p{Ll})\.(?=\p{Lu}\p{Ll})(?![^<>\s]{0,320}>)/gu;
const GLUED_ASCII_SENTENCE = /(?<=[a-z])\.(?=[A-Z][a-z])(?![^<>\s]{0,320}>)/g;

/** Words that describe mailboxes; a mailbox of that name must not remove them from the sentence. */
const STRUCTURAL =
  /^(?:users?|recipients?|mailbox|address|account|senders?|e?mail|unknown|domain|host|rcpt|someone|somebody|name|nobody|postmaster)$/;

export function replyTextOf(reply: Reply, echoes: Echoes = {}): ReplyText {
  const joined = repairDecoding(shortened(reply.lines.join("\n"), MAX_CHARACTERS)).replace(SEPARATORS, " ");
  const asWritten = (reply.lines.length > 1 ? joined.replaceAll("\n", " ") : joined).toLowerCase();
  const locals = new Set<string>();
  const noteLocal = (address: string) => {
    const local = address.replace(/^</, "").split("@", 1)[0]?.toLowerCase();
    if (local && !STRUCTURAL.test(local) && locals.size < 8) locals.add(local);
    return ECHO_WORD;
  };

  // A line that begins with a capital letter begins a clause.
  let text = reply.lines.length > 1 ? joined.replace(/\n(?=\p{Lu})/gu, " , ") : joined;
  if (asWritten.includes("://") || asWritten.includes("www.")) text = text.replace(URL, " ");
  const recipientDomain = domainOf(echoes.recipient ?? "");
  for (const name of withDomains(echoes.ourNames ?? NO_NAMES)) {
    if (name.toLowerCase() === recipientDomain) continue; // not ours alone
    text = replaceWord(text, asWritten, name, ` ${name.includes("@") ? OUR_SENDER : OUR_NAME} `);
  }
  if (echoes.recipient) {
    text = replaceWord(text, asWritten, echoes.recipient, ECHO_WORD);
    noteLocal(echoes.recipient);
  }
  text = text.replace(isPlainAscii(joined) ? GLUED_ASCII_SENTENCE : GLUED_SENTENCE, ". ");
  if (text.includes("@")) text = text.replace(ADDRESS, noteLocal);
  if (text.includes("<")) text = text.replace(BRACKETED_WORD, ECHO_WORD);
  if (MAYBE_IPV4.test(text)) text = text.replace(IPV4, " @ip ");
  if (text.includes(":")) text = text.replace(IPV6, keepClockTimes);
  const marked = normaliseText(text);
  const names = Array.from(locals, (local) => withoutMarks(normaliseText(local)));
  let clean = withoutMarks(marked);
  for (const name of names) clean = withoutLocalPart(clean, name);
  const domains = marked.match(DOMAIN_NAME) ?? [];
  return {
    clean,
    marked,
    otherDomains: domains.filter((name) => isUnrelated(name, recipientDomain)),
    namesRecipientDomain: domains.some((name) => name === recipientDomain || recipientDomain === ""),
    locals: names,
    asWritten,
  };
}

const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

const NO_NAMES: readonly string[] = [];
const ourNames = new WeakMap<readonly string[], readonly string[]>();

/** Longest first, with the domain of the sender. Computed once for an array: it is the same for all replies. */
function withDomains(names: readonly string[]): readonly string[] {
  let all = ourNames.get(names);
  if (!all) {
    const unique = new Set(names.flatMap((name) => [name, domainOf(name)]));
    all = [...unique].sort((a, b) => b.length - a.length);
    ourNames.set(names, all);
  }
  return all;
}

const DOMAIN_NAME = /(?<=^| )(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?= |$)/g;

function isUnrelated(name: string, recipientDomain: string): boolean {
  return (
    recipientDomain !== "" &&
    name !== recipientDomain &&
    !name.endsWith(`.${recipientDomain}`) &&
    !recipientDomain.endsWith(`.${name}`)
  );
}

function keepClockTimes(match: string): string {
  return /^\d{1,2}(?::\d{2}){1,2}$/.test(match) ? match : " @ip ";
}

function replaceWord(text: string, asWritten: string, word: string, by: string): string {
  const needle = word.toLowerCase();
  if (word.length < 3 || !asWritten.includes(needle)) return text;
  const hay = text.toLowerCase();
  // Lower-casing may change the length of rare letters; then positions no longer agree.
  if (hay.length !== text.length) return text;
  let out = "";
  let from = 0;
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, at + needle.length)) {
    const end = at + needle.length;
    if (/[\w-]/.test(hay[at - 1] ?? "") || /[\w-]/.test(hay[end] ?? "")) continue; // a part of another name
    out += text.slice(from, at) + by;
    from = end;
  }
  return out + text.slice(from);
}

/**
 * Removes the bare local part where it is used as a name: after "user", "mailbox" and the like when the sentence goes
 * on, or at the very start. "mailbox full" at the end of a sentence is kept.
 */
function withoutLocalPart(text: string, local: string): string {
  if (local.length < 2 || !text.includes(local)) return text;
  const name = local.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  const afterNoun = new RegExp(
    `(?<![\\p{L}\\d])(users?|mailbox|account|recipient|alias|address|named|for|to) ${name}(?= \\p{L})`,
    "gu",
  );
  const atStart = new RegExp(
    `^${name}(?= (?:is|does|doesnt|unknown|not|user|no|was|has|cannot|\\.)(?: |$))`,
    "u",
  );
  return text.replace(afterNoun, "$1").replace(atStart, "").trim();
}

/**
 * Repairs a wrong decoding. Bytes of another character set decoded as Latin-1 give words of high letters only; the
 * likely decodings are appended to the text, and only the right one contains words of the rules.
 */
function repairDecoding(text: string): string {
  if (isPlainAscii(text)) return text;
  const high = text.match(/[\u0080-\u00ff]/g)?.length ?? 0;
  if (high < 2 || /[\u0100-\uffff]/.test(text)) return text;
  const bytes = Buffer.from(text, "latin1");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    if (high < 6 || !/[\u0080-\u00ff]{4}/.test(text)) return text;
    const decodings = ["gb18030", "koi8-r", "windows-1251"].map((name) =>
      new TextDecoder(name).decode(bytes),
    );
    return [text, ...decodings].join(" , ");
  }
}
