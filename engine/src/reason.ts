/** The verdict as one sentence for people. */
import type { DeliveryOutcome, SubStatus } from "@mailvet/contract";
import type { Evidence } from "./evidence.ts";
import { knownOutcome } from "./known-outcome.ts";
import { isUnproven, type Verdict } from "./verdict.ts";

const REASONS: Record<SubStatus, (e: Evidence) => string> = {
  "": (e) =>
    isReceivingTooFast(e)
      ? `${server(e)} says that this mailbox is receiving mail too fast, so it exists.`
      : `${server(e)} accepts this mailbox and rejects made-up ones.`,
  privacy_relay: (e) => `${server(e)} accepts this relay address, which forwards to a hidden mailbox.`,

  syntax_error: (e) => e.syntaxError?.message ?? "This is not a well-formed address.",
  provider_syntax: (e) =>
    `${(e.providerSyntaxError ?? "The provider does not issue this mailbox name").replace(/\.$/, "")}.`,
  reserved_domain: (e) => `This domain has no public mail: ${e.specialUse ?? "the name is reserved"}.`,
  domain_not_found: (e) => `The domain ${domain(e)} does not exist.`,
  no_mail_server: (e) => `The domain ${domain(e)} has no mail server.`,
  null_mx: (e) => `The domain ${domain(e)} declares that it accepts no mail (null MX).`,
  unroutable_mail_server: (e) => `No mail server of ${domain(e)} has a public IP address.`,
  mailbox_not_found: (e) =>
    e.mailbox?.isLikeDecoy
      ? `${server(e)} rejects this mailbox with the same reply as made-up ones.`
      : `${server(e)} says that this mailbox does not exist.`,
  mailbox_disabled: (e) => `${server(e)} says that this mailbox is disabled.`,
  domain_not_accepted: (e) =>
    `The mail servers of ${domain(e)} say that they do not accept mail for this domain.`,
  smtputf8_unsupported: (e) =>
    `${server(e)} does not support mailbox names with non-ASCII characters (SMTPUTF8).`,

  disposable: (e) => DISPOSABLE[e.disposable ?? "domain"](domain(e)),
  catch_all: (e) =>
    `${server(e)} accepts every address at ${domain(e)} (catch-all), so this mailbox is not confirmed.`,
  role_based: () => "The mailbox exists, but it is a role address of a team or a system.",
  mailbox_full: () => "The mailbox exists, but it is full.",
  restricted: (e) =>
    `The mailbox exists, but ${server(e)} does not accept mail from external senders for it.`,
  possible_typo: (e) => `The mailbox exists, but ${domain(e)} looks like a typo${intendedAddress(e)}.`,
  low_quality: () => "The mailbox exists, but its name looks random.",

  greylisted: (e) => `${server(e)} asked us to retry later (greylisting).`,
  rate_limited: (e) => `${server(e)} limits the rate of our checks.`,
  probe_blocked: (e) => `${server(e)} blocked our check. This tells nothing about the mailbox.`,
  temporary_error: (e) => `${server(e)} reports a temporary error.`,
  smtp_unreachable: (e) => `No mail server of ${domain(e)} could be reached.`,
  smtp_timeout: (e) => `${server(e)} did not answer in time.`,
  smtp_protocol_error: (e) => `${server(e)} closed the connection or sent an invalid reply.`,
  egress_blocked: () =>
    "Outbound connections to port 25 are blocked on this installation, so no mailbox can be checked.",
  smtp_skipped: (e) =>
    e.isStopped
      ? "The job was finished before this address was checked."
      : e.route
        ? "The domain accepts mail. The mailbox was not checked."
        : "The address is well-formed. Neither DNS nor the mail server was checked.",
  dns_error: (e) => dnsErrorReason(e),
  internal_error: () => "The check failed because of an internal error.",
};

export function reasonOf(evidence: Evidence, verdict: Verdict): string {
  const sentence = REASONS[verdict.subStatus](evidence);
  const startsWithName = sentence.slice(0, sentence.indexOf(" ")).includes("."); // a host name keeps its case
  const capitalised = startsWithName ? sentence : sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return `${capitalised}${decoySentence(evidence, verdict)}${outcomeSentence(evidence, verdict)}`;
}

/** The mailbox was accepted and the reply to the decoy was inconclusive: that reply decided, so it is quoted. */
function decoySentence({ mailbox, decoy }: Evidence, { status }: Verdict): string {
  if (status !== "unknown" || mailbox?.answer !== "accepted" || !decoy?.reply) return "";
  const { code, enhanced, text } = decoy.reply;
  const words = [code, enhanced, text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").slice(0, MAX_QUOTE)]
    .filter(Boolean)
    .join(" ");
  return ` It accepts this mailbox; its reply for a made-up one: ${words.replace(/\.$/, "")}.`;
}

const MAX_QUOTE = 120;

const OUTCOME_SENTENCES: Record<DeliveryOutcome, string> = {
  delivered: " You reported that a message to it was delivered.",
  bounced: " You reported that a message to it bounced.",
  complained: " You reported that its owner marked a message as spam.",
};

/** Mentioned only where it changed the result: on an unproven mailbox, or after a spam complaint. */
function outcomeSentence(evidence: Evidence, verdict: Verdict): string {
  const outcome = knownOutcome(evidence);
  if (outcome === undefined) return "";
  return isUnproven(verdict) || (outcome === "complained" && verdict.isValid)
    ? OUTCOME_SENTENCES[outcome]
    : "";
}

const DISPOSABLE: Record<NonNullable<Evidence["disposable"]>, (domain: string) => string> = {
  own_list: (name) => `${name} is on your own deny list.`,
  domain: (name) => `${name} is a disposable email service.`,
  mail_host: (name) => `${name} uses the mail servers of a disposable email service.`,
};

function dnsErrorReason(e: Evidence): string {
  const reason = e.route?.kind === "dns_error" ? e.route.reason : "";
  if (reason === "unreachable")
    return "None of our DNS servers can be reached. This is a problem of this installation.";
  if (reason === "disbelieved")
    return `Our DNS servers say that ${domain(e)} does not exist, which is implausible. Check the DNS configuration of this installation.`;
  return `The DNS lookup for ${domain(e)} failed. This tells nothing about the mailbox.`;
}

function domain(e: Evidence): string {
  return e.address?.unicodeDomain ?? "the domain";
}

function server(e: Evidence): string {
  return e.mailbox?.mxHost ?? `the mail server of ${domain(e)}`;
}

/** A 4xx reply that still counts as accepted: the mailbox has reached its own receiving limit. */
function isReceivingTooFast({ mailbox }: Evidence): boolean {
  return mailbox?.answer === "accepted" && (mailbox.reply?.code ?? 0) >= 400;
}

function intendedAddress(e: Evidence): string {
  return e.suggestion ? ` for ${e.suggestion.email}` : "";
}
