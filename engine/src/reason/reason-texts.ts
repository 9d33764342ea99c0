/** Sentences about a verdict in English, and the type that other languages follow (reason-texts.de.ts). */
import type { DeliveryOutcome, SubStatus } from "@mailvet/contract";
import type { Evidence } from "../evidence.ts";
import { refusalOfUs } from "../verdict.ts";

export type ReasonFacts = {
  evidence: Evidence;
  /** As people write it. */
  domain: string;
  /** Host name of the mail server, or a description of it as the subject of a sentence. */
  server: string;
};

export type ReasonTexts = {
  /** Where the domain is not known. */
  domain: string;
  serverOf: (domain: string) => string;
  /** The first letter becomes a capital. */
  reasons: Record<SubStatus, (facts: ReasonFacts) => string>;
  /** Appended: the server's words about the decoy decided. */
  decoyReply: (words: string) => string;
  /** Appended: what the account reported. */
  outcomes: Record<DeliveryOutcome, string>;
};

export const ENGLISH: ReasonTexts = {
  domain: "the domain",
  serverOf: (domain) => `the mail server of ${domain}`,
  reasons: {
    "": ({ server, evidence }) =>
      isReceivingTooFast(evidence)
        ? `${server} says that this mailbox is receiving mail too fast, so it exists.`
        : `${server} accepts this mailbox and rejects made-up ones.`,
    privacy_relay: ({ server }) =>
      `${server} accepts this relay address, which forwards to a hidden mailbox.`,
    agent_mailbox: ({ server }) => `${server} accepts this mailbox, which a software agent reads.`,

    syntax_error: ({ evidence }) => evidence.syntaxError?.message ?? "This is not a well-formed address.",
    provider_syntax: ({ evidence }) =>
      `${(evidence.providerSyntaxError ?? "The provider does not issue this mailbox name").replace(/\.$/, "")}.`,
    reserved_domain: ({ evidence }) =>
      `This domain has no public mail: ${evidence.specialUse ?? "the name is reserved"}.`,
    domain_not_found: ({ domain }) => `The domain ${domain} does not exist or has no public address.`,
    no_mail_server: ({ domain }) => `The domain ${domain} has no mail server.`,
    null_mx: ({ domain }) => `The domain ${domain} declares that it accepts no mail (null MX).`,
    unroutable_mail_server: ({ domain }) => `No mail server of ${domain} has a public IP address.`,
    mailbox_not_found: ({ server, evidence }) =>
      evidence.mailbox?.isLikeDecoy
        ? `${server} rejects this mailbox with the same reply as made-up ones.`
        : `${server} says that this mailbox does not exist.`,
    mailbox_disabled: ({ server }) => `${server} says that this mailbox is disabled.`,
    domain_not_accepted: ({ domain }) =>
      `The mail servers of ${domain} say that they do not accept mail for this domain.`,
    smtputf8_unsupported: ({ server }) =>
      `${server} does not support mailbox names with non-ASCII characters (SMTPUTF8).`,

    disposable: ({ domain, evidence }) => DISPOSABLE[evidence.disposable ?? "domain"](domain),
    catch_all: ({ server, domain }) =>
      `${server} accepts every address at ${domain} (catch-all), so this mailbox is not confirmed.`,
    role_based: () => "The mailbox exists, but it is a role address of a team or a system.",
    mailbox_full: () => "The mailbox exists, but it is full.",
    restricted: ({ server }) =>
      `The mailbox exists, but ${server} does not accept mail from external senders for it.`,
    possible_typo: ({ domain, evidence: { suggestion } }) =>
      `The mailbox exists, but ${domain} looks like a typo${suggestion ? ` for ${suggestion.email}` : ""}.`,
    low_quality: () => "The mailbox exists, but its name looks random.",

    greylisted: ({ server }) => `${server} asked us to retry later (greylisting).`,
    rate_limited: ({ server }) => `${server} limits the rate of our checks.`,
    probe_blocked: ({ server, evidence }) =>
      isUnasked(evidence)
        ? `${server} refuses the address of this installation at the moment, so this mailbox was not checked.`
        : `${server} blocked our check. This tells nothing about the mailbox.`,
    temporary_error: ({ server, domain, evidence }) =>
      evidence.mailbox?.isByBackup
        ? `${server} rejects this mailbox, but it is a backup of another operator, and the preferred mail server of ${domain} gave no answer.`
        : `${server} reports a temporary error.`,
    smtp_unreachable: ({ domain }) => `No mail server of ${domain} could be reached.`,
    smtp_timeout: ({ server }) => `${server} did not answer in time.`,
    smtp_protocol_error: ({ server }) => `${server} closed the connection or sent an invalid reply.`,
    egress_blocked: () =>
      "This installation cannot connect to the mail server: outbound port 25 is blocked or intercepted, or there is no route to it.",
    server_untrusted: ({ server }) =>
      `It could not be confirmed that ${server} tells mailboxes apart, so its reply proves nothing.`,
    smtp_skipped: ({ evidence: { isStopped, route } }) =>
      isStopped
        ? "The job was finished before this address was checked."
        : route
          ? "The domain accepts mail. The mailbox was not checked (level dns)."
          : "The address is well-formed. Neither DNS nor the mail server was checked (level syntax).",
    dns_error: ({ domain, evidence }) => {
      switch (dnsErrorOf(evidence)) {
        case "unreachable":
          return "None of our DNS servers can be reached. This is a problem of this installation.";
        case "disbelieved":
          return `Our DNS servers say that ${domain} does not exist, which is implausible. Check the DNS configuration of this installation.`;
        default:
          return `The DNS lookup for ${domain} failed. This tells nothing about the mailbox.`;
      }
    },
    internal_error: () => "The check failed because of an internal error.",
  },
  decoyReply: (words) => ` It accepts this mailbox; its reply for a made-up one: ${words}.`,
  outcomes: {
    delivered: " You reported that a message to it was delivered.",
    bounced: " You reported that a message to it bounced.",
    complained: " You reported that its owner marked a message as spam.",
  },
};

const DISPOSABLE: Record<NonNullable<Evidence["disposable"]>, (domain: string) => string> = {
  own_list: (name) => `${name} is on your own deny list.`,
  domain: (name) => `${name} is a disposable email service.`,
  mail_host: (name) => `${name} uses the mail servers of a disposable email service.`,
};

/** A 4xx reply that still counts as accepted: the mailbox has reached its own receiving limit. */
export function isReceivingTooFast({ mailbox }: Evidence): boolean {
  return mailbox?.answer === "accepted" && (mailbox.reply?.code ?? 0) >= 400;
}

/** Because the host refuses us by now. */
export function isUnasked(evidence: Evidence): boolean {
  return refusalOfUs(evidence)?.refusedSinceMs !== undefined;
}

export function dnsErrorOf({ route }: Evidence): string {
  return route?.kind === "dns_error" ? route.reason : "";
}
