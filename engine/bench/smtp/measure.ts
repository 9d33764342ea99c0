/**
 * Measures one checker with one shape: a fresh lab in its own process, the checker in another, and the lab's counts
 * afterwards.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { HostsSeen, LabReady, LabRequest } from "./lab-process.ts";
import { LATENCY_MS, listOf, type Shape, warmUpList } from "./shapes.ts";
import { tallyVerdicts, type VerdictTally } from "./verdict-tally.ts";

/**
 * A program that checks a list. It writes one line per address: the address, a tab, and its own word for the verdict; or
 * the API's JSON. A line `# warm` asks for permission to begin. A line `# {…}` has figures that the program measured itself.
 */
export type Checker = {
  readonly name: string;
  command(run: CheckerRun): { command: string; args: string[]; env?: Record<string, string> };
};

export type CheckerRun = {
  /** Lines of address, host and right answer, separated by tabs. Only the raw client may read the answer. */
  listFile: string;
  /** Lines with the address only. */
  emailsFile: string;
  /** The same for the warm-up; none of them is in the list. */
  warmUpFile: string;
  /** JSON object of host name → IP address. */
  addressesFile: string;
  connections: number;
};

/** Measured inside a program that was started before the measurement. */
export type OwnFigures = { seconds: number; cpuSeconds: number; peakRssMiB?: number };

export type Measurement = OwnFigures &
  HostsSeen &
  VerdictTally & {
    checker: string;
    rate: number;
    cpuMsPerHost: number;
    /** Time that its round trips take on all allowed connections at once, as a share of the time it took. */
    busyShare: number;
    /** CPU time of the lab as a share of the time; near 1 the lab itself is the limit. */
    labShare: number;
  };

export type MeasureOptions = {
  ports?: LabRequest["ports"];
  /** Directory for `--cpu-prof` of the checker. */
  profileDirectory?: string | undefined;
  /** Further settings of the engine, such as ENGINE_THREADS. The environment of the caller is not inherited. */
  settings?: Record<string, string>;
};

/** No checker needs as long as this; one that does is stopped, and the addresses left count as unanswered. */
const LIMIT_MS = 15 * 60_000;

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const onTsx = ["--import", "tsx"];

export const RAW_CLIENT: Checker = {
  name: "raw client",
  command: ({ listFile, addressesFile, connections }) => ({
    command: process.execPath,
    args: [...onTsx, here("raw-client.ts"), listFile, String(connections)],
    env: { ADDRESSES: addressesFile },
  }),
};

export const LIBRARY: Checker = {
  name: "mailvet library",
  command: ({ emailsFile, warmUpFile }) => ({
    command: process.execPath,
    args: [...onTsx, here("library.ts"), emailsFile, warmUpFile],
  }),
};

export const SERVICE: Checker = {
  name: "mailvet service",
  command: ({ emailsFile, warmUpFile }) => ({
    command: process.execPath,
    args: [...onTsx, here("../../../service/bench/list-checker.ts"), emailsFile, warmUpFile],
  }),
};

export const CLI: Checker = {
  name: "mailvet CLI",
  command: ({ emailsFile }) => ({
    command: process.execPath,
    args: [here("../../../cli/bin/mailvet.mjs"), "check", "--json", "--file", emailsFile],
  }),
};

/** For a benchmark's main file: Ctrl-C ends the checker too, which is in a process group of its own. */
export function stopOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
}

export async function measure(
  checker: Checker,
  shape: Shape,
  { ports, profileDirectory, settings }: MeasureOptions = {},
): Promise<Measurement> {
  const list = listOf(shape);
  const directory = mkdtempSync(join(tmpdir(), "mailvet-bench-"));
  const run: CheckerRun = {
    listFile: join(directory, "list.tsv"),
    emailsFile: join(directory, "emails.txt"),
    warmUpFile: join(directory, "warm-up.txt"),
    addressesFile: join(directory, "addresses.json"),
    connections: shape.connections,
  };
  const lab = fork(here("lab-process.ts"), { execArgv: onTsx });
  try {
    lab.send({ shape, ...(ports && { ports }) } satisfies LabRequest);
    const { nameServer, smtpPort, addresses } = await messageFrom<LabReady>(lab);
    writeFileSync(
      run.listFile,
      list.map(({ email, host, answer }) => `${email}\t${host}\t${answer}\n`).join(""),
    );
    writeFileSync(run.emailsFile, list.map(({ email }) => `${email}\n`).join(""));
    writeFileSync(
      run.warmUpFile,
      warmUpList(shape)
        .map((email) => `${email}\n`)
        .join(""),
    );
    writeFileSync(run.addressesFile, JSON.stringify(addresses));

    const { command, args, env } = checker.command(run);
    const profile = profileDirectory && ["--cpu-prof", `--cpu-prof-dir=${profileDirectory}`];
    const baseEnv = {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      DNS_SERVERS: nameServer,
      SMTP_PORT: String(smtpPort),
      EGRESS_ALLOW: "127.0.0.0/8",
      EHLO_NAME: "prober.test",
      MAIL_FROM: "probe@prober.test",
      CONNECTIONS_PER_HOST: String(shape.connections),
    };
    // Every checker meets a warm lab, also those that have no warm-up of their own.
    await runChecker(process.execPath, [...onTsx, here("library.ts"), run.warmUpFile], { env: baseEnv });
    let before = await seenBy(lab);
    const outcome = await runChecker(command, [...(profile || []), ...args], {
      env: { ...baseEnv, ...settings, ...env },
      onWarm: async () => {
        before = await seenBy(lab);
      },
    });
    const seen = since(before, await seenBy(lab));
    const { seconds, cpuSeconds } = outcome.figures;
    return {
      checker: checker.name,
      ...outcome.figures,
      ...seen,
      ...tallyVerdicts(list, outcome.words),
      rate: list.length / seconds,
      cpuMsPerHost: (cpuSeconds * 1000) / shape.hosts,
      busyShare: (seen.roundTrips * LATENCY_MS) / 1000 / (shape.hosts * shape.connections) / seconds,
      labShare: seen.labCpuSeconds / seconds,
    };
  } finally {
    lab.disconnect();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** `times` of the shell has the CPU time of the program and of all its threads, in any language. */
const TIMED = `"$@"; code=$?; times >&3; exit $code`;

async function runChecker(
  command: string,
  args: readonly string[],
  options: { env: Record<string, string>; onWarm?: () => Promise<void> },
): Promise<{ figures: OwnFigures; words: Map<string, string> }> {
  const started = performance.now();
  const child = spawn("sh", ["-c", TIMED, "sh", command, ...args], {
    env: options.env,
    stdio: ["pipe", "pipe", "inherit", "pipe"],
    detached: true, // its own process group, so that the program is stopped with its shell
  });
  const stop = () => process.kill(-child.pid!, "SIGKILL");
  const limit = setTimeout(stop, LIMIT_MS);
  process.once("exit", stop);
  const words = new Map<string, string>();
  let own: OwnFigures | undefined;
  let times = "";
  child.stdin!.on("error", () => {}); // the program does not read it
  child.stdio[3]!.on("data", (chunk: Buffer) => {
    times += chunk.toString();
  });
  createInterface({ input: child.stdout! }).on("line", (line) => {
    if (line === "# warm") void Promise.resolve(options.onWarm?.()).then(() => child.stdin!.write("begin\n"));
    else if (line.startsWith("# ")) own = JSON.parse(line.slice(2)) as OwnFigures;
    else words.set(...verdictIn(line));
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  clearTimeout(limit);
  process.off("exit", stop);
  if (code !== 0) console.error(`${command} ended with ${signal ?? `exit code ${code}`}`);
  const seconds = (performance.now() - started) / 1000;
  return { figures: own ?? { seconds, cpuSeconds: cpuSecondsIn(times) }, words };
}

function verdictIn(line: string): [email: string, word: string] {
  if (!line.startsWith("{")) return line.split("\t", 2) as [string, string];
  const { email, status } = JSON.parse(line) as { email: string; status: string };
  return [email, status];
}

/** The second line of `times` is user and system time of the children, as `0m1.234s 0m0.567s`. */
export function cpuSecondsIn(times: string): number {
  const children = times.trimEnd().split("\n")[1] ?? "";
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

async function seenBy(lab: ChildProcess): Promise<HostsSeen> {
  lab.send("report");
  return messageFrom<HostsSeen>(lab);
}

function since(before: HostsSeen, after: HostsSeen): HostsSeen {
  const difference = Object.fromEntries(
    Object.entries(after).map(([key, value]) => [key, value - before[key as keyof HostsSeen]]),
  ) as HostsSeen;
  return { ...difference, mostAtOnce: after.mostAtOnce };
}

/** The next message of the lab; rejects when it ends instead. */
async function messageFrom<T>(lab: ChildProcess): Promise<T> {
  const ended = new AbortController();
  const onExit = () => ended.abort(new Error("The lab has ended"));
  lab.once("exit", onExit);
  try {
    const [message] = await once(lab, "message", { signal: ended.signal });
    return message as T;
  } finally {
    lab.off("exit", onExit);
  }
}
