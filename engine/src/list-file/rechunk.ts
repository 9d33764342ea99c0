/**
 * Re-cuts a byte stream into blocks of equal size.
 *
 * A block is small enough not to block the event loop, and detection never depends on where a network chunk ended.
 */
export const BLOCK_BYTES = 32 * 1024;

export async function* blocksOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
