/**
 * The head noun of a clause: in "user consent not found" the consent is missing, not the user.
 *
 * A phrase counts against a mailbox only if the noun phrases in it and beside it have a word for the recipient as their
 * head. What may be said of a recipient is a closed list (clause-words.ts); any other noun is another subject.
 */

import { storageWordKind, type WordKind, wordKind } from "./clause-words.ts";
import { ECHO, type ReplyText } from "./reply-text.ts";

/** The words of a reply with their kinds. */
export type Clauses = {
  kinds: readonly WordKind[];
  /** For each word of `clean`, counted from its end, the index of the same word in `kinds`. */
  places: readonly number[];
};

export function clausesOf(text: ReplyText, ofStorage = false): Clauses {
  const { marked, clean, locals, otherDomains } = text;
  const words = withNames(marked, locals).split(" ");
  const kinds = words.map(ofStorage ? storageWordKind : wordKind);
  for (let at = 0; at < words.length; at++) kinds[at] = kindInContext(words, kinds, at);
  for (const domain of otherDomains) {
    const at = words.indexOf(domain);
    if (isNameOfDomain(words, kinds, at)) kinds[at] = "foreign";
  }
  return { kinds, places: alignFromEnd(marked.split(" "), clean.split(" ")) };
}

const DOMAIN_NOUN = /^(?:domains?|zone|dominio|domaine|domena|домен)$/;

const STATE_OF_HOST = /^(?:unknown|bad|invalid|such|the)$/;

/** Whether a name is one of a domain, not of a server: "domain example.net", "unknown host example.net", "example.net: …". */
function isNameOfDomain(words: readonly string[], kinds: readonly WordKind[], at: number): boolean {
  if (DOMAIN_NOUN.test(words[at - 1] ?? "")) return true;
  if (words[at - 1] === "host") return isEnd(kinds[at - 2]) || STATE_OF_HOST.test(words[at - 2]!);
  return isEnd(kinds[at - 1]) && isEnd(kinds[at + 1]);
}

/** The kind of a word after the words before it. */
function kindInContext(words: readonly string[], kinds: readonly WordKind[], at: number): WordKind {
  const kind = kinds[at]!;
  const [before, after] = [kinds[at - 1], kinds[at + 1]];
  // "check the address", but "the check" and "the address check"
  // and "in route lists"
  if (kind === "either" && before === "preposition" && isNoun(after)) return "modifier";
  if (kind === "either") return followsHead(kinds, at) || before === "determiner" ? "other" : "grammar";
  // "in your network"
  if (words[at - 1] === "your" && (kind === "domain" || kind === "place")) return "client";
  // "two years ago"
  if (kind === "place" && words[at + 1] === "ago") return "grammar";
  switch (words[at]) {
    // "the relay recipient", but "the recipient relay" and "the relay of the recipient"
    case "relay":
      if (followsHead(kinds, at) || (before === "determiner" && after === "preposition")) return "other";
      return words[at + 1] === "recipient" ? "modifier" : kind;
    // "error code 28"
    case "code":
      return after === "name" ? "grammar" : kind;
    // "this host has no such user"
    case "no":
      return words[at - 1] === "has" || words[at - 1] === "have" ? "verb" : kind;
    // "in the From address"
    case "from":
      return before === "determiner" ? "other" : kind;
    // "die Adresse der Kunden": an article after a noun is a genitive.
    case "der":
      return isNoun(before) ? "preposition" : kind;
    default:
      return kind;
  }
}

/** Whether a noun that is not a modifier stands before a word. */
function followsHead(kinds: readonly WordKind[], at: number): boolean {
  let before = at - 1;
  while (kinds[before] === "modifier" || kinds[before] === "adjective" || kinds[before] === "echo") before--;
  return isNoun(kinds[before]);
}

/** The text with its local parts replaced, where that does not change the number of words. */
function withNames(marked: string, locals: readonly string[]): string {
  let text = marked;
  for (const local of locals) {
    if (local.length < 2 || local.includes(" ")) continue;
    text = ` ${text} `.replaceAll(` ${local} `, ` ${ECHO} `).replaceAll(` ${local}s `, ` ${ECHO} `).trim();
  }
  return text;
}

/** The words of `clean` are those of `marked` without some of them. */
function alignFromEnd(marked: readonly string[], clean: readonly string[]): number[] {
  const places: number[] = [];
  for (let at = marked.length - 1; at >= 0 && places.length < clean.length; at--) {
    if (marked[at] === clean[clean.length - 1 - places.length]) places.push(at);
  }
  return places;
}

const NOUNS: ReadonlySet<WordKind | undefined> = new Set<WordKind>([
  "recipient",
  "echo",
  "modifier",
  "adjective",
  "domain",
  "place",
  "name",
  "foreign",
  "client",
  "our_sender",
  "our_name",
  "other",
  "storage",
]);
const isNoun = (kind: WordKind | undefined) => NOUNS.has(kind);
const CLIENT: ReadonlySet<WordKind> = new Set<WordKind>(["client", "our_sender", "our_name"]);

export type Said = {
  /** The text that a phrase was found in, and where. It may be the end of `clean`. */
  text: string;
  start: number;
  end: number;
  /** Rules about the domain may be said of places. */
  ofDomain: boolean;
  /** The enhanced code says that the mailbox is bad. */
  codeAgrees: boolean;
  /** What is ours may be named: relaying denied "for you" is still a domain that is not served. */
  mayNameClient: boolean;
  /** The phrase must be the whole clause. */
  isWholeClause: boolean;
};

/** Whether a phrase is said of the recipient (or of the domain), and of nothing else. */
export function isSaidOfRecipient({ kinds, places }: Clauses, said: Said): boolean {
  const { text, start, end, ofDomain, codeAgrees } = said;
  const first = places[spacesFrom(text, start)];
  const last = places[spacesFrom(text, end - 1)];
  if (first === undefined || last === undefined) return false;
  if (said.isWholeClause) return isEdge(kinds[first - 1]) && isEdge(kinds[last + 1]);
  const near = nounPhrasesAround(kinds, first, last);
  if (hasOtherLabel(kinds, clauseAround(kinds, near), said)) return false;
  const { from, to } = codeAgrees ? near : clauseAround(kinds, near);
  for (let at = from; at <= to; at++) {
    if (!isNoun(kinds[at])) continue;
    const stop = nounPhraseEnd(kinds, at);
    const isComplement = isAfterPreposition(kinds, at);
    const mayBeAny = codeAgrees && isComplement && at > last;
    const phrase = kinds.slice(at, stop);
    if (!mayBeAny && !isKnower(phrase, kinds, stop) && !isAllowed(phrase, isComplement, said)) return false;
    at = stop;
  }
  return ofDomain || codeAgrees || kinds.includes("recipient") || kinds.includes("echo");
}

/**
 * Whether "full" or "over quota" is said of a mailbox: of the recipient, or of room that is not that of something else. The
 * clauses are those with words about room.
 */
export function isSaidOfRoom({ kinds, places }: Clauses, { text, start, end }: Said): boolean {
  const [first, last] = [places[spacesFrom(text, start)], places[spacesFrom(text, end - 1)]];
  if (first === undefined || last === undefined) return false;
  const near = nounPhrasesAround(kinds, first, last);
  return roomOwner(kinds, near) === "recipient" || roomOwner(kinds, clauseAround(kinds, near)) !== "other";
}

/** Whose room a range of words is about, if it says so. */
function roomOwner(kinds: readonly WordKind[], { from, to }: Range): "recipient" | "other" | undefined {
  let owner: "recipient" | "other" | undefined;
  for (let at = from; at <= to; at++) {
    if (!isNoun(kinds[at])) continue;
    const stop = nounPhraseEnd(kinds, at);
    const phrase = kinds.slice(at, stop);
    const isOfOther = phrase.some((kind) => ELSEWHERE.has(kind));
    if (isOfOther && !isAfterPreposition(kinds, at)) return owner ?? "other";
    if (isOfOther) owner ??= "other";
    else if (phrase.includes("recipient") || phrase.includes("echo")) owner = "recipient";
    at = stop;
  }
  return owner;
}

/** "The disk of our server", but "the mailbox on our server". */
const ELSEWHERE: ReadonlySet<WordKind> = new Set<WordKind>(["other", "domain", "place", ...CLIENT]);

type Range = { from: number; to: number };

/** The words between the marks before and after a range. */
function clauseAround(kinds: readonly WordKind[], { from, to }: Range): Range {
  let start = from;
  while (start > 0 && !isMark(kinds[start - 1])) start--;
  let end = to;
  while (end + 1 < kinds.length && !isMark(kinds[end + 1])) end++;
  return { from: start, to: end };
}

const isEdge = (kind: WordKind | undefined) =>
  kind === undefined || kind === "echo" || kind === "name" || kind === "foreign" || isMark(kind);
const isEnd = (kind: WordKind | undefined) => kind === undefined || isMark(kind);
const isMark = (kind: WordKind | undefined) => kind === "comma" || kind === "stop";

/** Whether a noun phrase has another head than the recipient it names: "address lookup", "key of the user". */
export function hasOtherHead({ kinds }: Clauses, ofDomain: boolean): boolean {
  for (let at = 0; at < kinds.length; at++) {
    if (!isNoun(kinds[at])) continue;
    const stop = nounPhraseEnd(kinds, at);
    const phrase = kinds.slice(at, stop);
    const isOther =
      phrase.at(-1) === "other" || phrase.at(-1) === "place" || (!ofDomain && phrase.at(-1) === "domain");
    if (isOther && !isAfterPreposition(kinds, at)) {
      if (phrase.includes("recipient")) return true;
      if (kinds.slice(stop, complementEnd(kinds, stop - 1) + 1).includes("recipient")) return true;
    }
    at = stop;
  }
  return false;
}

/** Whether a Latin word may be a noun that no list has. Other scripts are left to the code: their lists are short. */
export function hasUnlistedWord({ marked }: ReplyText, { kinds }: Clauses): boolean {
  if (!kinds.includes("other")) return false;
  return marked.split(" ").some((word, at) => kinds[at] === "other" && /^[a-z'-]+$/.test(word));
}

const KNOWERS: ReadonlySet<WordKind> = new Set<WordKind>(["domain", "modifier", "name", "foreign"]);

/** Whether a phrase is the server that does not know the recipient: "this host does not know that user". */
function isKnower(phrase: readonly WordKind[], kinds: readonly WordKind[], stop: number): boolean {
  if (!phrase.every((kind) => KNOWERS.has(kind))) return false;
  let next = stop;
  while (kinds[next] === "grammar") next++;
  return kinds[next] === "verb";
}

function isAllowed(phrase: readonly WordKind[], isComplement: boolean, said: Said): boolean {
  const { ofDomain, codeAgrees, mayNameClient } = said;
  const head = phrase.at(-1);
  if (ofDomain && phrase.includes("domain") && phrase.includes("foreign")) return false;
  if (isComplement && codeAgrees) return head !== "other";
  if (phrase.includes("other") || (!mayNameClient && phrase.some((kind) => CLIENT.has(kind)))) return false;
  if (isComplement) return true;
  if (phrase.includes("place")) return false;
  return ofDomain || !(phrase.includes("domain") || (head === "modifier" && phrase.includes("recipient")));
}

/** Whether a name beside a clause is what it is said of, and not the recipient: "example.net: domain not found". */
function hasOtherLabel(kinds: readonly WordKind[], { from, to }: Range, said: Said): boolean {
  if (said.mayNameClient || kinds.includes("echo")) return false;
  const others: ReadonlySet<WordKind | undefined> = said.ofDomain ? OTHER_DOMAINS : OTHER_MAILBOXES;
  const isBefore = kinds[from - 1] === "comma" && isEnd(kinds[from - 3]) && others.has(kinds[from - 2]);
  return isBefore || (kinds[to + 1] === "comma" && isEnd(kinds[to + 3]) && others.has(kinds[to + 2]));
}

const OTHER_MAILBOXES = new Set<WordKind | undefined>(["our_sender"]);
const OTHER_DOMAINS = new Set<WordKind | undefined>(["our_sender", "our_name", "foreign"]);

/** How many words follow the one at a position. */
function spacesFrom(text: string, position: number): number {
  let count = 0;
  for (let at = text.indexOf(" ", position); at !== -1; at = text.indexOf(" ", at + 1)) count++;
  return count;
}

/** The words from `first` to `last` with the noun phrases beside them, which they may be said of. */
function nounPhrasesAround(kinds: readonly WordKind[], first: number, last: number): Range {
  if (kinds.slice(first, last + 1).some(isNoun)) {
    return { from: subjectStart(kinds, first), to: complementEnd(kinds, last) };
  }
  let from = first;
  while (isVerbal(kinds[from - 1])) from--;
  // "mailbox key: not found"
  if (kinds[from - 1] === "comma") from--;
  from = subjectStart(kinds, from);
  let to = last;
  if (!kinds.slice(from, first).some(isNoun)) while (isVerbal(kinds[to + 1])) to++;
  return { from, to: complementEnd(kinds, to) };
}

const isVerbal = (kind: WordKind | undefined) =>
  kind === "grammar" || kind === "verb" || kind === "determiner";

/** Where the noun phrases begin that end before `first`. */
function subjectStart(kinds: readonly WordKind[], first: number): number {
  let from = first;
  for (;;) {
    while (isNoun(kinds[from - 1])) from--;
    let before = from - 1;
    while (kinds[before] === "determiner") before--;
    if (kinds[before] !== "preposition") return from;
    from = before;
  }
}

/** Where the noun phrases end that follow directly, or after a preposition. */
function complementEnd(kinds: readonly WordKind[], last: number): number {
  let to = last;
  for (;;) {
    while (isNoun(kinds[to + 1])) to++;
    let next = to + 1;
    if (kinds[next] !== "preposition") return to;
    while (kinds[next] === "preposition" || kinds[next] === "determiner") next++;
    if (!isNoun(kinds[next])) return to;
    to = next;
  }
}

function nounPhraseEnd(kinds: readonly WordKind[], start: number): number {
  let end = start + 1;
  while (isNoun(kinds[end])) end++;
  return end;
}

function isAfterPreposition(kinds: readonly WordKind[], start: number): boolean {
  let before = start - 1;
  while (kinds[before] === "determiner") before--;
  return kinds[before] === "preposition";
}
