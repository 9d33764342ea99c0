/**
 * Turns a reply into a finding about the mailbox. The only place where a meaning becomes an answer, so the rule that
 * nothing is held against a mailbox without proof is enforced here.
 *
 * The meaning of the text comes from meaning.ts; the verdict is in ../verdict.ts.
 */
import type { MailboxAnswer, MailboxFinding } from "../evidence.ts";
import type { ReplyCategory, ReplyStage } from "./meaning/category.ts";
import { type Meaning, type ReplyInContext, readReply, severityOf } from "./meaning.ts";
import type { Reply } from "./reply.ts";
import type { ProviderProfile } from "./throttle/provider-profile.ts";

const ANSWER_OF: Record<ReplyCategory, MailboxAnswer> = {
  accepted: "accepted",
  mailbox_not_found: "not_found",
  mailbox_full: "full",
  mailbox_disabled: "disabled",
  domain_not_accepted: "domain_not_accepted",
  greylisted: "greylisted",
  rate_limited: "rate_limited",
  ip_blocked: "probe_blocked",
  sender_rejected: "probe_blocked",
  policy_rejected: "probe_blocked",
  tls_required: "probe_blocked",
  auth_required: "probe_blocked",
  temporary_failure: "temporary_error",
  protocol_error: "protocol_error",
  message_too_big: "probe_blocked",
};

/** When a retry may succeed, where the reply names no time. */
const RETRY_SECONDS: Partial<Record<MailboxAnswer, number>> = {
  rate_limited: 900,
  temporary_error: 900,
  timeout: 900,
  unreachable: 900,
  protocol_error: 900,
  full: 86_400,
  egress_blocked: 60,
  untrusted: 3_600, // servers count refusals by the hour
};

/** As long as a breaker stays open at first (throttle/throttle-state.ts). */
const RETRY_REFUSED_SECONDS = 900;

/** The finding for a host that sent no usable reply. */
export function findingWithoutReply(answer: MailboxAnswer, mxHost: string): MailboxFinding {
  const retryAfterSeconds = RETRY_SECONDS[answer];
  return { answer, mxHost, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

export type InterpretedReply = { finding: MailboxFinding; meaning: Meaning };

export function interpretReply(
  context: ReplyInContext & { mx: string; isDecoy?: boolean },
  profile: ProviderProfile,
): InterpretedReply {
  const meaning = readReply(context);
  const answer = answerOf(meaning, context);
  const isOurs = answer === "probe_blocked" && isAboutUs(meaning, context);
  const retryAfterSeconds =
    meaning.retryAfterSeconds ??
    (answer === "greylisted"
      ? profile.greylistSeconds
      : isOurs
        ? RETRY_REFUSED_SECONDS
        : RETRY_SECONDS[answer]);
  const { code, enhanced, lines } = context.reply;
  const finding: MailboxFinding = {
    answer,
    reply: { code, ...(enhanced === undefined ? {} : { enhanced }), text: lines.join(" ") },
    mxHost: context.mx,
    ...(meaning.category === "mailbox_not_found" && answer !== "not_found" ? { isSoftRefusal: true } : {}),
    ...(isUnexplained(meaning, context) ? { isUnexplained: true } : {}),
    ...(isOurs ? { isAboutUs: true } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  return { finding, meaning };
}

/** Answers that become `invalid`. They need proof: a permanent refusal of the recipient itself. */
const AGAINST_THE_MAILBOX: ReadonlySet<MailboxAnswer> = new Set([
  "not_found",
  "disabled",
  "domain_not_accepted",
]);

/** Answers that only a reply to RCPT can give. */
const ABOUT_THE_MAILBOX: ReadonlySet<MailboxAnswer> = new Set([
  ...AGAINST_THE_MAILBOX,
  "accepted",
  "full",
  "restricted",
]);

/**
 * Whatever the text: a reply before RCPT is about us and proves nothing about a mailbox, and only 5xx counts against one.
 */
function answerOf(meaning: Meaning, { stage, reply }: { stage: ReplyStage; reply: Reply }): MailboxAnswer {
  const answer = answerByMeaning(meaning);
  const isPermanent = isPermanentRefusal(reply);
  if (stage !== "rcpt" && ABOUT_THE_MAILBOX.has(answer))
    return isPermanent ? "probe_blocked" : "temporary_error";
  if (!isPermanent && (AGAINST_THE_MAILBOX.has(answer) || answer === "restricted")) return "temporary_error";
  return answer;
}

/** A status of the other class contradicts the code (RFC 3463, 2): "550 4.2.1" is temporary. */
function isPermanentRefusal(reply: Reply): boolean {
  return severityOf(reply) === 5 && !reply.enhanced?.startsWith("4.");
}

/** Refusals of outside senders: they prove a mailbox where the matching rule says that it exists. */
const RESTRICTIONS: ReadonlySet<ReplyCategory> = new Set(["auth_required", "policy_rejected"]);

function answerByMeaning({ category, mailbox }: Meaning): MailboxAnswer {
  // 252 "cannot verify": neither accepted nor refused, so nothing is proven.
  if (category === "accepted" && mailbox !== "exists") return "temporary_error";
  // "This user receives mail too fast": only an existing mailbox reaches that limit.
  if (category === "rate_limited" && mailbox === "exists") return "accepted";
  // Only an existing mailbox can be restricted to some senders.
  if (RESTRICTIONS.has(category) && mailbox === "exists") return "restricted";
  // 450 "unknown user" may be a failed callout; not found only where the meaning is certain.
  if (category === "mailbox_not_found" && mailbox !== "does_not_exist") return "temporary_error";
  return ANSWER_OF[category];
}

/** What a server asks of every client, so that a refusal for lack of it is not about us. */
const ASKED_OF_ALL: ReadonlySet<ReplyCategory> = new Set([
  "tls_required",
  "auth_required",
  "message_too_big",
  "domain_not_accepted",
]);

function isAboutUs({ category }: Meaning, { stage }: { stage: ReplyStage }): boolean {
  return category === "ip_blocked" || (stage !== "rcpt" && !ASKED_OF_ALL.has(category));
}

/** Rules that read a policy from a word that any refusal may have, or from a code alone. */
const WITHOUT_A_REASON = /^(?:code-|status-|bare-refusal$|local-policy$)/;

/** Beside a mailbox that is accepted, they are about the recipient: not about our address, sender or rate. */
const ABOUT_NO_CLIENT: ReadonlySet<ReplyCategory> = new Set([
  "policy_rejected",
  "auth_required",
  "temporary_failure",
]);

/**
 * A permanent refusal whose text and codes name no reason and do not refer to us or our message. That of a decoy may name any
 * reason that is not about us.
 */
function isUnexplained(
  { category, rule, mailbox }: Meaning,
  { stage, reply, isDecoy }: { stage: ReplyStage; reply: Reply; isDecoy?: boolean },
): boolean {
  if (stage !== "rcpt" || !isPermanentRefusal(reply) || mailbox !== "unknown") return false;
  if (isDecoy && ABOUT_NO_CLIENT.has(category)) return true;
  const isAboutAddress = category === "protocol_error" && reply.enhanced?.startsWith("5.1.") === true;
  const isPolicy = category === "policy_rejected" || category === "temporary_failure";
  return isAboutAddress || (isPolicy && WITHOUT_A_REASON.test(rule));
}

/** Its refusal proves nothing: the host is a backup of another operator, whose list of mailboxes may be old. */
export function asRefusalByBackup(finding: MailboxFinding): MailboxFinding {
  if (!AGAINST_THE_MAILBOX.has(finding.answer) && !finding.isUnexplained) return finding;
  return { ...undecided(finding), isByBackup: true };
}

/** The finding without what its reply would prove. */
export function undecided(refusal: MailboxFinding): MailboxFinding {
  const { isUnexplained: _, isSoftRefusal: __, isSelective: ___, ...rest } = refusal;
  return { ...rest, answer: "temporary_error", retryAfterSeconds: RETRY_SECONDS.temporary_error! };
}

/** A reply that proves nothing, because the host was not seen to tell mailboxes apart as it gave it. */
export function untrusted({ mxHost }: MailboxFinding, retryAfterSeconds?: number): MailboxFinding {
  const seconds = retryAfterSeconds || RETRY_SECONDS.untrusted!;
  return { answer: "untrusted", ...(mxHost !== undefined && { mxHost }), retryAfterSeconds: seconds };
}

const FINAL: ReadonlySet<MailboxAnswer> = new Set([
  "accepted",
  "not_found",
  "disabled",
  "full",
  "restricted",
]);

/** Combines two hosts, the first of which deferred: the second counts where its answer is final. */
export function afterDeferral(deferral: MailboxFinding | undefined, next: MailboxFinding): MailboxFinding {
  return deferral === undefined || FINAL.has(next.answer) ? next : deferral;
}

/**
 * Least informative first; any other answer ranks above these. A host that replied is more informative than one that
 * did not. `domain_not_accepted` counts only when all hosts say so.
 */
const LEAST_INFORMATIVE: readonly MailboxAnswer[] = [
  "domain_not_accepted",
  "egress_blocked",
  "unreachable",
  "timeout",
  "protocol_error",
];

export function moreInformative(one: MailboxFinding | undefined, other: MailboxFinding): MailboxFinding {
  return one && informationRank(one) > informationRank(other) ? one : other;
}

function informationRank({ answer }: MailboxFinding): number {
  const rank = LEAST_INFORMATIVE.indexOf(answer);
  return rank < 0 ? LEAST_INFORMATIVE.length : rank;
}
