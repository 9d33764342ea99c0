/**
 * How large the next batch of a session is. An operator reads it like this:
 *
 * | | mail filter | large provider | any other host |
 * |---|---|---|---|
 * | first batch at a host, then | 5, 10, 20 | 3 | 5, 10, 20, 40 |
 * | the session ends at so many refusals | 9 | 3 | 9; up to 19 at a host that tolerates them |
 *
 * - As few refusals are expected, by what the host and each domain have refused so far, that more than are left to the session are
 *   very unlikely: 2.5 of 9, 1.2 of 6, 0.6 of 4.
 * - While nobody is known at the host, it has what is left of the refusals that every host tolerates (host-memory.ts).
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
  let recipients = 0;
  let decoysRefused = 0;
  let expected = 0;
  const expectedOf = (domain: string, targets: number) => {
    const { asked, refused } = domainAnswers(domain);
    const shareOf = (weight: number) => (refused + weight * share) / (asked + weight);
    return targets * Math.max(...WEIGHTS_OF_HOST.map(shareOf));
  };
  return {
    fits(domain, targets, decoys) {
      if (recipients + targets + decoys > maxRecipients) return false;
      const left = refusals - decoysRefused - decoys * limits.decoyShare;
      return recipients === 0 || expected + expectedOf(domain, targets) <= mostExpected(left);
    },
    add(domain, targets, decoys) {
      recipients += targets + decoys;
      decoysRefused += decoys * limits.decoyShare;
      expected += expectedOf(domain, targets);
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

/**
 * So many refusals may be expected where `left` are left. With a Poisson distribution, about one batch in 10,000 has more than are
 * left: 2.5 of 9, 1.2 of 6, 0.6 of 4.
 */
function mostExpected(left: number): number {
  return left <= 0 ? 0 : left ** 2 / (left + 24);
}
