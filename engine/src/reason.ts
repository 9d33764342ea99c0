/** The verdict in one sentence for people: what was found, in the order a person would ask. */
import type { DeliveryOutcome, SubStatus } from "@mailvet/contract";
import type { Evidence } from "./evidence.ts";
import { knownOutcome } from "./known-outcome.ts";
import { isUnproven, type Verdict } from "./verdict.ts";

const REASONS: Record<SubStatus, (e: Evidence) => string> = {
  "": (e) =>
    isReceivingTooFast(e)
      ? `${server(e)} says that this mailbox receives mail too fast at the moment, which only an existing one can.`
      : `${server(e)} accepts this mailbox and refuses made-up ones.`,
  privacy_relay: (e) => `${server(e)} accepts it; it forwards to a hidden mailbox.`,

  syntax_error: (e) => e.complaint?.message ?? "It is not a well-formed address.",
  provider_syntax: (e) =>
    `${(e.providerComplaint ?? "the provider never issues such a name").replace(/\.$/, "")}.`,
  reserved_domain: (e) => `No public mail exists there: ${e.specialUse ?? "the name is reserved"}.`,
  domain_not_found: (e) => `The domain ${domain(e)} does not exist.`,
  no_mail_server: (e) => `The domain ${domain(e)} has no mail server.`,
  null_mx: (e) => `The domain ${domain(e)} says that it accepts no mail.`,
  unroutable_mail_server: (e) => `No mail server of ${domain(e)} can be reached from the Internet.`,
  mailbox_not_found: (e) =>
    e.mailbox?.isLikeDecoy
      ? `${server(e)} refuses this mailbox in the words in which it refuses made-up ones.`
      : `${server(e)} says there is no such mailbox.`,
  mailbox_disabled: (e) => `${server(e)} says the mailbox is closed.`,
  domain_not_accepted: (e) => `The mail servers of ${domain(e)} say they do not handle that domain.`,
  smtputf8_unsupported: (e) => `${server(e)} cannot take a mailbox name with non-ASCII letters.`,

  disposable: (e) => DISPOSABLE[e.disposable ?? "domain"](domain(e)),
  catch_all: (e) => `${server(e)} accepts any name at ${domain(e)}, so this mailbox is unproven.`,
  role_based: () => "The mailbox exists, but it belongs to a team or a machine rather than to a person.",
  mailbox_full: () => "The mailbox exists and is full.",
  restricted: (e) => `The mailbox exists, but ${server(e)} takes no mail for it from outside senders.`,
  possible_typo: (e) => `The mailbox exists, but ${domain(e)} looks like a slip${meant(e)}.`,
  low_quality: () => "The mailbox exists, but its name looks random.",

  greylisted: (e) => `${server(e)} asks us to come back later; many servers do so once with strangers.`,
  rate_limited: (e) => `${server(e)} limits how often we may ask.`,
  probe_blocked: (e) => `${server(e)} refused us, not the mailbox.`,
  temporary_error: (e) => `${server(e)} has a temporary problem.`,
  smtp_unreachable: (e) => `No mail server of ${domain(e)} took our connection.`,
  smtp_timeout: (e) => `${server(e)} did not answer in time.`,
  smtp_protocol_error: (e) => `${server(e)} broke off or did not speak SMTP.`,
  egress_blocked: () => "This installation cannot reach port 25 at all, so no mailbox can be asked for.",
  smtp_skipped: (e) =>
    e.route
      ? "The domain takes mail; the mailbox was not asked for."
      : "It is well-formed; nobody was asked.",
  dns_error: (e) => dnsTrouble(e),
  internal_error: () => "We failed to check it; that is our fault.",
};

export function reasonOf(evidence: Evidence, verdict: Verdict): string {
  const sentence = REASONS[verdict.subStatus](evidence);
  const startsWithName = sentence.slice(0, sentence.indexOf(" ")).includes("."); // mx.example.com stays as it is
  const told = startsWithName ? sentence : sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return `${told}${decoyOf(evidence, verdict)}${pastOf(evidence, verdict)}`;
}

/** The mailbox was accepted, and what was said of a made-up one left it open: that reply decided, so it is quoted. */
function decoyOf({ mailbox, decoy }: Evidence, { status }: Verdict): string {
  if (status !== "unknown" || mailbox?.answer !== "accepted" || !decoy?.reply) return "";
  const { code, enhanced, text } = decoy.reply;
  const words = [code, enhanced, text.replace(/\p{C}+/gu, " ").slice(0, MAX_QUOTE)].filter(Boolean).join(" ");
  return ` It accepts this mailbox; of a made-up one it said: ${words.replace(/\.$/, "")}.`;
}

const MAX_QUOTE = 120;

const PAST: Record<DeliveryOutcome, string> = {
  delivered: " You reported that a message to it was delivered.",
  bounced: " You reported that a message to it bounced.",
  complained: " You reported that its owner complained about a message.",
};

/** Told where it changed what we say: where nothing else is known, or where somebody does not want to hear from us. */
function pastOf(evidence: Evidence, verdict: Verdict): string {
  const outcome = knownOutcome(evidence);
  if (outcome === undefined) return "";
  return isUnproven(verdict) || (outcome === "complained" && verdict.isValid) ? PAST[outcome] : "";
}

const DISPOSABLE: Record<NonNullable<Evidence["disposable"]>, (domain: string) => string> = {
  own_list: (name) => `${name} is on your own list of domains to refuse.`,
  domain: (name) => `${name} is a throw-away mail service.`,
  mail_host: (name) => `The mail of ${name} goes to a throw-away service.`,
};

function dnsTrouble(e: Evidence): string {
  const reason = e.route?.kind === "dns_error" ? e.route.reason : "";
  if (reason === "unreachable")
    return "No name server that we may ask can be reached; that is trouble on our side.";
  if (reason === "disbelieved")
    return `Our name servers say that ${domain(e)} does not exist, which cannot be true.`;
  return `The name servers of ${domain(e)} failed to answer; that says nothing about the mailbox.`;
}

function domain(e: Evidence): string {
  return e.address?.unicodeDomain ?? "the domain";
}

function server(e: Evidence): string {
  return e.mailbox?.mxHost ?? `the mail server of ${domain(e)}`;
}

/** The mailbox was not accepted in so many words: the limit it has reached is its own. */
function isReceivingTooFast({ mailbox }: Evidence): boolean {
  return mailbox?.answer === "accepted" && (mailbox.reply?.code ?? 0) >= 400;
}

function meant(e: Evidence): string {
  return e.suggestion ? ` for ${e.suggestion.email}` : "";
}
