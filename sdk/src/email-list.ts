/**
 * Validates a list of any length: cuts it into bulk requests, a few of them under way at once, and hands out one
 * result per email in the order of the list. An email that is repeated is asked for, and paid for, once.
 *
 * Memory stays bounded however long the list is. A source that hesitates is not waited for: what it has given so
 * far is sent. When a request fails nothing new is asked; what was under way is still handed out, because it has
 * been paid for, and then the failure is thrown.
 */
import type { BulkItem } from "@mailvet/contract";
import { type AskBulk, type BulkRequest, EMAILS_AT_ONCE, openDesk } from "./bulk-desk.ts";

export type ListOptions = {
  /** Sees each verdict the moment it is there, before its turn has come; repetitions of an email are left out. */
  onResult?: ((item: BulkItem) => void) | undefined;
  signal?: AbortSignal | undefined;
};

/** Emails that are read but not handed out yet: enough that the next ones are at hand when a request is done. */
const LONGEST_LINE = EMAILS_AT_ONCE * 1.25;

export async function* validateList(
  ask: AskBulk,
  emails: Iterable<string> | AsyncIterable<string>,
  { onResult, signal }: ListOptions = {},
): AsyncGenerator<BulkItem, void, undefined> {
  const source = Symbol.asyncIterator in emails ? emails[Symbol.asyncIterator]() : emails[Symbol.iterator]();
  const desk = openDesk(ask, onResult);
  const line: { email: string; name: string; request: BulkRequest }[] = [];
  let isReading = false;
  let isDrained = false;
  let sourceFailure: { error: unknown } | undefined;
  let ring = () => {};

  const read = async () => {
    isReading = true;
    try {
      while (!isDrained && !desk.failure && line.length < LONGEST_LINE) {
        const next = await source.next();
        if (next.done) isDrained = true;
        else line.push({ email: next.value, ...desk.take(next.value) });
        ring();
      }
    } catch (error) {
      sourceFailure = { error };
      isDrained = true;
    }
    if (isDrained) desk.sendAll();
    isReading = false;
    ring();
  };
  const leave = () => {
    desk.close(signal?.reason);
    ring();
  };

  signal?.throwIfAborted();
  signal?.addEventListener("abort", leave, { once: true });
  try {
    for (;;) {
      if (!isReading && !isDrained && !desk.failure && line.length < LONGEST_LINE) void read();
      const first = line[0];
      if (first) {
        const items = await first.request.items; // meanwhile the reading goes on
        line.shift();
        const item = items.get(first.name);
        if (item) yield { ...item, email: first.email };
      } else if (desk.failure) {
        throw desk.failure.error;
      } else if (isDrained) {
        if (sourceFailure) throw sourceFailure.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          ring = resolve;
        });
      }
    }
  } finally {
    signal?.removeEventListener("abort", leave);
    desk.close(undefined);
    // Not waited for: a source that is asked for its next email cannot leave before it has one.
    if (!isDrained) Promise.resolve(source.return?.()).catch(() => {});
  }
}
