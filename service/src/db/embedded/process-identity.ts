/**
 * Which process a number stands for. A pid alone says little: its process may have died and been left unburied
 * (a zombie), or the number may belong to somebody else by now. Asks procfs, and `ps` where there is none.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readlinkSync } from "node:fs";

const HAS_PROCFS = existsSync("/proc/self/stat");

/** When the process began, as text to compare; undefined when there is no such process, or only its zombie. */
export function beginningOf(pid: number): string | undefined {
  if (!HAS_PROCFS) return askPs(pid);
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name of the program stands in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, ticksSinceBoot] = [fields[0], fields[19]];
  if (state === "Z" || state === "X" || ticksSinceBoot === undefined) return undefined;
  const boot = readText("/proc/sys/kernel/random/boot_id")?.slice(0, 8) ?? "";
  return `${ticksSinceBoot}@${boot}`;
}

/** Cheaper than `beginningOf` where there is no procfs, for asking again and again; zombies may pass there. */
export function isRunning(pid: number): boolean {
  if (HAS_PROCFS) return beginningOf(pid) !== undefined;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** A server lives in its data directory: the working directory where procfs shows it, else its command line. */
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
