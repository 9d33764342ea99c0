/**
 * Maps a source with bounded concurrency and yields results in completion order.
 *
 * At most `concurrency` items are running or waiting to be consumed, so memory is bounded however long the source is
 * and however slow the consumer. A slow source does not delay results that are ready.
 */
import { type Deferred, deferred } from "../deferred.ts";

export async function* mapConcurrent<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  concurrency: number,
  mapItem: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const done: R[] = [];
  let running = 0;
  let isReading = false;
  let isExhausted = false;
  let failure: { error: unknown } | undefined;
  let change: Deferred<void> = deferred();
  const signal = () => {
    change.resolve();
    change = deferred();
  };
  const fail = (error: unknown) => {
    failure ??= { error };
    signal();
  };

  const start = (item: T) => {
    running++;
    mapItem(item).then((result) => {
      running--;
      done.push(result);
      signal();
    }, fail);
  };
  const read = async () => {
    isReading = true;
    while (!isExhausted && !failure && running + done.length < concurrency) {
      const next = await source.next();
      if (next.done) isExhausted = true;
      else start(next.value);
    }
    isReading = false;
    signal();
  };

  try {
    for (;;) {
      if (failure) throw failure.error;
      const hasRoom = !isExhausted && running + done.length < concurrency;
      if (hasRoom && !isReading) read().catch(fail);
      if (done.length > 0) yield done.shift()!;
      else if (isExhausted && running === 0) return;
      else await change.promise;
    }
  } finally {
    const closed = Promise.resolve(source.return?.()).catch(() => {});
    if (!isReading) await closed; // a source whose `next` is still pending would block `return`
  }
}
