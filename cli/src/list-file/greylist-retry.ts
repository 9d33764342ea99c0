/**
 * Retry queue for emails whose check was undecided and may succeed later: which to retry, and when.
 * Kept on disk and processed in rounds: an email that is deferred again waits for the next round.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ValidationResult } from "@mailvet/contract";
import { openLineFile } from "./temp-file.ts";

/** An email, its row in the list, and how often it was checked. */
export type ListedEmail = { row: number; email: string; attempts: number };

export type GreylistRetries = Disposable & {
  /** Emails in the queue. */
  readonly count: number;
  /** Queues the email if a retry may settle it and is due before `deadlineMs`. */
  add(item: ListedEmail, result: ValidationResult, deadlineMs: number): void;
  /** The emails queued now, each when it is due. Those added meanwhile belong to the next round. */
  round(signal: AbortSignal, onWait: (dueAtMs: number) => void): AsyncGenerator<ListedEmail>;
};

/** Sub-statuses that a later retry may settle. */
const DEFERRED: ReadonlySet<string> = new Set([
  "greylisted",
  "rate_limited",
  "temporary_error",
  "server_untrusted",
]);
/** Some servers defer for ever. Each wait is twice the last one. */
const MAX_ATTEMPTS = 4;
/** Clocks differ, and some servers mean "after" when they say "in". */
const MARGIN = 1.05;
const MARGIN_MS = 1000;

export function openGreylistRetries(): GreylistRetries {
  let file = openLineFile();
  let count = 0;
  return {
    get count() {
      return count;
    },
    add({ row, email, attempts }, { sub_status, metadata: { retry_after: seconds } }, deadlineMs) {
      if (!DEFERRED.has(sub_status) || seconds === null || attempts >= MAX_ATTEMPTS) return;
      const dueAtMs = Date.now() + seconds * 1000 * 2 ** (attempts - 1) * MARGIN + MARGIN_MS;
      if (dueAtMs > deadlineMs) return;
      file.append(JSON.stringify({ row, email, attempts, dueAtMs } satisfies QueuedRetry));
      count++;
    },
    async *round(signal, onWait) {
      using current = file;
      file = openLineFile();
      for (const line of current.lines()) {
        const { dueAtMs, ...item } = JSON.parse(line) as QueuedRetry;
        const waitMs = dueAtMs - Date.now();
        if (waitMs > 0) {
          onWait(dueAtMs);
          await sleep(waitMs, undefined, { signal });
        }
        count--;
        yield item;
      }
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

type QueuedRetry = ListedEmail & { dueAtMs: number };
