/**
 * Validates a list of any length in concurrent bulk requests and yields one result per email in list order. A
 * duplicate is sent, and charged, once.
 *
 * Memory is bounded. When the source is slow, the emails read so far are sent without waiting for more. When a
 * request fails, no further request is started; results in flight are still yielded, because they were charged, and
 * then the error is thrown.
 */
import type { BulkItem } from "@mailvet/contract";
import {
  type BulkBatch,
  createBulkCoalescer,
  MAX_EMAILS_IN_FLIGHT,
  type SendBulk,
} from "./bulk-coalescer.ts";

export type ListOptions = {
  /** Called with each result as soon as it arrives, before its turn in list order. Not called for duplicates. */
  onResult?: ((item: BulkItem) => void) | undefined;
  signal?: AbortSignal | undefined;
};

/** Emails read but not yielded yet: enough to fill the next request when one finishes. */
const MAX_PENDING = MAX_EMAILS_IN_FLIGHT * 1.25;

export async function* validateList(
  sendBulk: SendBulk,
  emails: Iterable<string> | AsyncIterable<string>,
  { onResult, signal }: ListOptions = {},
): AsyncGenerator<BulkItem, void, undefined> {
  const source = Symbol.asyncIterator in emails ? emails[Symbol.asyncIterator]() : emails[Symbol.iterator]();
  const coalescer = createBulkCoalescer(sendBulk, onResult);
  const pending: { email: string; key: string; batch: BulkBatch }[] = [];
  let isReading = false;
  let isDrained = false;
  let sourceFailure: { error: unknown } | undefined;
  let wake = () => {};

  const read = async () => {
    isReading = true;
    try {
      while (!isDrained && !coalescer.failure && pending.length < MAX_PENDING) {
        const next = await source.next();
        if (next.done) isDrained = true;
        else pending.push({ email: next.value, ...coalescer.add(next.value) });
        wake();
      }
    } catch (error) {
      sourceFailure = { error };
      isDrained = true;
    }
    if (isDrained) coalescer.flush();
    isReading = false;
    wake();
  };
  const abort = () => {
    coalescer.close(signal?.reason);
    wake();
  };

  signal?.throwIfAborted();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      if (!isReading && !isDrained && !coalescer.failure && pending.length < MAX_PENDING) void read();
      const first = pending[0];
      if (first) {
        const items = await first.batch.items; // reading continues meanwhile
        pending.shift();
        const item = items.get(first.key);
        if (item) yield { ...item, email: first.email };
      } else if (coalescer.failure) {
        throw coalescer.failure.error;
      } else if (isDrained) {
        if (sourceFailure) throw sourceFailure.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    coalescer.close(undefined);
    // Not awaited: return() on a generator waits for its pending next(), which may never settle.
    if (!isDrained) Promise.resolve(source.return?.()).catch(() => {});
  }
}
