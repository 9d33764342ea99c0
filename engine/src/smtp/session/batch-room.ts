/** What fits into the next batch of a session, by the limits of the session and the refusals to expect. */
import type { BatchRoom } from "../probe-queue.ts";
import type { ProbeRequest } from "../probe-request.ts";
import type { RefusalEstimate, RefusalLimit } from "../throttle/refusal-estimate.ts";

/** Of a domain without answers so far, whose mailboxes may all be refused. */
const FIRST_TARGETS_OF_DOMAIN = 5;

/**
 * How often a batch may have more refusals than are left, so that replies are delayed. Larger batches save round trips,
 * and where many addresses wait, a delay affects only one of many sessions.
 */
const RISK = 0.001;
const RISK_WHERE_MANY_WAIT = 0.004;
const MANY = 500;

export type BatchRoomLimits = {
  maxRecipients: number;
  maxRefusals: number;
  /** Requests that wait. Counting stops at `enough`. */
  queued: (enough: number) => number;
  oneDomainPerTransaction: boolean;
};

export function roomForBatch(
  refusals: RefusalEstimate,
  { maxRecipients, maxRefusals, queued, oneDomainPerTransaction }: BatchRoomLimits,
): BatchRoom {
  const batch = refusals.batch();
  const risk = queued(MANY) >= MANY ? RISK_WHERE_MANY_WAIT : RISK;
  const limit: RefusalLimit = { max: maxRefusals, risk };
  return {
    fits(domain, targets, decoys) {
      if (batch.recipients + targets + decoys > maxRecipients) return false;
      return batch.isWithin(limit, { domain, targets, decoys });
    },
    add: (domain, targets, decoys) => batch.add(domain, targets, decoys),
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
