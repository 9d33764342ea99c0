/**
 * Pure decision tables: evidence in, verdict out.
 *
 * The worst mistake is to call a live mailbox invalid. Replies about the client (a block, a limit, a failed
 * connection) are therefore never evidence against the mailbox.
 */
import { STATUS_OF, type Status, type SubStatus } from "@mailvet/contract/words";
import type { DecoyFinding, Evidence, MailboxAnswer, MailboxFinding } from "./evidence.ts";
import { knownOutcome } from "./known-outcome.ts";
import {
  looksRandom,
  NEUTRAL_SCORE,
  type Plausibility,
  plausibilityOf,
} from "./plausibility/plausibility.ts";

export type Verdict = {
  status: Status;
  subStatus: SubStatus;
  /** Probability that the status is right, 0 to 1. */
  confidence: number;
  /** There is positive evidence that this mailbox exists. */
  isValid: boolean;
  safeToSend: boolean;
  /** Plausibility of the local part, where it influenced the confidence. */
  plausibility?: Plausibility;
};

type Rule = readonly [subStatus: SubStatus, applies: (e: Evidence) => boolean];

const routeIs = (kind: NonNullable<Evidence["route"]>["kind"]) => (e: Evidence) => e.route?.kind === kind;
const mailboxIs = (answer: MailboxAnswer) => (e: Evidence) => e.mailbox?.answer === answer;
const accepted = mailboxIs("accepted");
/** Acceptance proves existence only if the decoy was rejected. */
const proven = (e: Evidence) => accepted(e) && e.decoy?.answer === "not_found";
/** Inconclusive with this answer, for the mailbox or for the decoy. */
const inconclusive = (answer: MailboxAnswer) => (e: Evidence) =>
  e.mailbox?.answer === answer || (accepted(e) && e.decoy?.answer === answer);

/** The first rule that applies decides, so row order is the policy. */
const POLICY: readonly Rule[] = [
  ["internal_error", (e) => e.failure !== undefined],
  ["syntax_error", (e) => e.address === undefined],
  ["provider_syntax", (e) => e.providerSyntaxError !== undefined],
  ["reserved_domain", (e) => e.specialUse !== undefined],

  ["domain_not_found", routeIs("domain_not_found")],
  ["null_mx", routeIs("null_mx")],
  ["no_mail_server", routeIs("no_mail_server")],
  ["unroutable_mail_server", routeIs("unroutable")],
  ["dns_error", routeIs("dns_error")],

  ["disposable", (e) => e.disposable !== undefined],

  ["mailbox_not_found", mailboxIs("not_found")],
  ["mailbox_disabled", mailboxIs("disabled")],
  ["domain_not_accepted", mailboxIs("domain_not_accepted")],
  ["smtputf8_unsupported", mailboxIs("smtputf8_unsupported")],
  ["mailbox_full", mailboxIs("full")],
  ["restricted", mailboxIs("restricted")],

  ["catch_all", (e) => accepted(e) && e.decoy?.answer === "accepted"],

  ["greylisted", inconclusive("greylisted")],
  ["rate_limited", inconclusive("rate_limited")],
  ["probe_blocked", inconclusive("probe_blocked")],
  ["temporary_error", inconclusive("temporary_error")],
  ["egress_blocked", inconclusive("egress_blocked")],
  ["smtp_unreachable", inconclusive("unreachable")],
  ["smtp_timeout", inconclusive("timeout")],
  ["smtp_protocol_error", inconclusive("protocol_error")],
  ["server_untrusted", inconclusive("untrusted")],
  ["smtp_skipped", (e) => e.mailbox === undefined],

  ["possible_typo", (e) => proven(e) && e.suggestion?.lookAlike === true],
  ["role_based", (e) => proven(e) && e.role !== undefined],
  ["low_quality", (e) => proven(e) && looksRandom(e)],
  ["privacy_relay", (e) => proven(e) && e.isPrivacyRelay === true],
  ["agent_mailbox", (e) => proven(e) && e.isAgentMailbox === true],
  ["", proven],

  ["internal_error", () => true],
];

/** Confidence per verdict, before adjustments. */
const CONFIDENCE: Record<
  SubStatus,
  number | ((e: Evidence, plausibility: Plausibility | undefined) => number)
> = {
  "": 0.95,
  privacy_relay: 0.88,
  agent_mailbox: 0.88,
  syntax_error: 0.99,
  provider_syntax: 0.95,
  reserved_domain: 0.99,
  domain_not_found: 0.99,
  no_mail_server: 0.98,
  null_mx: 0.99,
  unroutable_mail_server: 0.95,
  mailbox_not_found: (e) => (e.mailbox?.isLikeDecoy || e.mailbox?.hasNoControl ? 0.85 : 0.97),
  mailbox_disabled: 0.95,
  domain_not_accepted: 0.9,
  smtputf8_unsupported: 0.9,
  disposable: 0.98,
  catch_all: (e) => e.decoy?.confidence ?? 0.9,
  role_based: 0.95,
  mailbox_full: 0.9,
  restricted: 0.9,
  possible_typo: 0.85,
  low_quality: (_, plausibility) => rounded(1 - (plausibility?.score ?? NEUTRAL_SCORE)),
  greylisted: 0.4,
  rate_limited: 0.35,
  probe_blocked: 0.35,
  temporary_error: 0.35,
  smtp_unreachable: 0.3,
  smtp_timeout: 0.3,
  smtp_protocol_error: 0.3,
  egress_blocked: 0.5,
  server_untrusted: 0.35,
  smtp_skipped: 0.5,
  dns_error: 0.25,
  internal_error: 0.1,
};

/** Risky verdicts under which the mailbox itself is proven to exist. */
const PROVEN_THOUGH_RISKY: ReadonlySet<SubStatus> = new Set([
  "role_based",
  "mailbox_full",
  "restricted",
  "possible_typo",
  "low_quality",
]);

export function decide(evidence: Evidence): Verdict {
  const subStatus = firstThatApplies(evidence);
  const status = STATUS_OF[subStatus];
  const unproven = isUnproven({ status, subStatus });
  const plausibility = unproven || subStatus === "low_quality" ? plausibilityOf(evidence) : undefined;
  const confidence = CONFIDENCE[subStatus];
  const base = typeof confidence === "number" ? confidence : confidence(evidence, plausibility);
  const verdict: Verdict = {
    status,
    subStatus,
    confidence: unproven && plausibility ? adjustedByName(base, plausibility) : base,
    isValid: isProven(subStatus, status, evidence),
    safeToSend: status === "valid" && knownOutcome(evidence) !== "complained",
  };
  if (plausibility) verdict.plausibility = plausibility;
  return verdict;
}

function firstThatApplies(evidence: Evidence): SubStatus {
  for (const [subStatus, applies] of POLICY) if (applies(evidence)) return subStatus;
  return "internal_error"; // the last row always applies
}

/** SMTP was inconclusive. Only here do the local part and reported outcomes influence the result. */
export function isUnproven({ status, subStatus }: Pick<Verdict, "status" | "subStatus">): boolean {
  return status === "unknown" || subStatus === "catch_all";
}

/** The finding that leaves `probe_blocked` open, where the host refuses this installation rather than the check. */
export function refusalOfUs({ mailbox, decoy }: Evidence): MailboxFinding | DecoyFinding | undefined {
  const open = mailbox?.answer === "accepted" ? decoy : mailbox;
  return open?.isAboutUs ? open : undefined;
}

/** Maximum change of the confidence by the local part. */
const MAX_NAME_ADJUSTMENT = 0.05;

/**
 * Both statuses advise against relying on the mailbox: an implausible name supports that, a plausible one weakens it.
 */
function adjustedByName(base: number, { score }: Plausibility): number {
  return rounded(Math.min(0.99, Math.max(0.01, base + MAX_NAME_ADJUSTMENT * (1 - 2 * score))));
}

function rounded(confidence: number): number {
  return Math.round(confidence * 1000) / 1000;
}

function isProven(subStatus: SubStatus, status: Status, evidence: Evidence): boolean {
  if (status === "valid" || PROVEN_THOUGH_RISKY.has(subStatus)) return true;
  // A disposable mailbox can be proven like any other; its verdict stays risky.
  return subStatus === "disposable" && proven(evidence);
}
