/** Concurrent sessions to all mail hosts together: as many as are useful, and as this process may open files for. */
import { readFileSync } from "node:fs";

export type SessionLimits = {
  /** Sessions that are not silent. */
  working: number;
  /** All of them, some for interactive requests only; see throttle/global-limiter.ts. */
  open: number;
};

/** In the long tail of `npm run bench:smtp`, with one thread, a sixth to a fifth faster than 400; 800 are no faster. */
const MOST_USEFUL = 600;
/** More than the addresses of one list in flight, so that the silent hosts of a list leave some to others. */
const MOST_OPEN = 6000;
/** For name servers, HTTP, the database and files; half of the open files where there are few. */
const RESERVED = 2048;

export function sessionLimits(openFiles = openFileLimit()): SessionLimits {
  const reserved = Math.min(RESERVED, Math.ceil(openFiles / 2));
  const upTo = (most: number) => Math.max(1, Math.min(most, openFiles - reserved));
  return { working: upTo(MOST_USEFUL), open: upTo(MOST_OPEN) };
}

/** Of Linux. Node raises it as far as it may when it starts. */
function openFileLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(limit ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
