/**
 * Index of domains that may be one typo apart: `acmecorp.com` and `acmecrop.com`.
 *
 * Comparing each domain of a list with each other is quadratic. Two names one typo apart share a remainder: one of them
 * whole, or without one letter. Only hashes of remainders are stored, so false positives occur.
 */
export type Neighbourhood = {
  /** A domain that others may be a typo of. */
  add(domain: string): void;
  /** Domains that this one may be a typo of; usually none. */
  near(domain: string): readonly string[];
};

/** A domain with fewer addresses may be a typo itself. */
export const MANY_ADDRESSES = 5;
/** Longer domains are not compared. */
const MAX_DOMAIN_LENGTH = 40;
/** Bounds the work for lists with many similar domains. */
const MAX_SHARING = 20;
const NONE: readonly string[] = [];

export function createNeighbourhood(): Neighbourhood {
  const byRemainder = new Map<number, string[]>();
  return {
    add(domain) {
      for (const remainder of remaindersOf(domain)) {
        const sharing = byRemainder.get(remainder);
        if (!sharing) byRemainder.set(remainder, [domain]);
        else if (sharing.length < MAX_SHARING) sharing.push(domain);
      }
    },
    near(domain) {
      if (byRemainder.size === 0) return NONE;
      let found: Set<string> | undefined;
      for (const remainder of remaindersOf(domain)) {
        const sharing = byRemainder.get(remainder);
        if (!sharing) continue;
        found ??= new Set();
        for (const neighbour of sharing) found.add(neighbour);
      }
      return found ? [...found].filter((neighbour) => neighbour !== domain) : NONE;
    },
  };
}

const BASE = 0x01000193;

/**
 * Hashes of the domain, and of the domain without each of its letters, combined from those of prefix and suffix: building
 * every remainder takes ten times as long, and lists have tens of thousands of domains.
 */
function remaindersOf(domain: string): Int32Array {
  const { length } = domain;
  if (length > MAX_DOMAIN_LENGTH) return NO_HASHES;
  const hashes = new Int32Array(length + 1);
  for (let i = 0; i < length; i++) hashes[i + 1] = (Math.imul(hashes[i]!, BASE) + domain.charCodeAt(i)) | 0;
  let suffix = 0;
  let weight = 1;
  for (let i = length - 1; i >= 0; i--) {
    hashes[i] = (Math.imul(hashes[i]!, weight) + suffix) | 0;
    suffix = (suffix + Math.imul(domain.charCodeAt(i), weight)) | 0;
    weight = Math.imul(weight, BASE);
  }
  return hashes;
}

const NO_HASHES = new Int32Array(0);
