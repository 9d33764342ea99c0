/**
 * Everything that was found out about one address, as plain data.
 *
 * Each stage adds what it learned and judges nothing: verdict.ts, score.ts and reason.ts read this and
 * nothing else, so a stored piece of evidence can be judged again after a rule has changed. What was not
 * asked is undefined, which is never the same as an answer of no.
 */
import type { DeliveryOutcome } from "@mailvet/contract";
import type { Address } from "./address/address.ts";
import type { AddressSyntaxError } from "./address/syntax-error.ts";
import type { MailPolicies } from "./dns/mail-policies.ts";
import type { MailRoute } from "./dns/mail-route.ts";
import type { Adjudication } from "./plausibility/adjudication.ts";
import type { NameOpinion } from "./plausibility/name-model.ts";
import type { PatternTally } from "./plausibility/naming-pattern.ts";
import type { RoleTier } from "./reference/roles.ts";

export type Evidence = {
  /** The text as it was given to us. */
  email: string;
  /** We have a bug, and this is what it said. Not for the customer; for the log. */
  failure?: string;
  /** Why it is not an address at all. */
  complaint?: AddressSyntaxError;
  address?: Address;
  /** The mailbox's shortest spelling, equal for all spellings of one mailbox. */
  canonical?: string;
  isSubaddressed?: boolean;
  /** Why the provider never issues such a mailbox name. */
  providerComplaint?: string;
  /** Why there is no public mail at this domain. */
  specialUse?: string;
  /** Known throw-away provider, and what gave it away. */
  disposable?: "own_list" | "domain" | "mail_host";
  isPrivacyRelay?: boolean;
  isFree?: boolean;
  role?: RoleTier;
  /** The address that was probably meant. `lookAlike` when it is one slip away from a large provider. */
  suggestion?: { email: string; lookAlike: boolean };
  route?: MailRoute;
  policies?: MailPolicies;
  /** Slug of whoever runs the mail servers. */
  provider?: string;
  /** What the mail servers said of this mailbox. */
  mailbox?: MailboxFinding;
  /** What they said of a made-up mailbox at the same domain. */
  decoy?: DecoyFinding;
  /** AI enhancement is turned off: how the mailbox is named says nothing. */
  ignoresName?: true;
  /** What the model thinks of the mailbox name. Read from the text, at inspection. */
  nameOpinion?: NameOpinion;
  /** How mailboxes that were proven at this domain are named. */
  naming?: PatternTally;
  /** How the other addresses of the same list at this domain are named: weaker, for nobody proved them. */
  listNaming?: PatternTally;
  /** What a language model said that was asked because the rest was ambiguous. */
  adjudication?: Adjudication;
  /** What became of a message to this mailbox, as the account reported it last. */
  outcome?: KnownOutcome;
};

/** How asking for a mailbox ended. */
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
] as const;
export type MailboxAnswer = (typeof MAILBOX_ANSWERS)[number];

export type MailboxFinding = {
  answer: MailboxAnswer;
  /** The reply that decided, when there was one. */
  reply?: { code: number; enhanced?: string; text: string };
  mxHost?: string;
  /** "No such user", said with a code that promises to reconsider. */
  isSoftRefusal?: true;
  /** A permanent refusal of this recipient that gives no reason, and is not aimed at us. */
  isUnexplained?: true;
  /** Refused without a reason, in the words in which made-up names are refused, where others are accepted. */
  isLikeDecoy?: true;
  /** Not asked for: the domain is known to take anyone. */
  isInferred?: true;
  /** When asking again may settle it. */
  retryAfterSeconds?: number;
};

export type DecoyFinding = Pick<MailboxFinding, "answer" | "reply" | "mxHost" | "retryAfterSeconds"> & {
  /** How sure we are that the domain takes mail for anyone (or, when refused, that it does not). */
  confidence: number;
};

export type KnownOutcome = { outcome: DeliveryOutcome; reportedAtMs: number };
