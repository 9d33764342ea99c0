/** Writes that must not be lost while the database is away: repeated until they succeed or the service stops. */
import { setTimeout as delay } from "node:timers/promises";
import type { LogEvent } from "../base/log-events.ts";
import { isDatabaseOverloaded, isDatabaseUnavailable } from "./database.ts";

export type RepeatedWrites = {
  /** Resolves after the first attempt; further ones are in the background, and lost if the process is killed. */
  write(work: () => Promise<unknown>): Promise<void>;
  /** Each of those that wait gets a last attempt. */
  close(): Promise<void>;
};

const RETRY_MS = 1_000;

export function createRepeatedWrites(log: LogEvent): RepeatedWrites {
  const closing = new AbortController();
  const waiting = new Set<Promise<void>>();

  /** Whether it is over. */
  const attempt = (work: () => Promise<unknown>): Promise<boolean> =>
    work().then(
      () => true,
      (error) => {
        const isTemporary = isDatabaseUnavailable(error) || isDatabaseOverloaded(error);
        if (isTemporary && !closing.signal.aborted) return false;
        log("write_given_up", { err: error });
        return true;
      },
    );

  async function repeat(work: () => Promise<unknown>): Promise<void> {
    do await delay(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
    while (!(await attempt(work)));
  }

  return {
    async write(work) {
      if (await attempt(work)) return;
      const repeated = repeat(work).finally(() => waiting.delete(repeated));
      waiting.add(repeated);
    },
    async close() {
      closing.abort();
      await Promise.all(waiting);
    },
  };
}
