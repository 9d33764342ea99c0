import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { startEmbeddedPostgres } from "../src/embedded-postgres.ts";
import { EmbeddedPostgresError } from "../src/embedded-postgres-error.ts";
import type { EmbeddedPostgresEvent } from "../src/events.ts";
import { canEnter } from "../src/run-as-user.ts";
import { ORDINARY_USER, openEmbeddedWorld, serverPid } from "./launcher-program.ts";

const isRoot = process.geteuid?.() === 0;
/** A checkout or a Node binary in root's home is not accessible to other users. */
const othersCanRunUs = [import.meta.dirname, dirname(process.execPath)].every((directory) =>
  canEnter(isRoot ? ORDINARY_USER : undefined, directory),
);
const PATIENCE = { timeout: 540_000, interval: 100 };
const world = openEmbeddedWorld();
afterAll(() => world.close());

/** Most tests reuse the database that the first one created: creating one takes a second. */
const dataDirectory = world.directory("data");

async function ask<T extends pg.QueryResultRow>(
  connection: pg.ClientConfig,
  statement: string,
): Promise<T[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}

test("an empty directory becomes a database that is durable, private and keeps its rows", async () => {
  const events: EmbeddedPostgresEvent[] = [];
  const first = await startEmbeddedPostgres({ dataDirectory, onEvent: (event) => events.push(event) });
  expect(events).toContainEqual({ event: "cluster_creating" });
  await ask(first.connection, "CREATE TABLE kept AS SELECT 42 AS answer");
  const settings = await ask<{ name: string; setting: string }>(
    first.connection,
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes',
       'listen_addresses', 'max_connections', 'unix_socket_permissions', 'server_encoding', 'data_checksums', 'TimeZone')`,
  );
  expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    listen_addresses: "",
    max_connections: "300",
    unix_socket_permissions: "0700",
    server_encoding: "UTF8",
    data_checksums: "on",
    TimeZone: "UTC",
  });
  expect(statSync(dataDirectory).mode & 0o777).toBe(0o700);
  expect(first.connection.host).toBe(join(dataDirectory, "run"));
  await Promise.all([first.stop(), first.stop()]);
  await first.exited;
  expect(serverPid(dataDirectory)).toBeUndefined();

  const again = await startEmbeddedPostgres({ dataDirectory });
  expect(await ask(again.connection, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
  await again.stop();
});

test("a second service on the same directory is refused, and the first is not affected", async () => {
  const first = await startEmbeddedPostgres({ dataDirectory });
  const second = world.startService(dataDirectory);
  await second.waitFor(/refused: .*\n/);
  expect(second.output()).toContain(
    `Another process (${process.pid}) is using the data directory ${dataDirectory}`,
  );
  expect(await ask(first.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await first.stop();
});

test("of two services that start at the same instant in an empty directory, one runs and one is refused", async () => {
  const fresh = world.directory("race");
  const both = [world.startService(fresh), world.startService(fresh)];
  await Promise.all(both.map((service) => service.waitFor(/saved 3\n|refused: .*\n/)));
  const refused = both.filter((service) => service.output().includes("refused: Another process"));
  expect(refused).toHaveLength(1);
  for (const service of both) await service.kill();
});

test("a server ended from outside is noticed", async () => {
  const server = await startEmbeddedPostgres({ dataDirectory });
  process.kill(serverPid(dataDirectory)!, "SIGINT");
  await server.exited;
  await server.stop();
  await (await startEmbeddedPostgres({ dataDirectory })).stop(); // and the directory is free again
});

test("a server that ends by itself is started again on the same socket, as often as it takes, until it is stopped", async () => {
  const events: EmbeddedPostgresEvent[] = [];
  const onEvent = (event: EmbeddedPostgresEvent) => {
    if (event.event !== "server_recovering") events.push(event); // on a busy machine only
  };
  const server = await startEmbeddedPostgres({ dataDirectory, restart: true, onEvent });
  for (let round = 0; round < 2; round++) {
    const pid = serverPid(dataDirectory)!;
    process.kill(pid, "SIGQUIT");
    await expect.poll(() => events.length, PATIENCE).toBe(2 * (round + 1));
    expect(await ask(server.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect(serverPid(dataDirectory)).not.toBe(pid);
  }
  expect(events).toEqual([
    { event: "server_exited", restartInMs: 1_000 },
    { event: "server_restarted" },
    { event: "server_exited", restartInMs: 2_000 },
    { event: "server_restarted" },
  ]);
  process.kill(serverPid(dataDirectory)!, "SIGQUIT");
  await expect.poll(() => events.at(-1), PATIENCE).toEqual({ event: "server_exited", restartInMs: 4_000 });
  await server.stop(); // during the pause
  await server.exited;
  expect(serverPid(dataDirectory)).toBeUndefined();
});

test("failed statements are not written to the log", async () => {
  const server = await startEmbeddedPostgres({ dataDirectory });
  const sizeBytes = statSync(join(dataDirectory, "postgres.log")).size;
  await expect(ask(server.connection, "SELECT 'ann@example.com'::int")).rejects.toThrow(
    "invalid input syntax",
  );
  expect(statSync(join(dataDirectory, "postgres.log")).size).toBe(sizeBytes);
  await server.stop();
});

test("a directory too deep for a socket works as well, also for a service that finds the server running", async () => {
  const deep = world.directory(`${"deep".repeat(20)}/${"er".repeat(20)}`);
  const service = world.startService(deep);
  await service.waitFor(/saved 1\n/);
  const pid = serverPid(deep);
  await service.kill();
  const server = await startEmbeddedPostgres({ dataDirectory: deep });
  expect(serverPid(deep)).toBe(pid);
  expect(server.connection.host).toMatch(/\/pg-[0-9a-f]{8}$/);
  expect(await ask(server.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await server.stop();
  rmSync(server.connection.host, { recursive: true });
});

test("a database of another PostgreSQL, or something else in its place, is left alone", async () => {
  const foreign = world.directory("foreign");
  mkdirSync(join(foreign, "postgres"), { recursive: true });
  writeFileSync(join(foreign, "postgres", "letters.txt"), "dear Ann");
  await expect(startEmbeddedPostgres({ dataDirectory: foreign })).rejects.toThrow(
    "but not a PostgreSQL database",
  );
  writeFileSync(join(foreign, "postgres", "PG_VERSION"), "9\n");
  await expect(startEmbeddedPostgres({ dataDirectory: foreign })).rejects.toThrow(
    /created by PostgreSQL 9, and only [\d. and]+ (?:is|are) here/,
  );
  expect(readdirSync(join(foreign, "postgres")).sort()).toEqual(["PG_VERSION", "letters.txt"]);
});

test("a server that cannot start is reported with the reason from its log", async () => {
  const settings = join(dataDirectory, "postgres", "postgresql.auto.conf");
  writeFileSync(settings, "wal_level = sideways\n");
  await expect(startEmbeddedPostgres({ dataDirectory })).rejects.toThrow(/did not start.*wal_level/s);
  writeFileSync(settings, "");
  await (await startEmbeddedPostgres({ dataDirectory })).stop();
});

test("a data directory that is not writable is reported with a remedy", async () => {
  const file = world.directory("file");
  mkdirSync(file);
  mkdirSync(join(file, "service.lock"));
  const starting = startEmbeddedPostgres({ dataDirectory: file });
  await expect(starting).rejects.toThrow(EmbeddedPostgresError);
  await expect(starting).rejects.toMatchObject({
    message: expect.stringContaining("EISDIR"),
    remedies: ["other_directory", "other_server"],
  });
});

test.runIf(isRoot)("started by root, the server runs as a user without privileges (as root)", async () => {
  const server = await startEmbeddedPostgres({ dataDirectory });
  const owner = statSync(join(dataDirectory, "postgres")).uid;
  expect(owner).not.toBe(0);
  expect(statSync(`/proc/${serverPid(dataDirectory)}`).uid).toBe(owner);
  // Everything here belongs to that user, who can therefore start the service later.
  for (const name of readdirSync(dataDirectory)) expect(statSync(join(dataDirectory, name)).uid).toBe(owner);
  await server.stop();
});

test.runIf(isRoot && othersCanRunUs)(
  "an ordinary user can start and stop the service (as root, via setuid to nobody)",
  async () => {
    const home = world.directory("home");
    mkdirSync(home);
    chmodSync(home, 0o777);
    const place = world.directory("home/data");
    const service = world.startService(place, ORDINARY_USER);
    await service.waitFor(/saved 3\n/);
    expect(statSync(join(place, "postgres")).uid).toBe(ORDINARY_USER.uid);
    const second = world.startService(place, ORDINARY_USER);
    await second.waitFor(/refused: Another process/);
    service.process.kill("SIGTERM");
    await service.waitFor(/stopped\n/);
    // Root starts later and finds another user's database: its owner does not change.
    const server = await startEmbeddedPostgres({ dataDirectory: place });
    expect(statSync(`/proc/${serverPid(place)}`).uid).toBe(ORDINARY_USER.uid);
    await server.stop();
  },
);

test.runIf(!isRoot)("the server runs as the user who started the service (not as root)", async () => {
  const server = await startEmbeddedPostgres({ dataDirectory });
  expect(statSync(join(dataDirectory, "postgres")).uid).toBe(process.geteuid?.());
  await server.stop();
});
