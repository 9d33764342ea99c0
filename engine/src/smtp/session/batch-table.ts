/**
 * How large the next batch of a session is. An operator reads it like this:
 *
 * | | mail filter | large provider | any other host |
 * |---|---|---|---|
 * | first batch at a host, then | 5, 10, 20 | 3 | 5, 10, 20, 40 |
 * | the session ends at so many refusals | 9 | 3 | 9; up to 19 at a host that tolerates them |
 *
 * - As many recipients as refusals are left to the session. More where, by what the host and each domain have refused so far, the
 *   refusals to expect, and three and a half standard deviations more, are still left.
 * - While no mailbox is known at the host, it has what is left of the refusals that every host tolerates (host-memory.ts).
 * - At most five mailboxes of a domain, until five were answered.
 * - Of a catch-all domain, what is left of the mailboxes that are asked there (catch-all.ts).
 *
 * The columns are in ../throttle/provider-profile.ts, learned limits in ../throttle/learned-limits.ts.
 */
import type { BatchRoom } from "../probe-queue.ts";
import type { DomainAnswers } from "../throttle/host-memory.ts";

const FIRST_TARGETS_OF_DOMAIN = 5;
/** The host's share of refusals counts as so many mailboxes of a domain: few where it refuses more, many where it refuses less. */
const WEIGHTS_OF_HOST = [1, 8];
const DEVIATIONS = 3.5;

export function batchSize(batches: readonly number[], answered: number): number {
  return batches[Math.min(answered, batches.length - 1)]!;
}

export type BatchTableLimits = {
  maxRecipients: number;
  /** Left to the session. */
  refusals: number;
  /** The share of recipients that the host refuses. */
  share: number;
  /** The share of made-up names that it refuses: few where most domains are catch-all. */
  decoyShare: number;
  domainAnswers(domain: string): DomainAnswers;
  oneDomainPerTransaction: boolean;
  /** Mailboxes of a catch-all domain that are still to be asked. */
  leftAtCatchAll(domain: string): number;
};

export function roomForBatch(limits: BatchTableLimits): BatchRoom {
  const { maxRecipients, refusals, share, domainAnswers } = limits;
  const taken = new Map<string, number>();
  let recipients = 0;
  let decoysRefused = 0;
  let expected = 0;
  let variance = 0;
  /** What a domain's mailboxes of the batch add. They are often deleted together, so those of an unknown domain vary more. */
  const addedBy = (domain: string, targets: number) => {
    const { asked, refused } = domainAnswers(domain);
    const ofDomain = Math.max(
      ...WEIGHTS_OF_HOST.map((weight) => (refused + weight * share) / (asked + weight)),
    );
    const together = 1 + Math.max(0, targets - 1) / (asked + 2);
    return { expected: targets * ofDomain, variance: targets * ofDomain * (1 - ofDomain) * together };
  };
  const withMore = (domain: string, more: number) => {
    const targets = taken.get(domain) ?? 0;
    const [before, after] = [addedBy(domain, targets), addedBy(domain, targets + more)];
    return {
      expected: expected + after.expected - before.expected,
      variance: variance + after.variance - before.variance,
    };
  };
  return {
    fits(domain, targets, decoys) {
      const total = recipients + targets + decoys;
      if (total > maxRecipients) return false;
      if (total <= refusals || recipients === 0) return true;
      const left = refusals - decoysRefused - decoys * limits.decoyShare;
      const batch = withMore(domain, targets);
      return batch.expected + DEVIATIONS * Math.sqrt(batch.variance) <= left;
    },
    add(domain, targets, decoys) {
      recipients += targets + decoys;
      decoysRefused += decoys * limits.decoyShare;
      ({ expected, variance } = withMore(domain, targets));
      taken.set(domain, (taken.get(domain) ?? 0) + targets);
    },
    targetsOf(domain) {
      const isNew = domainAnswers(domain).asked < FIRST_TARGETS_OF_DOMAIN && !limits.oneDomainPerTransaction;
      return Math.min(
        isNew ? FIRST_TARGETS_OF_DOMAIN : Number.POSITIVE_INFINITY,
        Math.max(1, limits.leftAtCatchAll(domain)), // one that is asked again is not left
      );
    },
  };
}
