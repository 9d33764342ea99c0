/**
 * Text on its way out, collected a little: writing it in large pieces is what makes a long list fast, and writing
 * it ten times a second at least is what lets people see that something happens.
 */
import { once } from "node:events";
import type { Writable } from "node:stream";

const PIECE_LENGTH = 32 * 1024;
const LONGEST_WAIT_MS = 100;

export type Outlet = {
  /** Waits only when whoever reads is slower than we are. */
  print(text: string): Promise<void>;
  /** Hands over what has been collected so far. */
  flush(): void;
} & Disposable;

export function outletTo(stream: Writable): Outlet {
  let collected = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = (): boolean => {
    clearTimeout(timer);
    timer = undefined;
    const text = collected;
    collected = "";
    return text === "" || stream.write(text);
  };
  return {
    async print(text) {
      collected += text;
      if (collected.length < PIECE_LENGTH) timer ??= setTimeout(flush, LONGEST_WAIT_MS);
      else if (!flush()) await once(stream, "drain");
    },
    flush,
    [Symbol.dispose]: flush,
  };
}
