/**
 * Counts the emails of a list, and for each row knows the row where its email stood first.
 *
 * Only hashes are kept, 96 bits of each email and its row, in flat tables: some 20 to 32 bytes a unique email. The
 * tables are many and small, so that the one that grows is soon done.
 */
import { emailIdentity } from "./email-identity.ts";
import { createKeyedHash } from "./keyed-hash.ts";

export type UniqueEmailIndex = {
  /**
   * The row (from 1) where this email stood first: this very row, or an earlier one; 0 for an empty cell. Each call
   * is the next row.
   */
  add(email: string): number;
  readonly rows: number;
  readonly emails: number;
  readonly unique: number;
};

const SHARDS = 256;
const FIRST_SLOTS = 16;
const FULL = 0.75;
// A slot: three words of hash, and the row; no row, no entry.
const SLOT_WORDS = 4;
const ROW = 3;

type Shard = { slots: Int32Array; size: number; used: number };

export function createUniqueEmailIndex(): UniqueEmailIndex {
  const hash = createKeyedHash();
  const words = new Int32Array(4);
  const shards = Array.from({ length: SHARDS }, (): Shard => emptyShard(FIRST_SLOTS));
  let rows = 0;
  let emails = 0;
  let unique = 0;
  return {
    add(email) {
      rows++;
      if (email === "") return 0;
      emails++;
      hash(emailIdentity(email), words);
      const shard = shards[words[3]! & (SHARDS - 1)]!;
      const firstRow = enter(shard, words[0]!, words[1]!, words[2]!, rows);
      if (firstRow === rows) {
        unique++;
        if (shard.used > shard.size * FULL) grow(shard);
      }
      return firstRow;
    },
    get rows() {
      return rows;
    },
    get emails() {
      return emails;
    },
    get unique() {
      return unique;
    },
  };
}

function emptyShard(size: number): Shard {
  return { slots: new Int32Array(size * SLOT_WORDS), size, used: 0 };
}

/** The row that is entered under this hash: an earlier one, or now this one. */
function enter(shard: Shard, a: number, b: number, c: number, row: number): number {
  const { slots, size } = shard;
  let at = Math.floor(((a >>> 0) / 2 ** 32) * size) * SLOT_WORDS;
  for (;;) {
    const entered = slots[at + ROW]!;
    if (entered === 0) break;
    if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c) return entered;
    at += SLOT_WORDS;
    if (at === slots.length) at = 0;
  }
  slots[at] = a;
  slots[at + 1] = b;
  slots[at + 2] = c;
  slots[at + ROW] = row;
  shard.used++;
  return row;
}

function grow(shard: Shard): void {
  const { slots } = shard;
  const larger = emptyShard(shard.size + (shard.size >> 1));
  for (let at = 0; at < slots.length; at += SLOT_WORDS) {
    const row = slots[at + ROW]!;
    if (row !== 0) enter(larger, slots[at]!, slots[at + 1]!, slots[at + 2]!, row);
  }
  Object.assign(shard, larger);
}
