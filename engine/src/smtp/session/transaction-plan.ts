/**
 * Plans which recipients are named under which MAIL command, and keeps which transaction of a session is open.
 *
 * As few transactions as possible: each costs RSET and MAIL, Exim closes the connection after ten RSETs, and Postfix
 * slows down. So recipients of several domains share one, and it stays open from batch to batch, except where a host
 * takes one domain at a time (Google) or begins to count refusals (Exim, from the eleventh recipient).
 *
 * Plans only; client.ts sends the commands.
 */
import type { ProbeRequest } from "../probe-request.ts";
import type { KnownMailbox } from "../throttle/host-memory.ts";
import { type LearnedLimits, refusalShare } from "../throttle/learned-limits.ts";
import type { ProviderProfile } from "../throttle/provider-profile.ts";

export type OpenTransaction = {
  readonly smtpUtf8: boolean;
  /** The domain of its first recipient. */
  readonly domain: string;
  recipients: number;
  /** Of its recipients so far. */
  answered: number;
  accepted: number;
  /** The host takes no further recipients in it. */
  isExhausted: boolean;
};

/** Recipients to name in a transaction; a new one begins with MAIL. */
export type TransactionPlan = {
  readonly transaction: OpenTransaction;
  readonly isNew: boolean;
  readonly requests: ProbeRequest[];
};

export type TransactionLimits = {
  recipientsPerTransaction: number;
  oneDomainPerTransaction: boolean;
  /** The share of recipients that the host refuses. */
  refusalShare: number;
};

/** Exim, as Debian configures it, looks at the share of refused recipients only above this number. */
export const UNWATCHED_RECIPIENTS = 10;
const HIGH_REFUSAL_SHARE = 0.3;

/** The transactions of one session. */
export class SessionTransactions {
  /** How many MAIL commands it has sent, or planned. */
  count = 0;
  readonly #profile: ProviderProfile;
  readonly #learned: LearnedLimits;
  #open: OpenTransaction | undefined;

  constructor(profile: ProviderProfile, learned: LearnedLimits) {
    this.#profile = profile;
    this.#learned = learned;
  }

  get limits(): TransactionLimits {
    const { recipientsPerTransaction, oneDomainPerTransaction } = this.#learned;
    return {
      recipientsPerTransaction: Math.min(this.#profile.recipientsPerTransaction, recipientsPerTransaction),
      oneDomainPerTransaction: this.#profile.oneDomainPerTransaction || oneDomainPerTransaction,
      refusalShare: refusalShare(this.#learned),
    };
  }

  /** The recipients of a batch; the last transaction stays open. */
  plan(groups: readonly ProbeRequest[][]): TransactionPlan[] {
    const plans = planTransactions(this.#open, groups, this.limits);
    this.#open = plans.at(-1)?.transaction ?? this.#open;
    this.count += plans.filter(({ isNew }) => isNew).length;
    return plans;
  }

  /** A single mailbox, in the open transaction where there is room, or in one of its own. */
  planOne(mailbox: KnownMailbox, isAlone: boolean): { transaction: OpenTransaction; isNew: boolean } {
    const open = this.#open;
    const isNew = isAlone || !open || !hasRoomFor(open, [mailbox], this.limits);
    const transaction = isNew ? newTransaction(mailbox) : open;
    transaction.recipients++;
    this.#open = transaction;
    if (isNew) this.count++;
    return { transaction, isNew };
  }
}

/** Each group has recipients of one domain, all with or all without SMTPUTF8; `open` is left from the last batch. */
export function planTransactions(
  open: OpenTransaction | undefined,
  groups: readonly ProbeRequest[][],
  limits: TransactionLimits,
): TransactionPlan[] {
  const plans: TransactionPlan[] = [];
  const size = maxRecipients(limits);
  let transaction = open;
  for (const group of groups.flatMap((one) => inParts(one, size))) {
    const continues = transaction !== undefined && hasRoomFor(transaction, group, limits);
    const last = plans.at(-1);
    if (continues && last) {
      last.requests.push(...group);
    } else {
      if (!continues) transaction = newTransaction(group[0]!);
      plans.push({ transaction: transaction!, isNew: !continues, requests: [...group] });
    }
    transaction!.recipients += group.length;
  }
  return plans;
}

function newTransaction({ smtpUtf8, domain }: Pick<KnownMailbox, "smtpUtf8" | "domain">): OpenTransaction {
  return { smtpUtf8, domain, recipients: 0, answered: 0, accepted: 0, isExhausted: false };
}

/** Recipients in one transaction. */
function maxRecipients({ recipientsPerTransaction, refusalShare }: TransactionLimits): number {
  return refusalShare > HIGH_REFUSAL_SHARE
    ? Math.min(UNWATCHED_RECIPIENTS, recipientsPerTransaction)
    : recipientsPerTransaction;
}

function inParts(group: readonly ProbeRequest[], size: number): ProbeRequest[][] {
  const parts: ProbeRequest[][] = [];
  for (let start = 0; start < group.length; start += size) parts.push(group.slice(start, start + size));
  return parts;
}

function hasRoomFor(
  transaction: OpenTransaction,
  group: readonly Pick<KnownMailbox, "smtpUtf8" | "domain">[],
  limits: TransactionLimits,
): boolean {
  const { smtpUtf8, domain } = group[0]!;
  if (transaction.isExhausted || transaction.smtpUtf8 !== smtpUtf8) return false;
  if (limits.oneDomainPerTransaction && transaction.domain !== domain) return false;
  return transaction.recipients + group.length <= maxRecipients(limits);
}
