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
  valid: ["", "privacy_relay"],
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
