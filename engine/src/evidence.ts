/**
 * Everything found out about one address, as plain data.
 *
 * Each stage adds facts and draws no conclusions: verdict.ts, score.ts and reason.ts read this and nothing else, so
 * stored evidence can be judged again after a rule has changed. Field names and values are therefore a storage
 * format. Undefined means "not checked", which is never the same as a negative answer.
 */
import type { DeliveryOutcome } from "@mailvet/contract";
import type { Address } from "./address/address.ts";
import type { AddressSyntaxError } from "./address/syntax-error.ts";
import type { MailPolicies } from "./dns/mail-policies.ts";
import type { MailRoute } from "./dns/mail-route.ts";
import type { Adjudication } from "./plausibility/adjudication.ts";
import type { NameScore } from "./plausibility/name-model/name-model.ts";
import type { PatternTally } from "./plausibility/naming-pattern.ts";
import type { RoleTier } from "./reference/role-addresses.ts";

export type Evidence = {
  /** The input text, unchanged. */
  email: string;
  /** Stack trace of an unexpected exception. For the log, never shown to the customer. */
  failure?: string;
  /** Why the input is not a well-formed address. */
  syntaxError?: AddressSyntaxError;
  address?: Address;
  /** The same for all spellings of one mailbox (case, subaddress, provider-specific dots). */
  canonical?: string;
  isSubaddressed?: boolean;
  /** Why the provider does not issue this local part. */
  providerSyntaxError?: string;
  /** Why there is no public mail at this domain. */
  specialUse?: string;
  /** Which list matched a disposable domain. */
  disposable?: "own_list" | "domain" | "mail_host";
  isPrivacyRelay?: boolean;
  isAgentMailbox?: boolean;
  isFree?: boolean;
  role?: RoleTier;
  /** The address that was probably intended. `lookAlike` when the domain is a typo of a large provider's. */
  suggestion?: { email: string; lookAlike: boolean };
  route?: MailRoute;
  policies?: MailPolicies;
  /** Slug of the provider that runs the mail hosts. */
  provider?: string;
  /** Result of the RCPT probe for this mailbox. */
  mailbox?: MailboxFinding;
  /** Result of the RCPT probe for a decoy at the same domain. */
  decoy?: DecoyFinding;
  /** AI enhancement is off, so the local part is not scored. */
  ignoresName?: true;
  /** The name model's score of the local part, computed at inspection. */
  nameScore?: NameScore;
  /** Naming pattern of mailboxes proven at this domain. */
  naming?: PatternTally;
  /** Naming pattern of the other addresses at this domain in the same list. Weaker, because they are not proven. */
  listNaming?: PatternTally;
  /** A language model's answer, requested when the rest was ambiguous. */
  adjudication?: Adjudication;
  /** Delivery outcome that the account reported last for this mailbox. */
  outcome?: KnownOutcome;
  /** The caller ended the check before the mailbox was checked. */
  isStopped?: true;
};

/** Result of probing a mailbox. */
export const MAILBOX_ANSWERS = [
  "accepted",
  "not_found",
  "disabled",
  "full",
  "restricted",
  "domain_not_accepted",
  "smtputf8_unsupported",
  "greylisted",
  "rate_limited",
  "probe_blocked",
  "temporary_error",
  "unreachable",
  "timeout",
  "protocol_error",
  "egress_blocked",
  /** It answered, but not so that existing and made-up mailboxes could be told apart. */
  "untrusted",
] as const;
export type MailboxAnswer = (typeof MAILBOX_ANSWERS)[number];

export type MailboxFinding = {
  answer: MailboxAnswer;
  /** The reply that decided, if there was one. */
  reply?: { code: number; enhanced?: string; text: string };
  mxHost?: string;
  /** The text says "no such user", but the code is 4xx. */
  isSoftRefusal?: true;
  /** A permanent rejection of this recipient without a reason, and not about the sender or our IP. */
  isUnexplained?: true;
  /** An unexplained rejection after which the host accepted another recipient of the domain under the same conditions. */
  isSelective?: true;
  /** An unexplained rejection worded like the decoy's; the host rejected both, and not everything. */
  isLikeDecoy?: true;
  /** A rejection that no control confirms: the host is not known to accept any mailbox. */
  hasNoControl?: true;
  /** A rejection by a backup host of another operator, which may not know the mailboxes of the domain. */
  isByBackup?: true;
  /** Not probed: the domain is known to be catch-all. */
  isInferred?: true;
  /** Our address, EHLO name or sender was refused; or the host does so by now, and was not asked for this mailbox. */
  isAboutUs?: true;
  /** Where it was not asked: since when the host refuses us, in Unix time, to the minute. */
  refusedSinceMs?: number;
  /** Seconds after which a retry may be conclusive. */
  retryAfterSeconds?: number;
};

export type DecoyFinding = Pick<
  MailboxFinding,
  "answer" | "reply" | "mxHost" | "retryAfterSeconds" | "isSelective" | "isAboutUs" | "refusedSinceMs"
> & {
  /** Probability that the domain is catch-all (or, when the decoy was rejected, that it is not). */
  confidence: number;
};

export type KnownOutcome = { outcome: DeliveryOutcome; reportedAtMs: number };
