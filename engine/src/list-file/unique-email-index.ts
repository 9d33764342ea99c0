/**
 * Deduplicates the emails of a list: for each row, the first row with the same email.
 *
 * Only hashes are stored, 96 bits per email and its row, in flat tables: 20 to 32 bytes per unique email. There are
 * many small tables, so that growing one takes little time.
 */
import { hash, randomBytes } from "node:crypto";
import { parseAddress } from "../address/address.ts";

export type UniqueEmailIndex = {
  /**
   * Returns the first row (from 1) with this email: this one or an earlier one; 0 for an empty cell. Each call is the
   * next row.
   */
  add(email: string): number;
  readonly rows: number;
  readonly emails: number;
  readonly unique: number;
};

const SHARDS = 256;
const INITIAL_SLOTS = 16;
const MAX_LOAD = 0.75;
// A slot: three words of hash, and the row; row 0 means empty.
const SLOT_WORDS = 4;
const ROW = 3;

type Shard = { slots: Int32Array; size: number; used: number };

export function createUniqueEmailIndex(): UniqueEmailIndex {
  const key = randomBytes(16).toString("hex"); // so that collisions cannot be crafted
  const shards = Array.from({ length: SHARDS }, (): Shard => emptyShard(INITIAL_SLOTS));
  let rows = 0;
  let emails = 0;
  let unique = 0;
  return {
    add(email) {
      rows++;
      if (email === "") return 0;
      emails++;
      // As UTF-16, because half a surrogate pair has no bytes of its own in UTF-8.
      const words = hash("sha256", Buffer.from(key + emailIdentity(email), "utf16le"), "buffer");
      const shard = shards[words.readUInt8(12) & (SHARDS - 1)]!;
      const [a, b, c] = [words.readInt32LE(0), words.readInt32LE(4), words.readInt32LE(8)];
      const firstRow = findOrInsert(shard, a, b, c, rows);
      if (firstRow === rows) {
        unique++;
        if (shard.used > shard.size * MAX_LOAD) grow(shard);
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

/** The row stored under this hash: an earlier one, or now this one. */
function findOrInsert(shard: Shard, a: number, b: number, c: number, row: number): number {
  const { slots, size } = shard;
  let at = Math.floor(((a >>> 0) / 2 ** 32) * size) * SLOT_WORDS;
  for (;;) {
    const storedRow = slots[at + ROW]!;
    if (storedRow === 0) break;
    if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c) return storedRow;
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
    if (row !== 0) findOrInsert(larger, slots[at]!, slots[at + 1]!, slots[at + 2]!, row);
  }
  Object.assign(shard, larger);
}

/** Key for deduplication: same key, same email. */
export function emailIdentity(email: string): string {
  const parsed = parseAddress(email);
  return identityOf(email, parsed.ok ? parsed.address : undefined);
}

/**
 * Equal after trimming and lower-casing, with the domain in A-labels. The leading blank keeps malformed text from
 * ever equalling an address, whatever lower-casing makes of it.
 */
export function identityOf(email: string, address: { normalized: string } | undefined): string {
  return address?.normalized ?? ` ${email.trim().toLowerCase()}`;
}
