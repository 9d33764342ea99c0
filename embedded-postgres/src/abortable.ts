import { once } from "node:events";

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted; `work` itself goes on. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  work.catch(() => {}); // after an abort its failure is irrelevant
  signal.throwIfAborted();
  const settled = new AbortController();
  const aborted = once(signal, "abort", { signal: settled.signal }).then(() => {
    throw signal.reason;
  });
  return Promise.race([work, aborted]).finally(() => settled.abort()) as Promise<T>;
}
