/**
 * Works on many things at once and hands results out as they come, in whatever order.
 *
 * At most `width` things are under way or waiting to be fetched, so memory is bounded however long the source is and
 * however slow the consumer. A slow source holds up nothing that is already done.
 */
import { type Deferred, deferred } from "./deferred.ts";

export async function* asTheyCome<T, R>(
  things: AsyncIterable<T> | Iterable<T>,
  width: number,
  work: (thing: T) => Promise<R>,
): AsyncGenerator<R> {
  const source = Symbol.asyncIterator in things ? things[Symbol.asyncIterator]() : things[Symbol.iterator]();
  const done: R[] = [];
  let underWay = 0;
  let isReading = false;
  let isDrained = false;
  let failure: { error: unknown } | undefined;
  let bell: Deferred<void> = deferred();
  const ring = () => {
    bell.resolve();
    bell = deferred();
  };
  const fail = (error: unknown) => {
    failure ??= { error };
    ring();
  };

  const begin = (thing: T) => {
    underWay++;
    work(thing).then((result) => {
      underWay--;
      done.push(result);
      ring();
    }, fail);
  };
  const read = async () => {
    isReading = true;
    while (!isDrained && !failure && underWay + done.length < width) {
      const next = await source.next();
      if (next.done) isDrained = true;
      else begin(next.value);
    }
    isReading = false;
    ring();
  };

  try {
    for (;;) {
      if (failure) throw failure.error;
      const hasRoom = !isDrained && underWay + done.length < width;
      if (hasRoom && !isReading) read().catch(fail);
      if (done.length > 0) yield done.shift()!;
      else if (isDrained && underWay === 0) return;
      else await bell.promise;
    }
  } finally {
    const closed = Promise.resolve(source.return?.()).catch(() => {});
    if (!isReading) await closed; // a source that is still looking for its next thing cannot hold us
  }
}
