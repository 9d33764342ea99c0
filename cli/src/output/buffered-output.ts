/**
 * Buffered writes to a stream: large chunks make long lists fast, and a flush at least ten times a second keeps the
 * output current for a reader.
 */
import { once } from "node:events";
import type { Writable } from "node:stream";

const CHUNK_CHARS = 32 * 1024;
const MAX_DELAY_MS = 100;

export type BufferedOutput = {
  /** Resolves at once unless the stream applies back-pressure. */
  print(text: string): Promise<void>;
  /** Writes the buffered text. */
  flush(): void;
} & Disposable;

export function bufferOutputTo(stream: Writable): BufferedOutput {
  let buffered = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = (): boolean => {
    clearTimeout(timer);
    timer = undefined;
    const text = buffered;
    buffered = "";
    return text === "" || stream.write(text);
  };
  return {
    async print(text) {
      buffered += text;
      if (buffered.length < CHUNK_CHARS) timer ??= setTimeout(flush, MAX_DELAY_MS);
      else if (!flush()) await once(stream, "drain");
    },
    flush,
    [Symbol.dispose]: flush,
  };
}
