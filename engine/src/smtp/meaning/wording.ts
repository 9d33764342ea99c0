/**
 * The words of a reply, made ready for comparison: echoes taken out, letters made plain.
 *
 * Servers repeat our recipient, our host and their own links in what they say. Mailboxes called quota@,
 * blocked@ or full@ exist, so an echo must go before any word is looked at. Links and addresses that
 * carry the verdict themselves stay available in `asWritten`.
 */

import type { Reply } from "../reply.ts";

export type Wording = {
  /**
   * Lower case words with single spaces: no accents, punctuation, echoes or links. A sentence ends in " . ",
   * and each IP address is the word "@ip".
   */
  clean: string;
  /** All lines joined, lower case, otherwise as the server wrote them. */
  asWritten: string;
};

export type Echoes = {
  /** The address we asked about. */
  recipient?: string | undefined;
  /** Names and addresses of ours the server may repeat: EHLO name, sender, PTR name. */
  ourNames?: readonly string[] | undefined;
};

/** Replies longer than this are cut; the reason is always near the start. */
const MAX_CHARACTERS = 4096;

const URL = /\b(?:https?:\/\/|www\.)[^\s<>"')\]]{1,512}/g;
const ADDRESS = /<?[^\s<>()[\]:;,"']{1,128}@[a-z0-9.-]{1,255}>?/gi;
const BRACKETED_WORD = /<[^<>\s]{0,320}>/g;
// Documentation and anonymised logs write x.x.x.x or {IP}.
const IPV4 =
  /\[?\b(?:\d{1,3}|x{1,3})(?:\.(?:\d{1,3}|x{1,3})){3}\b\]?(?:\/\d{1,2}\b)?(?::\d{1,5}\b)?|\{ip\}/gi;
const IPV6 = /\[?(?:ipv6:)?\b[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,7}\b\]?/gi;
/** Longer than any word: a queue id, a session id, or an attempt to keep us busy. */
const ENDLESS_WORD = /[!-~]{65,}/g;
/** Sentences without spaces (Chinese, Japanese) are cut, so that no rule has to look far for a word's end. */
const ENDLESS_SENTENCE = /\S{100}/gu;
const COMBINING_MARKS = /[\u0300-\u036f]/g;

/** Letters that do not fall apart into a base letter and a mark. */
const PLAIN_LETTER: Record<string, string> = { ł: "l", ø: "o", đ: "d", ß: "ss", æ: "ae", œ: "oe", ı: "i" };

/** Words that describe mailboxes; a mailbox of that name must not take them out of the sentence. */
const STRUCTURAL =
  /^(?:users?|recipients?|mailbox|address|account|senders?|e?mail|unknown|domain|host|rcpt|someone|somebody|name|nobody|postmaster)$/;

export function wordingOf(reply: Reply, echoes: Echoes = {}): Wording {
  const joined = readable(reply.lines.join(" ").slice(0, MAX_CHARACTERS));
  const asWritten = joined.toLowerCase();
  const locals = new Set<string>();
  const noteLocal = (address: string) => {
    const local = address.replace(/^</, "").split("@", 1)[0]?.toLowerCase();
    if (local && !STRUCTURAL.test(local) && locals.size < 8) locals.add(local);
    return " ";
  };

  let text = joined.replace(URL, " ").replace(/(?<=\p{Ll})\.(?=\p{Lu}\p{Ll})/gu, ". ");
  for (const name of echoes.ourNames ?? []) text = withoutWord(text, name);
  if (echoes.recipient) {
    text = withoutWord(text, echoes.recipient);
    noteLocal(echoes.recipient);
  }
  text = text.replace(ADDRESS, noteLocal).replace(BRACKETED_WORD, " ");
  text = text.replace(IPV4, " @ip ").replace(IPV6, keepClockTimes);
  text = withoutPunctuation(plain(text));
  for (const local of locals) text = withoutLocalPart(text, withoutPunctuation(plain(local)));
  return { clean: text, asWritten };
}

/** Lower case without accents and apostrophes; underscores are spaces, typographic signs are plain ones. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(COMBINING_MARKS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => PLAIN_LETTER[letter] ?? letter)
    .replace(/(?<!\p{L})(l|d|n|s|c|qu)['`´‘’ʼ](?=\p{L})/gu, "$1 ") // l'adresse, n'existe
    .replace(/(?<=\p{L})['`´‘’ʼ](?=\p{L})/gu, "") // doesn't
    .replace(
      /(?<=\b(?:invalid|unknown|bad|no|block|blocked|not|user|recipient|mailbox|domain))-(?=\p{L})/gu,
      " ",
    )
    .replace(/[_\u00a0]/g, " ")
    .replace(/[\u2010-\u2015]/g, "-");
}

function keepClockTimes(match: string): string {
  return /^\d{1,2}(?::\d{2}){1,2}$/.test(match) ? match : " @ip ";
}

function withoutWord(text: string, word: string): string {
  if (word.length < 3) return text;
  const needle = word.toLowerCase();
  const hay = text.toLowerCase();
  // Lower-casing may change the length of rare letters; then positions no longer agree.
  if (hay.length !== text.length) return text;
  let out = "";
  let from = 0;
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, from)) {
    out += `${text.slice(from, at)} `;
    from = at + needle.length;
  }
  return out + text.slice(from);
}

/** Only words stay; what ends a sentence becomes a word of its own, a slash reads as "or". */
function withoutPunctuation(text: string): string {
  return text
    .replace(ENDLESS_WORD, " ")
    .replace(ENDLESS_SENTENCE, "$& ")
    .replace(/[.;!?]+(?=\s|$)|[。！？]+/g, " . ")
    .replace(/(?<=\p{L})\/(?=\p{L})/gu, " or ")
    .replace(/:(?!\d)|["'`´‘’“”«»()[\]{}<>,=|*#~^!?;$/\\，、：（）]/g, " ")
    .replace(/(?<![\p{L}\d])-+|-+(?=\s|$)/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Takes the bare local part out where it stands as a name: after "user", "mailbox" and the like when the
 * sentence goes on, or at the very start. "mailbox full" at the end of a sentence stays.
 */
function withoutLocalPart(text: string, local: string): string {
  if (local.length < 2) return text;
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
 * Undoes a wrong decoding. Bytes of another character set read as Latin-1 give words of high letters only;
 * the likely readings are added to the text, and only the right one contains words that any rule knows.
 */
function readable(text: string): string {
  const high = text.match(/[\u0080-\u00ff]/g)?.length ?? 0;
  if (high < 2 || /[\u0100-\uffff]/.test(text)) return text;
  const bytes = Buffer.from(text, "latin1");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    if (high < 6 || !/[\u0080-\u00ff]{4}/.test(text)) return text;
    const readings = ["gb18030", "koi8-r", "windows-1251"].map((name) => new TextDecoder(name).decode(bytes));
    return [text, ...readings].join(" ");
  }
}
