/**
 * Emails whose server asked us to come back later, as many do to tell mail from spam: who waits, and until when.
 * Kept on disk, in rounds: whoever is put off again waits for the next one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ValidationResult } from "@mailvet/contract";
import { openLineFile } from "./temp-file.ts";

/** An email, the row it stands in, and how often it was asked for. */
export type Asked = { row: number; email: string; times: number };

export type SecondAsking = Disposable & {
  /** How many wait. */
  readonly count: number;
  /** It waits from now on, if that may settle it and its time comes before `latestMs`. */
  add(asked: Asked, result: ValidationResult, latestMs: number): void;
  /** Everyone who waits now, each when its time has come; those who are added meanwhile are for the next round. */
  round(signal: AbortSignal, onWait: (dueAtMs: number) => void): AsyncGenerator<Asked>;
};

/** What a server says that means to be asked again. */
const PUT_OFF: ReadonlySet<string> = new Set(["greylisted", "rate_limited", "temporary_error"]);
/** A server that puts everybody off for ever is believed in the end; until then each wait is twice the last. */
const MOST_TIMES = 4;
/** Clocks differ, and some servers mean "after" when they say "in". */
const MARGIN = 1.05;
const MARGIN_MS = 1000;

export function openSecondAsking(): SecondAsking {
  let file = openLineFile();
  let count = 0;
  return {
    get count() {
      return count;
    },
    add({ row, email, times }, { sub_status, metadata: { retry_after: seconds } }, latestMs) {
      if (!PUT_OFF.has(sub_status) || seconds === null || times >= MOST_TIMES) return;
      const dueAtMs = Date.now() + seconds * 1000 * 2 ** (times - 1) * MARGIN + MARGIN_MS;
      if (dueAtMs > latestMs) return;
      file.append(JSON.stringify({ row, email, times, dueAtMs } satisfies Waiting));
      count++;
    },
    async *round(signal, onWait) {
      using present = file;
      file = openLineFile();
      for (const line of present.lines()) {
        const { dueAtMs, ...asked } = JSON.parse(line) as Waiting;
        const waitMs = dueAtMs - Date.now();
        if (waitMs > 0) {
          onWait(dueAtMs);
          await sleep(waitMs, undefined, { signal });
        }
        count--;
        yield asked;
      }
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

type Waiting = Asked & { dueAtMs: number };
