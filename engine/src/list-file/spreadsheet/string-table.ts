/** The shared strings of a workbook, compact: UTF-8 in one buffer instead of an object per string. */
import { bomb } from "./zip-archive.ts";

export type StringTable = {
  add(text: string): void;
  /** Undefined if there is no such string. */
  at(index: number): string | undefined;
};

const MAX_STRINGS = 4_000_000;
const MAX_BYTES = 64 * 1024 * 1024;

export function createStringTable(): StringTable {
  let bytes = Buffer.alloc(64 * 1024);
  let ends = new Uint32Array(1024);
  let used = 0;
  let count = 0;
  return {
    add(text) {
      if (count === MAX_STRINGS)
        throw bomb(`has more than ${MAX_STRINGS.toLocaleString("en")} shared strings`);
      const needed = used + Buffer.byteLength(text);
      if (needed > MAX_BYTES) throw bomb(`has more than ${MAX_BYTES / 1024 / 1024} MiB of shared strings`);
      if (needed > bytes.length) {
        const larger = Buffer.alloc(Math.min(MAX_BYTES, Math.max(needed, 2 * bytes.length)));
        bytes.copy(larger, 0, 0, used);
        bytes = larger;
      }
      if (count === ends.length) {
        const larger = new Uint32Array(2 * ends.length);
        larger.set(ends);
        ends = larger;
      }
      bytes.write(text, used);
      used = needed;
      ends[count++] = used;
    },
    at(index) {
      if (!(index >= 0 && index < count)) return undefined;
      return bytes.toString("utf8", index === 0 ? 0 : ends[index - 1], ends[index]);
    },
  };
}
