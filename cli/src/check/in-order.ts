/**
 * Works on many things at once and hands the results out in the order the things came in.
 *
 * At most `width` are under way or waiting to be handed out, so memory stays bounded. The first in line is handed
 * out as soon as it is done, however slow the source is; a source that fails does so after everything before it.
 */
export async function* inOrder<T, R>(
  things: AsyncIterable<T>,
  width: number,
  work: (thing: T) => Promise<R>,
): AsyncGenerator<R> {
  const source = things[Symbol.asyncIterator]();
  const line: Promise<R>[] = [];
  let isReading = false;
  let isDrained = false;
  let failure: { error: unknown } | undefined;
  let ring = () => {};

  const read = async () => {
    isReading = true;
    try {
      while (!isDrained && line.length < width) {
        const next = await source.next();
        if (next.done) isDrained = true;
        else line.push(begin(work, next.value));
        ring();
      }
    } catch (error) {
      failure = { error };
      isDrained = true;
    }
    isReading = false;
    ring();
  };

  try {
    for (;;) {
      if (!isReading && !isDrained && line.length < width) void read();
      if (line.length > 0) {
        const result = await line[0]!; // meanwhile the reading goes on
        line.shift();
        yield result;
      } else if (isDrained) {
        if (failure) throw failure.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          ring = resolve;
        });
      }
    }
  } finally {
    // Not waited for: a source that is asked for its next thing cannot leave before it has one.
    if (!isDrained) source.return?.().catch(() => {});
  }
}

/** Whether it succeeds is seen when its turn comes, which may be after it has failed. */
function begin<T, R>(work: (thing: T) => Promise<R>, thing: T): Promise<R> {
  const result = work(thing);
  result.catch(() => {});
  return result;
}
