/**
 * An isolated copy of this machine to install and run one mail server in.
 *
 * The copy shares only the network: its files are an in-memory overlay over ours, its processes end with it. So
 * conflicting packages can be tested side by side, and nothing is left behind. Needs root, Debian or a derivative,
 * and a mirror.
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
  /** The shell script that installs the server and then runs it. */
  setUp: string;
  /** Arguments of the script. */
  setUpArguments: readonly string[];
  /** Login names of its users. */
  mailboxes: readonly string[];
  /** Where the server will listen. */
  endpoints: readonly { address: string; port: number }[];
};

const SCRIPT = join(import.meta.dirname, "sealed-machine.sh");
const INSTALL_MS = 5 * 60_000;
const LOOK_MS = 500;

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
      Promise.all(options.endpoints.map(({ address, port }) => untilBanner(address, port))),
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

async function untilBanner(address: string, port: number): Promise<void> {
  const deadline = performance.now() + INSTALL_MS;
  while (performance.now() < deadline) {
    if (await sendsBanner(address, port)) return;
    await pause(LOOK_MS);
  }
  throw new Error(`No server answers at ${address}:${port}`);
}

/** A short session with QUIT, so that the log does not begin with a lost connection. */
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
