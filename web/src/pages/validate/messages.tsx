/** Texts of the validate page: form, verdict, stages, and the advice for each sub-status. */
import type { Status, SubStatus } from "@mailvet/contract";
import type { ReactNode } from "react";
import { common } from "../../messages.ts";

export const messages = {
  title: "Validate",
  intro: "Check one address and see how we reached the verdict.",

  form: {
    email: "Email address",
    placeholder: "ann@example.com",
    empty: "Enter an email address.",
    submit: (price: string) => `Check (${price})`,
    examples: "Or try an example. Addresses at mailvet.test are simulated and free.",
  },
  checking: (email: string) => `Checking ${email}`,
  checkingHint: "Usually one or two seconds; up to 30 seconds if a mail server is slow.",
  notChecked: "Not checked in this tab yet. Opening this page is free; press “Check” to run it.",
  announcement: (email: string, status: Status, reason: string) => `${email} is ${status}. ${reason}`,
  resultFor: (email: string) => `Result for ${email}`,
  suggestion: "Did you mean another address?",
  checkSuggestion: (price: string) => `Check suggestion (${price})`,
  failed: "We couldn't check it",
  outOfCredits: "You are out of credits",
  outOfCreditsText: (available: number, link: ReactNode) => (
    <>
      A check costs 1 credit and you have {common.credits(available)}. {common.askForCredits} {link}
    </>
  ),
  seeUsage: "View usage",

  retry: {
    ready: "Ready to retry",
    readyText: "The wait is over.",
    waitingText: (duration: string) => `Retry in ${duration}. Trying sooner is unlikely to help.`,
    retry: (price: string) => `Retry (${price})`,
    retryIn: (time: string) => `Retry in ${time}`,
  },

  history: {
    title: "Recent checks (this tab)",
    intro: "Kept until you close the tab. Viewing them again is free.",
    shown: "shown above",
  },

  howItWorks: {
    title: "How it works",
    steps: [
      ["Syntax", "Is the address well-formed, and possible at its provider?"],
      ["DNS and lists", "Is the domain disposable, and which servers receive its mail?"],
      ["Mailbox", "We ask the mail server whether the mailbox exists. No email is sent."],
      ["Catch-all", "We also try a made-up mailbox: a server that accepts everything proves nothing."],
    ],
    results: "Possible results",
    meanings: {
      valid: "The server accepts this mailbox and rejects made-up ones.",
      risky: "It may be delivered, but there is a reason for caution.",
      unknown: "We couldn't tell. You'll see why and when to retry.",
      invalid: "A message would bounce.",
    } satisfies Record<Status, string>,
  },

  card: {
    source: "Source",
    confidence: "Confidence",
    confidenceHint: (status: Status) => `How certain the verdict “${status}” is.`,
    score: common.score,
    scoreOf: (score: number) => `${score} of 100`,
    scoreHint: "Estimated chance, in percent, that a message is accepted now.",
    sandbox: "Sandbox: simulated result",
    cached: (at: ReactNode) => <>Cached {at}</>,
    checked: (at: ReactNode, took: string) => (
      <>
        Checked {at} in {took}
      </>
    ),
    milliseconds: (ms: number) => `${ms}\u00a0ms`,
    seconds: (seconds: string) => `${seconds}\u00a0s`,
  },

  stages: {
    title: "How we decided",
    verdict: common.verdict,
    json: "JSON response",
    confirmed: "There is direct evidence that this mailbox exists.",
    unconfirmed: "Nothing confirms that this mailbox exists.",
    flags: "Flags:",
    noFlags: "none",
    skipped: "skipped",
  },

  syntax: {
    title: "Syntax",
    malformed: ["malformed", "The address is malformed."],
    rule: "Violated rule",
    normalized: "Normalised",
    canonical: "Canonical form",
    role: "Role address",
    subaddressed: "+tag",
    wellFormed: "well-formed",
    roleAddress: "well-formed, role address",
    meaning: "The address conforms to RFC 5321 and RFC 6531.",
    reasons: {
      provider_syntax: [
        "impossible",
        "Well-formed, but not a possible address at this provider. No server was contacted.",
      ],
      reserved_domain: [
        "reserved",
        "Well-formed, but the domain is reserved and never receives public mail. No server was contacted.",
      ],
    } as Partial<Record<SubStatus, readonly [word: string, meaning: string]>>,
  },

  lists: {
    title: "Reputation lists",
    noDomain: "There is no domain to look up.",
    disposable: "Disposable",
    relay: "Privacy relay",
    agent: "Agent mailbox",
    free: "Free provider",
    provider: "Provider",
    disposableFound: ["disposable", "Mailboxes there last minutes or days and are often publicly readable."],
    relayFound: ["privacy relay", "Forwards to a private mailbox."],
    agentFound: ["agent mailbox", "Made for software agents, which read the mail."],
    clean: ["no match", "The domain is on no list of disposable domains."],
  },

  dns: {
    title: "DNS",
    skipped: "The syntax check already decided, or DNS lookups are disabled.",
    domain: "Domain",
    mailServer: "Mail server",
    spf: "SPF (authorised senders)",
    dmarc: "DMARC (policy for forged mail)",
    mtaSts: "MTA-STS (enforced TLS)",
    acceptsMail: "accepts mail",
    mx: "The domain has a mail server.",
    implicitMx: "No MX record; mail goes to the domain's own host (RFC 5321 §5.1).",
    noneFound: ["no mail server found", "DNS returned no mail server."],
    reasons: {
      domain_not_found: ["no such domain", "The domain does not exist or has no public address."],
      no_mail_server: ["no mail server", "The domain exists but has neither MX nor address records."],
      null_mx: ["accepts no mail", "The domain publishes a null MX record (RFC 7505)."],
      unroutable_mail_server: ["unreachable", "None of its mail servers resolves to a public address."],
      dns_error: ["no answer", "The name servers failed to answer. The domain may still exist."],
    } as Partial<Record<SubStatus, readonly [word: string, meaning: string]>>,
  },

  smtp: {
    title: "Server response",
    noServer: "There is no mail server to ask.",
    notAsked: "SMTP checks are disabled, or were not needed.",
    accepted: ["accepted", "The server accepted a message for this mailbox. None was sent."],
    knownCatchAll: "The domain is a known catch-all, so this mailbox was not checked separately.",
    unsupported: "not supported",
    noAnswer: ["no answer", "The server gave no answer."],
    silence: {
      smtp_unreachable: "None of the domain's mail servers accepted a connection.",
      smtp_timeout: "The server did not answer in time.",
      smtp_protocol_error: "The connection dropped or the reply was invalid.",
      egress_blocked: "This installation can't reach mail servers: outbound port 25 is blocked.",
      smtputf8_unsupported: "The server does not support non-ASCII addresses (SMTPUTF8).",
    } as Partial<Record<SubStatus, string>>,
    rejected: ["rejected", "The server permanently rejected this mailbox."],
    full: ["full", "The mailbox exists but is over quota."],
    restricted: ["restricted", "The mailbox exists but accepts no mail from external senders."],
    notAccepted: ["not accepted", "The server did not accept the mailbox, for the reason it states."],
    inconclusive: ["inconclusive", "The server neither accepted nor rejected the mailbox."],
    server: "Mail server",
  },

  catchAll: {
    title: "Catch-all test",
    skipped: "A made-up mailbox is only tried after the server accepts the real one.",
    confidence: "Confidence",
    found: [
      "catch-all",
      "The domain is a catch-all: it accepts mail for any name, so its answer proves nothing about this mailbox.",
    ],
    inconclusive: [
      "inconclusive",
      "We couldn't tell whether the server accepts any name, so its answer proves nothing yet.",
    ],
    irrelevant: ["not relevant", "The mailbox itself was not accepted."],
    rejected: [
      "rejected",
      "The server rejects made-up names, so accepting this mailbox means that it exists.",
    ],
  },

  ai: {
    title: "AI enhancement",
    random: "looks random",
    randomMeaning: "The model rates the mailbox name as random.",
    meaning:
      "The mail server left it open, so a model rated the mailbox name. This changes the score but never makes an address invalid.",
    reasons: (reasons: readonly string[]) => ` Reasons: ${reasons.join("; ")}.`,
    method: "Method",
    score: "Plausibility (50% is neutral)",
    undecided: "undecided",
    likely: "plausible",
    unlikely: "implausible",
  },
} as const;

export type Advice = { action: string; reason: string };

const SYNTAX_DECIDES = "The syntax check decides before any server is contacted.";
const DNS_DECIDES = "Without a mail server the mailbox can't be checked.";
const BLOCKED = "The server rejected our check, not the mailbox, so nothing is decided.";
const NO_ANSWER = "Neither accepted nor rejected: no evidence for or against the mailbox.";
const SERVER_DECIDES = "The server's answer about this mailbox takes precedence.";
const ONLY_CONCERN = "The mailbox is confirmed; this is the only concern.";
const NOT_CONTACTED = "No server was contacted, so nothing is decided.";
const RETRY_LATER = "Until a retry settles it, treat it as undecided, not as bad.";
const BOUNCES = "Don't send. A message would bounce.";
const REMOVE = "Don't send, and remove it from your list: a message would bounce.";
const ASK_AGAIN = "Don't send. Ask for the address again.";

export const ADVICE: Record<SubStatus, Advice> = {
  "": {
    action: "No issues found.",
    reason: "The server accepted this mailbox and rejected a made-up one, and nothing else was found.",
  },
  privacy_relay: {
    action: "No issues found. The relay forwards to a private mailbox and can be switched off by its owner.",
    reason: "The mailbox is confirmed, and forwarding is no reason against it.",
  },
  agent_mailbox: {
    action: "No issues found. A software agent reads this mailbox, and a person perhaps never does.",
    reason: "The mailbox is confirmed, and who reads it is no reason against it.",
  },

  syntax_error: { action: ASK_AGAIN, reason: SYNTAX_DECIDES },
  provider_syntax: { action: ASK_AGAIN, reason: SYNTAX_DECIDES },
  reserved_domain: { action: "Don't send. The domain is for tests and examples.", reason: SYNTAX_DECIDES },
  domain_not_found: { action: "Don't send. Check the domain for a typo.", reason: DNS_DECIDES },
  no_mail_server: { action: BOUNCES, reason: DNS_DECIDES },
  null_mx: { action: "Don't send. The domain accepts no mail.", reason: DNS_DECIDES },
  unroutable_mail_server: { action: BOUNCES, reason: DNS_DECIDES },
  mailbox_not_found: { action: REMOVE, reason: SERVER_DECIDES },
  mailbox_disabled: { action: REMOVE, reason: SERVER_DECIDES },
  domain_not_accepted: { action: BOUNCES, reason: SERVER_DECIDES },
  smtputf8_unsupported: { action: "Don't send. Ask for another address.", reason: SERVER_DECIDES },

  disposable: {
    action: "Don't send. Ask for a permanent address.",
    reason: "The mailbox may exist, but the domain is disposable.",
  },
  catch_all: {
    action:
      "Your choice: the server accepts any name, so a message may still bounce or go unread. Start with the best scores, in small batches.",
    reason: "Acceptance proves nothing where every name is accepted.",
  },
  role_based: {
    action: "Fine for replies and invoices. Leave it out of newsletters: several people read it.",
    reason: ONLY_CONCERN,
  },
  restricted: {
    action: "Don't send. Ask the recipient for another address, or to allow your mail.",
    reason: SERVER_DECIDES,
  },
  mailbox_full: { action: "Wait a few days and check again before sending.", reason: SERVER_DECIDES },
  possible_typo: {
    action: "Ask the recipient whether the suggestion is right before you send anything confidential.",
    reason: ONLY_CONCERN,
  },
  low_quality: { action: "Confirm it with a link by email before you rely on it.", reason: ONLY_CONCERN },

  greylisted: { action: RETRY_LATER, reason: NO_ANSWER },
  rate_limited: { action: RETRY_LATER, reason: BLOCKED },
  probe_blocked: { action: "Keep it on your list. Your own mail may be accepted.", reason: BLOCKED },
  temporary_error: { action: RETRY_LATER, reason: NO_ANSWER },
  smtp_unreachable: { action: RETRY_LATER, reason: NO_ANSWER },
  smtp_timeout: { action: RETRY_LATER, reason: NO_ANSWER },
  smtp_protocol_error: { action: RETRY_LATER, reason: NO_ANSWER },
  egress_blocked: {
    action: "Tell your administrator: this installation needs outbound port 25.",
    reason: NOT_CONTACTED,
  },
  server_untrusted: {
    action: RETRY_LATER,
    reason: "The server was not seen to tell mailboxes apart, so its reply is no evidence.",
  },
  smtp_skipped: {
    action: "Nothing was found against it. A check at level smtp asks the mail server about the mailbox.",
    reason: NOT_CONTACTED,
  },
  dns_error: { action: RETRY_LATER, reason: "A name server failure says nothing about the domain." },
  internal_error: { action: "Retry. If it fails again, tell your administrator.", reason: NO_ANSWER },
};

const FLAGS: Readonly<Record<string, string>> = {
  disposable: "disposable",
  privacy_relay: "privacy relay",
  agent_mailbox: "agent mailbox",
  free_provider: "free provider",
  role_based: "role address",
  no_reply: "no-reply address",
  subaddressed: "+tag",
  look_alike_domain: "look-alike domain",
  quoted_local_part: "quoted local part",
  needs_smtputf8: "needs SMTPUTF8",
  international_domain: "internationalised domain",
  ip_literal: "IP address as domain",
  implicit_mx: "no MX record",
  catch_all: "catch-all",
  bounced_before: "bounced before (your feedback)",
  score_calibrated: "score adjusted by your feedback",
  delivered_before: "delivered before (your feedback)",
  complained_before: "complained before (your feedback)",
  no_control: "no control mailbox",
  dns_not_asked: "DNS not checked",
  smtp_not_asked: "SMTP not checked",
};

/** A newer service may send unknown flags; they are shown by their identifiers. */
export function flagText(flag: string): string {
  return FLAGS[flag] ?? flag.replaceAll("_", " ");
}
