/**
 * What the sandbox claims to have found, for every verdict there is.
 *
 * Only evidence is made up here. The engine judges and presents it like any other, so a sandbox result has the
 * fields, flags and sentences of a real one. A new sub-status does not compile until it can be played.
 */
import type { SubStatus } from "@mailvet/contract";
import type { Evidence, MailboxFinding } from "@mailvet/engine";

export type SandboxOutcome = (glance: Evidence) => Evidence;

const MX_HOST = "mx.mailvet.test";

const says = (
  answer: MailboxFinding["answer"],
  code: number,
  enhanced: string,
  text: string,
): MailboxFinding => ({ answer, reply: { code, enhanced, text }, mxHost: MX_HOST });

const silent = (answer: MailboxFinding["answer"]): MailboxFinding => ({ answer, mxHost: MX_HOST });
const comeBack = (finding: MailboxFinding, retryAfterSeconds: number): MailboxFinding => ({
  ...finding,
  retryAfterSeconds,
});

const ACCEPTED = says("accepted", 250, "2.1.5", "Recipient ok");
const NOT_FOUND = says("not_found", 550, "5.1.1", "No such user here");
const GREYLISTED = says("greylisted", 451, "4.7.1", "Greylisted, please come back later");

/** An address that can be read, and nothing more. */
const text = ({ email, address, canonical, isSubaddressed }: Evidence): Evidence => ({
  email,
  ...(address && { address }),
  ...(canonical !== undefined && { canonical }),
  ...(isSubaddressed !== undefined && { isSubaddressed }),
});

const routed =
  (route: NonNullable<Evidence["route"]>): SandboxOutcome =>
  (glance) => ({
    ...text(glance),
    route,
    provider: "",
    policies: { spf: false, dmarc: false, mtaSts: false },
  });

/** The domain has a mail server. */
const served: SandboxOutcome = (glance) => ({
  ...text(glance),
  route: {
    kind: "mail_hosts",
    implicit: false,
    hosts: [{ name: MX_HOST, preference: 10, addresses: [] }],
    isPartial: false,
  },
  policies: { spf: true, dmarc: true, mtaSts: false },
  provider: "other",
});

const answered =
  (mailbox: MailboxFinding): SandboxOutcome =>
  (glance) => ({ ...served(glance), mailbox });

/** This mailbox is accepted, a made-up one is not. */
const proven: SandboxOutcome = (glance) => ({
  ...served(glance),
  mailbox: ACCEPTED,
  decoy: { ...NOT_FOUND, confidence: 0.95 },
});

export const SANDBOX_OUTCOMES: Readonly<Record<SubStatus, SandboxOutcome>> = {
  "": proven,
  privacy_relay: (glance) => ({ ...proven(glance), isPrivacyRelay: true }),

  syntax_error: ({ email }) => ({
    email,
    syntaxError: {
      rule: "local_character",
      position: 0,
      message: "The sandbox was asked to find this address malformed.",
    },
  }),
  provider_syntax: (glance) => ({
    ...text(glance),
    providerSyntaxError: "The provider does not issue this mailbox name",
  }),
  reserved_domain: (glance) => ({ ...text(glance), specialUse: "the name is reserved" }),
  domain_not_found: (glance) => ({ ...text(glance), route: { kind: "domain_not_found" }, provider: "" }),
  no_mail_server: routed({ kind: "no_mail_server" }),
  null_mx: routed({ kind: "null_mx" }),
  unroutable_mail_server: routed({ kind: "unroutable", hosts: [MX_HOST], reason: "not_public" }),
  mailbox_not_found: answered(NOT_FOUND),
  mailbox_disabled: answered(says("disabled", 550, "5.2.1", "Mailbox disabled, not accepting messages")),
  domain_not_accepted: answered(says("domain_not_accepted", 550, "5.7.1", "Relay access denied")),
  smtputf8_unsupported: answered(silent("smtputf8_unsupported")),

  disposable: (glance) => ({ ...proven(glance), disposable: "domain" }),
  catch_all: (glance) => ({
    ...served(glance),
    mailbox: ACCEPTED,
    decoy: { ...ACCEPTED, confidence: 0.92 },
  }),
  role_based: (glance) => ({ ...proven(glance), role: "department" }),
  restricted: answered(says("restricted", 550, "5.7.133", "Sender not authenticated for group")),
  mailbox_full: answered(comeBack(says("full", 452, "4.2.2", "Mailbox full"), 86_400)),
  possible_typo: (glance) => ({
    ...proven(glance),
    suggestion: { email: `${glance.address?.local ?? ""}@gmail.com`, lookAlike: true },
  }),
  low_quality: (glance) => ({
    ...proven(glance),
    // Only a long name is ever called random, and that of ann+low-quality@ is short.
    ...(glance.address && { address: { ...glance.address, local: "zqxvkwjq", quoted: false } }),
    nameScore: { score: 0.005, signals: ["few_vowels"] },
  }),

  greylisted: answered(comeBack(GREYLISTED, 300)),
  rate_limited: answered(comeBack(says("rate_limited", 450, "4.7.1", "Too many recipients from you"), 900)),
  probe_blocked: answered(says("probe_blocked", 550, "5.7.1", "Your address is on our blocklist")),
  temporary_error: answered(comeBack(says("temporary_error", 451, "4.3.0", "Temporary lookup failure"), 900)),
  smtp_unreachable: answered(comeBack(silent("unreachable"), 900)),
  smtp_timeout: answered(comeBack(silent("timeout"), 900)),
  smtp_protocol_error: answered(comeBack(silent("protocol_error"), 900)),
  egress_blocked: answered(comeBack(silent("egress_blocked"), 60)),
  smtp_skipped: served,
  dns_error: (glance) => ({
    ...text(glance),
    route: { kind: "dns_error", hosts: [], reason: "servfail" },
    provider: "",
  }),
  internal_error: (glance) => ({ ...text(glance), failure: "asked for in the sandbox" }),
};

/** Asks to come back, and means it. */
export const greylistedFor =
  (seconds: number): SandboxOutcome =>
  (glance) => ({ ...served(glance), mailbox: comeBack(GREYLISTED, seconds) });
