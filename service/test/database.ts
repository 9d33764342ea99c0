/** A separate, empty, migrated database for a test, on the PostgreSQL server that all tests share. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { type Database, openDatabase } from "../src/db/database.ts";

export const TEMPLATE_DATABASE = "mailvet_template";

export type TestDatabase = Database & AsyncDisposable;

export async function openTestDatabase(): Promise<TestDatabase> {
  const server = inject("postgres");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await asAdmin(server, `create database ${name} template ${TEMPLATE_DATABASE}`);
  const database = openDatabase({ connection: { ...server, database: name }, maxConnections: 8 });
  const close = async () => {
    await database.close();
    await asAdmin(server, `drop database ${name} with (force)`);
  };
  return { ...database, close, [Symbol.asyncDispose]: close };
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
