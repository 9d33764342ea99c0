/**
 * Interprets a reply: is the mailbox rejected, or the client?
 *
 * Order of decision: the stage, tokens and sentences of known providers, the subject of the sentence, its phrases,
 * the enhanced code, the basic code. Text outranks numbers. A rejection of the client is never evidence against a
 * mailbox, and in doubt the mailbox is unknown. The tables are in meaning/rules/;
 * docs/decisions/0006-reply-rules-as-tables.md says why they are tables.
 */

import { MAILBOX_FACT, type MailboxFact, type ReplyCategory, type ReplyStage } from "./meaning/category.ts";
import { hasOtherHead, hasUnlistedWord } from "./meaning/clause-head.ts";
import { type ReplyText, replyTextOf } from "./meaning/reply-text.ts";
import { retryAfterSeconds } from "./meaning/retry-after.ts";
import type { Rule } from "./meaning/rule.ts";
import {
  clausesIn,
  firstMatch,
  type IndexedText,
  type ReplyFacts,
  type RowList,
  RuleTable,
} from "./meaning/rule-table.ts";
import { MESSAGE_RULES, POLICY_RULES, RECIPIENT_POLICY_RULES } from "./meaning/rules/content-rejected.ts";
import { DOMAIN_RULES, NO_MAIL_RULES, RELAY_RULES } from "./meaning/rules/domain-rejected.ts";
import { AUTH_RULES, CALLOUT_RULES, GREYLIST_RULES, TLS_RULES } from "./meaning/rules/greylist-auth-tls.ts";
import { ADMISSION_RULES, IP_RULES } from "./meaning/rules/ip-rejected.ts";
import { AMBIGUOUS_RULES, DISABLED_RULES, FULL_RULES } from "./meaning/rules/mailbox-full-or-disabled.ts";
import { NOT_FOUND_RULES, PLAIN_RULES, SINGLE_WORD_RULES } from "./meaning/rules/mailbox-not-found.ts";
import {
  FOREIGN_DISABLED_RULES,
  FOREIGN_FULL_RULES,
  FOREIGN_NOT_FOUND_RULES,
} from "./meaning/rules/other-languages.ts";
import { SENTENCE_RULES } from "./meaning/rules/provider-sentences.ts";
import { TOKEN_RULES } from "./meaning/rules/provider-tokens.ts";
import { INBOUND_RATE_RULES, RATE_RULES } from "./meaning/rules/rate-limited.ts";
import { basicMeaning, enhancedMeaning } from "./meaning/rules/reply-codes.ts";
import { RESTRICTED_RULES } from "./meaning/rules/restricted-mailbox.ts";
import { SENDER_RULES, SUBJECT_RULES } from "./meaning/rules/sender-rejected.ts";
import { COMMAND_RULES, LOOP_RULES, PROTOCOL_RULES, TRANSIENT_RULES } from "./meaning/rules/transient.ts";
import { clientSubject, type Subject } from "./meaning/sentence-subject.ts";
import type { Reply } from "./reply.ts";

export {
  type MailboxFact,
  REPLY_CATEGORIES,
  REPLY_STAGES,
  type ReplyCategory,
  type ReplyStage,
} from "./meaning/category.ts";

export type ReplyInContext = {
  stage: ReplyStage;
  reply: Reply;
  /** Host name of the mail server. */
  mx?: string | undefined;
  /** The host name in its banner, which may differ. */
  greetedAs?: string | undefined;
  /** The probed address, so that its echo is not taken for a reason. */
  recipient?: string | undefined;
  /** EHLO name, sender and other names that the server may echo. */
  ourNames?: readonly string[] | undefined;
};

export type Meaning = {
  category: ReplyCategory;
  mailbox: MailboxFact;
  /** Explanation of the decision, for people. */
  why: string;
  /** Stable id of the rule that decided. */
  rule: string;
  /** The delay the server asked for, if it named one. */
  retryAfterSeconds?: number;
};

/** Known providers first: their tokens decide, whatever the text around them says. */
const PROVIDER_RULES: readonly Rule[] = [...TOKEN_RULES, ...ADMISSION_RULES, ...SENTENCE_RULES];

/**
 * Rules about the client, not the mailbox: used where a Postfix restriction names a subject other than the recipient.
 */
const CLIENT_RULES: readonly Rule[] = [
  ...CALLOUT_RULES,
  ...INBOUND_RATE_RULES,
  ...GREYLIST_RULES,
  ...TLS_RULES,
  ...AUTH_RULES,
  ...RATE_RULES,
];

/**
 * Row order is the policy: unambiguous sentences, then the client, the message and the domain, the mailbox, the rest.
 */
const PHRASE_RULES: readonly Rule[] = [
  ...PLAIN_RULES,
  ...RESTRICTED_RULES,
  ...CLIENT_RULES,
  ...LOOP_RULES,
  ...RELAY_RULES,
  ...IP_RULES,
  ...RECIPIENT_POLICY_RULES,
  ...SENDER_RULES,
  ...AMBIGUOUS_RULES,
  ...FULL_RULES,
  ...FOREIGN_FULL_RULES,
  ...MESSAGE_RULES,
  ...NO_MAIL_RULES,
  ...DISABLED_RULES,
  ...FOREIGN_DISABLED_RULES,
  ...DOMAIN_RULES,
  ...COMMAND_RULES,
  ...NOT_FOUND_RULES,
  ...FOREIGN_NOT_FOUND_RULES,
  ...SINGLE_WORD_RULES,
  ...TRANSIENT_RULES,
  ...PROTOCOL_RULES,
  ...SUBJECT_RULES,
  ...POLICY_RULES,
];

/** RFC 7504: codes of a host or domain that accepts no mail. Some servers use them for a single message. */
const HOST_CODES: ReadonlySet<number> = new Set([521, 556]);
/** A policy, or our sender: these outrank the code of the host. */
const STATUS_OF_CLIENT = /^5\.(?:7\.|1\.[78]$)/;
const CLIENT_WORDS = /(?<!\w)(?:message|ip|sender|client|connection)(?!\w)/;

/** Postfix names the restriction list that fired; only after "Recipient address" may the reason be the mailbox. */
const WRAPPER =
  /^.*(?<!\w)(client host|client|helo command|ehlo command|sender address|recipient address(?:es)?) rejected(?: |$)/;
const WRAPPER_DEFAULT: Record<string, ReplyCategory> = {
  "client host": "ip_blocked",
  client: "ip_blocked",
  "helo command": "sender_rejected",
  "ehlo command": "sender_rejected",
  "sender address": "sender_rejected",
};

type Tables = ReturnType<typeof compileTables>;

/** Every rule once; the lists of rows are searched at different points. */
export function compileTables() {
  const table = new RuleTable([...PROVIDER_RULES, ...PHRASE_RULES]);
  return {
    table,
    providerRows: table.rowsOf(PROVIDER_RULES),
    clientRows: table.rowsOf(CLIENT_RULES),
    phraseRows: table.rowsOf(PHRASE_RULES),
  };
}

/** Compiled at the first rejection, see phrase.ts. */
let tables: Tables | undefined;
function ruleTables(): Tables {
  tables ??= compileTables();
  return tables;
}

export function readReply(context: ReplyInContext): Meaning {
  if (context.reply.code > 0 && context.reply.code < 400)
    return conclude(context, isDenied(context) ? DENIED : byCode(context));
  const text = replyTextOf(context.reply, context);
  return knownMeanings.read(context, text);
}

/** A 2xx whose enhanced code or words refuse the recipient. A mailbox may have such a name. */
const DENIAL =
  /\b(?:unknown|no such|not? (?:found|valid|exist)|(?:doesn.?t|no) exist|non-?existent|invalid|disabled|reject(?:ed|ing)|refused|denied|suppress(?:ed|ion))\b/i;
const DENIED: RuleMatch = {
  rule: "denied-2xx",
  category: "accepted",
  mailbox: "unknown",
  why: "the code accepts the recipient, and the text or status refuses it",
};

function isDenied(context: ReplyInContext): boolean {
  const { enhanced, lines } = context.reply;
  if (context.stage !== "rcpt") return false;
  if (enhanced !== undefined && !enhanced.startsWith("2")) return true;
  return lines.some((line) => DENIAL.test(line)) && DENIAL.test(replyTextOf(context.reply, context).clean);
}

/**
 * Meanings of recent replies by everything they depend on: stage, codes, the text without echoes, and which rules are for
 * such a host. A reply with a token or with the name of a mailbox is read each time.
 */
class KnownMeanings {
  readonly #meanings = new Map<string, Meaning>();

  read(context: ReplyInContext, text: ReplyText): Meaning {
    const { table } = ruleTables();
    const facts = replyFacts(context);
    const isKept =
      text.marked.length <= MAX_KNOWN_CHARACTERS &&
      !text.locals.some((local) => text.marked.includes(local)) &&
      !table.hasToken(text);
    const key = isKept ? `${table.hostRules(facts)} ${knownKey(context, text)}` : "";
    const known = isKept ? this.#meanings.get(key) : undefined;
    if (known) return known;
    const meaning = conclude(context, matchReply(context, text, facts), text);
    if (isKept) {
      if (this.#meanings.size >= MAX_KNOWN) this.#meanings.clear();
      this.#meanings.set(key, meaning);
    }
    return meaning;
  }
}

function knownKey({ stage, reply }: ReplyInContext, text: ReplyText): string {
  const { clean, marked, otherDomains, namesRecipientDomain } = text;
  const domains = `${namesRecipientDomain} ${otherDomains.join(" ")}`;
  return `${stage} ${reply.code} ${reply.enhanced ?? ""} ${clean}\n${marked}\n${domains}`;
}

const MAX_KNOWN = 2000;
const MAX_KNOWN_CHARACTERS = 400;
const knownMeanings = new KnownMeanings();

type RuleMatch = { rule: string; category: ReplyCategory; mailbox?: MailboxFact | undefined; why: string };

function matchReply(context: ReplyInContext, text: ReplyText, facts: ReplyFacts): RuleMatch {
  const { table, providerRows, clientRows, phraseRows } = ruleTables();
  const indexed = table.index(text);
  const wrapper = text.clean.includes(" rejected") ? WRAPPER.exec(text.clean) : undefined;
  const reason = wrapper ? text.clean.slice(wrapper[0].length) : text.clean;
  const find = (rows: RowList, words: string) => byRule(firstMatch(rows, indexed, words, facts));
  return (
    find(providerRows, text.clean) ??
    byNamedSubject(wrapper?.[1] ?? "", () => find(clientRows, reason)) ??
    find(phraseRows, reason) ??
    byOtherSubject(context, reason, indexed) ??
    byHostCode(context, text) ??
    byStatus(context) ??
    byUnnamedDomain(indexed) ??
    byCode(context)
  );
}

function replyFacts({ stage, reply, mx, greetedAs }: ReplyInContext): ReplyFacts {
  return {
    stage,
    code: reply.code,
    severity: severityOf(reply),
    enhanced: reply.enhanced ?? "",
    hosts: greetedAs === undefined ? [hostName(mx)] : [hostName(mx), hostName(greetedAs)],
  };
}

function hostName(name = ""): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** 5 for permanent, 4 for temporary. A text without a code may still carry an enhanced one. */
export function severityOf({ code, enhanced }: Reply): number {
  return code > 0 ? Math.floor(code / 100) : Number(enhanced?.[0] ?? 0);
}

function byRule(rule: Rule | undefined): RuleMatch | undefined {
  return rule && { rule: rule.id, category: rule.category, mailbox: rule.mailbox, why: rule.why };
}

function byNamedSubject(subject: string, aboutClient: () => RuleMatch | undefined): RuleMatch | undefined {
  const category = WRAPPER_DEFAULT[subject];
  if (!category) return undefined;
  const why = `the server says that it rejects our ${subject}`;
  return aboutClient() ?? { rule: "named-subject", category, why };
}

/** Category by the subject that a sentence names, where no rule matched. */
const REJECTION_OF: Partial<Record<Subject, ReplyCategory>> = {
  sender: "sender_rejected",
  our_host: "ip_blocked",
  content: "policy_rejected",
  conversation: "policy_rejected",
  their_system: "temporary_failure",
};

/** Enhanced codes that count against a mailbox or, in the group, its domain; see reply-codes.ts. */
const CODES_AGAINST_MAILBOX = /^5\.(?:1\.[16]|2\.1|7\.13|(1\.2|1\.10|4\.4|7\.64))$/;

const BASIC_CODES_AGAINST_MAILBOX = /^(?:51[012]|525|551)$/;

/**
 * No rule matched, and a sentence names a subject other than the recipient: then the code is about that subject. A word that
 * is in no list may be one.
 */
function byOtherSubject(
  { stage, reply }: ReplyInContext,
  words: string,
  indexed: IndexedText,
): RuleMatch | undefined {
  const why = "it is about something other than the mailbox";
  if (
    indexed.hasOtherHead &&
    (reply.enhanced?.endsWith(".2.2") || BASIC_CODES_AGAINST_MAILBOX.test(`${reply.code}`))
  )
    return { rule: "other-head", category: "policy_rejected", why };
  if (severityOf(reply) !== 5) return undefined;
  const client = clientSubject(words, indexed.subjects);
  if (client) return { rule: "other-subject", category: REJECTION_OF[client] ?? "policy_rejected", why };
  const code = CODES_AGAINST_MAILBOX.exec(reply.enhanced ?? "");
  if (!code) return undefined;
  const clauses = clausesIn(indexed);
  const isOfOther = indexed.hasOtherHead || hasOtherHead(clauses, code[1] !== undefined);
  if (!isOfOther && (stage !== "rcpt" || !hasUnlistedWord(indexed.text, clauses))) return undefined;
  return { rule: "other-head", category: "policy_rejected", why };
}

function byHostCode({ reply }: ReplyInContext, text: ReplyText): RuleMatch | undefined {
  if (!HOST_CODES.has(reply.code) || CLIENT_WORDS.test(text.clean)) return undefined;
  if (STATUS_OF_CLIENT.test(reply.enhanced ?? "")) return undefined;
  const why = `${reply.code} is a host or domain that accepts no mail`;
  return { rule: `code-${reply.code}`, category: "domain_not_accepted", mailbox: "does_not_exist", why };
}

function byStatus({ stage, reply }: ReplyInContext): RuleMatch | undefined {
  const meaning = reply.enhanced === undefined ? undefined : enhancedMeaning(reply.enhanced, stage);
  return meaning && { rule: `status-${reply.enhanced}`, ...meaning };
}

function byUnnamedDomain({ hasUnnamedDomain }: IndexedText): RuleMatch | undefined {
  if (!hasUnnamedDomain) return undefined;
  const why = "it does not know a domain or host, and does not say that it is the recipient's";
  return { rule: "unnamed-domain", category: "policy_rejected", why };
}

function byCode({ stage, reply }: ReplyInContext): RuleMatch {
  return { rule: `code-${reply.code}`, ...basicMeaning(reply.code, stage) };
}

function conclude({ stage, reply }: ReplyInContext, match: RuleMatch, text?: ReplyText): Meaning {
  const { category, why, rule } = match;
  const meaning: Meaning = { category, mailbox: match.mailbox ?? MAILBOX_FACT[category], why, rule };
  // A 4xx is temporary, so it never proves that a mailbox does not exist.
  if (meaning.mailbox === "does_not_exist" && severityOf(reply) < 5) meaning.mailbox = "unknown";
  if (meaning.mailbox === "exists" && stage !== "rcpt") meaning.mailbox = "unknown";
  const wait = text && RETRYABLE.has(category) ? retryAfterSeconds(text.clean) : undefined;
  return wait === undefined ? meaning : { ...meaning, retryAfterSeconds: wait };
}

const RETRYABLE: ReadonlySet<ReplyCategory> = new Set(["greylisted", "rate_limited", "temporary_failure"]);
