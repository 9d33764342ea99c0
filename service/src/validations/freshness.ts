/**
 * How long evidence stays fresh, by sub-status.
 *
 * Decided by the current rules, when evidence is stored and again when it is read.
 */
import type { SubStatus } from "@mailvet/contract";
import { decide, type Evidence } from "@mailvet/engine";

const MINUTES = 60_000;
const HOURS = 60 * MINUTES;
const DAYS = 24 * HOURS;

const FROM_INSPECTION = 0; // repeated with every request anyway
const NOT_ABOUT_THE_MAILBOX = 0; // about our check, or no reply: the next attempt may succeed

/** How much longer stale evidence is kept to match outcomes. */
export const STALE_DAYS = 30;
export const MAX_FRESH_DAYS = 3;
const DAYS_PER_WEEK = 7;
const FIRST_MONDAY = 4; // January 5, 1970

const FRESH_MS: Readonly<Record<SubStatus, number>> = {
  "": 3 * DAYS, //                  people leave and mailboxes close, rarely within days
  privacy_relay: 1 * DAYS, //       relays are discarded more often than mailboxes
  agent_mailbox: 1 * DAYS, //       and so are these
  role_based: 3 * DAYS, //          a proven mailbox like any other
  low_quality: 3 * DAYS,
  possible_typo: 1 * DAYS, //       a repeated request asks whether the typo was fixed

  syntax_error: FROM_INSPECTION,
  provider_syntax: FROM_INSPECTION,
  reserved_domain: FROM_INSPECTION,

  domain_not_found: 1 * HOURS, //   may be about to be registered
  no_mail_server: 1 * HOURS, //     or configured
  unroutable_mail_server: 1 * HOURS,
  null_mx: 6 * HOURS, //            set on purpose
  dns_error: NOT_ABOUT_THE_MAILBOX,

  mailbox_not_found: 1 * DAYS, //   may be created
  mailbox_disabled: 1 * DAYS,
  domain_not_accepted: 1 * HOURS, // typically a migration
  smtputf8_unsupported: 1 * DAYS, // servers are upgraded rarely
  restricted: 1 * DAYS, //          a setting, rarely changed
  mailbox_full: 1 * HOURS, //       may be emptied
  catch_all: 1 * DAYS, //           a setting, rarely changed
  disposable: 1 * DAYS, //          at most; the reply decides, below

  greylisted: NOT_ABOUT_THE_MAILBOX,
  rate_limited: NOT_ABOUT_THE_MAILBOX,
  probe_blocked: NOT_ABOUT_THE_MAILBOX,
  temporary_error: NOT_ABOUT_THE_MAILBOX,
  smtp_unreachable: NOT_ABOUT_THE_MAILBOX,
  smtp_timeout: NOT_ABOUT_THE_MAILBOX,
  smtp_protocol_error: NOT_ABOUT_THE_MAILBOX,
  egress_blocked: NOT_ABOUT_THE_MAILBOX,
  server_untrusted: NOT_ABOUT_THE_MAILBOX,
  smtp_skipped: NOT_ABOUT_THE_MAILBOX,
  internal_error: NOT_ABOUT_THE_MAILBOX,
};

/** The Monday (YYYY-MM-DD, UTC) from which on evidence is not needed any more. Weeks, to have few partitions. */
export function expiryDate(freshUntilMs: number): string {
  const day = Math.ceil(freshUntilMs / DAYS) + STALE_DAYS;
  const weeks = Math.ceil((day - FIRST_MONDAY) / DAYS_PER_WEEK);
  return new Date((FIRST_MONDAY + weeks * DAYS_PER_WEEK) * DAYS).toISOString().slice(0, 10);
}

export function freshForMs(evidence: Evidence, { subStatus } = decide(evidence)): number {
  if (subStatus !== "disposable") return FRESH_MS[subStatus];
  // The list makes it risky; whether the mailbox exists depends on the server's reply.
  const { disposable: _, ...rest } = evidence;
  return Math.min(FRESH_MS.disposable, FRESH_MS[decide(rest).subStatus]);
}
