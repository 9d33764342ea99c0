/**
 * Splits cached evidence into what many addresses share and what is an address's own, and joins it again without loss.
 *
 * Shared are the facts about the domain (route, policies, decoy …) and the finding about the mailbox, whose reply is the
 * same for most addresses of a server but for a few words: the address and the server's identifiers. These words are the
 * address's own. So shared parts never contain the address.
 *
 * The verdict cache, which has addresses of many domains, goes further: without the names of the domain and of its own mail
 * host and without the words of its decoy, facts and findings are the same for all domains that are set up alike.
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
  /** Words of the reply to the decoy; in the verdict cache only. */
  decoyWords?: string[];
  /** The mail host that has answered, if its name says nothing of the domain or the provider; in the verdict cache only. */
  host?: string;
  adjudication?: CachedEvidence["adjudication"];
} | null;

// Cached replies have no control characters (cached-evidence.ts).
const ADDRESS = "\u0001";
const WORD = "\u0002";
const DOMAIN = "\u0003";
/** As in company-com.mail.protection.outlook.com. */
const DASHED_DOMAIN = "\u0004";
const HOST = "\u0005";
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
    if (mailbox.reply)
      mailbox.reply = { ...mailbox.reply, text: textOf(mailbox.reply.text, address, own?.words) };
    evidence.mailbox = mailbox;
  }
  if (own?.adjudication) evidence.adjudication = own.adjudication;
  return evidence;
}

/** What domains that are set up alike have in common as well. */
export function withoutDomain(address: string, { facts, finding, own }: SplitEvidence): SplitEvidence {
  const { domain, dashed } = domainOf(address);
  const { route, policies, decoy, ...rest } = facts;
  const { text, words } = templateOf(decoy?.reply?.text ?? "", address);
  const host = ownHostOf(facts, domain, dashed);
  const remove = (text: string) => {
    const withoutHost = host === undefined ? text : text.replaceAll(host, HOST);
    return withoutHost.replaceAll(domain, DOMAIN).replaceAll(dashed, DASHED_DOMAIN);
  };
  const parts: SplitEvidence = {
    facts: decoy
      ? { ...rest, decoy: decoy.reply ? { ...decoy, reply: { ...decoy.reply, text } } : decoy }
      : rest,
    finding,
    own: words.length > 0 ? { ...own, decoyWords: words } : own,
  };
  const mapped = mapStrings(parts, remove);
  const removed = `${domain} ${host}`;
  if (route) mapped.facts.route = mapOnce(route, removed, remove);
  if (policies) mapped.facts.policies = mapOnce(policies, removed, remove);
  if (host !== undefined) mapped.own = { ...mapped.own, host };
  return mapped;
}

/** The large facts of a domain are many addresses', so their copy is kept with them. `removed`: the names that `map` removes. */
function mapOnce<T extends object>(part: T, removed: string, map: (text: string) => string): T {
  const kept = mappedParts.get(part);
  if (kept?.removed === removed) return kept.part as T;
  const mapped = mapStrings(part, map);
  mappedParts.set(part, { removed, part: mapped });
  return mapped;
}

const mappedParts = new WeakMap<object, { removed: string; part: object }>();

export function withDomain(address: string, parts: SplitEvidence): SplitEvidence {
  const { domain, dashed } = domainOf(address);
  const host = parts.own?.host ?? "";
  // Functions, because "$" has a meaning in a replacement text, and a name from DNS can contain it.
  const { facts, finding, own } = mapStrings(parts, (text) =>
    text
      .replaceAll(HOST, () => host)
      .replaceAll(DOMAIN, () => domain)
      .replaceAll(DASHED_DOMAIN, () => dashed),
  );
  const { decoy } = facts;
  if (!decoy?.reply) return { facts, finding, own };
  const reply = { ...decoy.reply, text: textOf(decoy.reply.text, address, own?.decoyWords) };
  return { facts: { ...facts, decoy: { ...decoy, reply } }, finding, own };
}

/** A mail host of a known provider belongs to many domains, one that is named after the domain needs no word. */
function ownHostOf({ provider, mxHost }: SharedFacts, domain: string, dashed: string): string | undefined {
  const isShared = provider !== undefined && provider !== "other";
  if (isShared || !mxHost?.includes(".") || mxHost.includes(domain) || mxHost.includes(dashed))
    return undefined;
  return mxHost;
}

function domainOf(address: string): { domain: string; dashed: string } {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  return { domain, dashed: domain.replaceAll(".", "-") };
}

/** A copy of plain data, with every string in it mapped. */
function mapStrings<T>(value: T, map: (text: string) => string): T;
function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {}; // Object.fromEntries takes twice as long
  for (const name in value) copy[name] = mapStrings((value as Record<string, unknown>)[name], map);
  return copy;
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

function textOf(template: string, address: string, words: readonly string[] = []): string {
  const next = words.values();
  return template.replace(PLACEHOLDER, (placeholder) =>
    placeholder === ADDRESS ? address : (next.next().value ?? ""),
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
 *
 * Format 1 is that of earlier releases, whose parts contain the domain. They do not find, and so do not misread, the rows of
 * this one.
 */
export function addressKey(accountId: string, normalized: string, format: 1 | 2 = 2): string {
  const domain = `${accountId} ${normalized.slice(normalized.lastIndexOf("@") + 1)}`;
  let start = keyStarts.get(domain);
  if (start === undefined) {
    start = hash("sha256", accountId, "hex").slice(0, 6) + hash("sha256", domain, "hex").slice(0, 6);
    keyStarts.set(domain, start);
  }
  const address = `${accountId} ${normalized}${format === 1 ? "" : ` ${format}`}`;
  return start + hash("sha256", address, "hex").slice(0, 20);
}

/** Of the key, by account and domain. */
const keyStarts = new LRUCache<string, string>({ ...entriesUpTo(1_000) });
