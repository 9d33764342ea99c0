/** Signals at any moment: the program ends by itself, leaves nothing running, and the next start works. */
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { greetsAfter, mailDomain, openLab, saysNothing } from "@mailvet/lab";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { deferred } from "../../engine/src/deferred.ts";
import {
  freePort,
  hasStarted,
  openProgramInstallation,
  type Program,
  processesIn,
  processesNaming,
  untilUnderWay,
} from "./program.ts";

const KEY = "a-key-that-the-operator-chose";
/** Below the limit of a test. */
const PATIENCE_MS = 540_000;
/** Printed when the shutdown deadline has passed. */
const FORCED = "not everything was closed";
const CHECKS_WITHOUT_END = { SINGLE_BUDGET_SECONDS: "600", PROBE_TIMEOUT_SECONDS: "600" };
const ROUNDS = 10;
/** Each with an installation of its own, in which all three are interrupted twice. */
const FIRST_ROUNDS = Array.from({ length: ROUNDS / 2 }, (_, round) => round);

/** A moment in each of `ROUNDS` equal parts of a duration, and a little beyond its end. */
const momentOf = (round: number, durationMs: number) => ((round + Math.random()) / ROUNDS) * durationMs * 1.1;

const signalOf = (round: number) => (round % 2 === 0 ? "SIGTERM" : "SIGINT");

/** It caught the signal and stopped cleanly; or the signal came before its first line of code ran. */
async function expectCleanEnd(program: Program, signal: NodeJS.Signals, dataDirectory: string) {
  const code = await program.exit();
  const what = `${signal}: ${program.output()}`;
  if (code === null && program.output() === "") expect(program.child.signalCode, what).toBe(signal);
  else expect(code, what).toBe(0);
  expect(program.output()).not.toContain(FORCED);
  await untilNothingIsLeft(dataDirectory);
}

async function untilNothingIsLeft(dataDirectory: string): Promise<void> {
  await vi.waitFor(
    () => expect([...processesIn(dataDirectory), ...processesNaming(dataDirectory)]).toEqual([]),
    PATIENCE_MS,
  );
}

describe("a signal at 30 moments of first start, second start and stop: a clean end each time, and the next start works", () => {
  const env: Record<string, string> = { BOOTSTRAP_API_KEY: KEY, LOG_LEVEL: "warn" };
  let durations: Awaited<ReturnType<typeof measure>>;
  beforeAll(async () => {
    env.PORT = String(await freePort());
    durations = await measure(env);
  });

  test.each(FIRST_ROUNDS)("moment %i of each half", async (installed) => {
    await using installation = openProgramInstallation();
    // The earlier of two first starts is interrupted in its first half, before there is a database, so that the later one
    // is a first start too.
    const rounds = [installed, installed + ROUNDS / 2];

    for (const durationMs of [durations.firstStartMs, durations.secondStartMs]) {
      for (const round of rounds) {
        const interrupted = installation.launch(env);
        await pause(momentOf(round, durationMs));
        interrupted.child.kill(signalOf(round));
        await expectCleanEnd(interrupted, signalOf(round), installation.dataDirectory);
        if (existsSync(installation.dataDirectory)) {
          expect(readdirSync(installation.dataDirectory).filter((name) => name.includes(".new-"))).toEqual(
            [],
          );
        }
      }
    }

    // Its port is free again, and the data directory left by interrupted starts, or by an interrupted stop, is usable.
    const startAndStop = async (round: number) => {
      const program = await installation.start(env);
      expect(program.url, program.output()).not.toBe("");
      const answer = await fetch(`${program.url}/api/v1/account`, { headers: { "x-api-key": KEY } });
      expect(answer.status).toBe(200);
      program.child.kill(signalOf(round));
      return program;
    };
    const twice = await startAndStop(installed);
    await pause(momentOf(2 * installed + 1, durations.stopMs));
    twice.child.kill("SIGTERM");
    // The second signal counts as such after a second; until then, or when all is done by then, the end is clean.
    // It may also arrive when the handlers are gone already.
    expect([0, 143, "SIGTERM"]).toContain((await twice.exit()) ?? twice.child.signalCode);
    expect(twice.output()).not.toContain(FORCED);
    await untilNothingIsLeft(installation.dataDirectory);

    const after = await startAndStop(installed + 1);
    await expectCleanEnd(after, signalOf(installed + 1), installation.dataDirectory);
  });
});

/** Measures start and stop on this machine. */
async function measure(env: Record<string, string>) {
  await using installation = openProgramInstallation();
  const timed = async (work: () => Promise<unknown>) => {
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };
  let program = installation.launch(env);
  const firstStartMs = await timed(() => hasStarted(program));
  program.child.kill("SIGTERM");
  const stopMs = await timed(() => program.exit());
  program = installation.launch(env);
  const secondStartMs = await timed(() => hasStarted(program));
  return { firstStartMs, secondStartMs, stopMs };
}

/** Of the tests below: the first of them is its first start, and each starts after what the one before left. */
const installation = openProgramInstallation();
afterAll(() => installation[Symbol.asyncDispose]());

test("the service is ready only when the operator's key exists", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = installation.launch({ PORT: String(port), BOOTSTRAP_API_KEY: KEY });
  const statuses = new Set<number>();
  while (!statuses.has(200)) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined); // it does not listen yet
    if (answer) statuses.add(answer.status);
    if (program.child.exitCode !== null) throw new Error(program.output());
    await pause(5); // timing: poll interval
  }
  const answer = await fetch(`${url}/api/v1/account`, { headers: { "x-api-key": KEY } });
  expect(answer.status).toBe(200);
  for (const status of statuses) expect([200, 503]).toContain(status);
  program.child.kill("SIGTERM");
  expect(await program.exit()).toBe(0);
});

test("a second signal ends a waiting shutdown at once, with the exit code of the signal and no server left behind", async () => {
  await using lab = await openLab({ "mute.test": mailDomain({ temper: saysNothing({ at: "banner" }) }) });
  // Neither the check nor the shutdown may end by itself.
  const patience = { ...CHECKS_WITHOUT_END, STOP_TIMEOUT_SECONDS: "600" };
  const env = { BOOTSTRAP_API_KEY: KEY, ...lab.env, ...patience };
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const) {
    const program = await installation.start(env);
    const waiting = fetch(`${program.url}/api/v1/validation/single?email=ann@mute.test`, {
      headers: { "x-api-key": KEY },
    });
    waiting.catch(() => {});
    await untilUnderWay(program, 1);
    program.child.kill("SIGTERM");
    const again = setInterval(() => program.child.kill(signal), 200);
    // The next signal may arrive when the handlers are gone already. Shells report both the same.
    expect([code, signal]).toContain((await program.exit()) ?? program.child.signalCode);
    clearInterval(again);
    expect(program.output()).not.toContain("has stopped");
    await untilNothingIsLeft(installation.dataDirectory);
    await expect(waiting).rejects.toThrow();
  }
});

test("a start that waits for a silent database ends at a signal", async () => {
  const silent = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as { port: number };
  const connected = once(silent, "connection");
  const program = installation.launch({ DATABASE_URL: `postgres://mailvet@127.0.0.1:${port}/mailvet` });
  const [socket] = (await connected) as [Socket];
  program.child.kill("SIGTERM");
  expect(await program.exit()).toBe(0);
  expect(program.output()).toContain("mailvet has stopped");
  expect(program.output()).not.toContain(FORCED);
  socket.destroy();
  silent.close();
});

const HEAD = `POST /api/v1/validation/single HTTP/1.1\r\nHost: mailvet\r\nX-API-Key: ${KEY}\r\n`;
const HALF_BODY = `${HEAD}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{`;

test("100 silent connections do not delay shutdown, and a request in flight is answered", async () => {
  const end = deferred<void>();
  await using lab = await openLab({
    "held.test": mailDomain({ users: ["ann"], temper: greetsAfter(end.promise) }),
  });
  const program = await installation.start({ BOOTSTRAP_API_KEY: KEY, ...lab.env, ...CHECKS_WITHOUT_END });
  const { hostname, port } = new URL(program.url);
  const clients = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {}); // they are cut off in the end
      await once(socket, "connect");
      if (n % 4 === 1) socket.write("POST /api/v1/valid");
      if (n % 4 === 2) socket.write(HALF_BODY);
      if (n % 4 === 3) {
        socket.write("GET /health/live HTTP/1.1\r\nHost: mailvet\r\n\r\n");
        await once(socket, "data"); // from here on it is a keep-alive connection
      }
      return socket;
    }),
  );
  const answers = clients.map(async (socket, n) => {
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    await once(socket, "close");
    return { kind: n % 4, status: received.split(" ", 2)[1] };
  });
  const slow = fetch(`${program.url}/api/v1/validation/single?email=ann@held.test`, {
    headers: { "x-api-key": KEY },
  });
  await untilUnderWay(program, 26);
  program.child.kill("SIGTERM");
  for (const { kind, status } of await Promise.all(answers)) {
    expect(status).toBe(kind === 1 || kind === 2 ? "503" : undefined);
  }
  end.resolve();
  expect((await slow).status).toBe(200);
  expect(await program.exit()).toBe(0);
  expect(program.output()).not.toContain(FORCED);
});
