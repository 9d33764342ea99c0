/**
 * A primary with a synchronous streaming replica behind PgBouncer, for tests of failover. Clients reach the primary
 * through PgBouncer: in transaction mode for pools, in session mode for the rest. A promotion changes where PgBouncer
 * connects to, as the tools do that manage such clusters.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type EmbeddedPostgres, isRunning, startEmbeddedPostgres } from "@mailvet/embedded-postgres";
import pg from "pg";
import { killServer, serverPid } from "../../embedded-postgres/test/launcher-program.ts";
import { freePort } from "./program.ts";

export const NO_PGBOUNCER = "PgBouncer is not installed (on Debian: apt-get install pgbouncer).";

export type ReplicatedPostgres = AsyncDisposable & {
  /** Settings of the service. The replica is at a fixed address; it is unavailable after its promotion until the next one is there. */
  env: { DATABASE_URL: string; DATABASE_DIRECT_URL: string; DATABASE_READ_URL: string };
  /** Of the current primary, for direct queries. */
  readonly connection: EmbeddedPostgres["connection"];
  /** Kills the primary with -9, promotes the replica, leads PgBouncer to it, and adds a new replica. */
  failOver(): Promise<void>;
  /** kill -9 and a restart. */
  killPgBouncer(): Promise<void>;
  /** Ends the primary (with SIGKILL or an immediate shutdown, if it still runs) and starts it again. */
  restartPrimary(signal: "SIGKILL" | "SIGQUIT"): Promise<void>;
  /** Starts the servers again that have exited, as on a full disk. Without its replica the primary commits nothing. */
  startStopped(): Promise<void>;
};

const BINARY = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find(existsSync);
export const hasPgBouncer = BINARY !== undefined;
/** Of util-linux: PgBouncer ends with this process, however that ends. */
const SETPRIV = "setpriv";
const STANDBY = "standby";

/** `folder` must be accessible to the user that PostgreSQL runs as. */
export async function openReplicatedPostgres(folder: string): Promise<ReplicatedPostgres> {
  const port = await freePort();
  let generation = 0;
  let primary = await startEmbeddedPostgres({ dataDirectory: directory(0) });
  let replica = await addReplica();
  const bouncerFolder = join(folder, "pgbouncer");
  mkdirSync(bouncerFolder);
  const { uid, gid } = lstatSync(join(directory(0), "postgres"));
  chownSync(bouncerFolder, uid, gid);
  let bouncer = await startPgBouncer();

  function directory(number: number): string {
    return join(folder, `server-${number}`);
  }

  /** Copies the primary while it runs, then streams from it. */
  async function addReplica(): Promise<EmbeddedPostgres> {
    const target = directory(++generation);
    const cluster = join(target, "postgres");
    await using client = await connect(primary);
    await client.query("alter system reset synchronous_standby_names");
    await client.query("select pg_reload_conf()");
    await client.query("select pg_backup_start('replica', true)");
    mkdirSync(target);
    // Files may vanish while they are copied: the WAL has what they had.
    spawnSync("cp", ["-a", join(primary.dataDirectory, "postgres"), cluster]);
    const { rows } = await client.query("select labelfile from pg_backup_stop(false)");
    for (const stale of ["postmaster.pid", "postmaster.opts"]) rmSync(join(cluster, stale), { force: true });
    const { uid, gid } = lstatSync(cluster);
    chownSync(target, uid, gid);
    writeFileSync(join(cluster, "backup_label"), rows[0].labelfile);
    writeFileSync(join(cluster, "standby.signal"), "");
    const { host, port, user } = primary.connection;
    appendFileSync(
      join(cluster, "postgresql.auto.conf"),
      `primary_conninfo = 'host=${host} port=${port} user=${user} application_name=${STANDBY}'\nhot_standby_feedback = on\n`,
    );
    for (const file of ["backup_label", "standby.signal"]) chownSync(join(cluster, file), uid, gid);
    const started = await startEmbeddedPostgres({ dataDirectory: target });
    await until(async () => {
      const { rows } = await client.query(
        "select from pg_stat_replication where application_name = $1 and state = 'streaming'",
        [STANDBY],
      );
      return rows.length === 1;
    });
    await client.query(`alter system set synchronous_standby_names = '${STANDBY}'`);
    await client.query("select pg_reload_conf()");
    return started;
  }

  function configurePgBouncer(): string {
    const path = join(bouncerFolder, "pgbouncer.ini");
    const { user, database } = primary.connection;
    const to = ({ connection }: EmbeddedPostgres) =>
      `host=${connection.host} port=${connection.port} dbname=${database} user=${user}`;
    writeFileSync(
      path,
      `[databases]
pool = ${to(primary)}
session = ${to(primary)} pool_mode=session
replica = ${to(replica)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
idle_transaction_timeout = 30
server_login_retry = 1
ignore_startup_parameters = idle_in_transaction_session_timeout
logfile = ${join(bouncerFolder, "log")}
`,
    );
    chownSync(path, uid, gid);
    return path;
  }

  async function startPgBouncer(): Promise<ChildProcess> {
    const child = spawn(SETPRIV, ["--pdeathsig", "KILL", BINARY!, "--quiet", configurePgBouncer()], {
      cwd: "/",
      stdio: "ignore",
      ...(process.geteuid?.() === 0 && { uid, gid }),
    });
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer has ended with ${child.exitCode}`);
      await using client = await connect({
        connection: { host: "127.0.0.1", port, user: "app", database: "pool" },
      });
      await client.query("select 1");
      return true;
    });
    return child;
  }

  async function stopPgBouncer(): Promise<void> {
    bouncer.kill("SIGKILL");
    if (bouncer.exitCode === null && bouncer.signalCode === null) await once(bouncer, "exit");
  }

  async function restartPrimary(signal: "SIGKILL" | "SIGQUIT"): Promise<void> {
    const { dataDirectory } = primary;
    const pid = serverPid(dataDirectory);
    if (pid !== undefined && signal === "SIGQUIT") process.kill(pid, signal);
    else if (pid !== undefined) await killServer(dataDirectory);
    while (pid !== undefined && isRunning(pid)) await pause(10); // timing: poll interval
    await primary.stop();
    await until(async () => {
      primary = await startEmbeddedPostgres({ dataDirectory });
      return true;
    });
  }

  const url = (database: string) => `postgres://app@127.0.0.1:${port}/${database}`;
  return {
    env: {
      DATABASE_URL: url("pool"),
      DATABASE_DIRECT_URL: url("session"),
      DATABASE_READ_URL: url("replica"),
    },
    get connection() {
      return primary.connection;
    },
    async failOver() {
      const old = primary;
      await killServer(old.dataDirectory);
      await old.stop();
      {
        await using client = await connect(replica);
        await client.query("select pg_promote(true, 120)");
      }
      primary = replica;
      configurePgBouncer();
      bouncer.kill("SIGHUP");
      rmSync(old.dataDirectory, { recursive: true, force: true });
      replica = await addReplica();
      configurePgBouncer();
      bouncer.kill("SIGHUP");
    },
    async killPgBouncer() {
      await stopPgBouncer();
      bouncer = await startPgBouncer();
    },
    restartPrimary,
    async startStopped() {
      if (serverPid(replica.dataDirectory) === undefined) {
        await replica.stop();
        const { dataDirectory } = replica;
        await until(async () => {
          replica = await startEmbeddedPostgres({ dataDirectory });
          return true;
        });
      }
      if (serverPid(primary.dataDirectory) === undefined) await restartPrimary("SIGKILL");
    },
    async [Symbol.asyncDispose]() {
      await stopPgBouncer();
      for (const server of [replica, primary]) {
        if (serverPid(server.dataDirectory) !== undefined) await killServer(server.dataDirectory);
        await server.stop();
      }
    },
  };
}

async function connect({ connection }: { connection: pg.ClientConfig }) {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo().catch((error) => retryable(error)))) await pause(50); // timing: poll interval
}

function retryable(error: Error): false {
  if (/has ended/.test(error.message)) throw error;
  return false;
}
