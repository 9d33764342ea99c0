/**
 * What a reply means: one question per reply, who or what is being refused, the mailbox or us?
 *
 * Order of decision: the stage, tokens and sentences of known providers, the subject of the sentence, its
 * phrases, the enhanced code, the basic code. Text outranks numbers. A refusal aimed at us is never
 * evidence against a mailbox, and when in doubt the mailbox is unknown. The tables are in meaning/.
 */

import { MAILBOX_FACT, type MailboxFact, type ReplyCategory, type ReplyStage } from "./meaning/category.ts";
import { CHOICE_RULES, MESSAGE_RULES, POLICY_RULES } from "./meaning/content-rejected.ts";
import { DOMAIN_RULES, NO_MAIL_RULES, RELAY_RULES } from "./meaning/domain-rejected.ts";
import { CALLOUT_RULES, ENCRYPTION_RULES, GREYLIST_RULES, LOGIN_RULES } from "./meaning/greylist-auth-tls.ts";
import { ADDRESS_RULES, ADMISSION_RULES } from "./meaning/ip-rejected.ts";
import { DISABLED_RULES, EITHER_OR_RULES, FULL_RULES } from "./meaning/mailbox-full-or-disabled.ts";
import { NOT_FOUND_RULES, PLAIN_RULES, STEM_RULES } from "./meaning/mailbox-not-found.ts";
import {
  FOREIGN_DISABLED_RULES,
  FOREIGN_FULL_RULES,
  FOREIGN_NOT_FOUND_RULES,
} from "./meaning/other-languages.ts";
import { SENTENCE_RULES } from "./meaning/provider-sentences.ts";
import { TOKEN_RULES } from "./meaning/provider-tokens.ts";
import { INBOUND_RATE_RULES, RATE_RULES } from "./meaning/rate-limited.ts";
import { basicMeaning, enhancedMeaning } from "./meaning/reply-codes.ts";
import { type ReplyText, replyTextOf } from "./meaning/reply-text.ts";
import { RESTRICTED_RULES } from "./meaning/restricted-mailbox.ts";
import { retryAfterSeconds } from "./meaning/retry-after.ts";
import type { Rule } from "./meaning/rule.ts";
import { type Circumstances, firstFit, RuleTable } from "./meaning/rule-table.ts";
import { SENDER_RULES, SUBJECT_RULES } from "./meaning/sender-rejected.ts";
import { anotherSubject, type Subject, somethingElse } from "./meaning/sentence-subject.ts";
import { LOOP_RULES, MOMENT_RULES, PROTOCOL_RULES } from "./meaning/transient.ts";
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
  /** Host name of the mail server that answered. */
  mx?: string | undefined;
  /** The name that it gave itself in its banner, which may be another. */
  greetedAs?: string | undefined;
  /** The address we asked about, so that its echo is not taken for a reason. */
  recipient?: string | undefined;
  /** Our EHLO name, sender and other names the server may echo. */
  ourNames?: readonly string[] | undefined;
};

export type Meaning = {
  category: ReplyCategory;
  mailbox: MailboxFact;
  /** Why we read it so, in words for people. */
  why: string;
  /** Stable id of the rule that decided. */
  rule: string;
  /** How long the server asked us to wait, where it said so. */
  retryAfterSeconds?: number;
};

/** Known providers first: their tokens decide, whatever the sentence around them says. */
const PROVIDER_RULES: readonly Rule[] = [...TOKEN_RULES, ...ADMISSION_RULES, ...SENTENCE_RULES];

/** Whoever these refuse, it is not the mailbox: the subject of a Postfix restriction other than the recipient. */
const ABOUT_US: readonly Rule[] = [
  ...CALLOUT_RULES,
  ...INBOUND_RATE_RULES,
  ...GREYLIST_RULES,
  ...ENCRYPTION_RULES,
  ...LOGIN_RULES,
  ...RATE_RULES,
];

/** Row order is the policy: what is beyond doubt, then us, then the message and the domain, then the mailbox, then the rest. */
const PHRASE_RULES: readonly Rule[] = [
  ...PLAIN_RULES,
  ...RESTRICTED_RULES,
  ...ABOUT_US,
  ...LOOP_RULES,
  ...RELAY_RULES,
  ...ADDRESS_RULES,
  ...CHOICE_RULES,
  ...SENDER_RULES,
  ...EITHER_OR_RULES,
  ...FULL_RULES,
  ...FOREIGN_FULL_RULES,
  ...MESSAGE_RULES,
  ...NO_MAIL_RULES,
  ...DISABLED_RULES,
  ...FOREIGN_DISABLED_RULES,
  ...DOMAIN_RULES,
  ...NOT_FOUND_RULES,
  ...FOREIGN_NOT_FOUND_RULES,
  ...STEM_RULES,
  ...MOMENT_RULES,
  ...PROTOCOL_RULES,
  ...SUBJECT_RULES,
  ...POLICY_RULES,
];

/** RFC 7504: codes of a host, or a domain, that takes no mail. Some servers use them for a single message. */
const HOST_CODES: ReadonlySet<number> = new Set([521, 556]);
const ABOUT_OUR_MAIL = /(?<!\w)(?:message|ip|sender|client|connection)(?!\w)/;

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

/** Every rule once; the two lists below are looked through at different moments. */
const TABLE = new RuleTable([...PROVIDER_RULES, ...PHRASE_RULES]);
const PROVIDER_ROWS = TABLE.rowsOf(PROVIDER_RULES);
const ABOUT_US_ROWS = TABLE.rowsOf(ABOUT_US);
const PHRASE_ROWS = TABLE.rowsOf(PHRASE_RULES);

export function readReply(context: ReplyInContext): Meaning {
  // An acceptance needs no words.
  if (context.reply.code > 0 && context.reply.code < 400) return conclude(context, byCode(context));
  const wording = replyTextOf(context.reply, context);
  return conclude(context, findingIn(context, wording), wording);
}

type Finding = { rule: string; category: ReplyCategory; mailbox?: MailboxFact | undefined; why: string };

function findingIn(context: ReplyInContext, wording: ReplyText): Finding {
  const occasion = TABLE.occasionOf(wording);
  const circumstances = circumstancesOf(context);
  const wrapper = wording.clean.includes(" rejected") ? WRAPPER.exec(wording.clean) : undefined;
  const reason = wrapper ? wording.clean.slice(wrapper[0].length) : wording.clean;
  const find = (rows: typeof PHRASE_ROWS, words: string) =>
    byRule(firstFit(rows, occasion, words, circumstances));
  return (
    find(PROVIDER_ROWS, wording.clean) ??
    byNamedSubject(wrapper?.[1] ?? "", () => find(ABOUT_US_ROWS, reason)) ??
    find(PHRASE_ROWS, reason) ??
    byOtherSubject(context, reason, occasion.subjects) ??
    byHostCode(context, wording) ??
    byStatus(context) ??
    byCode(context)
  );
}

function circumstancesOf({ stage, reply, mx, greetedAs }: ReplyInContext): Circumstances {
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

/** 5 for "no", 4 for "later". A text without a code may still carry an enhanced one. */
export function severityOf({ code, enhanced }: Reply): number {
  return code > 0 ? Math.floor(code / 100) : Number(enhanced?.[0] ?? 0);
}

function byRule(rule: Rule | undefined): Finding | undefined {
  return rule && { rule: rule.id, category: rule.category, mailbox: rule.mailbox, why: rule.why };
}

function byNamedSubject(subject: string, aboutUs: () => Finding | undefined): Finding | undefined {
  const category = WRAPPER_DEFAULT[subject];
  if (!category) return undefined;
  const why = `the server says that it refuses our ${subject}`;
  return aboutUs() ?? { rule: "named-subject", category, why };
}

/** A refusal of the subject that a sentence names, where no rule fitted. */
const REFUSAL_OF: Partial<Record<Subject, ReplyCategory>> = {
  sender: "sender_rejected",
  our_host: "ip_blocked",
  content: "policy_rejected",
  conversation: "policy_rejected",
  their_system: "temporary_failure",
};

/** No rule fitted, and a sentence names something else than the recipient: then whatever the numbers say is said of that. */
function byOtherSubject({ reply }: ReplyInContext, words: string, marks: Uint8Array): Finding | undefined {
  if (severityOf(reply) !== 5) return undefined;
  const us = anotherSubject(words, marks);
  const isHeld = AGAINST_MAILBOX.test(reply.enhanced ?? "");
  const subject = us ?? (isHeld ? somethingElse(words, marks) : undefined);
  const category = subject && REFUSAL_OF[subject];
  return category && { rule: "other-subject", category, why: "it speaks of something else than the mailbox" };
}

/** Enhanced codes that count against a mailbox or its domain, see reply-codes.ts. */
const AGAINST_MAILBOX = /^5\.(?:1\.(?:1|2|6|10)|2\.1|4\.4|7\.13|7\.64)$/;

function byHostCode({ reply }: ReplyInContext, wording: ReplyText): Finding | undefined {
  if (!HOST_CODES.has(reply.code) || ABOUT_OUR_MAIL.test(wording.clean)) return undefined;
  const why = `${reply.code} is a host or domain that takes no mail`;
  return { rule: `code-${reply.code}`, category: "domain_not_accepted", mailbox: "does_not_exist", why };
}

function byStatus({ stage, reply }: ReplyInContext): Finding | undefined {
  const meaning = reply.enhanced === undefined ? undefined : enhancedMeaning(reply.enhanced, stage);
  return meaning && { rule: `status-${reply.enhanced}`, ...meaning };
}

function byCode({ stage, reply }: ReplyInContext): Finding {
  return { rule: `code-${reply.code}`, ...basicMeaning(reply.code, stage) };
}

function conclude({ stage, reply }: ReplyInContext, finding: Finding, wording?: ReplyText): Meaning {
  const { category, why, rule } = finding;
  const meaning: Meaning = { category, mailbox: finding.mailbox ?? MAILBOX_FACT[category], why, rule };
  // A 4xx promises to reconsider, so one alone does not bury a mailbox.
  if (meaning.mailbox === "does_not_exist" && severityOf(reply) < 5) meaning.mailbox = "unknown";
  if (meaning.mailbox === "exists" && stage !== "rcpt") meaning.mailbox = "unknown";
  const wait = wording && RETRYABLE.has(category) ? retryAfterSeconds(wording.clean) : undefined;
  return wait === undefined ? meaning : { ...meaning, retryAfterSeconds: wait };
}

const RETRYABLE: ReadonlySet<ReplyCategory> = new Set(["greylisted", "rate_limited", "temporary_failure"]);
