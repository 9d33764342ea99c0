/** What to do with an address, and why its verdict stands above whatever else was found: one row per sub-status. */
import type { SubStatus } from "@mailvet/contract";

export type Advice = {
  /** What to do now. */
  todo: string;
  /** Why this and no other verdict. */
  why: string;
};

const TEXT_FIRST = "What the text itself rules out is not asked about any further.";
const NAMES_FIRST = "Without a mail server there is nobody to ask about the mailbox.";
const AIMED_AT_US = "A refusal that is aimed at us says nothing against the mailbox, so nothing is decided.";
const NOT_ANSWERED = "Neither a yes nor a no: that is no evidence for the mailbox, and none against it.";
const OWN_WORD = "The server's own word about the mailbox outweighs everything milder.";
const PROVEN = "The mailbox itself is proven; this is the one thing that speaks against sending.";
const LATER = "Ask again later. Until then treat it as undecided, not as bad.";

export const ADVICE: Record<SubStatus, Advice> = {
  "": {
    todo: "Send to it.",
    why: "The server accepted this mailbox and refused a made-up one, and nothing else was found.",
  },
  privacy_relay: {
    todo: "Send to it. It forwards to a mailbox that its owner keeps to themselves, and can be switched off.",
    why: "The mailbox is proven, and that it forwards is no reason against it.",
  },

  syntax_error: { todo: "Do not send. Ask for the address again.", why: TEXT_FIRST },
  provider_syntax: { todo: "Do not send. Ask for the address again.", why: TEXT_FIRST },
  reserved_domain: { todo: "Do not send. Names like this are for tests and examples.", why: TEXT_FIRST },
  domain_not_found: {
    todo: "Do not send. Look for a slip in the part after the @.",
    why: NAMES_FIRST,
  },
  no_mail_server: { todo: "Do not send. A message would come back.", why: NAMES_FIRST },
  null_mx: { todo: "Do not send. The domain's owner says that it takes no mail.", why: NAMES_FIRST },
  unroutable_mail_server: { todo: "Do not send. A message would come back.", why: NAMES_FIRST },
  mailbox_not_found: {
    todo: "Do not send, and take it off your list: a message would bounce.",
    why: OWN_WORD,
  },
  mailbox_disabled: {
    todo: "Do not send, and take it off your list: a message would bounce.",
    why: OWN_WORD,
  },
  domain_not_accepted: { todo: "Do not send: a message would come back.", why: OWN_WORD },
  smtputf8_unsupported: { todo: "Do not send. Ask for another address.", why: OWN_WORD },

  disposable: {
    todo: "Better not send. Ask for an address that will still be read tomorrow.",
    why: "A throw-away service outweighs that its mailboxes exist.",
  },
  catch_all: {
    todo: "Your choice: the server takes any name, but a message may still bounce later or be read by nobody. Start with the best scores, few at a time.",
    why: "An acceptance proves nothing where every name is accepted.",
  },
  role_based: {
    todo: "Fine for an answer or an invoice. Leave it out of newsletters: several people read it.",
    why: PROVEN,
  },
  restricted: {
    todo: "Do not send; ask its owner for another address, or to let you in.",
    why: OWN_WORD,
  },
  mailbox_full: { todo: "Wait, and check it again in some days before sending.", why: OWN_WORD },
  possible_typo: {
    todo: "Ask its owner whether the suggestion was meant, before anything confidential goes out.",
    why: PROVEN,
  },
  low_quality: { todo: "Confirm it by a message with a link before you rely on it.", why: PROVEN },

  greylisted: { todo: LATER, why: NOT_ANSWERED },
  rate_limited: { todo: LATER, why: AIMED_AT_US },
  probe_blocked: {
    todo: "Leave it on your list. Your own mail may well be welcome there.",
    why: AIMED_AT_US,
  },
  temporary_error: { todo: LATER, why: NOT_ANSWERED },
  smtp_unreachable: { todo: LATER, why: NOT_ANSWERED },
  smtp_timeout: { todo: LATER, why: NOT_ANSWERED },
  smtp_protocol_error: { todo: LATER, why: NOT_ANSWERED },
  egress_blocked: {
    todo: "Tell the operator: this installation needs a way out on port 25.",
    why: "Nobody was asked, so nothing is decided.",
  },
  smtp_skipped: {
    todo: "Nothing speaks against it so far. The mailbox itself was not asked for.",
    why: "Nobody was asked, so nothing is decided.",
  },
  dns_error: { todo: LATER, why: "Name servers that fail to answer say nothing about the domain." },
  internal_error: { todo: "Check it again. If that does not help, tell the operator.", why: NOT_ANSWERED },
};

/** Everything else worth knowing, in words. */
const FLAGS: Readonly<Record<string, string>> = {
  disposable: "throw-away service",
  privacy_relay: "privacy relay",
  free_provider: "free mail provider",
  role_based: "team or machine mailbox",
  no_reply: "a name that reads no answers",
  subaddressed: "carries a +tag",
  look_alike_domain: "looks like a well-known domain",
  quoted_local_part: "name in quotes",
  needs_smtputf8: "needs a server that takes non-ASCII names",
  international_domain: "international domain name",
  ip_literal: "an IP address instead of a domain",
  implicit_mx: "no MX record, mail goes to the domain's own host",
  catch_all: "accepts any name",
  bounced_before: "bounced before, as you reported",
  score_calibrated: "score corrected by the outcomes you reported",
  delivered_before: "delivered before, as you reported",
  complained_before: "complained before, as you reported",
  dns_not_asked: "names were not asked for",
  smtp_not_asked: "the mail server was not asked",
};

/** A service newer than this page may know more of them. */
export function flagText(flag: string): string {
  return FLAGS[flag] ?? flag.replaceAll("_", " ");
}
