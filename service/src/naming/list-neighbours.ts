/**
 * Which domains may lie one slip away from another: `acmecorp.com` from `acmecrop.com`.
 *
 * Comparing each domain of a list with each other would take forever. Two names one slip apart have something in common
 * that is quickly looked up: what is left of them without some one letter, or one of them whole. Only hashes of that are
 * kept and compared, so now and then a stranger is taken for a neighbour.
 */
export type Neighbourhood = {
  /** A domain that others may be a slip of. */
  add(domain: string): void;
  /** Those that this one may be a slip of; mostly none. */
  near(domain: string): readonly string[];
};

/** What fewer addresses share may be a slip itself. */
export const MANY_ADDRESSES = 5;
/** No slip is looked for in longer ones. */
const LONGEST_DOMAIN = 40;
/** More that share a rest were made up to be alike, and looking through them would take long. */
const MOST_SHARING = 20;
const NONE: readonly string[] = [];

export function createNeighbourhood(): Neighbourhood {
  const byRest = new Map<number, string[]>();
  return {
    add(domain) {
      for (const rest of restsOf(domain)) {
        const sharing = byRest.get(rest);
        if (!sharing) byRest.set(rest, [domain]);
        else if (sharing.length < MOST_SHARING) sharing.push(domain);
      }
    },
    near(domain) {
      if (byRest.size === 0) return NONE;
      let found: Set<string> | undefined;
      for (const rest of restsOf(domain)) {
        const sharing = byRest.get(rest);
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
 * Hashes of the domain, and of the domain without each of its letters. Made from those of what stands before and behind
 * the letter: writing out every rest takes ten times as long, and lists have tens of thousands of domains.
 */
function restsOf(domain: string): Int32Array {
  const { length } = domain;
  if (length > LONGEST_DOMAIN) return NOTHING;
  const hashes = new Int32Array(length + 1);
  for (let i = 0; i < length; i++) hashes[i + 1] = (Math.imul(hashes[i]!, BASE) + domain.charCodeAt(i)) | 0;
  let behind = 0;
  let weight = 1;
  for (let i = length - 1; i >= 0; i--) {
    hashes[i] = (Math.imul(hashes[i]!, weight) + behind) | 0;
    behind = (behind + Math.imul(domain.charCodeAt(i), weight)) | 0;
    weight = Math.imul(weight, BASE);
  }
  return hashes;
}

const NOTHING = new Int32Array(0);
