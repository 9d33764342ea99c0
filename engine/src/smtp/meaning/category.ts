/**
 * Categories of replies, and what each of them says about the mailbox.
 *
 * Only a rejection of the mailbox is a fact about it. A rejection of our IP, name or behaviour leaves the mailbox
 * unknown.
 */

export const REPLY_CATEGORIES = [
  "accepted",
  "mailbox_not_found",
  "mailbox_full",
  "mailbox_disabled",
  "domain_not_accepted",
  "greylisted",
  "rate_limited",
  "ip_blocked",
  "sender_rejected",
  "policy_rejected",
  "tls_required",
  "auth_required",
  "temporary_failure",
  "protocol_error",
  "message_too_big",
] as const;
export type ReplyCategory = (typeof REPLY_CATEGORIES)[number];

/** The stage that was answered. Only RCPT names a mailbox. */
export const REPLY_STAGES = ["banner", "ehlo", "mail", "rcpt"] as const;
export type ReplyStage = (typeof REPLY_STAGES)[number];

export type MailboxFact = "exists" | "does_not_exist" | "exists_but_undeliverable" | "unknown";

/** What a category says about the mailbox, unless the rule overrides it. */
export const MAILBOX_FACT: Record<ReplyCategory, MailboxFact> = {
  accepted: "exists",
  mailbox_not_found: "does_not_exist",
  mailbox_full: "exists_but_undeliverable",
  mailbox_disabled: "exists_but_undeliverable",
  domain_not_accepted: "unknown",
  greylisted: "unknown",
  rate_limited: "unknown",
  ip_blocked: "unknown",
  sender_rejected: "unknown",
  policy_rejected: "unknown",
  tls_required: "unknown",
  auth_required: "unknown",
  temporary_failure: "unknown",
  protocol_error: "unknown",
  message_too_big: "unknown",
};
