/** What fits into the next batch of a session, by the limits of the session and the refusals to expect. */
import type { BatchRoom } from "../probe-queue.ts";
import type { ProbeRequest } from "../probe-request.ts";
import type { RefusalEstimate } from "../throttle/refusal-estimate.ts";

/** Of a domain without answers so far, whose mailboxes may all be refused. */
const FIRST_TARGETS_OF_DOMAIN = 5;

/** How often a batch may have more refusals than are left, so that replies are delayed. Larger batches save round trips. */
const RISK = 0.001;
/** A list on many hosts takes as long as its slowest one, so the risk is shared among them, down to this. */
const LEAST_RISK = 0.0001;

export function riskAmong(hosts: number): number {
  return Math.max(LEAST_RISK, RISK / Math.max(1, hosts));
}

export type BatchRoomLimits = {
  maxRecipients: number;
  /** Refusals after which the host may delay its replies. */
  maxRefusals: number;
  /** Refusals after which a further one would prove nothing, because no known mailbox could confirm it. */
  maxUnconfirmed: number;
  oneDomainPerTransaction: boolean;
  /** Of exceeding one of them. */
  risk: number;
};

export function roomForBatch(
  refusals: RefusalEstimate,
  { maxRecipients, maxRefusals, maxUnconfirmed, oneDomainPerTransaction, risk }: BatchRoomLimits,
): BatchRoom {
  const batch = refusals.batch();
  let onlyDomain: string | undefined;
  // The decoy of the only domain comes last, so its refusal is not before any other.
  const decoysAtEnd = (domain: string, decoys: number) =>
    batch.recipients === 0 || domain === onlyDomain ? batch.decoys + decoys : 0;
  return {
    fits(domain, targets, decoys) {
      if (batch.recipients + targets + decoys > maxRecipients) return false;
      const max = Math.min(maxRefusals, maxUnconfirmed + decoysAtEnd(domain, decoys));
      return batch.isWithin({ max, risk }, { domain, targets, decoys });
    },
    add(domain, targets, decoys) {
      onlyDomain = batch.recipients === 0 || domain === onlyDomain ? domain : undefined;
      batch.add(domain, targets, decoys);
    },
    firstTargets: (domain) =>
      oneDomainPerTransaction || refusals.hasAnswersFor(domain)
        ? Number.POSITIVE_INFINITY
        : FIRST_TARGETS_OF_DOMAIN,
  };
}

/**
 * The domains with the largest share of refusals last: if a batch exceeds the refusals that are left after all, few replies
 * come after them and are delayed.
 */
export function inSendingOrder(groups: ProbeRequest[][], refusals: RefusalEstimate): ProbeRequest[][] {
  if (groups.length < 2) return groups;
  const ordered = groups.map((group) => ({ group, share: refusals.shareOfDomain(group[0]!.domain) }));
  return ordered.sort((a, b) => a.share - b.share).map(({ group }) => group);
}
