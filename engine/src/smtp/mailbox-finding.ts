/** From what a server said to what that says about the mailbox: the one place where meanings become findings. */
import type { MailboxAnswer, MailboxFinding } from "../evidence.ts";
import type { ReplyCategory, ReplyStage } from "./meaning/category.ts";
import { type Meaning, type ReplyInContext, readReply, severityOf } from "./meaning.ts";
import type { ProviderProfile } from "./provider-profile.ts";
import type { Reply } from "./reply.ts";

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

/** When asking again may settle it, where the reply does not say. */
const RETRY_SECONDS: Partial<Record<MailboxAnswer, number>> = {
  rate_limited: 900,
  temporary_error: 900,
  timeout: 900,
  unreachable: 900,
  protocol_error: 900,
  full: 86_400,
  egress_blocked: 60,
};

/** What we make of a host that ended the conversation, or never began it. */
export function findingWithoutReply(answer: MailboxAnswer, mxHost: string): MailboxFinding {
  const retryAfterSeconds = RETRY_SECONDS[answer];
  return { answer, mxHost, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

export type InterpretedReply = { finding: MailboxFinding; meaning: Meaning };

export function interpretReply(
  said: ReplyInContext & { mx: string },
  profile: ProviderProfile,
): InterpretedReply {
  const meaning = readReply(said);
  const answer = answerOf(meaning, said);
  const retryAfterSeconds =
    meaning.retryAfterSeconds ?? (answer === "greylisted" ? profile.greylistSeconds : RETRY_SECONDS[answer]);
  const { code, enhanced, lines } = said.reply;
  const finding: MailboxFinding = {
    answer,
    reply: { code, ...(enhanced === undefined ? {} : { enhanced }), text: lines.join(" ") },
    mxHost: said.mx,
    ...(meaning.category === "mailbox_not_found" && answer !== "not_found" ? { isSoftRefusal: true } : {}),
    ...(isUnexplained(meaning, said) ? { isUnexplained: true } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  return { finding, meaning };
}

/** Answers that become `invalid`. The proof they need is a permanent refusal of the recipient itself. */
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
 * The one place where a reply becomes an answer. Whatever its words: what is said before RCPT is about us and says
 * nothing about a mailbox, and a reply other than 5xx is never held against one.
 */
function answerOf(meaning: Meaning, { stage, reply }: { stage: ReplyStage; reply: Reply }): MailboxAnswer {
  const answer = answerByWords(meaning);
  const isPermanent = severityOf(reply) === 5;
  if (stage !== "rcpt" && ABOUT_THE_MAILBOX.has(answer))
    return isPermanent ? "probe_blocked" : "temporary_error";
  if (!isPermanent && (AGAINST_THE_MAILBOX.has(answer) || answer === "restricted")) return "temporary_error";
  return answer;
}

/** Refusals that name the mailbox as one for insiders, where the rule that read them says that it exists. */
const RESTRICTIONS: ReadonlySet<ReplyCategory> = new Set(["auth_required", "policy_rejected"]);

function answerByWords({ category, mailbox }: Meaning): MailboxAnswer {
  // 252 "cannot verify" is polite for "I will not tell": nobody was refused and nothing was proven.
  if (category === "accepted" && mailbox !== "exists") return "temporary_error";
  // This user receives mail too fast: a limit that only an existing mailbox can reach.
  if (category === "rate_limited" && mailbox === "exists") return "accepted";
  // Outsiders are refused at this mailbox, which only a mailbox that exists can do.
  if (RESTRICTIONS.has(category) && mailbox === "exists") return "restricted";
  // A 450 "unknown user" may be a callout that failed; it is not found only where the meaning dares to say so.
  if (category === "mailbox_not_found" && mailbox !== "does_not_exist") return "temporary_error";
  return ANSWER_OF[category];
}

/** Rules that read a policy out of a word that any refusal may have, or out of a number. */
const WITHOUT_A_REASON = /^(?:code-|status-|bare-refusal$|local-policy$)/;

/** Refused for good, and neither the words nor the numbers say why, or mean us, or our message. */
function isUnexplained(
  { category, rule, mailbox }: Meaning,
  { stage, reply }: { stage: ReplyStage; reply: Reply },
): boolean {
  if (stage !== "rcpt" || severityOf(reply) !== 5 || mailbox !== "unknown") return false;
  const isAboutAddress = category === "protocol_error" && reply.enhanced?.startsWith("5.1.") === true;
  const isPolicy = category === "policy_rejected" || category === "temporary_failure";
  return isAboutAddress || (isPolicy && WITHOUT_A_REASON.test(rule));
}

const SETTLED: ReadonlySet<MailboxAnswer> = new Set([
  "accepted",
  "not_found",
  "disabled",
  "full",
  "restricted",
]);

/** What two hosts have said of a mailbox, the first of which put us off: the second counts where it settles something. */
export function afterDeferral(deferral: MailboxFinding | undefined, next: MailboxFinding): MailboxFinding {
  return deferral === undefined || SETTLED.has(next.answer) ? next : deferral;
}

/**
 * A host that spoke to us has told us more than one that did not; anything else is above these. That a host does
 * not serve the domain counts only when all the others say so too.
 */
const LEAST_TELLING: readonly MailboxAnswer[] = [
  "domain_not_accepted",
  "unreachable",
  "timeout",
  "protocol_error",
];

export function moreInformative(one: MailboxFinding | undefined, other: MailboxFinding): MailboxFinding {
  return one && tellingRank(one) > tellingRank(other) ? one : other;
}

function tellingRank({ answer }: MailboxFinding): number {
  const rank = LEAST_TELLING.indexOf(answer);
  return rank < 0 ? LEAST_TELLING.length : rank;
}
