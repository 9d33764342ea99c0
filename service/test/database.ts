/** A separate, empty, migrated database for a test, on the PostgreSQL server that all tests share. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import type { BlobStore } from "../src/blobs/blob-store.ts";
import { createDirectoryStore } from "../src/blobs/directory-store.ts";
import { type Database, openDatabase } from "../src/db/database.ts";

export const TEMPLATE_DATABASE = "mailvet_template";

export type TestDatabase = Database &
  AsyncDisposable & {
    /** DATA_DIR of the services that use it. */
    dataDirectory: string;
    blobs: BlobStore;
  };

export async function openTestDatabase(): Promise<TestDatabase> {
  const server = inject("postgres");
  const name = `test_${randomBytes(6).toString("hex")}`;
  // Copying the files takes a third of the CPU time of the default, which copies through the log.
  await asAdmin(server, `create database ${name} template ${TEMPLATE_DATABASE} strategy file_copy`);
  const database = openDatabase({ connection: { ...server, database: name }, maxConnections: 8 });
  const dataDirectory = mkdtempSync(join(tmpdir(), "mailvet-test-data-"));
  const close = async () => {
    await database.close();
    rmSync(dataDirectory, { recursive: true, force: true });
    await asAdmin(server, `drop database ${name} with (force)`);
  };
  const blobs = createDirectoryStore(join(dataDirectory, "blobs"));
  return { ...database, dataDirectory, blobs, close, [Symbol.asyncDispose]: close };
}

/** Keys of all stored parts of uploads. */
export async function uploadKeys(blobs: BlobStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list("uploads")) keys.push(key);
  return keys.sort();
}

async function asAdmin(server: pg.ClientConfig, statement: string): Promise<void> {
  const admin = new pg.Client(server);
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}
