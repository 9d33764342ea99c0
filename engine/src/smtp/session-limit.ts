/** Concurrent sessions to all mail hosts together: as many as are useful, and as this process may open files for. */
import { readFileSync } from "node:fs";

/** In the long tail of `npm run bench:smtp`, with one thread, a sixth to a fifth faster than 400; 800 are no faster. */
const MOST_USEFUL = 600;
/** For name servers, HTTP, the database and files; half of the open files where there are few. */
const RESERVED = 256;

export function sessionLimit(openFiles = openFileLimit()): number {
  const reserved = Math.min(RESERVED, Math.ceil(openFiles / 2));
  return Math.max(1, Math.min(MOST_USEFUL, openFiles - reserved));
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
