/**
 * Meaning by code when the text says nothing: first the enhanced code (RFC 3463 and the IANA registry), then the
 * three-digit code. Codes are configured once by an administrator and often wrong, so they come last, and several are
 * never trusted (x.7.1, x.1.0, x.2.0, x.5.0).
 */

import type { MailboxFact, ReplyCategory, ReplyStage } from "../category.ts";

export type CodeMeaning = { category: ReplyCategory; mailbox?: MailboxFact; why: string };

type EnhancedRow = readonly [
  status: RegExp,
  permanent: ReplyCategory | undefined,
  temporary: ReplyCategory | undefined,
  why: string,
  mailbox?: MailboxFact,
];

/**
 * Class digit dropped; undefined means that this status is no evidence. Rows about mailboxes count at RCPT only.
 */
const ENHANCED: readonly EnhancedRow[] = [
  [/^1\.1$/, "mailbox_not_found", "temporary_failure", "1.1 is a bad mailbox"],
  [/^1\.2$/, "domain_not_accepted", "temporary_failure", "1.2 is a bad destination domain"],
  [/^1\.3$/, "protocol_error", "temporary_failure", "1.3 is a malformed address, ours or theirs"],
  [/^1\.6$/, "mailbox_disabled", "temporary_failure", "1.6 is a mailbox that has moved"],
  [/^1\.(?:7|8)$/, "sender_rejected", "sender_rejected", "1.7 and 1.8 are about the sender"],
  [
    /^1\.10$/,
    "domain_not_accepted",
    "temporary_failure",
    "1.10 is a domain that accepts no mail",
    "does_not_exist",
  ],
  [/^1\.90$/, "rate_limited", "rate_limited", "1.90 is a daily limit"],
  [/^2\.1$/, "mailbox_disabled", "temporary_failure", "2.1 is a disabled mailbox"],
  [/^2\.2$/, "mailbox_full", "mailbox_full", "2.2 is a full mailbox"],
  [/^2\.12[12]$/, "rate_limited", "rate_limited", "2.121 and 2.122 are that mailbox's own rate", "exists"],
  [/^(?:2\.3|3\.4)$/, "message_too_big", "message_too_big", "2.3 and 3.4 are about the size"],
  [/^2\.4$/, "policy_rejected", "temporary_failure", "2.4 is a mailing list problem"],
  [/^3\.[0125]$/, "temporary_failure", "temporary_failure", "3.x is a mail system problem"],
  [/^4\.4$/, "domain_not_accepted", "temporary_failure", "4.4 is a domain without a route"],
  [/^4\.6$/, "temporary_failure", "temporary_failure", "4.6 is a routing loop"],
  [/^4\.\d+$/, "temporary_failure", "temporary_failure", "4.x is a network or routing problem"],
  [/^5\.3$/, "rate_limited", "rate_limited", "5.3 is too many recipients"],
  [/^(?:3\.3|5\.[12456])$/, "protocol_error", "protocol_error", "5.x is about the protocol"],
  [/^6\.7$/, "protocol_error", "protocol_error", "6.7 is an address the server cannot write"],
  [/^6\./, "policy_rejected", "temporary_failure", "6.x is about the content"],
  [
    /^7\.(?:2|12[0-9]|130)$/,
    "policy_rejected",
    "policy_rejected",
    "a list or group rejects external senders",
    "exists",
  ],
  [/^7\.(?:15|16)$/, "policy_rejected", "policy_rejected", "this status is about priorities"],
  [
    /^7\.13[3-6]$/,
    "auth_required",
    "auth_required",
    "a group or mailbox accepts internal mail only",
    "exists",
  ],
  [/^7\.(?:8|9|14|3|57|12)$/, "auth_required", "auth_required", "this status asks for authentication"],
  [/^7\.13$/, "mailbox_disabled", "auth_required", "7.13 is a disabled account"],
  [/^7\.(?:10|11|30)$/, "tls_required", "tls_required", "this status asks for encryption"],
  [
    /^7\.(?:20|21|22|23|24|26|27|29|32|40|506|509|515|750)$/,
    "sender_rejected",
    "sender_rejected",
    "this status is about our identity",
  ],
  [/^7\.25$/, "ip_blocked", "ip_blocked", "7.25 is a failed PTR check"],
  [/^7\.(?:28|508|705)$/, "rate_limited", "rate_limited", "this status is a rate limit"],
  [/^7\.64$/, "domain_not_accepted", "domain_not_accepted", "7.64 is a domain that is not routed there"],
  [
    /^7\.(?:504|505|512|520)$/,
    "policy_rejected",
    "policy_rejected",
    "this status is a policy of the organisation",
  ],
  [
    /^7\.[5678]\d\d$/,
    "ip_blocked",
    "rate_limited",
    "Microsoft uses this status for IPs with a bad reputation",
  ],
  [
    /^7\.9\d\d$/,
    "policy_rejected",
    "policy_rejected",
    "Microsoft uses this status for policies of the organisation",
  ],
  [/^7\.\d+$/, undefined, "temporary_failure", "7.x on a temporary rejection only means: later"],
];

export function enhancedMeaning(enhanced: string, stage: ReplyStage): CodeMeaning | undefined {
  const severity = enhanced[0];
  const row = ENHANCED.find(([status]) => status.test(enhanced.slice(2)));
  if (!row || severity === "2") return undefined;
  const [, permanent, temporary, why, mailbox] = row;
  const category = severity === "4" ? temporary : permanent;
  if (category === undefined) return undefined;
  if (category.startsWith("mailbox_") && stage !== "rcpt") return undefined;
  return mailbox === undefined || severity === "4" ? { category, why } : { category, mailbox, why };
}

type BasicRow = readonly [codes: RegExp, category: ReplyCategory, why: string, mailbox?: MailboxFact];

const BASIC: Record<ReplyStage, readonly BasicRow[]> = {
  banner: [
    [/^2/, "accepted", "the server accepts the connection"],
    [/^4/, "temporary_failure", "a 4xx banner means: later"],
    [/^5/, "ip_blocked", "the server knows only our IP at this point"],
  ],
  ehlo: [
    [/^2/, "accepted", "it accepts our EHLO"],
    [/^4/, "temporary_failure", "4xx means: later"],
    [/^50[0-4]$/, "protocol_error", "it did not interpretReply the command"],
    [/^530$/, "auth_required", "530 asks for authentication"],
    [/^55[04]$|^5/, "sender_rejected", "the server knows only our IP and EHLO name at this point"],
  ],
  mail: [
    [/^2/, "accepted", "it accepts our sender"],
    [/^4/, "temporary_failure", "4xx means: later"],
    [/^50[0-4]$|^555$/, "protocol_error", "it did not interpretReply the command"],
    [/^53[0458]$/, "auth_required", "this code asks for authentication"],
    [/^552$/, "message_too_big", "552 to MAIL is about the size"],
    [/^5/, "sender_rejected", "it rejects the sender"],
  ],
  rcpt: [
    [/^252$/, "accepted", "252 promises to try, and no more", "unknown"],
    [/^2/, "accepted", "it accepts the recipient"],
    [/^455$/, "protocol_error", "455 is about parameters"],
    [/^4/, "temporary_failure", "4xx means: later"],
    [/^50[0-4]$|^555$/, "protocol_error", "it did not interpretReply the command"],
    [/^51[01]$/, "mailbox_not_found", "510 and 511 are a bad address"],
    [/^512$/, "domain_not_accepted", "512 is a domain that cannot be found"],
    [/^523$/, "message_too_big", "523 is about the size"],
    [/^525$/, "mailbox_disabled", "525 is a disabled account"],
    [/^53[0458]$/, "auth_required", "this code asks for authentication"],
    [/^551$/, "domain_not_accepted", "551 refers to another server"],
    [/^5/, "policy_rejected", "a rejection without a reason says nothing about the mailbox"],
  ],
};

/** The last resort. A text without any code counts as a rejection without a reason. */
export function basicMeaning(code: number, stage: ReplyStage): CodeMeaning {
  const row = BASIC[stage].find(([codes]) => codes.test(String(code)));
  if (!row) return { category: "protocol_error", why: "there is no reply code" };
  const [, category, why, mailbox] = row;
  if (category === "accepted" && stage !== "rcpt") return { category, mailbox: "unknown", why };
  return mailbox === undefined ? { category, why } : { category, mailbox, why };
}
