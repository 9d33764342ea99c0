/**
 * Splits cached evidence into what many addresses share and what is an address's own, and joins it again without loss.
 *
 * Shared are the facts about the domain (route, policies, decoy …) and the finding about the mailbox, whose reply is the
 * same for most addresses of a server but for a few words: the address and the server's identifiers. These words are the
 * address's own. So shared parts never contain the address.
 */
import { hash } from "node:crypto";
import { type Evidence, entriesUpTo } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type { CachedEvidence } from "./cached-evidence.ts";

export type SplitEvidence = { facts: SharedFacts; finding: SharedFinding | undefined; own: OwnEvidence };

/** About the domain, and which of its mail hosts has answered. */
export type SharedFacts = Omit<CachedEvidence, "mailbox" | "adjudication"> & { mxHost?: string };

type Mailbox = NonNullable<Evidence["mailbox"]>;
/** The text of its reply is a template. */
export type SharedFinding = Omit<Mailbox, "mxHost">;

/** Null: nothing. */
export type OwnEvidence = {
  /** Words of the reply, in their order. */
  words?: string[];
  adjudication?: CachedEvidence["adjudication"];
} | null;

// Cached replies have no control characters (cached-evidence.ts).
const ADDRESS = "\u0001";
const WORD = "\u0002";
const PLACEHOLDER = /\p{Cc}/gu;
/** Shorter ones are likely part of an ordinary word. */
const MIN_LOCAL_PART = 3;
/** Queue and session identifiers have a digit and this length. Codes such as 5.1.1 are shorter. */
const MIN_IDENTIFIER = 8;
const DIGIT = /\d/;

/** `address` is normalised. */
export function splitEvidence(
  address: string,
  { mailbox, adjudication, ...domain }: CachedEvidence,
): SplitEvidence {
  if (!mailbox) return { facts: domain, finding: undefined, own: adjudication ? { adjudication } : null };
  const { mxHost, ...finding } = mailbox;
  const facts = mxHost === undefined ? domain : { ...domain, mxHost };
  const { text, words } = finding.reply ? templateOf(finding.reply.text, address) : { text: "", words: [] };
  const own = {
    ...(words.length > 0 ? { words } : {}),
    ...(adjudication ? { adjudication } : {}),
  };
  return {
    facts,
    finding: finding.reply ? { ...finding, reply: { ...finding.reply, text } } : finding,
    own: Object.keys(own).length > 0 ? own : null,
  };
}

export function joinEvidence(
  address: string,
  { mxHost, ...domain }: SharedFacts,
  finding: SharedFinding | null,
  own: OwnEvidence,
): CachedEvidence {
  const evidence: CachedEvidence = domain;
  if (finding) {
    const mailbox: Mailbox = mxHost === undefined ? { ...finding } : { ...finding, mxHost };
    if (mailbox.reply) mailbox.reply = { ...mailbox.reply, text: textOf(mailbox.reply.text, address, own) };
    evidence.mailbox = mailbox;
  }
  if (own?.adjudication) evidence.adjudication = own.adjudication;
  return evidence;
}

function templateOf(reply: string, address: string): { text: string; words: string[] } {
  const words: string[] = [];
  const localPart = address.slice(0, address.lastIndexOf("@"));
  const domain = address.slice(localPart.length + 1);
  const lowerLocalPart = localPart.toLowerCase();
  const isOwn = (word: string) =>
    word.includes("@") ||
    (localPart.length >= MIN_LOCAL_PART && word.toLowerCase().includes(lowerLocalPart)) ||
    (word.length >= MIN_IDENTIFIER && DIGIT.test(word) && !word.includes(domain));
  const text = reply.replace(/\S+/g, (word) => {
    const quoted = word.replace(address, () => ADDRESS);
    if (!isOwn(quoted)) return quoted;
    words.push(word);
    return WORD;
  });
  return { text, words };
}

function textOf(template: string, address: string, own: OwnEvidence): string {
  const words = (own?.words ?? []).values();
  return template.replace(PLACEHOLDER, (placeholder) =>
    placeholder === ADDRESS ? address : (words.next().value ?? ""),
  );
}

/** JSON of facts. Those of a domain are many addresses', so the JSON of their large parts is kept with the parts. */
export function factsJson({ route, policies, ...rest }: SharedFacts): string {
  const others = JSON.stringify(rest);
  const large = `${route ? `"route":${jsonOf(route)},` : ""}${policies ? `"policies":${jsonOf(policies)},` : ""}`;
  return others === "{}" ? `{${large.slice(0, -1)}}` : `{${large}${others.slice(1)}`;
}

const jsons = new WeakMap<object, string>();

function jsonOf(part: object): string {
  let json = jsons.get(part);
  if (json === undefined) {
    json = JSON.stringify(part);
    jsons.set(part, json);
  }
  return json;
}

/** A UUID made of the content's hash: 128 bits, so that a reply cannot be made to collide with another domain's facts. */
export function contentId(json: string): string {
  let id = ids.get(json);
  if (id === undefined) {
    id = hash("sha256", json, "hex").slice(0, 32);
    ids.set(json, id);
  }
  return id;
}

const ids = new LRUCache<string, string>({ ...entriesUpTo(1_000) });

/**
 * Key of an address in an account's cache, as a UUID: 24 bits for the account, 24 for the domain, 80 for the address. The
 * addresses of a domain are neighbours in the index, and so are those of an account: a slice of a list, which is cut by
 * domain, reads and writes few pages of it, and the account needs no part in the index. The trigger that deletes the rows of
 * an account computes the first part, too.
 */
export function addressKey(accountId: string, normalized: string): string {
  const domain = `${accountId} ${normalized.slice(normalized.lastIndexOf("@") + 1)}`;
  let start = keyStarts.get(domain);
  if (start === undefined) {
    start = hash("sha256", accountId, "hex").slice(0, 6) + hash("sha256", domain, "hex").slice(0, 6);
    keyStarts.set(domain, start);
  }
  return start + hash("sha256", `${accountId} ${normalized}`, "hex").slice(0, 20);
}

/** Of the key, by account and domain. */
const keyStarts = new LRUCache<string, string>({ ...entriesUpTo(1_000) });
