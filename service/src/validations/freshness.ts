/**
 * How long evidence answers for an address before it has to be gathered again.
 *
 * Judged from the evidence by the rules of today, when it is stored and again when it is read.
 */
import type { SubStatus } from "@mailvet/contract";
import { decide, type Evidence } from "@mailvet/engine";

const MINUTES = 60_000;
const HOURS = 60 * MINUTES;
const DAYS = 24 * HOURS;

const READ_FROM_THE_TEXT = 0; // reading it again costs nothing
const NOT_ABOUT_THE_MAILBOX = 0; // said to us, or by nobody: the next try may well settle it

/** For so long after its freshness evidence can still be looked back at. */
export const STALE_DAYS = 30;

const FRESH_MS: Readonly<Record<SubStatus, number>> = {
  "": 3 * DAYS, //                  people leave and mailboxes close, rarely within days
  privacy_relay: 1 * DAYS, //       masks are thrown away more lightly than mailboxes
  role_based: 3 * DAYS, //          a proven mailbox like any other
  low_quality: 3 * DAYS,
  possible_typo: 1 * DAYS, //       who asks again wants to know whether the slip was mended

  syntax_error: READ_FROM_THE_TEXT,
  provider_syntax: READ_FROM_THE_TEXT,
  reserved_domain: READ_FROM_THE_TEXT,

  domain_not_found: 1 * HOURS, //   somebody may be registering it right now
  no_mail_server: 1 * HOURS, //     or setting it up
  unroutable_mail_server: 1 * HOURS,
  null_mx: 6 * HOURS, //            said on purpose
  dns_error: NOT_ABOUT_THE_MAILBOX,

  mailbox_not_found: 1 * DAYS, //   it may be opened tomorrow
  mailbox_disabled: 1 * DAYS,
  domain_not_accepted: 1 * HOURS, // typically a move under way
  smtputf8_unsupported: 1 * DAYS, // servers learn slowly
  restricted: 1 * DAYS, //          a setting, changed now and then
  mailbox_full: 1 * HOURS, //       emptied in minutes
  catch_all: 1 * DAYS, //           a setting, changed now and then
  disposable: 1 * DAYS, //          at most: what the mailbox answered decides, below

  greylisted: NOT_ABOUT_THE_MAILBOX,
  rate_limited: NOT_ABOUT_THE_MAILBOX,
  probe_blocked: NOT_ABOUT_THE_MAILBOX,
  temporary_error: NOT_ABOUT_THE_MAILBOX,
  smtp_unreachable: NOT_ABOUT_THE_MAILBOX,
  smtp_timeout: NOT_ABOUT_THE_MAILBOX,
  smtp_protocol_error: NOT_ABOUT_THE_MAILBOX,
  egress_blocked: NOT_ABOUT_THE_MAILBOX,
  smtp_skipped: NOT_ABOUT_THE_MAILBOX,
  internal_error: NOT_ABOUT_THE_MAILBOX,
};

export function freshForMs(evidence: Evidence, { subStatus } = decide(evidence)): number {
  if (subStatus !== "disposable") return FRESH_MS[subStatus];
  // A list made it risky; whether the mailbox is there rests on what its server said, as anywhere else.
  const { disposable: _, ...rest } = evidence;
  return Math.min(FRESH_MS.disposable, FRESH_MS[decide(rest).subStatus]);
}
