/**
 * Which recipients are named under which MAIL command.
 *
 * As few envelopes as a host bears: every new one costs RSET and MAIL, Exim hangs up after ten RSETs, and Postfix
 * slows down. So recipients of several domains share one, and it stays open from round to round, except where a
 * host takes one domain at a time (Google) or has begun to count our failures (Exim, from the eleventh on).
 */
import type { ProbeRequest } from "./probe-queue.ts";

export type OpenTransaction = {
  readonly smtpUtf8: boolean;
  /** The domain of the recipients, where all are of one. */
  readonly domain: string;
  asked: number;
  accepted: number;
  /** The host has had enough of this one. */
  isSpoiled: boolean;
};

/** Recipients to name in an envelope; a new one begins with MAIL. */
export type TransactionPlan = {
  readonly envelope: OpenTransaction;
  readonly isNew: boolean;
  readonly pendings: ProbeRequest[];
};

export type TransactionLimits = {
  recipientsPerTransaction: number;
  oneDomainPerTransaction: boolean;
  /** Which share of recipients the host refuses. */
  refusalShare: number;
};

/** So many recipients may be refused in an envelope before Exim looks at their share. */
const UNWATCHED_RECIPIENTS = 10;
const WORRYING_SHARE = 0.3;

/** Groups are recipients of one domain and one kind; `open` is the envelope that the last round left open. */
export function planTransactions(
  open: OpenTransaction | undefined,
  groups: readonly ProbeRequest[][],
  limits: TransactionLimits,
): TransactionPlan[] {
  const filings: TransactionPlan[] = [];
  let envelope = open;
  for (const group of groups) {
    const continues = envelope !== undefined && hasRoomFor(envelope, group, limits);
    const last = filings.at(-1);
    if (continues && last) {
      last.pendings.push(...group);
    } else {
      if (!continues) envelope = newEnvelope(group[0]!);
      filings.push({ envelope: envelope!, isNew: !continues, pendings: [...group] });
    }
    envelope!.asked += group.length;
  }
  return filings;
}

function newEnvelope({ smtpUtf8, domain }: ProbeRequest): OpenTransaction {
  return { smtpUtf8, domain, asked: 0, accepted: 0, isSpoiled: false };
}

function hasRoomFor(
  envelope: OpenTransaction,
  group: readonly ProbeRequest[],
  limits: TransactionLimits,
): boolean {
  const { smtpUtf8, domain } = group[0]!;
  if (envelope.isSpoiled || envelope.smtpUtf8 !== smtpUtf8) return false;
  if (limits.oneDomainPerTransaction && envelope.domain !== domain) return false;
  const places =
    limits.refusalShare > WORRYING_SHARE
      ? Math.min(UNWATCHED_RECIPIENTS, limits.recipientsPerTransaction)
      : limits.recipientsPerTransaction;
  return envelope.asked + group.length <= places;
}
