/**
 * A temporary file without a name: nobody else can open it, and it is gone when we are, however we end. Written to
 * at its end and read anywhere, through a small memory of what was read last.
 */
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LINE_FEED = 0x0a;
const PIECE_BYTES = 256 * 1024;
const BLOCK_BYTES = 64 * 1024;
const BLOCKS_KEPT = 64;

/** Opened for reading and writing, and unlinked already. */
export function openNamelessFile(): number {
  const path = join(tmpdir(), `mailvet-${randomBytes(12).toString("hex")}`);
  const fd = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  return fd;
}

export type LineFile = Disposable & {
  /** Where the line is from now on. It must hold no line feed. */
  append(line: string): number;
  lineAt(offset: number): string;
  /** All lines that were there when it began, in their order. */
  lines(): Generator<string>;
};

export function openLineFile(): LineFile {
  const fd = openNamelessFile();
  let written = 0; // bytes in the file
  let waiting: string[] = []; // lines that are not in it yet
  let waitingBytes = 0;
  const blocks = new Map<number, Buffer>();

  const flush = () => {
    if (waitingBytes === 0) return;
    const bytes = Buffer.from(waiting.join(""));
    writeAll(fd, bytes);
    blocks.delete(Math.floor(written / BLOCK_BYTES)); // it was shorter when it was read
    written += bytes.length;
    waiting = [];
    waitingBytes = 0;
  };
  const blockAt = (number: number): Buffer => {
    let block = blocks.get(number);
    if (block) blocks.delete(number);
    else {
      const space = Buffer.allocUnsafe(BLOCK_BYTES);
      block = space.subarray(0, readSync(fd, space, 0, BLOCK_BYTES, number * BLOCK_BYTES));
    }
    blocks.set(number, block); // the last one used is the last one to go
    if (blocks.size > BLOCKS_KEPT) blocks.delete(blocks.keys().next().value!);
    return block;
  };
  const lineAt = (offset: number): string => {
    flush();
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
      const offset = written + waitingBytes;
      waiting.push(line, "\n");
      waitingBytes += Buffer.byteLength(line) + 1;
      if (waitingBytes >= PIECE_BYTES) flush();
      return offset;
    },
    lineAt,
    *lines() {
      flush();
      const end = written;
      for (let offset = 0; offset < end; ) {
        const line = lineAt(offset);
        yield line;
        offset += Buffer.byteLength(line) + 1;
      }
    },
    [Symbol.dispose]: () => closeSync(fd),
  };
}

export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from);
}
