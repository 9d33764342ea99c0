/**
 * Which mailboxes of a domain were counted, without keeping their names: a Bloom filter.
 *
 * It says "seen" of every mailbox that was counted, and of some that were not: of one in a thousand when a domain has
 * fifty, of one in twelve when it has two hundred. Those are not counted, which harms nobody. Whoever holds the filter
 * can put a guess to it, as with any hash of a name; it cannot be read out.
 */
import { createHmac } from "node:crypto";

export const FILTER_BYTES = 128;
const BITS = FILTER_BYTES * 8;
const MARKS = 4;

/** The filter with this mailbox in it, or undefined when it seems to be there already. */
export function marked(filter: Uint8Array, domain: string, local: string): Buffer | undefined {
  const digest = createHmac("sha256", domain).update(local).digest();
  const next = Buffer.from(filter);
  let isNew = false;
  for (let mark = 0; mark < MARKS; mark++) {
    const bit = digest.readUInt16BE(mark * 2) % BITS;
    const mask = 1 << (bit & 7);
    if ((next[bit >> 3]! & mask) === 0) isNew = true;
    next[bit >> 3]! |= mask;
  }
  return isNew ? next : undefined;
}
