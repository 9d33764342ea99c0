/**
 * Concurrent map over an async iterable that yields results in input order.
 *
 * At most `concurrency` items are in flight or waiting to be yielded, so memory is bounded. The first result is
 * yielded as soon as it is ready, even if the source is slow. A failure of the source is thrown after all results
 * of the items before it.
 */
export async function* inOrder<T, R>(
  items: AsyncIterable<T>,
  concurrency: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const source = items[Symbol.asyncIterator]();
  const inFlight: Promise<R>[] = [];
  let isReading = false;
  let isDrained = false;
  let failure: { error: unknown } | undefined;
  let wake = () => {};

  const read = async () => {
    isReading = true;
    try {
      while (!isDrained && inFlight.length < concurrency) {
        const next = await source.next();
        if (next.done) isDrained = true;
        else inFlight.push(begin(work, next.value));
        wake();
      }
    } catch (error) {
      failure = { error };
      isDrained = true;
    }
    isReading = false;
    wake();
  };

  try {
    for (;;) {
      if (!isReading && !isDrained && inFlight.length < concurrency) void read();
      if (inFlight.length > 0) {
        const result = await inFlight[0]!; // reading continues meanwhile
        inFlight.shift();
        yield result;
      } else if (isDrained) {
        if (failure) throw failure.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    // Not awaited: return() on a generator waits for its pending next(), which may never settle.
    if (!isDrained) source.return?.().catch(() => {});
  }
}

/** The empty catch avoids an unhandled rejection when the work fails before its result is awaited. */
function begin<T, R>(work: (item: T) => Promise<R>, item: T): Promise<R> {
  const result = work(item);
  result.catch(() => {});
  return result;
}
