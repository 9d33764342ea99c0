/**
 * Stops random processes below another one for a moment, as a busy or virtual machine does: SIGSTOP, and SIGCONT after 30 ms
 * to two seconds. Linux only.
 */
import { readdirSync, readFileSync } from "node:fs";

const EVERY_MS = 50;
const AT_ONCE = 4;
const DURATIONS_MS = [30, 100, 300, 300, 1_000, 2_000];

/** Until `stop`, which lets all of them go on. */
export function startStalls(rootPid) {
  const stalled = new Map();
  let count = 0;
  const release = (pid) => {
    clearTimeout(stalled.get(pid));
    stalled.delete(pid);
    signal(pid, "SIGCONT");
  };
  const timer = setInterval(() => {
    const pid = oneOf(descendantsOf(rootPid));
    if (pid === undefined || stalled.has(pid) || stalled.size >= AT_ONCE || !signal(pid, "SIGSTOP")) return;
    count++;
    stalled.set(pid, setTimeout(release, oneOf(DURATIONS_MS), pid));
  }, EVERY_MS);
  return {
    count: () => count,
    stop() {
      clearInterval(timer);
      for (const pid of [...stalled.keys()]) release(pid);
    },
  };
}

const oneOf = (items) => items[Math.floor(Math.random() * items.length)];

/** False if the process has ended. */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function descendantsOf(rootPid) {
  const childrenOf = new Map();
  for (const pid of readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const parent = parentOf(pid);
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), pid]);
  }
  const found = [];
  for (const pids = [rootPid]; pids.length > 0; ) {
    const children = childrenOf.get(pids.pop()) ?? [];
    found.push(...children);
    pids.push(...children);
  }
  return found;
}

/** Undefined if the process has ended. */
function parentOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1]);
  } catch {
    return undefined;
  }
}
