/**
 * Identifies a process beyond its pid: the pid may belong to a zombie or may have been reused. Reads procfs, or runs `ps`
 * where there is none.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readlinkSync } from "node:fs";

const HAS_PROCFS = existsSync("/proc/self/stat");

/** The start time of the process, as text to compare; undefined for a zombie or when there is no such process. */
export function startTimeOf(pid: number): string | undefined {
  if (!HAS_PROCFS) return askPs(pid);
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The program name is in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, ticksSinceBoot] = [fields[0], fields[19]];
  if (state === "Z" || state === "X" || ticksSinceBoot === undefined) return undefined;
  const boot = readText("/proc/sys/kernel/random/boot_id")?.slice(0, 8) ?? "";
  return `${ticksSinceBoot}@${boot}`;
}

/** Cheaper than `startTimeOf` where there is no procfs, for polling; counts zombies there. */
export function isRunning(pid: number): boolean {
  if (HAS_PROCFS) return startTimeOf(pid) !== undefined;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Whether the process is a server of this data directory: by its working directory, or its command line without procfs. */
export function worksIn(pid: number, directory: string): boolean {
  if (!HAS_PROCFS) return ps(pid, "command=").includes(` ${directory}`);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    return false;
  }
}

function askPs(pid: number): string | undefined {
  const [state = "", ...since] = ps(pid, "stat=,lstart=").split(/\s+/);
  return state === "" || state.startsWith("Z") ? undefined : since.join("-");
}

function ps(pid: number, columns: string): string {
  const { stdout } = spawnSync("ps", ["-ww", "-o", columns, "-p", String(pid)], {
    env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
    encoding: "utf8",
  });
  return (stdout ?? "").trim();
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
