/**
 * Decompresses gzip, recognised by its first bytes, on the fly.
 *
 * Output never exceeds `maxTextBytes`, and an implausible compression ratio is rejected early.
 */
import { createGunzip } from "node:zlib";
import { ListFileError } from "./list-file-error.ts";

/** Small enough not to block the event loop. */
export const BLOCK_BYTES = 32 * 1024;
// Repetitive tables reach 50 : 1, the limit of deflate is 1032 : 1.
const MAX_RATIO = 200;
const RATIO_CHECKED_FROM_BYTES = 8 * 1024 * 1024;

export async function* decompressed(
  bytes: AsyncIterable<Uint8Array>,
  maxTextBytes: number,
): AsyncGenerator<Uint8Array> {
  const blocks = blocksOf(bytes);
  let textBytes = 0;
  try {
    const first = await blocks.next();
    if (first.done) return;
    const input = prepend([first.value], blocks);
    if (isGzip(first.value)) {
      yield* blocksOf(gunzipped(input, maxTextBytes));
      return;
    }
    for await (const block of input) {
      textBytes += block.length;
      if (textBytes > maxTextBytes) throw tooLarge(maxTextBytes);
      yield block;
    }
  } finally {
    blocks.return(undefined).catch(() => {}); // not awaited: a slow sender must not block us
  }
}

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

export async function* prepend<T>(first: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

async function* gunzipped(
  blocks: AsyncGenerator<Uint8Array>,
  maxTextBytes: number,
): AsyncGenerator<Uint8Array> {
  let inputBytes = 0;
  let textBytes = 0;
  let block: Uint8Array = new Uint8Array();
  const gunzip = createGunzip({ chunkSize: BLOCK_BYTES });
  const feed = async () => {
    for (let next = await blocks.next(); !next.done; next = await blocks.next()) {
      block = next.value;
      inputBytes += block.length;
      await new Promise<void>((resolve, reject) => {
        gunzip.write(block, (error) => (error ? reject(error) : resolve()));
      });
    }
    gunzip.end();
  };
  feed().catch((error) => gunzip.destroy(error));
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      textBytes += chunk.length;
      if (textBytes > maxTextBytes) throw bomb(`more than ${megabytes(maxTextBytes)}`);
      if (textBytes > RATIO_CHECKED_FROM_BYTES && textBytes > MAX_RATIO * inputBytes)
        throw bomb(`more than ${MAX_RATIO} times its size`);
      yield chunk;
    }
    // zlib reads member after member, but ends at padding (zeros) and accepts no more bytes. What is behind it would be lost.
    const unread = block.subarray(block.length - (inputBytes - gunzip.bytesWritten));
    for await (const bytes of prepend([unread], blocks)) {
      if (bytes.some((byte) => byte !== 0)) throw behindPadding();
    }
  } catch (error) {
    if (isZlibError(error))
      throw new ListFileError("undecodable_file", "The gzip file is damaged or ends too early.");
    throw error;
  }
}

function behindPadding(): ListFileError {
  const message = "The gzip file has data behind padding. Compress the list again, as one file.";
  return new ListFileError("undecodable_file", message);
}

function bomb(size: string): ListFileError {
  return new ListFileError("compression_bomb", `The gzip file decompresses to ${size}.`);
}

function tooLarge(limit: number): ListFileError {
  return new ListFileError("payload_too_large", `The file is larger than ${megabytes(limit)}.`, { limit });
}

function megabytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${Math.floor(bytes / 1024 / 1024)} MiB`;
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}

/** Blocks of equal size, so that detection never depends on where a network chunk ended. */
async function* blocksOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + BLOCK_BYTES - filled);
      block.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < BLOCK_BYTES) continue;
      yield block;
      block = new Uint8Array(BLOCK_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}
