/**
 * A copy of this machine for one mail server to be installed and run in.
 *
 * The copy shares our network and nothing else: its files are a layer in memory over ours, its processes end
 * with it. So packages that exclude each other stand side by side, and nothing is left behind. Needs root, a
 * Debian or a relative of it, and a mirror within reach.
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
  /** The shell script that installs the server and becomes it. */
  setUp: string;
  /** What the script is told. */
  setUpArguments: readonly string[];
  /** Login names of the users it has. */
  mailboxes: readonly string[];
  /** Where the server will listen. */
  doors: readonly { address: string; port: number }[];
};

const SCRIPT = join(import.meta.dirname, "sealed-machine.sh");
const INSTALL_MS = 5 * 60_000;
const LOOK_MS = 500;

export async function openSealedMachine(options: MachineOptions): Promise<SealedMachine> {
  const directory = await mkdtemp(join(tmpdir(), "mailvet-real-server-"));
  await Promise.all(["machine", "log"].map((name) => mkdir(join(directory, name))));
  await writeFile(join(directory, "mailboxes"), options.mailboxes.map((name) => `${name}\n`).join(""));

  // However we end, the kernel ends the machine and everything inside with us.
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
      Promise.all(options.doors.map(({ address, port }) => untilItGreets(address, port))),
      ended.then(() => Promise.reject(new Error(`${options.hostName} ended while it was being set up`))),
    ]);
    const read = (name: string) => readFile(join(directory, "log", name), "utf8");
    const version = (await read("version")).trim();
    return { version, log: () => read("server"), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function untilItGreets(address: string, port: number): Promise<void> {
  const deadline = performance.now() + INSTALL_MS;
  while (performance.now() < deadline) {
    if (await greets(address, port)) return;
    await pause(LOOK_MS);
  }
  throw new Error(`Nobody answers at ${address}:${port}`);
}

/** A short and polite visit, so that the log does not begin with a connection that was lost. */
function greets(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    let heard = "";
    socket.setTimeout(15_000, () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      heard += chunk.toString("latin1");
      if (/^220 .*\r\n$/m.test(heard)) socket.end("QUIT\r\n");
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(/^220 /m.test(heard)));
  });
}
