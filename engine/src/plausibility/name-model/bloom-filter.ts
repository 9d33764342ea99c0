/**
 * Bloom filter over 32-bit hashes: a set that can be queried but not enumerated, with rare false positives and no
 * false negatives.
 */

export function isInFilter(filter: Uint8Array, hash: number, bits: number, probes: number): boolean {
  if (!isSet(filter, hash >>> (32 - bits))) return false; // most non-members end here
  const step = spread(hash) | 1;
  let probed = hash;
  for (let probe = 1; probe < probes; probe++) {
    probed = (probed + step) | 0;
    if (!isSet(filter, probed >>> (32 - bits))) return false;
  }
  return true;
}

function isSet(filter: Uint8Array, bit: number): boolean {
  return (filter[bit >>> 3]! & (1 << (bit & 7))) !== 0;
}

export function addToFilter(filter: Uint8Array, hash: number, bits: number, probes: number): void {
  const step = spread(hash) | 1;
  let probed = hash;
  for (let probe = 0; probe < probes; probe++) {
    const bit = probed >>> (32 - bits);
    filter[bit >>> 3]! |= 1 << (bit & 7);
    probed = (probed + step) | 0;
  }
}

/** Finaliser of MurmurHash3: every input bit affects every output bit. */
export function spread(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
