import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { pathsIn } from "../src/data-directory.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../src/embedded-postgres.ts";
import type { EmbeddedPostgresEvent } from "../src/events.ts";
import { isRunning } from "../src/process-identity.ts";
import { findPackage, readyBinaries } from "../src/programs/binaries.ts";
import { chooseRunAsUser, processIdentity } from "../src/run-as-user.ts";
import { openServer } from "../src/server.ts";
import { socketIn } from "../src/socket-directory.ts";
import { killServer, openEmbeddedWorld, serverPid } from "./launcher-program.ts";

const world = openEmbeddedWorld();
afterAll(() => world.close());

const dataDirectory = world.directory("data");
const { cluster, sockets } = pathsIn(dataDirectory);
const postmasterFile = join(cluster, "postmaster.pid");

beforeAll(async () => {
  const server = await startEmbeddedPostgres({ dataDirectory });
  const client = await connect(server);
  await client.query("CREATE TABLE saved (n int PRIMARY KEY)");
  await client.end();
  await server.stop();
});

async function connect(server: Pick<EmbeddedPostgres, "connection">): Promise<pg.Client> {
  const client = new pg.Client(server.connection);
  client.on("error", () => {}); // servers are killed here
  await client.connect();
  return client;
}

/** A service that saved some rows and was killed. Its server keeps running unless that is killed too. */
async function killedService(): Promise<{ lastSaved: number; pid: number }> {
  const service = world.startService(dataDirectory);
  await service.waitFor(/(saved \d+\n){3}/);
  const pid = serverPid(dataDirectory)!;
  await service.kill();
  await sleep(20); // timing: its last output is still in the pipe
  const lastSaved = Number(/.*saved (\d+)\n/s.exec(service.output())?.[1]);
  return { lastSaved, pid };
}

test("a service that is killed five times loses no acknowledged row, and finds its server still running", async () => {
  const servers = new Set<number>();
  let last = 0;
  for (let round = 0; round < 5; round++) {
    const { lastSaved, pid } = await killedService();
    expect(lastSaved).toBeGreaterThanOrEqual(last + 3);
    servers.add(pid);
    last = lastSaved;
  }
  expect(servers.size).toBe(1);
  await expectEveryRow(last);
});

test("a service that is killed five times together with its server loses no acknowledged row", async () => {
  let last = 0;
  for (let round = 0; round < 5; round++) {
    const { lastSaved, pid } = await killedService();
    expect(lastSaved).toBeGreaterThanOrEqual(last + 3);
    process.kill(pid, "SIGKILL");
    last = lastSaved;
  }
  await expectEveryRow(last);
});

/** Acknowledged rows are there, without gaps. One unacknowledged row may be there too. */
async function expectEveryRow(lastSaved: number): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDirectory });
  const client = await connect(server);
  const { rows } = await client.query("SELECT count(*)::int AS rows, max(n) AS highest FROM saved");
  await client.end();
  await server.stop();
  expect(rows[0].rows).toBe(rows[0].highest);
  expect(rows[0].rows).toBeGreaterThanOrEqual(lastSaved);
}

test("locks left by a killed server do not stop the next, even if its pid was reused or is a zombie", async () => {
  // Processes of the server's own user, because PostgreSQL ignores those of other users.
  const parent = spawn("sh", ["-c", "sleep 0.05 & echo $!; exec sleep 3600"], {
    ...processIdentity(chooseRunAsUser(cluster)),
    cwd: "/",
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill());
  const zombie = Number((await once(parent.stdout, "data"))[0]);
  await expect.poll(() => isRunning(zombie)).toBe(false);
  for (const pid of [zombie, parent.pid]) {
    const left = [pid, cluster, 1_700_000_000, 5432, sockets, "", "  1234567  1", "ready   ", ""].join("\n");
    writeFileSync(postmasterFile, left);
    writeFileSync(`${socketIn(sockets)}.lock`, left);
    writeFileSync(socketIn(sockets), "");
    const server = await startEmbeddedPostgres({ dataDirectory });
    await (await connect(server)).end();
    await server.stop();
  }
});

test("a server that is just stopping is waited for", async () => {
  const { pid } = await killedService();
  const guest = await connect({
    connection: { host: sockets, port: 5432, user: "app", database: "app", ssl: false },
  });
  process.kill(pid, "SIGTERM"); // smart shutdown: stops after the last client has left, and refuses new ones
  const starting = startEmbeddedPostgres({ dataDirectory });
  expect(await Promise.race([starting, sleep(400, "waiting")])).toBe("waiting"); // timing: for an event that must not occur
  await guest.end();
  const server = await starting;
  expect(isRunning(pid)).toBe(false);
  expect(serverPid(dataDirectory)).not.toBe(pid);
  await server.stop();
});

test("processes that have not noticed their server's death are waited for", async () => {
  const first = await startEmbeddedPostgres({ dataDirectory });
  const client = await connect(first);
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const straggler = rows[0]!.pid;
  process.kill(straggler, "SIGSTOP");
  await killServer(dataDirectory);
  await first.exited;
  await first.stop();
  const starting = startEmbeddedPostgres({ dataDirectory });
  expect(await Promise.race([starting, sleep(400, "waiting")])).toBe("waiting"); // timing: for an event that must not occur
  process.kill(straggler, "SIGCONT");
  await (await starting).stop();
});

test("an orphaned server that is unreachable is stopped, and another started", async () => {
  const { pid } = await killedService();
  rmSync(sockets, { recursive: true }); // as a cleaner of temporary files would
  const events: EmbeddedPostgresEvent[] = [];
  const server = await startEmbeddedPostgres({ dataDirectory, onEvent: (event) => events.push(event) });
  expect(events).toContainEqual({ event: "orphan_stopping", pid });
  expect(isRunning(pid)).toBe(false);
  await (await connect(server)).end();
  await server.stop();
});

test("an orphaned server of another PostgreSQL version is replaced by ours", async () => {
  const { pid } = await killedService();
  const user = chooseRunAsUser(cluster);
  const paths = pathsIn(dataDirectory);
  const onEvent = () => {};
  const packageDirectory = findPackage();
  const binaries = readyBinaries({ packageDirectory, copyDirectory: paths.binariesCopy, user, onEvent });
  const newer = { ...binaries, version: { ...binaries.version, number: binaries.version.number + 1 } };
  const server = await openServer({ paths, socketDirectory: sockets, binaries: newer, user, onEvent });
  expect(isRunning(pid)).toBe(false);
  expect(serverPid(dataDirectory)).toBeDefined();
  await server.stop();
});

test("a server that answers but is no process of this system, as in another container, is left alone", async () => {
  const { pid } = await killedService();
  const file = readFileSync(postmasterFile, "utf8");
  writeFileSync(postmasterFile, file.replace(/^\d+/, "4194999"));
  await expect(startEmbeddedPostgres({ dataDirectory })).rejects.toThrow("another container");
  expect(isRunning(pid)).toBe(true);
  writeFileSync(postmasterFile, file);
  await (await startEmbeddedPostgres({ dataDirectory })).stop();
  expect(isRunning(pid)).toBe(false);
});

test("a service killed while it creates the database leaves nothing that looks like a complete one", async () => {
  const fresh = world.directory("halfway");
  const service = world.startService(fresh, undefined, undefined, "cluster_creating");
  expect(await service.exited).toBe("SIGKILL");
  expect(readdirSync(fresh)).toContainEqual(expect.stringMatching(/^postgres\.new-/));
  expect(existsSync(join(fresh, "postgres"))).toBe(false);

  const server = await startEmbeddedPostgres({ dataDirectory: fresh });
  await (await connect(server)).end();
  await server.stop();
  expect(existsSync(join(fresh, "postgres", "PG_VERSION"))).toBe(true);
});

/** The watchdogs that run for the servers of a data directory. */
function watchdogsOf(directory: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return words.includes("embedded-postgres-watchdog") && words.includes(pathsIn(directory).serverOwner);
    } catch {
      return false; // no process, or it has just ended
    }
  });
}

test("a server whose service was killed shuts down cleanly by itself, unless the next service has adopted it", async () => {
  const patience = { timeout: 540_000, interval: 100 };
  const place = world.directory("watched");
  const first = world.startService(place, undefined, 1);
  await first.waitFor(/saved 1\n/);
  const pid = serverPid(place)!;
  const [watchdog, ...more] = watchdogsOf(place);
  expect(more).toEqual([]);

  // SIGSTOP, so that it cannot act before the next service has started, however slow that is.
  process.kill(Number(watchdog), "SIGSTOP");
  await first.kill();
  const second = world.startService(place, undefined, 1);
  await second.waitFor(/server_adopted(.|\n)*saved/);
  process.kill(Number(watchdog), "SIGCONT");
  await expect.poll(() => watchdogsOf(place), patience).not.toContain(watchdog);
  expect(serverPid(place)).toBe(pid);

  await second.kill();
  await expect.poll(() => [serverPid(place), watchdogsOf(place)], patience).toEqual([undefined, []]);
  const log = readFileSync(pathsIn(place).log, "utf8");
  expect(log.trimEnd()).toMatch(/database system is shut down$/);

  const third = await startEmbeddedPostgres({ dataDirectory: place });
  expect(watchdogsOf(place)).toHaveLength(1);
  await third.stop();
  await expect.poll(() => watchdogsOf(place), patience).toEqual([]);
});
