/** Machine-readable flags: facts beside the verdict, as stable identifiers. */
import type { Evidence } from "./evidence.ts";
import { knownOutcome } from "./known-outcome.ts";

const FLAGS = {
  disposable: (e) => e.disposable !== undefined,
  privacy_relay: (e) => e.isPrivacyRelay === true,
  agent_mailbox: (e) => e.isAgentMailbox === true,
  free_provider: (e) => e.isFree === true,
  role_based: (e) => e.role !== undefined,
  no_reply: (e) => e.role === "no_reply",
  subaddressed: (e) => e.isSubaddressed === true,
  look_alike_domain: (e) => e.suggestion?.lookAlike === true,
  quoted_local_part: (e) => e.address?.quoted === true,
  needs_smtputf8: (e) => e.address?.needsSmtpUtf8 === true,
  international_domain: (e) => e.address !== undefined && e.address.unicodeDomain !== e.address.domain,
  ip_literal: (e) => e.address?.isIpLiteral === true,
  implicit_mx: (e) => e.route?.kind === "mail_hosts" && e.route.implicit,
  catch_all: (e) => e.mailbox?.answer === "accepted" && e.decoy?.answer === "accepted",
  dns_not_asked: (e) => e.address !== undefined && e.route === undefined,
  no_control: (e) => e.mailbox?.hasNoControl === true,
  delivered_before: (e) => knownOutcome(e) === "delivered",
  bounced_before: (e) => knownOutcome(e) === "bounced",
  complained_before: (e) => knownOutcome(e) === "complained",
  smtp_not_asked: (e) => e.route?.kind === "mail_hosts" && e.mailbox === undefined,
} as const satisfies Record<string, (e: Evidence) => boolean>;

export type Flag = keyof typeof FLAGS;

const FLAG_TESTS = Object.entries(FLAGS) as [Flag, (e: Evidence) => boolean][];

export function flagsOf(evidence: Evidence): Flag[] {
  const flags: Flag[] = [];
  for (const [flag, applies] of FLAG_TESTS) if (applies(evidence)) flags.push(flag);
  return flags;
}
