/**
 * Simulated evidence for every sub-status.
 *
 * The engine decides and presents it like any other, so a sandbox result has the fields, flags and sentences of a real one.
 * A new sub-status does not compile until it can be simulated.
 */
import type { SubStatus } from "@mailvet/contract";
import type { Evidence, MailboxFinding } from "@mailvet/engine";

export type SandboxOutcome = (inspection: Evidence) => Evidence;

const MX_HOST = "mx.mailvet.test";

const replied = (
  answer: MailboxFinding["answer"],
  code: number,
  enhanced: string,
  text: string,
): MailboxFinding => ({ answer, reply: { code, enhanced, text }, mxHost: MX_HOST });

const noReply = (answer: MailboxFinding["answer"]): MailboxFinding => ({ answer, mxHost: MX_HOST });
const withRetry = (finding: MailboxFinding, retryAfterSeconds: number): MailboxFinding => ({
  ...finding,
  retryAfterSeconds,
});

const aboutUs = (finding: MailboxFinding): MailboxFinding => ({ ...finding, isAboutUs: true });

const ACCEPTED = replied("accepted", 250, "2.1.5", "Recipient ok");
const NOT_FOUND = replied("not_found", 550, "5.1.1", "No such user here");
const GREYLISTED = replied("greylisted", 451, "4.7.1", "Greylisted, please come back later");

/** A well-formed address without further evidence. */
const text = ({ email, address, canonical, isSubaddressed }: Evidence): Evidence => ({
  email,
  ...(address && { address }),
  ...(canonical !== undefined && { canonical }),
  ...(isSubaddressed !== undefined && { isSubaddressed }),
});

const routed =
  (route: NonNullable<Evidence["route"]>): SandboxOutcome =>
  (inspection) => ({
    ...text(inspection),
    route,
    provider: "",
    policies: { spf: false, dmarc: false, mtaSts: false },
  });

/** The domain has a mail server. */
const served: SandboxOutcome = (inspection) => ({
  ...text(inspection),
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
  (inspection) => ({ ...served(inspection), mailbox });

/** The mailbox is accepted, the decoy is not. */
const proven: SandboxOutcome = (inspection) => ({
  ...served(inspection),
  mailbox: ACCEPTED,
  decoy: { ...NOT_FOUND, confidence: 0.95 },
});

export const SANDBOX_OUTCOMES: Readonly<Record<SubStatus, SandboxOutcome>> = {
  "": proven,
  privacy_relay: (inspection) => ({ ...proven(inspection), isPrivacyRelay: true }),
  agent_mailbox: (inspection) => ({ ...proven(inspection), isAgentMailbox: true }),

  syntax_error: ({ email }) => ({
    email,
    syntaxError: {
      rule: "local_character",
      position: 0,
      message: "The sandbox reports this address as malformed.",
    },
  }),
  provider_syntax: (inspection) => ({
    ...text(inspection),
    providerSyntaxError: "The provider does not issue this mailbox name",
  }),
  reserved_domain: (inspection) => ({ ...text(inspection), specialUse: "the name is reserved" }),
  domain_not_found: (inspection) => ({
    ...text(inspection),
    route: { kind: "domain_not_found" },
    provider: "",
  }),
  no_mail_server: routed({ kind: "no_mail_server" }),
  null_mx: routed({ kind: "null_mx" }),
  unroutable_mail_server: routed({ kind: "unroutable", hosts: [] }),
  mailbox_not_found: answered(NOT_FOUND),
  mailbox_disabled: answered(replied("disabled", 550, "5.2.1", "Mailbox disabled, not accepting messages")),
  domain_not_accepted: answered(replied("domain_not_accepted", 550, "5.7.1", "Relay access denied")),
  smtputf8_unsupported: answered(noReply("smtputf8_unsupported")),

  disposable: (inspection) => ({ ...proven(inspection), disposable: "domain" }),
  catch_all: (inspection) => ({
    ...served(inspection),
    mailbox: ACCEPTED,
    decoy: { ...ACCEPTED, confidence: 0.92 },
  }),
  role_based: (inspection) => ({ ...proven(inspection), role: "department" }),
  restricted: answered(replied("restricted", 550, "5.7.133", "Sender not authenticated for group")),
  mailbox_full: answered(withRetry(replied("full", 452, "4.2.2", "Mailbox full"), 86_400)),
  possible_typo: (inspection) => ({
    ...proven(inspection),
    suggestion: { email: `${inspection.address?.local ?? ""}@gmail.com`, lookAlike: true },
  }),
  low_quality: (inspection) => ({
    ...proven(inspection),
    // Only long names count as random, and that of ann+low-quality@ is short.
    ...(inspection.address && { address: { ...inspection.address, local: "zqxvkwjq", quoted: false } }),
    nameScore: { score: 0.005, signals: ["few_vowels"] },
  }),

  greylisted: answered(withRetry(GREYLISTED, 300)),
  rate_limited: answered(
    withRetry(replied("rate_limited", 450, "4.7.1", "Too many recipients from you"), 900),
  ),
  probe_blocked: answered(
    aboutUs(withRetry(replied("probe_blocked", 550, "5.7.1", "Your address is on our blocklist"), 900)),
  ),
  temporary_error: answered(
    withRetry(replied("temporary_error", 451, "4.3.0", "Temporary lookup failure"), 900),
  ),
  smtp_unreachable: answered(withRetry(noReply("unreachable"), 900)),
  smtp_timeout: answered(withRetry(noReply("timeout"), 900)),
  smtp_protocol_error: answered(withRetry(noReply("protocol_error"), 900)),
  egress_blocked: answered(withRetry(noReply("egress_blocked"), 60)),
  server_untrusted: answered(withRetry({ ...ACCEPTED, answer: "untrusted" }, 3600)),
  smtp_skipped: served,
  dns_error: (inspection) => ({
    ...text(inspection),
    route: { kind: "dns_error", hosts: [], reason: "servfail" },
    provider: "",
  }),
  internal_error: (inspection) => ({ ...text(inspection), failure: "simulated by the sandbox" }),
};

/** Greylisted with this delay. */
export const greylistedFor =
  (seconds: number): SandboxOutcome =>
  (inspection) => ({ ...served(inspection), mailbox: withRetry(GREYLISTED, seconds) });
