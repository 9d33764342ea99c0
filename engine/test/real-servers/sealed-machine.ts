/**
 * An isolated copy of this machine, in which one mail server is installed and runs.
 *
 * The copy shares only the network: its files are an in-memory layer over the real ones, and its processes end with it.
 * So conflicting packages can run side by side, and nothing is left behind. Needs root, a Debian-based system and a
 * reachable mirror.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export type SealedMachine = AsyncDisposable & {
  /** The Debian version of the server's package. */
  readonly version: string;
  /** Everything the server has logged so far. */
  log(): Promise<string>;
};

export type MachineOptions = {
  hostName: string;
  /** The shell script that installs and runs the server. */
  setUp: string;
  /** Arguments of the script. */
  setUpArguments: readonly string[];
  /** Login names of its users. */
  mailboxes: readonly string[];
  /** Where the server will listen. */
  listeners: readonly { address: string; port: number }[];
};

const SCRIPT = join(import.meta.dirname, "sealed-machine.sh");
const INSTALL_MS = 5 * 60_000;
const POLL_MS = 500;

export async function openSealedMachine(options: MachineOptions): Promise<SealedMachine> {
  const directory = await mkdtemp(join(tmpdir(), "mailvet-real-server-"));
  await Promise.all(["machine", "log"].map((name) => mkdir(join(directory, name))));
  await writeFile(join(directory, "mailboxes"), options.mailboxes.map((name) => `${name}\n`).join(""));

  // However this process ends, the kernel ends the machine and everything inside with it.
  const sealed = ["--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child"];
  const script = ["sh", SCRIPT, directory, options.hostName, options.setUp, ...options.setUpArguments];
  const machine = spawn("setpriv", [...sealed, ...script], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(machine, "exit");
  const close = async () => {
    machine.kill("SIGKILL");
    await ended;
    await rm(directory, { recursive: true, force: true });
  };

  try {
    await Promise.race([
      Promise.all(options.listeners.map(({ address, port }) => waitForBanner(address, port))),
      ended.then(() => Promise.reject(new Error(`${options.hostName} ended during its set-up`))),
    ]);
    const read = (name: string) => readFile(join(directory, "log", name), "utf8");
    const version = (await read("version")).trim();
    return { version, log: () => read("server"), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function waitForBanner(address: string, port: number): Promise<void> {
  const deadline = performance.now() + INSTALL_MS;
  while (performance.now() < deadline) {
    if (await sendsBanner(address, port)) return;
    await pause(POLL_MS);
  }
  throw new Error(`no banner from ${address}:${port}`);
}

/** Ends with QUIT, so that the log does not begin with a lost connection. */
function sendsBanner(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    let received = "";
    socket.setTimeout(15_000, () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
      if (/^220 .*\r\n$/m.test(received)) socket.end("QUIT\r\n");
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(/^220 /m.test(received)));
  });
}
