/**
 * Runs a program in a network namespace that has nothing but loopback, with a private /etc/resolv.conf.
 *
 * The peers use the resolver of the system and port 25. In the namespace both are the lab's, and no packet can leave it.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";

export const NAMESPACE_PORTS = { smtpPort: 25, dnsPort: 53 };

/** Root needs no user namespace; others are root in one of their own. */
const UNSHARE = ["--net", "--mount", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];

/**
 * nsswitch.conf and the socket directory of nscd are replaced too: a resolver daemon that is reached by a Unix socket would
 * ask name servers outside the namespace.
 */
const SETUP = `set -e
ip link set lo up
mount --bind "$1/resolv.conf" /etc/resolv.conf
if [ -e /etc/nsswitch.conf ]; then mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf; fi
if [ -d /run/nscd ]; then mount -t tmpfs none /run/nscd; fi
shift
exec "$@"`;

/** Undefined when namespaces work here, else the reason. */
export function namespaceProblem(): string | undefined {
  const { status, stderr, error } = runSync(["true"]);
  if (status === 0) return undefined;
  return error?.message ?? `unshare: ${stderr.trim() || `exit code ${status}`}`;
}

function runSync(command: string[]) {
  const files = writeFiles();
  try {
    return spawnSync("unshare", unshareArgs(files, command), { encoding: "utf8", timeout: 60_000 });
  } finally {
    rmSync(files, { recursive: true });
  }
}

/** Resolves to the exit code. */
export async function runInNamespace(command: string[]): Promise<number> {
  const files = writeFiles();
  try {
    const child = spawn("unshare", unshareArgs(files, command), { stdio: "inherit" });
    const stop = () => child.kill();
    process.once("exit", stop);
    const [code] = (await once(child, "close")) as [number | null];
    process.off("exit", stop);
    return code ?? 1;
  } finally {
    rmSync(files, { recursive: true });
  }
}

/** Called inside: throws if there is any network besides loopback. */
export function assertLoopbackOnly(): void {
  const others = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.some(({ internal }) => !internal) ? [name] : [],
  );
  if (others.length > 0) throw new Error(`Not in a network namespace: there is ${others.join(", ")}`);
}

function writeFiles(): string {
  const directory = mkdtempSync(join(tmpdir(), "mailvet-namespace-"));
  writeFileSync(join(directory, "resolv.conf"), "nameserver 127.0.0.1\n");
  writeFileSync(join(directory, "nsswitch.conf"), "hosts: files dns\n");
  return directory;
}

function unshareArgs(files: string, command: string[]): string[] {
  return [...UNSHARE, "sh", "-c", SETUP, "sh", files, ...command];
}
