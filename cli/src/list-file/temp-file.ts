/**
 * Lines in a temporary file: append-only writes, random reads through a small block cache. After a failed write, such as on a
 * full disk, all lines that were accepted can still be read.
 */
import { closeSync, readSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { openTempFile } from "@mailvet/engine/list-file";
import { explainSystemError } from "../output/system-failure.ts";

const LINE_FEED = 0x0a;
const FLUSH_BYTES = 256 * 1024;
const BLOCK_BYTES = 64 * 1024;
const CACHED_BLOCKS = 64;

export type LineFile = Disposable & {
  /** Returns the offset of the line, which must not contain a line feed. One that throws has stored nothing. */
  append(line: string): number;
  lineAt(offset: number): string;
  /** The lines present at the time of the call, in order. */
  lines(): Generator<string>;
};

export function openLineFile(): LineFile {
  const fd = openTempFile();
  let written = 0; // bytes
  let waiting: string[] = []; // lines not written yet
  let waitingBytes = 0;
  let waitingText: Buffer | undefined; // of these lines, once one is read
  const blocks = new Map<number, Buffer>();

  const flush = () => {
    if (waitingBytes === 0) return;
    const bytes = Buffer.from(waiting.join(""));
    writeAll(fd, bytes, written); // where a failed write began
    blocks.delete(Math.floor(written / BLOCK_BYTES)); // cached while it was shorter
    written += bytes.length;
    waiting = [];
    waitingBytes = 0;
    waitingText = undefined;
  };
  const blockAt = (number: number): Buffer => {
    let block = blocks.get(number);
    if (block) blocks.delete(number);
    else {
      const space = Buffer.allocUnsafe(BLOCK_BYTES);
      block = space.subarray(0, readSync(fd, space, 0, BLOCK_BYTES, number * BLOCK_BYTES));
    }
    blocks.set(number, block); // most recently used last
    if (blocks.size > CACHED_BLOCKS) blocks.delete(blocks.keys().next().value!);
    return block;
  };
  const lineAt = (offset: number): string => {
    if (offset >= written) {
      waitingText ??= Buffer.from(waiting.join(""));
      const from = offset - written;
      return waitingText.subarray(from, waitingText.indexOf(LINE_FEED, from)).toString();
    }
    const pieces: Buffer[] = [];
    for (let number = Math.floor(offset / BLOCK_BYTES), from = offset % BLOCK_BYTES; ; number++, from = 0) {
      const block = blockAt(number);
      const end = block.indexOf(LINE_FEED, from);
      pieces.push(block.subarray(from, end < 0 ? undefined : end));
      if (end >= 0 || block.length < BLOCK_BYTES) break;
    }
    return (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)).toString();
  };

  return {
    append(line) {
      if (waitingBytes >= FLUSH_BYTES) flush();
      const offset = written + waitingBytes;
      waiting.push(line, "\n");
      waitingBytes += Buffer.byteLength(line) + 1;
      waitingText = undefined;
      return offset;
    },
    lineAt,
    *lines() {
      const end = written + waitingBytes;
      for (let offset = 0; offset < end; ) {
        const line = lineAt(offset);
        yield line;
        offset += Buffer.byteLength(line) + 1;
      }
    },
    [Symbol.dispose]: () => closeSync(fd),
  };
}

/** At this position, or after what was written last. */
export function writeAll(fd: number, bytes: Uint8Array, position?: number): void {
  try {
    for (let from = 0; from < bytes.length; )
      from += writeSync(
        fd,
        bytes,
        from,
        bytes.length - from,
        position === undefined ? null : position + from,
      );
  } catch (error) {
    throw explainSystemError(error, `a temporary file in ${tmpdir()}`);
  }
}
