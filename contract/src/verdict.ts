/**
 * Statuses and sub-statuses of verdicts.
 *
 * The four statuses never change. Sub-statuses may be added; each belongs to exactly one status, and the tables of the
 * engine do not compile until a new one has a rule, a confidence and a score.
 */

export const STATUSES = ["valid", "invalid", "risky", "unknown"] as const;
export type Status = (typeof STATUSES)[number];

/** status → its sub-statuses. An ordinary valid address has the empty one. */
export const SUB_STATUSES = {
  valid: ["", "privacy_relay", "agent_mailbox"],
  invalid: [
    "syntax_error",
    "provider_syntax",
    "reserved_domain",
    "domain_not_found",
    "no_mail_server",
    "null_mx",
    "unroutable_mail_server",
    "mailbox_not_found",
    "mailbox_disabled",
    "domain_not_accepted",
    "smtputf8_unsupported",
  ],
  risky: [
    "disposable",
    "catch_all",
    "role_based",
    "mailbox_full",
    "restricted",
    "possible_typo",
    "low_quality",
  ],
  unknown: [
    "greylisted",
    "rate_limited",
    "probe_blocked",
    "temporary_error",
    "smtp_unreachable",
    "smtp_timeout",
    "smtp_protocol_error",
    "egress_blocked",
    "server_untrusted",
    "smtp_skipped",
    "dns_error",
    "internal_error",
  ],
} as const satisfies Record<Status, readonly string[]>;

export type SubStatusOf<S extends Status> = (typeof SUB_STATUSES)[S][number];
export type SubStatus = SubStatusOf<Status>;

/** Every sub-status in the order of the table above. */
export const ALL_SUB_STATUSES: readonly SubStatus[] = STATUSES.flatMap((status) => [...SUB_STATUSES[status]]);

/** The status a sub-status belongs to. */
export const STATUS_OF = Object.fromEntries(
  STATUSES.flatMap((status) => SUB_STATUSES[status].map((subStatus) => [subStatus, status])),
) as Record<SubStatus, Status>;

/** What to do with an address. `retry`: nothing is decided yet, and asking again later may decide it. */
export const RECOMMENDATIONS = ["send", "caution", "do_not_send", "retry"] as const;
export type Recommendation = (typeof RECOMMENDATIONS)[number];

/** One recommendation for each verdict. */
const RECOMMENDATION_OF: Record<SubStatus, Recommendation> = {
  "": "send",
  privacy_relay: "send",
  agent_mailbox: "send",

  syntax_error: "do_not_send",
  provider_syntax: "do_not_send",
  reserved_domain: "do_not_send",
  domain_not_found: "do_not_send",
  no_mail_server: "do_not_send",
  null_mx: "do_not_send",
  unroutable_mail_server: "do_not_send",
  mailbox_not_found: "do_not_send",
  mailbox_disabled: "do_not_send",
  domain_not_accepted: "do_not_send",
  smtputf8_unsupported: "do_not_send",

  disposable: "do_not_send",
  catch_all: "caution",
  role_based: "caution",
  mailbox_full: "retry",
  restricted: "do_not_send",
  possible_typo: "caution",
  low_quality: "caution",

  greylisted: "retry",
  rate_limited: "retry",
  probe_blocked: "caution", // no later check gets through either; a message may
  temporary_error: "retry",
  smtp_unreachable: "retry",
  smtp_timeout: "retry",
  smtp_protocol_error: "retry",
  egress_blocked: "retry",
  server_untrusted: "retry",
  smtp_skipped: "retry",
  dns_error: "retry",
  internal_error: "retry",
};

/** A valid address that is not safe to send to has complained before. A sub-status of a newer service is unknown here. */
export function recommendationOf(verdict: { sub_status: string; safe_to_send: boolean }): Recommendation {
  const recommended = RECOMMENDATION_OF[verdict.sub_status as SubStatus] ?? "caution";
  return recommended === "send" && !verdict.safe_to_send ? "do_not_send" : recommended;
}
