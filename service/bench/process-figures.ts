/** CPU time and memory of a process and its children, from Linux. */
import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second (USER_HZ), 100 on all common Linux architectures. */
const CLOCK_TICKS = 100;

/** Of the process with all its threads. */
export function cpuSecondsOf(pid: number): number {
  const { user, system } = statOf(pid);
  return (user + system) / CLOCK_TICKS;
}

/** Of a server that forks: itself, its running children, and those that have ended. */
export function cpuSecondsOfTree(pid: number): number {
  const { user, system, endedChildren } = statOf(pid);
  return childrenOf(pid).reduce(
    (sum, child) => sum + cpuSecondsOf(child),
    (user + system + endedChildren) / CLOCK_TICKS,
  );
}

/** Peak resident memory of the process, in MiB. */
export function peakOf(pid: number): number {
  const kib = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1024;
}

function statOf(pid: number) {
  // The program name, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ")
    .map(Number);
  return {
    parent: fields[1],
    user: fields[11]!,
    system: fields[12]!,
    endedChildren: fields[13]! + fields[14]!,
  };
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        return statOf(child).parent === pid;
      } catch {
        return false; // it has just ended
      }
    });
}
