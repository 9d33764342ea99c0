/**
 * Works on many things at once and hands the results out in the order the things came in.
 * At most `width` are under way or waiting to be handed out, so memory stays bounded.
 */
export async function* inOrder<T, R>(
  things: AsyncIterable<T>,
  width: number,
  work: (thing: T) => Promise<R>,
): AsyncGenerator<R> {
  const underWay: Promise<R>[] = [];
  for await (const thing of things) {
    const result = work(thing);
    result.catch(() => {}); // it is awaited below, in its turn
    underWay.push(result);
    if (underWay.length >= width) yield await underWay.shift()!;
  }
  while (underWay.length > 0) yield await underWay.shift()!;
}
