/** One PostgreSQL for all tests of a run, with a migrated database that every test file copies. */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@mailvet/embedded-postgres";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate } from "../src/db/migrate.ts";
import { TEMPLATE_DATABASE } from "./database.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgres: { host: string; user: string; database: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(directoryInMemory() ?? tmpdir(), "mailvet-tests-"));
  chmodSync(folder, 0o755); // as root, the server runs as another user, who needs access
  const server = await startEmbeddedPostgres({ dataDirectory: join(folder, "data") });
  const admin = new pg.Client(server.connection);
  await admin.connect();
  // Durability is not needed. Otherwise creating and dropping databases waits for the disk.
  for (const setting of ["fsync", "full_page_writes", "wal_compression"])
    await admin.query(`alter system set ${setting} = off`);
  await admin.query("alter system set max_wal_size = '256MB'");
  // Copies files in the kernel where that exists (Linux, macOS).
  await admin.query("alter system set file_copy_method = clone").catch(() => {});
  await admin.query("select pg_reload_conf()");
  await admin.query(`create database ${TEMPLATE_DATABASE}`);
  await admin.end();
  const template = { ...server.connection, database: TEMPLATE_DATABASE };
  await migrate(template);
  // A first connection writes what the server knows of the catalog to a file, which every copy then has.
  const first = new pg.Client(template);
  await first.connect();
  await first.end();
  const { host, user, database } = server.connection;
  project.provide("postgres", { host, user, database });
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

const MIN_FREE_BYTES = 1024 ** 3;

/**
 * Linux: a file system in memory. Test files create databases and drop them, and ext4 takes longer to find a free inode
 * the more of them have just been deleted: 26 s of CPU time in a run.
 */
function directoryInMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize >= MIN_FREE_BYTES ? "/dev/shm" : undefined;
  } catch {
    return undefined;
  }
}
