/**
 * Compiles a table of rules: for each reply only the phrases that can match are tried.
 *
 * Rows are tried in order and the first match decides. Conditions of a row are described in rule.ts.
 */

import type { ReplyCategory, ReplyStage } from "./category.ts";
import { type Clauses, clausesOf, isSaidOfRecipient, isSaidOfRoom } from "./clause-head.ts";
import type { Phrase, Phrases } from "./phrase.ts";
import { indexPhrases, type PhraseIndex } from "./phrase-index.ts";
import { ECHO, OUR_NAME, OUR_SENDER, type ReplyText } from "./reply-text.ts";
import type { Rule } from "./rule.ts";
import { enhancedMeaning } from "./rules/reply-codes.ts";
import { clientSubject, SUBJECT_OF, sentenceUpTo, subjectPhrases } from "./sentence-subject.ts";

/** What rules check besides the text. */
export type ReplyFacts = {
  stage: ReplyStage;
  code: number;
  /** First digit of the code, or of the enhanced code if there is no other. */
  severity: number;
  enhanced: string;
  /** Host names of the mail server in lower case, from DNS and from its banner; empty when unknown. */
  hosts: readonly string[];
};

/** A text, and which phrases of the table and of sentence-subject.ts may match it. */
export type IndexedText = {
  text: ReplyText;
  words: Uint8Array;
  tokens: Uint8Array;
  subjects: Uint8Array;
  /** Set when first needed, see clausesIn. */
  clauses?: Clauses;
  roomClauses?: Clauses;
  /** Set when words against a mailbox were said of another subject. */
  hasOtherHead?: true;
  /** Set when a domain is missing, and nothing says that it is the recipient's. */
  hasUnnamedDomain?: true;
};

/** A rule, and the indexes of its phrases. */
type Row = { rule: Rule; wordsFrom: number; wordsTo: number; tokensFrom: number };

/** Rows in order, with the range of each one's phrases in flat arrays: most rows are skipped by these alone. */
export type RowList = { rows: readonly Row[]; wordsFrom: Int32Array; wordsTo: Int32Array };

export class RuleTable {
  readonly #rows = new Map<Rule, Row>();
  readonly #tokens: readonly Phrase[];
  readonly #findWords: PhraseIndex;
  readonly #findTokens: PhraseIndex;
  readonly #subjectsFrom: number;
  /** Every pattern of host names in a rule. */
  readonly #hostPatterns: readonly RegExp[];

  constructor(rules: readonly Rule[]) {
    const words: Phrase[] = [];
    const tokens: Phrase[] = [];
    for (const rule of rules) {
      const [wordsFrom, tokensFrom] = [words.length, tokens.length];
      words.push(...(rule.words?.each ?? []));
      this.#rows.set(rule, { rule, wordsFrom, wordsTo: words.length, tokensFrom });
      tokens.push(...(rule.token?.each ?? []));
    }
    this.#subjectsFrom = words.length;
    this.#findWords = indexPhrases([...words, ...subjectPhrases()]);
    this.#findTokens = indexPhrases(tokens);
    this.#tokens = tokens;
    this.#hostPatterns = rules.flatMap(({ mx }) => mx ?? []);
  }

  /** Which rules are for a host of these names. All that a match depends on besides the text and the codes. */
  hostRules({ hosts }: ReplyFacts): string {
    let marks = "";
    for (const pattern of this.#hostPatterns) marks += isOneOf(hosts, pattern) ? "1" : "0";
    return marks;
  }

  /** A subset of the table's rules, in its own order. */
  rowsOf(rules: readonly Rule[]): RowList {
    const rows = rules.flatMap((rule) => this.#rows.get(rule) ?? []);
    return {
      rows,
      wordsFrom: Int32Array.from(rows, ({ rule, wordsFrom }) => (rule.words ? wordsFrom : -1)),
      wordsTo: Int32Array.from(rows, ({ wordsTo }) => wordsTo),
    };
  }

  /** Whether a token of some rule stands in the text as written. */
  hasToken({ asWritten }: ReplyText): boolean {
    const marks = this.#findTokens(asWritten);
    // Not test(): the expressions are global and would continue where the last one ended.
    return this.#tokens.some(({ expression }, at) => marks[at] === 1 && asWritten.search(expression) >= 0);
  }

  index(text: ReplyText): IndexedText {
    const words = this.#findWords(text.clean);
    return {
      text,
      words,
      tokens: this.#findTokens(text.asWritten),
      subjects: words.subarray(this.#subjectsFrom),
    };
  }
}

/** The clauses of a text, split once. */
export function clausesIn(indexed: IndexedText): Clauses {
  indexed.clauses ??= clausesOf(indexed.text);
  return indexed.clauses;
}

function roomClausesIn(indexed: IndexedText): Clauses {
  indexed.roomClauses ??= clausesOf(indexed.text, true);
  return indexed.roomClauses;
}

/** The first rule that matches, using `clean` instead of the whole text. */
export function firstMatch(
  { rows, wordsFrom, wordsTo }: RowList,
  indexed: IndexedText,
  clean: string,
  facts: ReplyFacts,
): Rule | undefined {
  const { text, words, tokens } = indexed;
  let mark = -1;
  for (let at = 0; at < wordsFrom.length; at++) {
    const from = wordsFrom[at]!;
    if (mark < from) mark = nextMark(words, from);
    if (from !== -1 && mark >= wordsTo[at]!) continue;
    const { rule, tokensFrom } = rows[at]!;
    if (rule.token && !anyMatches(rule.token, tokens, tokensFrom, text.asWritten, undefined, indexed, facts))
      continue;
    if (!conditionsHold(rule, facts)) continue;
    if (rule.words && !anyMatches(rule.words, words, from, clean, rule, indexed, facts)) continue;
    if (!rule.unless?.whole.test(clean)) return rule;
  }
  return undefined;
}

function nextMark(marks: Uint8Array, from: number): number {
  let at = from;
  while (at < marks.length && marks[at] !== 1) at++;
  return at;
}

/** Whether a phrase matches; with `rule`, only in a sentence about the subject of the rule. */
function anyMatches(
  { each }: Phrases,
  marks: Uint8Array,
  from: number,
  text: string,
  rule: Rule | undefined,
  indexed: IndexedText,
  facts: ReplyFacts,
): boolean {
  for (let at = 0; at < each.length; at++) {
    if (marks[from + at] !== 1) continue;
    const { expression } = each[at]!;
    const found = expression.exec(text);
    if (!found) continue;
    if (!rule || !isAboutOtherSubject(rule, found, indexed, facts)) return true;
    if (indexed.hasOtherHead && isAboutRecipientLater(rule, expression, found, indexed, facts)) return true;
  }
  return false;
}

/** How often a phrase is looked for again in a text when it was said of another subject. */
const MAX_LATER_MATCHES = 2;

/** "Mailbox access refused: mailbox unknown": the same phrase may be said of the recipient further on. */
function isAboutRecipientLater(
  rule: Rule,
  expression: RegExp,
  { input, index }: RegExpExecArray,
  indexed: IndexedText,
  facts: ReplyFacts,
): boolean {
  const search = searchOf(expression);
  search.lastIndex = index + 1;
  for (let count = 0; count < MAX_LATER_MATCHES; count++) {
    const found = search.exec(input);
    if (!found) return false;
    if (!isAboutOtherSubject(rule, found, indexed, facts)) return true;
    search.lastIndex = found.index + 1;
  }
  return false;
}

const searches = new WeakMap<RegExp, RegExp>();

/** The same expression, which can begin anywhere in a text; compiled once. */
function searchOf(expression: RegExp): RegExp {
  let search = searches.get(expression);
  if (!search) {
    search = new RegExp(expression, "g");
    searches.set(expression, search);
  }
  return search;
}

/** Permanent replies of these categories count against the mailbox, so their sentence must be about it. */
const CATEGORIES_AGAINST_MAILBOX: ReadonlySet<ReplyCategory> = new Set([
  "mailbox_not_found",
  "mailbox_disabled",
  "domain_not_accepted",
]);

/** Enhanced codes of a mailbox that does not exist or has moved. */
const BAD_MAILBOX = /^5\.1\.(?:1|6|10)$/;

/** The rule is about the recipient or its domain, but the sentence around the match is about another subject. */
function isAboutOtherSubject(
  rule: Rule,
  found: RegExpExecArray,
  indexed: IndexedText,
  facts: ReplyFacts,
): boolean {
  const { severity, enhanced } = facts;
  const { category, subject = SUBJECT_OF[category] } = rule;
  if (subject !== "recipient" && subject !== "their_domain") return false;
  // The mark that ends a sentence is not part of it.
  const end = found.index + found[0].replace(/ \.?$/, "").length;
  if (clientSubject(sentenceUpTo(found.input, end), indexed.subjects)) return true;
  const isFull = category === "mailbox_full";
  if (!isFull && (severity !== 5 || !CATEGORIES_AGAINST_MAILBOX.has(category))) return false;
  if (!isFull && isOfClientByCode(rule, indexed, facts)) return true;
  if (rule.mustNameDestination && !namesDestination(indexed, facts)) {
    indexed.hasUnnamedDomain = true;
    indexed.hasOtherHead = true;
    return true;
  }
  const ofDomain = subject === "their_domain" || rule.enhanced !== undefined;
  const codeAgrees = BAD_MAILBOX.test(enhanced);
  const { isWholeClause = false, mayNameClient = false } = rule;
  const said = {
    text: found.input,
    start: found.index,
    end,
    ofDomain,
    codeAgrees,
    mayNameClient,
    isWholeClause,
  };
  const isOfMailbox = isFull
    ? isSaidOfRoom(roomClausesIn(indexed), said)
    : isSaidOfRecipient(clausesIn(indexed), said);
  if (isOfMailbox) return false;
  indexed.hasOtherHead = true;
  return true;
}

/** Enhanced codes of these categories are about the client, see reply-codes.ts. */
const CATEGORIES_OF_CLIENT: ReadonlySet<ReplyCategory> = new Set([
  "sender_rejected",
  "ip_blocked",
  "auth_required",
  "tls_required",
  "rate_limited",
]);

/**
 * "5.1.8 Domain not found" is our sender's domain, "5.7.8 account does not exist" our login. The recipient's address before
 * such a sentence does not change that: sendmail writes it before rejections of the sender too.
 */
function isOfClientByCode(rule: Rule, { text }: IndexedText, { enhanced, stage }: ReplyFacts): boolean {
  if (rule.mayNameClient || rule.enhanced || rule.mx || namesRecipient(text)) return false;
  const category = enhancedMeaning(enhanced, stage)?.category;
  return category !== undefined && CATEGORIES_OF_CLIENT.has(category);
}

const RECIPIENT_WORD =
  /(?<!\w)(?:rec[ei]+pi?ents?|rcpt|addressee|destination|destinat\w+|empf(?:a|ae)nger)(?!\w)/;

function namesRecipient({ marked, namesRecipientDomain }: ReplyText): boolean {
  return namesRecipientDomain || RECIPIENT_WORD.test(marked);
}

/** Codes of a recipient, a domain or a route that does not exist. */
const BAD_DESTINATION = /^5\.(?:1\.(?:1|2|6|10)|2\.1|4\.4)$/;
const BAD_DESTINATION_CODES: ReadonlySet<number> = new Set([510, 511, 512, 551, 556]);

/** "Not found in our configuration", "no such domain here": a domain that mail is for, not one that mail is from. */
const OWN_PLACE =
  /(?<!\w)(?:here|hier|aqui|ici|local|(?:at|on|in) (?:this|our|my)(?! (?:time|moment|dns|name ?server|resolver)))(?!\w)/;

function namesDestination({ text }: IndexedText, { enhanced, code }: ReplyFacts): boolean {
  const { marked, clean } = text;
  if (marked.includes(OUR_NAME) || marked.includes(OUR_SENDER)) return false;
  if (namesRecipient(text) || marked.includes(ECHO) || OWN_PLACE.test(clean)) return true;
  return enhanced === "" ? BAD_DESTINATION_CODES.has(code) : BAD_DESTINATION.test(enhanced);
}

function conditionsHold(rule: Rule, facts: ReplyFacts): boolean {
  const { stage, code, severity, enhanced } = facts;
  if (rule.stages && !rule.stages.includes(stage)) return false;
  if (stage !== "rcpt" && rule.category.startsWith("mailbox_")) return false;
  if (rule.severity && severity !== rule.severity) return false;
  if (rule.codes && !rule.codes.includes(code)) return false;
  if (rule.enhanced && !rule.enhanced.test(enhanced)) return false;
  return !rule.mx || isOneOf(facts.hosts, rule.mx);
}

function isOneOf(hosts: readonly string[], pattern: RegExp): boolean {
  return hosts.some((host) => pattern.test(host));
}
