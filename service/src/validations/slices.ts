/** Works through a long list without holding up everybody else: after each slice the event loop has its turn. */
import { setImmediate as otherWork } from "node:timers/promises";

const SLICE_ITEMS = 100;

export async function inSlices<T, R>(items: readonly T[], work: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % SLICE_ITEMS === 0) await otherWork();
    results.push(work(item, index));
  }
  return results;
}
