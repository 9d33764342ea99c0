/**
 * HalfSipHash-2-4 with a random key, extended to 128 bits: collisions cannot be crafted, and do not occur by
 * accident.
 */
import { randomFillSync } from "node:crypto";

/** Writes the four words of the text's hash into `words`. */
export type KeyedHash = (text: string, words: Int32Array) => void;

const WORDS = 4;

export function createKeyedHash(): KeyedHash {
  const [k0, k1] = randomFillSync(new Int32Array(2)) as unknown as [number, number];
  return (text, words) => hash(text, k0, k1, words);
}

/** Two UTF-16 units make a message word; the last one carries the length. */
function hash(text: string, k0: number, k1: number, words: Int32Array): void {
  const { length } = text;
  const wholeWords = length >> 1;
  let v0 = k0;
  let v1 = k1 ^ 0xee;
  let v2 = 0x6c796765 ^ k0;
  let v3 = 0x74656462 ^ k1;
  for (let step = 0; step <= wholeWords + WORDS; step++) {
    const isMessage = step <= wholeWords;
    let m = 0;
    if (step < wholeWords) m = text.charCodeAt(2 * step) | (text.charCodeAt(2 * step + 1) << 16);
    else if (isMessage) m = (length << 16) | (length & 1 ? text.charCodeAt(length - 1) : 0);
    else v2 ^= 0xff ^ step;
    v3 ^= m;
    for (let round = isMessage ? 2 : 4; round > 0; round--) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    v0 ^= m;
    if (!isMessage) words[step - wholeWords - 1] = v1 ^ v3;
  }
}
